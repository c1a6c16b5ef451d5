CREATE OR REPLACE VIEW strandline_analytics.derived_until AS
  select s.id as search_id, s.slug as search, t.slug as topic, p.as_of, p.waiting
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  cross join lateral (select min(at) as as_of, count(*) as waiting from strandline.pending_derivations where search_id = s.id) p;

COMMENT ON VIEW strandline_analytics.derived_until IS 'Up to which time volume, coverage, growth, ages, tops, what rises and spikes of a search are derived, one row per search. They are derived a few seconds behind its runs.';
COMMENT ON COLUMN strandline_analytics.derived_until.search_id IS 'Key of the search.';
COMMENT ON COLUMN strandline_analytics.derived_until.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.derived_until.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.derived_until.as_of IS 'When the oldest response was received (UTC) that they do not contain yet; null where they contain all.';
COMMENT ON COLUMN strandline_analytics.derived_until.waiting IS 'Number of responses that they do not contain yet, those that are counted again included.';
