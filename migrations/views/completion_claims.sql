CREATE OR REPLACE VIEW strandline_analytics.completion_claims AS
  select m.completion_id, o.run_id, o.search_id, s.slug as search, o.observed_at, c.role, m.position, m.claim_id, c.text,
    m.link_ids as cited_links,
    array(select l.canonical from unnest(m.link_ids) with ordinality u(id, n) join strandline.links l on l.id = u.id order by u.n) as cited_urls,
    case when cardinality(m.link_ids) > 0 then cardinality(m.not_returned) = 0 end as cited_returned,
    m.not_returned, m.unresolved, c.first_run_id = o.run_id as new
  from strandline.completion_claims m
  join strandline.claims c on c.id = m.claim_id
  join strandline.completions o on o.id = m.completion_id
  join strandline.searches s on s.id = o.search_id;

COMMENT ON VIEW strandline_analytics.completion_claims IS 'Which claims each completion makes, in order, with what it cites for each.';
COMMENT ON COLUMN strandline_analytics.completion_claims.completion_id IS 'The completion.';
COMMENT ON COLUMN strandline_analytics.completion_claims.run_id IS 'Its run.';
COMMENT ON COLUMN strandline_analytics.completion_claims.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.completion_claims.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.completion_claims.observed_at IS 'When the completion was received (UTC).';
COMMENT ON COLUMN strandline_analytics.completion_claims.role IS 'Text of the completion in which it stands.';
COMMENT ON COLUMN strandline_analytics.completion_claims.position IS 'Place number in the completion, over all its texts, from 0.';
COMMENT ON COLUMN strandline_analytics.completion_claims.claim_id IS 'The claim.';
COMMENT ON COLUMN strandline_analytics.completion_claims.text IS 'The sentence as it was first said, without citation marks.';
COMMENT ON COLUMN strandline_analytics.completion_claims.cited_links IS 'Ids of the links that it cites here, in order.';
COMMENT ON COLUMN strandline_analytics.completion_claims.cited_urls IS 'Their addresses, in the same order.';
COMMENT ON COLUMN strandline_analytics.completion_claims.cited_returned IS 'Every link that it cites here was a result of the answer; false where one was not; null where it cites none that is known.';
COMMENT ON COLUMN strandline_analytics.completion_claims.not_returned IS 'Ids of the cited links that were no result of the answer.';
COMMENT ON COLUMN strandline_analytics.completion_claims.unresolved IS 'Numbers that it cites here and of which the answer does not say what they stand for.';
COMMENT ON COLUMN strandline_analytics.completion_claims.new IS 'No completion of this search said it before.';
