CREATE OR REPLACE VIEW strandline_analytics.author_snapshots AS
  select c.author_id, c.observed_at, c.followers_count, c.favourites_count, c.listed_count, c.media_count, c.statuses_count, c.followings_count
  from strandline.author_snapshots c;

COMMENT ON VIEW strandline_analytics.author_snapshots IS 'Author counters over time. One row per author and change.';
COMMENT ON COLUMN strandline_analytics.author_snapshots.author_id IS 'The author.';
COMMENT ON COLUMN strandline_analytics.author_snapshots.observed_at IS 'When the counters were observed (UTC).';
COMMENT ON COLUMN strandline_analytics.author_snapshots.followers_count IS 'Followers at that time; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.author_snapshots.favourites_count IS 'Posts liked at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.author_snapshots.listed_count IS 'Lists that include the author at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.author_snapshots.media_count IS 'Number of media posted at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.author_snapshots.statuses_count IS 'Posts written at that time; null when unknown.';
COMMENT ON COLUMN strandline_analytics.author_snapshots.followings_count IS 'Number of accounts that the author follows at that time; null when unknown.';
