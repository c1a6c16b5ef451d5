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
    p.last_seen_at,
    (select s.slug from strandline.post_sightings o join strandline.latest_results l on l.search_id = o.search_id
      left join strandline.dropped_posts u on u.search_id = o.search_id and u.post_id = o.post_id
      join strandline.searches s on s.id = o.search_id
      where o.post_id = p.id order by coalesce(u.last_seen_at, l.at) desc, s.id limit 1) as last_seen_by,
    (select max(u.last_seen_at) from strandline.post_sightings o
      left join strandline.dropped_posts u on u.search_id = o.search_id and u.post_id = o.post_id
      where o.post_id = p.id having count(*) = count(u.post_id)) as not_seen_since,
    g.changed_at,
    coalesce(g.first_reply_count, c.reply_count) as first_reply_count,
    c.reply_count,
    case when g.post_id is not null then g.gained_reply_count when c.reply_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_reply_count,
    case when g.post_id is not null then g.lost_reply_count when c.reply_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_reply_count,
    coalesce(g.lost_reply_count > 0, false) as replies_fell,
    coalesce(g.first_repost_count, c.repost_count) as first_repost_count,
    c.repost_count,
    case when g.post_id is not null then g.gained_repost_count when c.repost_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_repost_count,
    case when g.post_id is not null then g.lost_repost_count when c.repost_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_repost_count,
    coalesce(g.lost_repost_count > 0, false) as reposts_fell,
    coalesce(g.first_like_count, c.like_count) as first_like_count,
    c.like_count,
    case when g.post_id is not null then g.gained_like_count when c.like_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_like_count,
    case when g.post_id is not null then g.lost_like_count when c.like_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_like_count,
    coalesce(g.lost_like_count > 0, false) as likes_fell,
    coalesce(g.first_view_count, c.view_count) as first_view_count,
    c.view_count,
    case when g.post_id is not null then g.gained_view_count when c.view_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_view_count,
    case when g.post_id is not null then g.lost_view_count when c.view_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_view_count,
    coalesce(g.lost_view_count > 0, false) as views_fell,
    coalesce(g.first_quote_count, c.quote_count) as first_quote_count,
    c.quote_count,
    case when g.post_id is not null then g.gained_quote_count when c.quote_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_quote_count,
    case when g.post_id is not null then g.lost_quote_count when c.quote_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_quote_count,
    coalesce(g.lost_quote_count > 0, false) as quotes_fell,
    coalesce(g.first_impression_count, c.impression_count) as first_impression_count,
    c.impression_count,
    case when g.post_id is not null then g.gained_impression_count when c.impression_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_impression_count,
    case when g.post_id is not null then g.lost_impression_count when c.impression_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_impression_count,
    coalesce(g.lost_impression_count > 0, false) as impressions_fell,
    coalesce(g.first_bookmark_count, c.bookmark_count) as first_bookmark_count,
    c.bookmark_count,
    case when g.post_id is not null then g.gained_bookmark_count when c.bookmark_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_bookmark_count,
    case when g.post_id is not null then g.lost_bookmark_count when c.bookmark_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_bookmark_count,
    coalesce(g.lost_bookmark_count > 0, false) as bookmarks_fell,
    strandline_analytics.engagement(c.like_count, c.repost_count, c.reply_count, c.quote_count) as engagement,
    case when g.post_id is not null then strandline_analytics.engagement(g.gained_like_count, g.gained_repost_count, g.gained_reply_count, g.gained_quote_count) when strandline_analytics.engagement(c.like_count, c.repost_count, c.reply_count, c.quote_count) is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_engagement,
    case when g.post_id is not null then g.step_like_count / nullif(extract(epoch from greatest(p.last_seen_at, g.changed_at) - g.changed_before_at)::float8 / 3600, 0)
      when c.like_count is not null and p.last_seen_at > p.first_seen_at then 0 end as likes_per_hour,
    case when g.post_id is not null then g.step_engagement / nullif(extract(epoch from greatest(p.last_seen_at, g.changed_at) - g.changed_before_at)::float8 / 3600, 0)
      when strandline_analytics.engagement(c.like_count, c.repost_count, c.reply_count, c.quote_count) is not null and p.last_seen_at > p.first_seen_at then 0 end as engagement_per_hour,
    case when c.like_count is not null and p.last_seen_at > p.first_seen_at then coalesce((
      select sum(greatest(h.like_count - h.like_count_before, 0)) from (
        select e.observed_at, e.like_count, lag(e.like_count) over (order by e.observed_at) as like_count_before
        from strandline.post_snapshots e
        where e.post_id = p.id and e.like_count is not null and e.observed_at >= coalesce((
          select max(b.observed_at) from strandline.post_snapshots b
          where b.post_id = p.id and b.like_count is not null and b.observed_at <= p.last_seen_at - interval '24 hours'), '-infinity')
      ) h where h.observed_at > p.last_seen_at - interval '24 hours'
    ), 0) / least(24, extract(epoch from p.last_seen_at - p.first_seen_at)::float8 / 3600) end as likes_per_hour_24h
  from (
    select q.id, q.service_id, q.author_id, q.text, q.url, q.created_at, q.first_seen_at, (select max(coalesce(u.last_seen_at, l.at)) from strandline.post_sightings o
      join strandline.latest_results l on l.search_id = o.search_id
      left join strandline.dropped_posts u on u.search_id = o.search_id and u.post_id = o.post_id
      where o.post_id = q.id) as last_seen_at
    from strandline.posts q
  ) p
  join strandline.services sv on sv.id = p.service_id
  left join strandline.authors a on a.id = p.author_id
  left join strandline.post_gains g on g.post_id = p.id
  left join strandline.post_counters c on c.post_id = p.id;

