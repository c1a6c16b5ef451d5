CREATE OR REPLACE VIEW strandline_analytics.claims AS
  select c.id, c.search_id, s.slug as search, c.role, c.text, c.first_run_id, c.first_seen_at,
    last.run_id as last_run_id, last.observed_at as last_seen_at,
    (select count(*) from strandline.completion_claims m where m.claim_id = c.id) as runs_seen,
    last.id = (select n.id from strandline.completions n where n.search_id = c.search_id and n.claims is not null
      order by n.observed_at desc, n.run_id desc limit 1) as current,
    last.link_ids as cited_links,
    array(select l.url from unnest(last.link_ids) with ordinality u(id, n) join strandline.links l on l.id = u.id order by u.n) as cited_urls,
    case when cardinality(last.link_ids) > 0 then cardinality(last.not_returned) = 0 end as cited_returned,
    last.not_returned, last.unresolved
  from strandline.claims c
  join strandline.searches s on s.id = c.search_id
  cross join lateral (
    select o.id, o.run_id, o.observed_at, m.link_ids, m.not_returned, m.unresolved
    from strandline.completion_claims m join strandline.completions o on o.id = m.completion_id
    where m.claim_id = c.id order by o.observed_at desc, o.run_id desc limit 1
  ) last;

COMMENT ON VIEW strandline_analytics.claims IS 'Statements of completions, one row per search and text, with first and last occurrence. Statements that differ only in case or white space are one claim; any other wording is another claim.';
COMMENT ON COLUMN strandline_analytics.claims.id IS 'Key of the claim.';
COMMENT ON COLUMN strandline_analytics.claims.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.claims.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.claims.role IS 'Section of the completion: summary, microblog_summary, discussion_board_summary or news_forum_summary.';
COMMENT ON COLUMN strandline_analytics.claims.text IS 'The statement in its first wording, without citation marks.';
COMMENT ON COLUMN strandline_analytics.claims.first_run_id IS 'Run whose completion contained it first.';
COMMENT ON COLUMN strandline_analytics.claims.first_seen_at IS 'When that response was received (UTC).';
COMMENT ON COLUMN strandline_analytics.claims.last_run_id IS 'Run whose completion contained it last.';
COMMENT ON COLUMN strandline_analytics.claims.last_seen_at IS 'When that response was received (UTC).';
COMMENT ON COLUMN strandline_analytics.claims.runs_seen IS 'Number of completions that contain it.';
COMMENT ON COLUMN strandline_analytics.claims.current IS 'Whether the search''s newest completion contains it. Failed runs do not change this.';
COMMENT ON COLUMN strandline_analytics.claims.cited_links IS 'IDs of the links cited at the last occurrence, in order; empty when no known link is cited.';
COMMENT ON COLUMN strandline_analytics.claims.cited_urls IS 'URLs of those links, in the same order.';
COMMENT ON COLUMN strandline_analytics.claims.cited_returned IS 'Whether every cited link was among the results of the same response; null when no known link is cited.';
COMMENT ON COLUMN strandline_analytics.claims.not_returned IS 'IDs of cited links that were not among the results.';
COMMENT ON COLUMN strandline_analytics.claims.unresolved IS 'Citation numbers that the response does not resolve to a link.';
