CREATE OR REPLACE VIEW strandline_analytics.volume_daily AS
  select v.search_id, s.slug as search, date_trunc('day', v.bucket_at, 'UTC') as bucket_at, sum(v.posts) as posts,
    sum(v.exposure_ms)::float8 / 86400000 as coverage,
    bool_or(v.cut and v.exposure_ms < 900000) as lower_bound, sum(v.exposed_posts) as observed_posts,
    sum(v.exposed_posts)::float8 * 3600000 / nullif(sum(v.exposure_ms), 0) as per_hour,
    sum(v.topic_posts) as topic_posts
  from strandline.volume v join strandline.searches s on s.id = v.search_id
  group by 1, 2, 3;

COMMENT ON VIEW strandline_analytics.volume_daily IS 'Posts of a search per day (UTC) of publication. No row: nothing found and nothing observed, which is not zero.';
COMMENT ON COLUMN strandline_analytics.volume_daily.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.volume_daily.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.volume_daily.bucket_at IS 'Start of the day (UTC).';
COMMENT ON COLUMN strandline_analytics.volume_daily.posts IS 'Posts published in this time, each counted once per search; a post without a time, or with a later one, counts when it was first seen. Not corrected for coverage.';
COMMENT ON COLUMN strandline_analytics.volume_daily.coverage IS 'Share of this time that was observed, 0 to 1. Below 1, posts may be missing.';
COMMENT ON COLUMN strandline_analytics.volume_daily.lower_bound IS 'Whether the count may be too low because a response reached its limit.';
COMMENT ON COLUMN strandline_analytics.volume_daily.observed_posts IS 'Of posts, those published in the observed share of this time.';
COMMENT ON COLUMN strandline_analytics.volume_daily.per_hour IS 'Rate: observed_posts per observed hour, also where a response reached its limit; null when nothing was observed.';
COMMENT ON COLUMN strandline_analytics.volume_daily.topic_posts IS 'Of posts, those that no other search of the topic found earlier: the sum over the searches of a topic counts each post once.';
