CREATE OR REPLACE VIEW strandline_analytics.post_engagement AS
  select c.post_id, c.observed_at, c.reply_count, c.repost_count, c.like_count, c.view_count, c.quote_count, c.impression_count, c.bookmark_count
  from strandline.post_snapshots c;

COMMENT ON VIEW strandline_analytics.post_engagement IS 'Post counters over time: one row whenever a counter changed.';
COMMENT ON COLUMN strandline_analytics.post_engagement.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.post_engagement.observed_at IS 'When the counters were observed (UTC).';
COMMENT ON COLUMN strandline_analytics.post_engagement.reply_count IS 'Replies at that time; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_engagement.repost_count IS 'Reposts at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_engagement.like_count IS 'Likes at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_engagement.view_count IS 'Views at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_engagement.quote_count IS 'Quotes at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_engagement.impression_count IS 'Impressions at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_engagement.bookmark_count IS 'Bookmarks at that time; null when unknown.';
