CREATE OR REPLACE VIEW strandline_analytics.post_growth AS
  select p.id as post_id,
    sv.name as service,
    sv.kind as service_kind,
    p.author_id,
    a.username as author_username,
    p.text,
    p.url,
    p.created_at,
    p.first_seen_at,
    seen.last_seen_at,
    seen.last_seen_by,
    seen.not_seen_since,
    (case when c.changed_before_at is not null then c.observed_at end)::timestamptz(3) as changed_at,
    coalesce(c.first_reply_count, c.reply_count) as first_reply_count,
    c.reply_count,
    coalesce(c.gained_reply_count, case when again.is_seen and c.reply_count is not null then 0 end) as gained_reply_count,
    coalesce(c.lost_reply_count, case when again.is_seen and c.reply_count is not null then 0 end) as lost_reply_count,
    coalesce(c.lost_reply_count > 0, false) as replies_fell,
    coalesce(c.first_repost_count, c.repost_count) as first_repost_count,
    c.repost_count,
    coalesce(c.gained_repost_count, case when again.is_seen and c.repost_count is not null then 0 end) as gained_repost_count,
    coalesce(c.lost_repost_count, case when again.is_seen and c.repost_count is not null then 0 end) as lost_repost_count,
    coalesce(c.lost_repost_count > 0, false) as reposts_fell,
    coalesce(c.first_like_count, c.like_count) as first_like_count,
    c.like_count,
    coalesce(c.gained_like_count, case when again.is_seen and c.like_count is not null then 0 end) as gained_like_count,
    coalesce(c.lost_like_count, case when again.is_seen and c.like_count is not null then 0 end) as lost_like_count,
    coalesce(c.lost_like_count > 0, false) as likes_fell,
    coalesce(c.first_view_count, c.view_count) as first_view_count,
    c.view_count,
    coalesce(c.gained_view_count, case when again.is_seen and c.view_count is not null then 0 end) as gained_view_count,
    coalesce(c.lost_view_count, case when again.is_seen and c.view_count is not null then 0 end) as lost_view_count,
    coalesce(c.lost_view_count > 0, false) as views_fell,
    coalesce(c.first_quote_count, c.quote_count) as first_quote_count,
    c.quote_count,
    coalesce(c.gained_quote_count, case when again.is_seen and c.quote_count is not null then 0 end) as gained_quote_count,
    coalesce(c.lost_quote_count, case when again.is_seen and c.quote_count is not null then 0 end) as lost_quote_count,
    coalesce(c.lost_quote_count > 0, false) as quotes_fell,
    coalesce(c.first_impression_count, c.impression_count) as first_impression_count,
    c.impression_count,
    coalesce(c.gained_impression_count, case when again.is_seen and c.impression_count is not null then 0 end) as gained_impression_count,
    coalesce(c.lost_impression_count, case when again.is_seen and c.impression_count is not null then 0 end) as lost_impression_count,
    coalesce(c.lost_impression_count > 0, false) as impressions_fell,
    coalesce(c.first_bookmark_count, c.bookmark_count) as first_bookmark_count,
    c.bookmark_count,
    coalesce(c.gained_bookmark_count, case when again.is_seen and c.bookmark_count is not null then 0 end) as gained_bookmark_count,
    coalesce(c.lost_bookmark_count, case when again.is_seen and c.bookmark_count is not null then 0 end) as lost_bookmark_count,
    coalesce(c.lost_bookmark_count > 0, false) as bookmarks_fell,
    strandline_analytics.engagement(c.like_count, c.repost_count, c.reply_count, c.quote_count) as engagement,
    coalesce(strandline_analytics.engagement(c.gained_like_count, c.gained_repost_count, c.gained_reply_count, c.gained_quote_count),
      case when again.is_seen and num_nonnulls(c.like_count, c.repost_count, c.reply_count, c.quote_count) > 0 then 0 end) as gained_engagement,
    coalesce(step.like_count / nullif(extract(epoch from greatest(seen.last_seen_at, c.observed_at) - c.changed_before_at)::float8 / 3600, 0),
      case when c.changed_before_at is null and again.is_seen and c.like_count is not null then 0 end) as likes_per_hour,
    coalesce(strandline_analytics.engagement(step.like_count, step.repost_count, step.reply_count, step.quote_count)
        / nullif(extract(epoch from greatest(seen.last_seen_at, c.observed_at) - c.changed_before_at)::float8 / 3600, 0),
      case when c.changed_before_at is null and again.is_seen and num_nonnulls(c.like_count, c.repost_count, c.reply_count, c.quote_count) > 0 then 0 end) as engagement_per_hour,
    case when coalesce(c.gained_like_count, case when again.is_seen then c.like_count end) is not null and seen.last_seen_at > p.first_seen_at then
      -- Nothing changed in these hours, or their snapshots are read.
      case when c.observed_at <= seen.last_seen_at - interval '24 hours' then 0 else coalesce((
        select sum(greatest(h.like_count - h.like_count_before, 0)) from (
          select e.like_count, lag(e.like_count, 1, (
            select b.like_count from strandline.post_snapshots b
            where b.post_id = p.id and b.like_count is not null and b.observed_at <= seen.last_seen_at - interval '24 hours'
            order by b.observed_at desc limit 1)) over (order by e.observed_at) as like_count_before
          from strandline.post_snapshots e
          where e.post_id = p.id and e.like_count is not null and e.observed_at > seen.last_seen_at - interval '24 hours'
        ) h
      ), 0) end / least(24, extract(epoch from seen.last_seen_at - p.first_seen_at)::float8 / 3600) end as likes_per_hour_24h
  from strandline.posts p
  join strandline.services sv on sv.id = p.service_id
  left join strandline.authors a on a.id = p.author_id
  left join strandline.post_counters c on c.post_id = p.id
  -- Per post, so that a few posts are found by their keys.
  left join lateral (
    select max(o.at) as last_seen_at, (array_agg(o.slug order by o.at desc, o.search_id) filter (where o.at is not null))[1] as last_seen_by,
      case when bool_and(o.is_dropped) then max(o.at) end as not_seen_since
    from (
      select g.search_id, s.slug, coalesce(u.last_seen_at, l.at) as at, u.post_id is not null as is_dropped
      from strandline.post_sightings g
      join strandline.searches s on s.id = g.search_id
      left join strandline.latest_results l on l.search_id = g.search_id
      left join strandline.dropped_posts u on u.search_id = g.search_id and u.post_id = g.post_id
      where g.post_id = p.id
    ) o
  ) seen on true
  -- What was gained in the last change.
  cross join lateral (
    select greatest(c.like_count - c.was_like_count, case when c.was_like_count is not null then 0 end) as like_count,
      greatest(c.repost_count - c.was_repost_count, case when c.was_repost_count is not null then 0 end) as repost_count,
      greatest(c.reply_count - c.was_reply_count, case when c.was_reply_count is not null then 0 end) as reply_count,
      greatest(c.quote_count - c.was_quote_count, case when c.was_quote_count is not null then 0 end) as quote_count
  ) step
  -- A result has returned the post since its counters last changed: those that are known have gained nothing.
  cross join lateral (select seen.last_seen_at > c.observed_at as is_seen) again;

