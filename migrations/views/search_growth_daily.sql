CREATE OR REPLACE VIEW strandline_analytics.search_growth_daily AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, h.bucket_at, h.looks, h.followed, h.changes,
    coalesce((select d.exposure_ms::float8 / 86400000 from strandline.search_days d where d.search_id = s.id and d.day_at = h.bucket_at), 0) as coverage,
    h.gained_reply_count::bigint, h.lost_reply_count::bigint, h.gained_repost_count::bigint, h.lost_repost_count::bigint, h.gained_like_count::bigint, h.lost_like_count::bigint, h.gained_view_count::bigint, h.lost_view_count::bigint, h.gained_quote_count::bigint, h.lost_quote_count::bigint, h.gained_impression_count::bigint, h.lost_impression_count::bigint, h.gained_bookmark_count::bigint, h.lost_bookmark_count::bigint,
    strandline_analytics.engagement(h.gained_like_count, h.gained_repost_count, h.gained_reply_count, h.gained_quote_count)::bigint as gained_engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  cross join lateral (
    select date_trunc('day', h.hour_at, 'UTC') as bucket_at, sum(h.looks)::bigint as looks, sum(h.followed)::bigint as followed, sum(h.changes)::bigint as changes,
      sum(h.gained_reply_count) as gained_reply_count, sum(h.lost_reply_count) as lost_reply_count, sum(h.gained_repost_count) as gained_repost_count, sum(h.lost_repost_count) as lost_repost_count, sum(h.gained_like_count) as gained_like_count, sum(h.lost_like_count) as lost_like_count, sum(h.gained_view_count) as gained_view_count, sum(h.lost_view_count) as lost_view_count, sum(h.gained_quote_count) as gained_quote_count, sum(h.lost_quote_count) as lost_quote_count, sum(h.gained_impression_count) as gained_impression_count, sum(h.lost_impression_count) as lost_impression_count, sum(h.gained_bookmark_count) as gained_bookmark_count, sum(h.lost_bookmark_count) as lost_bookmark_count
    from strandline.search_gains h where h.search_id = s.id group by 1
  ) h;

COMMENT ON VIEW strandline_analytics.search_growth_daily IS 'Growth of a search''s posts per observed day, from any search''s observations: gains and losses, summed separately. After a gap, the first observation includes all growth during the gap. No row: not observed, which is not zero.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.service_kind IS 'sandbox (simulated), own or hosted. Kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.bucket_at IS 'Start of the day (UTC).';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.looks IS 'Number of responses of the search on this day. 0: gains were observed by other searches that have the same posts.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.followed IS 'Posts in those responses that the search had seen before, summed: posts whose growth could be measured. 0 without gains: nothing to compare with.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.changes IS 'Number of observed changes of posts.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.coverage IS 'Share of the day that was observed, 0 to 1, as in volume_daily. Growth is attributed to the time of the response, see looks.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_reply_count IS 'Replies gained: increases only; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.lost_reply_count IS 'Replies lost, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_repost_count IS 'Reposts gained: increases only; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.lost_repost_count IS 'Reposts lost, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_like_count IS 'Likes gained: increases only; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.lost_like_count IS 'Likes lost, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_view_count IS 'Views gained: increases only; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.lost_view_count IS 'Views lost, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_quote_count IS 'Quotes gained: increases only; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.lost_quote_count IS 'Quotes lost, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_impression_count IS 'Impressions gained: increases only; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.lost_impression_count IS 'Impressions lost, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_bookmark_count IS 'Bookmarks gained: increases only; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.lost_bookmark_count IS 'Bookmarks lost, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_engagement IS 'Likes, reposts, replies and quotes gained, combined, as far as known; null when none is known.';
