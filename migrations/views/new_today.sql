CREATE OR REPLACE VIEW strandline_analytics.new_today AS
  select * from strandline_analytics.discoveries where not baseline and at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC';

COMMENT ON VIEW strandline_analytics.new_today IS 'Discoveries since midnight UTC, without baselines.';
COMMENT ON COLUMN strandline_analytics.new_today.id IS 'Position in the feed. A reader that remembers the last ID it processed misses nothing.';
COMMENT ON COLUMN strandline_analytics.new_today.at IS 'When it was found (UTC).';
COMMENT ON COLUMN strandline_analytics.new_today.kind IS 'post, link, completion, spike, trend, growth or name (in answers).';
COMMENT ON COLUMN strandline_analytics.new_today.baseline IS 'Whether it was found by the first run of a request.';
COMMENT ON COLUMN strandline_analytics.new_today.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.new_today.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.new_today.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.new_today.run_id IS 'Run that found it.';
COMMENT ON COLUMN strandline_analytics.new_today.post_id IS 'The post, or the post that grew; null for other kinds.';
COMMENT ON COLUMN strandline_analytics.new_today.link_id IS 'The link; null for other kinds.';
COMMENT ON COLUMN strandline_analytics.new_today.completion_id IS 'The completion; null for other kinds.';
COMMENT ON COLUMN strandline_analytics.new_today.text IS 'Text of the post, title of the link, summary of the completion or sentence of the spike, trend, growth or name; null when a link has no title or a completion no summary.';
COMMENT ON COLUMN strandline_analytics.new_today.url IS 'URL of the post or link; null for completions, spikes and trends, and for posts without one.';
COMMENT ON COLUMN strandline_analytics.new_today.author_username IS 'Handle of the author of the post; null when unknown, and for other kinds.';
COMMENT ON COLUMN strandline_analytics.new_today.created_at IS 'When the post or link was published, or when the spike''s window or the state begins (UTC); null when unknown, and for completions.';
COMMENT ON COLUMN strandline_analytics.new_today.like_count IS 'Likes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.new_today.repost_count IS 'Reposts when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.new_today.reply_count IS 'Replies when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.new_today.view_count IS 'Views when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.new_today.spike_id IS 'The spike; null for other kinds.';
COMMENT ON COLUMN strandline_analytics.new_today.first_in_topic IS 'Whether it is the first discovery of its story in the topic, or of its item if that is in no story: a post, the links to it and its copies in other services are one item. Decided within seconds after a run. True for completions, spikes and trends. False, too, for the baseline of a search that was added later.';
COMMENT ON COLUMN strandline_analytics.new_today.named_post_id IS 'Of a link to a known post, that post; null for all others.';
COMMENT ON COLUMN strandline_analytics.new_today.simulated IS 'Whether it is simulated: true in the database of the sandbox, false in any other.';
COMMENT ON COLUMN strandline_analytics.new_today.trend_state_id IS 'The change of state of a search; null for other kinds.';
COMMENT ON COLUMN strandline_analytics.new_today.hidden IS 'Whether a person said that its item, or another of its story, is not relevant for the topic: lists and messages leave it out. Views keep it; who and when is in the view stories.';
