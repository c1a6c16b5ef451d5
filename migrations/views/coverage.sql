CREATE OR REPLACE VIEW strandline_analytics.coverage AS
  select c.run_id, c.search_id, s.slug as search, c.observed_from, c.observed_until, c.reached_from,
    c.observed_from > c.reached_from as cut, c.every_seconds, c.posts
  from strandline.coverage c join strandline.searches s on s.id = c.search_id;

COMMENT ON VIEW strandline_analytics.coverage IS 'Time range in which each run with a parsed response, also one that stays failed, saw all posts of its search. Time that no run covers was not observed; it does not mean there were no posts.';
COMMENT ON COLUMN strandline_analytics.coverage.run_id IS 'The run.';
COMMENT ON COLUMN strandline_analytics.coverage.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.coverage.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.coverage.observed_from IS 'The response contains every post since this time (UTC).';
COMMENT ON COLUMN strandline_analytics.coverage.observed_until IS 'End of the range: when the response was received (UTC).';
COMMENT ON COLUMN strandline_analytics.coverage.reached_from IS 'Start of the range if the response had not been truncated (UTC). If earlier than observed_from, posts in between may be missing.';
COMMENT ON COLUMN strandline_analytics.coverage.cut IS 'Whether the response reached its limit before it covered the whole range.';
COMMENT ON COLUMN strandline_analytics.coverage.every_seconds IS 'Seconds between two slots at that time.';
COMMENT ON COLUMN strandline_analytics.coverage.posts IS 'Posts in the response.';
