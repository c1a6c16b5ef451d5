CREATE OR REPLACE VIEW strandline_analytics.search_states AS
  select x.search_id, s.slug as search, t.slug as topic, x.state, x.reason, x.began_at, x.ended_at,
    extract(epoch from x.ended_at - x.began_at)::float8 as seconds
  from strandline.search_states x
  join strandline.searches s on s.id = x.search_id
  join strandline.topics t on t.id = s.topic_id;

COMMENT ON VIEW strandline_analytics.search_states IS 'State history of each search. Time in which a search was not active was not observed; it does not mean there were no posts.';
COMMENT ON COLUMN strandline_analytics.search_states.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.search_states.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.search_states.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.search_states.state IS 'active, paused, broken or capped.';
COMMENT ON COLUMN strandline_analytics.search_states.reason IS 'Why it was in this state; null when there is no reason to report.';
COMMENT ON COLUMN strandline_analytics.search_states.began_at IS 'When it began (UTC).';
COMMENT ON COLUMN strandline_analytics.search_states.ended_at IS 'When it ended (UTC); null for the current state.';
COMMENT ON COLUMN strandline_analytics.search_states.seconds IS 'Seconds from began_at to ended_at; null for the current state.';