COMMENT ON VIEW strandline_analytics.post_growth IS 'Growth of each post across all observations. Decreases are reported separately and never subtracted from gains.';
COMMENT ON COLUMN strandline_analytics.post_growth.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.post_growth.service IS 'Service that returned the item.';
COMMENT ON COLUMN strandline_analytics.post_growth.service_kind IS 'sandbox (simulated), own or hosted. Kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.post_growth.author_id IS 'Author of the post; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.author_username IS 'Handle of the author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.text IS 'Text as last observed.';
COMMENT ON COLUMN strandline_analytics.post_growth.url IS 'URL of the post; null when never returned.';
COMMENT ON COLUMN strandline_analytics.post_growth.created_at IS 'When the post was published (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_seen_at IS 'When any search first returned it, directly or inside another post (UTC).';
COMMENT ON COLUMN strandline_analytics.post_growth.last_seen_at IS 'When a response last returned it (UTC); null for posts only seen inside other posts.';
COMMENT ON COLUMN strandline_analytics.post_growth.last_seen_by IS 'Slug of the search that last returned it; null for posts only seen inside other posts.';
COMMENT ON COLUMN strandline_analytics.post_growth.not_seen_since IS 'last_seen_at if every search that found it has received a newer response without it (UTC); null while it is still returned.';
COMMENT ON COLUMN strandline_analytics.post_growth.changed_at IS 'When a counter was last observed to change (UTC); null if none ever did.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_reply_count IS 'Replies when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.reply_count IS 'Replies when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_reply_count IS 'Sum of the increases in replies between observations; 0 when a later result returned the post without a change, or left the counter out; null when none did.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_reply_count IS 'Sum of the decreases in replies, as a positive number; null when no later response returned the post. reply_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.replies_fell IS 'Whether replies ever fell.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_repost_count IS 'Reposts when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.repost_count IS 'Reposts when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_repost_count IS 'Sum of the increases in reposts between observations; 0 when a later result returned the post without a change, or left the counter out; null when none did.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_repost_count IS 'Sum of the decreases in reposts, as a positive number; null when no later response returned the post. repost_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.reposts_fell IS 'Whether reposts ever fell.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_like_count IS 'Likes when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.like_count IS 'Likes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_like_count IS 'Sum of the increases in likes between observations; 0 when a later result returned the post without a change, or left the counter out; null when none did.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_like_count IS 'Sum of the decreases in likes, as a positive number; null when no later response returned the post. like_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.likes_fell IS 'Whether likes ever fell.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_view_count IS 'Views when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.view_count IS 'Views when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_view_count IS 'Sum of the increases in views between observations; 0 when a later result returned the post without a change, or left the counter out; null when none did.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_view_count IS 'Sum of the decreases in views, as a positive number; null when no later response returned the post. view_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.views_fell IS 'Whether views ever fell.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_quote_count IS 'Quotes when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.quote_count IS 'Quotes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_quote_count IS 'Sum of the increases in quotes between observations; 0 when a later result returned the post without a change, or left the counter out; null when none did.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_quote_count IS 'Sum of the decreases in quotes, as a positive number; null when no later response returned the post. quote_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.quotes_fell IS 'Whether quotes ever fell.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_impression_count IS 'Impressions when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.impression_count IS 'Impressions when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_impression_count IS 'Sum of the increases in impressions between observations; 0 when a later result returned the post without a change, or left the counter out; null when none did.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_impression_count IS 'Sum of the decreases in impressions, as a positive number; null when no later response returned the post. impression_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.impressions_fell IS 'Whether impressions ever fell.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_bookmark_count IS 'Bookmarks when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.bookmark_count IS 'Bookmarks when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_bookmark_count IS 'Sum of the increases in bookmarks between observations; 0 when a later result returned the post without a change, or left the counter out; null when none did.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_bookmark_count IS 'Sum of the decreases in bookmarks, as a positive number; null when no later response returned the post. bookmark_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.bookmarks_fell IS 'Whether bookmarks ever fell.';
COMMENT ON COLUMN strandline_analytics.post_growth.engagement IS 'Likes + reposts + replies + quotes, as far as known; null when none is known.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_engagement IS 'Gain in likes, reposts, replies and quotes combined; null when none is known, or no later response returned the post.';
COMMENT ON COLUMN strandline_analytics.post_growth.likes_per_hour IS 'Likes gained per hour over the last observed interval: from the snapshot before the last change (see post_engagement) until the post was last seen. 0 when likes only fell; null when the last change does not know them, or observed once.';
COMMENT ON COLUMN strandline_analytics.post_growth.engagement_per_hour IS 'Engagement gained per hour over the last observed interval: from the snapshot before the last change (see post_engagement) until the post was last seen. 0 when it only fell; null when the last change does not know it, or observed once.';
COMMENT ON COLUMN strandline_analytics.post_growth.likes_per_hour_24h IS 'Likes gained per hour in the 24 h before the post was last seen, or since it was first seen if that is less; null when observed once.';
