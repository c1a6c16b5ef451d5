CREATE OR REPLACE VIEW strandline_analytics.completion_claims AS
  select m.completion_id, o.run_id, o.search_id, s.slug as search, o.observed_at, c.role, m.position, m.claim_id, c.text,
    m.link_ids as cited_links,
    array(select l.url from unnest(m.link_ids) with ordinality u(id, n) join strandline.links l on l.id = u.id order by u.n) as cited_urls,
    case when cardinality(m.link_ids) > 0 then cardinality(m.not_returned) = 0 end as cited_returned,
    m.not_returned, m.unresolved, c.first_run_id = o.run_id as new
  from strandline.completion_claims m
  join strandline.claims c on c.id = m.claim_id
  join strandline.completions o on o.id = m.completion_id
  join strandline.searches s on s.id = o.search_id;

COMMENT ON VIEW strandline_analytics.completion_claims IS 'Claims of each completion, in order, with their citations.';
COMMENT ON COLUMN strandline_analytics.completion_claims.completion_id IS 'The completion.';
COMMENT ON COLUMN strandline_analytics.completion_claims.run_id IS 'The run.';
COMMENT ON COLUMN strandline_analytics.completion_claims.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.completion_claims.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.completion_claims.observed_at IS 'When the completion was received (UTC).';
COMMENT ON COLUMN strandline_analytics.completion_claims.role IS 'Section of the completion that contains it.';
COMMENT ON COLUMN strandline_analytics.completion_claims.position IS 'Position in the completion, across all sections, from 0.';
COMMENT ON COLUMN strandline_analytics.completion_claims.claim_id IS 'The claim.';
COMMENT ON COLUMN strandline_analytics.completion_claims.text IS 'The statement in its first wording, without citation marks.';
COMMENT ON COLUMN strandline_analytics.completion_claims.cited_links IS 'IDs of the links cited here, in order.';
COMMENT ON COLUMN strandline_analytics.completion_claims.cited_urls IS 'URLs of those links, in the same order.';
COMMENT ON COLUMN strandline_analytics.completion_claims.cited_returned IS 'Whether every link cited here was among the results of the same response; null when no known link is cited.';
COMMENT ON COLUMN strandline_analytics.completion_claims.not_returned IS 'IDs of cited links that were not among the results.';
COMMENT ON COLUMN strandline_analytics.completion_claims.unresolved IS 'Citation numbers used here that the response does not resolve to a link.';
COMMENT ON COLUMN strandline_analytics.completion_claims.new IS 'Whether no earlier completion of this search contained it.';
