CREATE OR REPLACE VIEW strandline_analytics.new_today AS
  select * from strandline_analytics.discoveries where not baseline and at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC';

COMMENT ON VIEW strandline_analytics.new_today IS 'Discoveries since midnight UTC, without those of first looks.';
COMMENT ON COLUMN strandline_analytics.new_today.id IS 'Order of the feed: a reader that remembers the last one it saw misses none.';
COMMENT ON COLUMN strandline_analytics.new_today.at IS 'When it was found (UTC).';
COMMENT ON COLUMN strandline_analytics.new_today.kind IS 'post, link, completion or spike.';
COMMENT ON COLUMN strandline_analytics.new_today.baseline IS 'Found by the first look of a request.';
COMMENT ON COLUMN strandline_analytics.new_today.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.new_today.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.new_today.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.new_today.run_id IS 'Run that found it.';
COMMENT ON COLUMN strandline_analytics.new_today.post_id IS 'The post, where it is one; otherwise null.';
COMMENT ON COLUMN strandline_analytics.new_today.link_id IS 'The link, where it is one; otherwise null.';
COMMENT ON COLUMN strandline_analytics.new_today.completion_id IS 'The completion, where it is one; otherwise null.';
COMMENT ON COLUMN strandline_analytics.new_today.text IS 'Text of the post, title of the link, summary of the completion or sentence of the spike; null where a link has no title or a completion no summary.';
COMMENT ON COLUMN strandline_analytics.new_today.url IS 'Address of the post or link; null for a completion or spike, and where a post was given none.';
COMMENT ON COLUMN strandline_analytics.new_today.author_username IS 'Handle of who wrote the post; null when unknown, and for what is no post.';
COMMENT ON COLUMN strandline_analytics.new_today.created_at IS 'The thing''s own time (UTC), for a spike when its window begins; null when unknown, and for a completion.';
COMMENT ON COLUMN strandline_analytics.new_today.like_count IS 'Likes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.new_today.repost_count IS 'Reposts when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.new_today.reply_count IS 'Replies when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.new_today.view_count IS 'Views when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.new_today.spike_id IS 'The spike, where it is one; otherwise null.';
