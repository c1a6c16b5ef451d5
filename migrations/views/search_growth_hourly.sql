CREATE OR REPLACE VIEW strandline_analytics.search_growth_hourly AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, h.bucket_at, h.looks, h.followed, h.changes,
    coalesce((select sum(bit_count(v.minutes))::float8 / 60 from strandline.volume v
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

COMMENT ON VIEW strandline_analytics.search_growth_hourly IS 'What the posts of a search gained per hour in which it was observed, by whichever search: sums of steps up and, beside them, of steps down. After a gap the first observation holds the growth of the gap. No row: nobody looked, which is not zero.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.bucket_at IS 'When the hour begins (UTC).';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.looks IS 'Number of answers of the search in this hour. 0: what was gained was seen by other searches that have the same posts.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.followed IS 'Posts in those answers that the search had seen before, summed: what growth could be seen of. 0 with null gains: there was nothing to compare with.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.changes IS 'Number of changes of posts that were observed.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.coverage IS 'Share of the hour whose posts were observed, 0 to 1, as in volume_hourly. Growth is seen when looked: see looks too.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_reply_count IS 'Replies gained: steps up only, a fall takes nothing from it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.lost_reply_count IS 'Replies lost: steps down, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_repost_count IS 'Reposts gained: steps up only, a fall takes nothing from it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.lost_repost_count IS 'Reposts lost: steps down, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_like_count IS 'Likes gained: steps up only, a fall takes nothing from it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.lost_like_count IS 'Likes lost: steps down, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_view_count IS 'Views gained: steps up only, a fall takes nothing from it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.lost_view_count IS 'Views lost: steps down, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_quote_count IS 'Quotes gained: steps up only, a fall takes nothing from it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.lost_quote_count IS 'Quotes lost: steps down, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_impression_count IS 'Impressions gained: steps up only, a fall takes nothing from it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.lost_impression_count IS 'Impressions lost: steps down, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_bookmark_count IS 'Bookmarks gained: steps up only, a fall takes nothing from it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.lost_bookmark_count IS 'Bookmarks lost: steps down, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.gained_engagement IS 'Likes, reposts, replies and quotes gained, together, as far as they are known; null where none is.';