COMMENT ON VIEW strandline_analytics.post_growth IS 'Growth of each post over all its observations. A counter that fell is shown as such and takes nothing from what was gained.';
COMMENT ON COLUMN strandline_analytics.post_growth.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.post_growth.service IS 'Service that returned it.';
COMMENT ON COLUMN strandline_analytics.post_growth.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.post_growth.author_id IS 'Who wrote it; null when the answer did not say.';
COMMENT ON COLUMN strandline_analytics.post_growth.author_username IS 'Handle of the author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.text IS 'Text as last seen.';
COMMENT ON COLUMN strandline_analytics.post_growth.url IS 'Address of the post; null when never given.';
COMMENT ON COLUMN strandline_analytics.post_growth.created_at IS 'The post''s own time (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_seen_at IS 'When any search first returned it, or a post that holds it (UTC).';
COMMENT ON COLUMN strandline_analytics.post_growth.last_seen_at IS 'When the last answer came that returned it (UTC); null for a post that only stood inside others.';
COMMENT ON COLUMN strandline_analytics.post_growth.last_seen_by IS 'Slug of the search of that answer; null for a post that only stood inside others.';
COMMENT ON COLUMN strandline_analytics.post_growth.not_seen_since IS 'last_seen_at (UTC) where every search that had it has got a newer answer without it: nothing is known of it since. Null while it is in sight.';
COMMENT ON COLUMN strandline_analytics.post_growth.changed_at IS 'When a counter was last seen to differ (UTC); null where none ever did.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_reply_count IS 'Replies when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.reply_count IS 'Replies when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_reply_count IS 'Sum of the steps up in replies between observations, never negative; null where it was known once or never.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_reply_count IS 'Sum of the steps down in replies, as a positive number; null where it was observed once or is unknown. reply_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.replies_fell IS 'Replies were seen to fall at least once.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_repost_count IS 'Reposts when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.repost_count IS 'Reposts when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_repost_count IS 'Sum of the steps up in reposts between observations, never negative; null where it was known once or never.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_repost_count IS 'Sum of the steps down in reposts, as a positive number; null where it was observed once or is unknown. repost_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.reposts_fell IS 'Reposts were seen to fall at least once.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_like_count IS 'Likes when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.like_count IS 'Likes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_like_count IS 'Sum of the steps up in likes between observations, never negative; null where it was known once or never.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_like_count IS 'Sum of the steps down in likes, as a positive number; null where it was observed once or is unknown. like_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.likes_fell IS 'Likes were seen to fall at least once.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_view_count IS 'Views when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.view_count IS 'Views when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_view_count IS 'Sum of the steps up in views between observations, never negative; null where it was known once or never.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_view_count IS 'Sum of the steps down in views, as a positive number; null where it was observed once or is unknown. view_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.views_fell IS 'Views were seen to fall at least once.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_quote_count IS 'Quotes when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.quote_count IS 'Quotes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_quote_count IS 'Sum of the steps up in quotes between observations, never negative; null where it was known once or never.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_quote_count IS 'Sum of the steps down in quotes, as a positive number; null where it was observed once or is unknown. quote_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.quotes_fell IS 'Quotes were seen to fall at least once.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_impression_count IS 'Impressions when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.impression_count IS 'Impressions when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_impression_count IS 'Sum of the steps up in impressions between observations, never negative; null where it was known once or never.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_impression_count IS 'Sum of the steps down in impressions, as a positive number; null where it was observed once or is unknown. impression_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.impressions_fell IS 'Impressions were seen to fall at least once.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_bookmark_count IS 'Bookmarks when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.bookmark_count IS 'Bookmarks when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_bookmark_count IS 'Sum of the steps up in bookmarks between observations, never negative; null where it was known once or never.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_bookmark_count IS 'Sum of the steps down in bookmarks, as a positive number; null where it was observed once or is unknown. bookmark_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.bookmarks_fell IS 'Bookmarks were seen to fall at least once.';
COMMENT ON COLUMN strandline_analytics.post_growth.engagement IS 'likes + reposts + replies + quotes, as far as they are known; null where none is.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_engagement IS 'What likes, reposts, replies and quotes gained, together; null where none is known twice.';
COMMENT ON COLUMN strandline_analytics.post_growth.likes_per_hour IS 'Likes gained over the last observed interval, per hour: from the observation before the last change until it was last seen. 0 where they only fell; null where it was observed once.';
COMMENT ON COLUMN strandline_analytics.post_growth.engagement_per_hour IS 'Engagement gained over the last observed interval, per hour: from the observation before the last change until it was last seen. 0 where it only fell; null where it was observed once.';
COMMENT ON COLUMN strandline_analytics.post_growth.likes_per_hour_24h IS 'Likes gained in the 24 h before it was last seen, per hour of them since it was first seen (at most 24); null where it was observed once.';
