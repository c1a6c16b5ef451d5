CREATE OR REPLACE VIEW strandline_analytics.coverage AS
  select c.run_id, c.search_id, s.slug as search, c.observed_from, c.observed_until, c.reached_from,
    c.observed_from > c.reached_from as cut, c.every_seconds, c.posts
  from strandline.coverage c join strandline.searches s on s.id = c.search_id;

COMMENT ON VIEW strandline_analytics.coverage IS 'What each succeeded run could see of its search''s posts. Time that no run covers was not observed, which is not silence.';
COMMENT ON COLUMN strandline_analytics.coverage.run_id IS 'The run.';
COMMENT ON COLUMN strandline_analytics.coverage.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.coverage.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.coverage.observed_from IS 'Every post from here on was in its answer (UTC).';
COMMENT ON COLUMN strandline_analytics.coverage.observed_until IS 'Up to here: when the answer came (UTC).';
COMMENT ON COLUMN strandline_analytics.coverage.reached_from IS 'Without its limit it would have seen back to here (UTC); before observed_from some posts are missing.';
COMMENT ON COLUMN strandline_analytics.coverage.cut IS 'The answer was cut at its limit before it reached back far enough.';
COMMENT ON COLUMN strandline_analytics.coverage.every_seconds IS 'Time between two slots, in seconds, as it was then.';
COMMENT ON COLUMN strandline_analytics.coverage.posts IS 'Posts in its answer.';
