CREATE OR REPLACE VIEW strandline_analytics.volume_daily AS
  select v.search_id, s.slug as search, date_trunc('day', v.bucket_at, 'UTC') as bucket_at, sum(v.posts) as posts,
    sum(bit_count(v.minutes))::float8 / 1440 as coverage,
    bool_or(v.cut and bit_count(v.minutes) < 15) as lower_bound
  from strandline.volume v join strandline.searches s on s.id = v.search_id
  group by 1, 2, 3;

COMMENT ON VIEW strandline_analytics.volume_daily IS 'Posts of a search per day (UTC) of their own time. No row: nothing found and nothing observed, which is not zero.';
COMMENT ON COLUMN strandline_analytics.volume_daily.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.volume_daily.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.volume_daily.bucket_at IS 'When the day (UTC) begins (UTC).';
COMMENT ON COLUMN strandline_analytics.volume_daily.posts IS 'Posts whose own time lies in it, each once per search, as counted: not scaled up by coverage.';
COMMENT ON COLUMN strandline_analytics.volume_daily.coverage IS 'Share of it that was observed, 0 to 1. Under 1, posts may be missing.';
COMMENT ON COLUMN strandline_analytics.volume_daily.lower_bound IS 'An answer that should have reached it was cut at its limit: it may have been more.';
