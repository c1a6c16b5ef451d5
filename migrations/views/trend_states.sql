CREATE OR REPLACE VIEW strandline_analytics.trend_states AS
  select k.id, k.at, k.search_id, s.slug as search, t.slug as topic, k.run_id, k.state, k.since,
    lead(k.since) over (partition by k.search_id order by k.id) as until,
    k.sentence, k.previous_state, k.previous_since, k.rate_before, k.rate, k.observed_hours, k.expected, k.score, k.threshold, k.days,
    k.compared_since, k.tz, k.reason, k.reason_name, k.reason_share, k.reason_share_before, k.reason_post_id, k.reason_post_at, k.why
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
COMMENT ON COLUMN strandline_analytics.trend_states.reason IS 'For rising and a higher level, what distinguishes the posts since then from those of the week before: text, author, domain, hashtag, word. For falling, a lower level and silence, what stopped: author or domain, if it accounts for at least half of the decline, or service, if all other searches of the service that usually find posts fell silent, too. none: no single one stands out. Null for normal, and in states of earlier versions.';
COMMENT ON COLUMN strandline_analytics.trend_states.reason_name IS 'The domain, hashtag, word or service; null for other reasons.';
COMMENT ON COLUMN strandline_analytics.trend_states.reason_share IS 'Share of the posts (text, author) or of the distinct authors (domain, hashtag, word) since then, 0 to 1; of what stopped, its share of the posts of the week before. Null for none and service.';
COMMENT ON COLUMN strandline_analytics.trend_states.reason_share_before IS 'Share of the distinct authors in the week before, 0 to 1; null for other reasons.';
COMMENT ON COLUMN strandline_analytics.trend_states.reason_post_id IS 'The earliest post with it; of what stopped, the last one. Null where there is none, and once that post was forgotten.';
COMMENT ON COLUMN strandline_analytics.trend_states.reason_post_at IS 'When that post was published (UTC); null where there is none.';
COMMENT ON COLUMN strandline_analytics.trend_states.why IS 'The reason in a sentence, without names of people; null where the reason is.';
