CREATE OR REPLACE VIEW strandline_analytics.claims AS
  select c.id, c.search_id, s.slug as search, c.role, c.text, c.first_run_id, c.first_seen_at,
    last.run_id as last_run_id, last.observed_at as last_seen_at,
    (select count(*) from strandline.completion_claims m where m.claim_id = c.id) as runs_seen,
    last.id = (select n.id from strandline.completions n where n.search_id = c.search_id and n.claims is not null
      order by n.observed_at desc, n.run_id desc limit 1) as current,
    last.link_ids as cited_links,
    array(select l.canonical from unnest(last.link_ids) with ordinality u(id, n) join strandline.links l on l.id = u.id order by u.n) as cited_urls,
    case when cardinality(last.link_ids) > 0 then cardinality(last.not_returned) = 0 end as cited_returned,
    last.not_returned, last.unresolved
  from strandline.claims c
  join strandline.searches s on s.id = c.search_id
  cross join lateral (
    select o.id, o.run_id, o.observed_at, m.link_ids, m.not_returned, m.unresolved
    from strandline.completion_claims m join strandline.completions o on o.id = m.completion_id
    where m.claim_id = c.id order by o.observed_at desc, o.run_id desc limit 1
  ) last;

COMMENT ON VIEW strandline_analytics.claims IS 'Sentences of completions, each once per search and text, with when it was first and last said. Words that differ in case and white space alone are one claim; any other wording is another.';
COMMENT ON COLUMN strandline_analytics.claims.id IS 'Key of the claim.';
COMMENT ON COLUMN strandline_analytics.claims.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.claims.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.claims.role IS 'Text of the completion in which it stands: summary, microblog_summary, discussion_board_summary or news_forum_summary.';
COMMENT ON COLUMN strandline_analytics.claims.text IS 'The sentence as it was first said, without citation marks.';
COMMENT ON COLUMN strandline_analytics.claims.first_run_id IS 'Run whose completion said it first.';
COMMENT ON COLUMN strandline_analytics.claims.first_seen_at IS 'When that was received (UTC).';
COMMENT ON COLUMN strandline_analytics.claims.last_run_id IS 'Run whose completion said it last.';
COMMENT ON COLUMN strandline_analytics.claims.last_seen_at IS 'When that was received (UTC).';
COMMENT ON COLUMN strandline_analytics.claims.runs_seen IS 'Number of completions that say it.';
COMMENT ON COLUMN strandline_analytics.claims.current IS 'The newest completion of the search says it. A later run that failed changes nothing: what it would have said is not known.';
COMMENT ON COLUMN strandline_analytics.claims.cited_links IS 'Ids of the links that it cited when it was last said, in order; empty where it cites none that is known.';
COMMENT ON COLUMN strandline_analytics.claims.cited_urls IS 'Their addresses, in the same order.';
COMMENT ON COLUMN strandline_analytics.claims.cited_returned IS 'Every link that it cited was a result of the answer; false where one was not; null where it cites none that is known.';
COMMENT ON COLUMN strandline_analytics.claims.not_returned IS 'Ids of the cited links that were no result of the answer.';
COMMENT ON COLUMN strandline_analytics.claims.unresolved IS 'Numbers that it cites and of which the answer does not say what they stand for.';
