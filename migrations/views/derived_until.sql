CREATE OR REPLACE VIEW strandline_analytics.derived_until AS
  select s.id as search_id, s.slug as search, t.slug as topic, p.as_of, p.waiting
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  cross join lateral (select min(at) as as_of, count(*) as waiting from strandline.pending_derivations where search_id = s.id) p;

COMMENT ON VIEW strandline_analytics.derived_until IS 'How far volume, coverage, growth, ages, tops, rising items and spikes are derived, one row per search. Derivation runs a few seconds behind the runs.';
COMMENT ON COLUMN strandline_analytics.derived_until.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.derived_until.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.derived_until.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.derived_until.as_of IS 'When the oldest response that is not yet included was received (UTC); null when all are included.';
COMMENT ON COLUMN strandline_analytics.derived_until.waiting IS 'Number of responses not yet included, counting those that are derived again.';
