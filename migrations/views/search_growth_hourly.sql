CREATE OR REPLACE VIEW strandline_analytics.search_growth_hourly AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, h.bucket_at, h.looks, h.followed, h.changes,
    coalesce((select sum(v.exposure_ms)::float8 / 3600000 from strandline.volume v
      where v.search_id = s.id and v.bucket_at >= h.bucket_at and v.bucket_at < h.bucket_at + interval '1 hour'), 0) as coverage,
    h.gained_reply_count::bigint, h.lost_reply_count::bigint, h.gained_repost_count::bigint, h.lost_repost_count::bigint, h.gained_like_count::bigint, h.lost_like_count::bigint, h.gained_view_count::bigint, h.lost_view_count::bigint, h.gained_quote_count::bigint, h.lost_quote_count::bigint, h.gained_impression_count::bigint, h.lost_impression_count::bigint, h.gained_bookmark_count::bigint, h.lost_bookmark_count::bigint,
    strandline_analytics.engagement(h.gained_like_count, h.gained_repost_count, h.gained_reply_count, h.gained_quote_count)::bigint as gained_engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  cross join lateral (
    select h.hour_at as bucket_at, h.looks as looks, h.followed as followed, h.changes as changes,
      h.gained_reply_count as gained_reply_count, h.lost_reply_count as lost_reply_count, h.gained_repost_count as gained_repost_count, h.lost_repost_count as lost_repost_count, h.gained_like_count as gained_like_count, h.lost_like_count as lost_like_count, h.gained_view_count as gained_view_count, h.lost_view_count as lost_view_count, h.gained_quote_count as gained_quote_count, h.lost_quote_count as lost_quote_count, h.gained_impression_count as gained_impression_count, h.lost_impression_count as lost_impression_count, h.gained_bookmark_count as gained_bookmark_count, h.lost_bookmark_count as lost_bookmark_count
    from strandline.search_gains h where h.search_id = s.id
  ) h;

COMMENT ON VIEW strandline_analytics.search_growth_hourly IS 'Growth of a search''s posts per observed hour, from any search''s observations: gains and losses, summed separately. After a gap, the first observation includes all growth during the gap. No row: not observed, which is not zero.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.service_kind IS 'sandbox (simulated), own or hosted. Kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.bucket_at IS 'Start of the hour (UTC).';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.looks IS 'Number of responses of the search in this hour. 0: gains were observed by other searches that have the same posts.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.followed IS 'Posts in those responses that the search had seen before, summed: posts whose growth could be measured. 0 without gains: nothing to compare with.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.changes IS 'Number of observed changes of posts.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.coverage IS 'Share of the hour that was observed, 0 to 1, as in volume_hourly. Growth is attributed to the time of the response, see looks.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_reply_count IS 'Replies gained: increases only; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.lost_reply_count IS 'Replies lost, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_repost_count IS 'Reposts gained: increases only; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.lost_repost_count IS 'Reposts lost, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_like_count IS 'Likes gained: increases only; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.lost_like_count IS 'Likes lost, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_view_count IS 'Views gained: increases only; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.lost_view_count IS 'Views lost, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_quote_count IS 'Quotes gained: increases only; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.lost_quote_count IS 'Quotes lost, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_impression_count IS 'Impressions gained: increases only; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.lost_impression_count IS 'Impressions lost, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_bookmark_count IS 'Bookmarks gained: increases only; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.lost_bookmark_count IS 'Bookmarks lost, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_engagement IS 'Likes, reposts, replies and quotes gained, combined, as far as known; null when none is known.';
