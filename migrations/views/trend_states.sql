CREATE OR REPLACE VIEW strandline_analytics.trend_states AS
  select k.id, k.at, k.search_id, s.slug as search, t.slug as topic, k.run_id, k.state, k.since,
    lead(k.since) over (partition by k.search_id order by k.id) as until,
    k.sentence, k.previous_state, k.previous_since, k.rate_before, k.rate, k.observed_hours, k.expected, k.score, k.threshold, k.days,
    k.compared_since, k.tz
  from strandline.trend_states k
  join strandline.searches s on s.id = k.search_id
  join strandline.topics t on t.id = s.topic_id;

COMMENT ON VIEW strandline_analytics.trend_states IS 'States of searches over days, one at a time, as they were reported: rising, falling, at a new level, silent, and back to normal. A search without a row is normal.';
COMMENT ON COLUMN strandline_analytics.trend_states.id IS 'Key of the state.';
COMMENT ON COLUMN strandline_analytics.trend_states.at IS 'When it was found (UTC).';
COMMENT ON COLUMN strandline_analytics.trend_states.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.trend_states.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.trend_states.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.trend_states.run_id IS 'Run in which it was detected.';
COMMENT ON COLUMN strandline_analytics.trend_states.state IS 'rising, falling, new_level, silent (observed without posts), or normal.';
COMMENT ON COLUMN strandline_analytics.trend_states.since IS 'When it began (UTC), which is before it was found.';
COMMENT ON COLUMN strandline_analytics.trend_states.until IS 'When the next state began (UTC); null for the current state.';
COMMENT ON COLUMN strandline_analytics.trend_states.sentence IS 'The change described in one sentence.';
COMMENT ON COLUMN strandline_analytics.trend_states.previous_state IS 'The state that it ended; null for the first row of a search.';
COMMENT ON COLUMN strandline_analytics.trend_states.previous_since IS 'When that state began (UTC); null for the first row of a search.';
COMMENT ON COLUMN strandline_analytics.trend_states.rate_before IS 'Posts a day before the change; after a state, those before the state. Null for silence, and when unknown.';
COMMENT ON COLUMN strandline_analytics.trend_states.rate IS 'Posts a day when it was found; null for silence, and when unknown.';
COMMENT ON COLUMN strandline_analytics.trend_states.observed_hours IS 'For silence, observed hours without posts when it was found; null for others.';
COMMENT ON COLUMN strandline_analytics.trend_states.expected IS 'For silence, posts that are usual in these hours; null for others.';
COMMENT ON COLUMN strandline_analytics.trend_states.score IS 'How unlikely the change is, in standard deviations: the root of twice the log-likelihood ratio; for silence, minus the logarithm of the probability of no post. Null for normal.';
COMMENT ON COLUMN strandline_analytics.trend_states.threshold IS 'Minimum score, in the same unit (standard deviations, or a logarithm); null for normal.';
COMMENT ON COLUMN strandline_analytics.trend_states.days IS 'Number of observed days in the comparison.';
COMMENT ON COLUMN strandline_analytics.trend_states.compared_since IS 'Days from then on (UTC) are compared in what follows; null for all.';
COMMENT ON COLUMN strandline_analytics.trend_states.tz IS 'Time zone used in the sentence (IANA name).';
