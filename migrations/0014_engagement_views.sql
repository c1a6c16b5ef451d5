-- Views of engagement over time and of share of voice; see docs/engagement.md.
CREATE VIEW strandline_analytics.post_growth AS
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
    (select s.slug from strandline.post_sightings o join strandline.looks l on l.search_id = o.search_id
      left join strandline.unseen u on u.search_id = o.search_id and u.post_id = o.post_id
      join strandline.searches s on s.id = o.search_id
      where o.post_id = p.id order by coalesce(u.last_seen_at, l.at) desc, s.id limit 1) as last_seen_by,
    (select max(u.last_seen_at) from strandline.post_sightings o
      left join strandline.unseen u on u.search_id = o.search_id and u.post_id = o.post_id
      where o.post_id = p.id having count(*) = count(u.post_id)) as not_seen_since,
    g.changed_at,
    coalesce(g.first_reply_count, p.reply_count) as first_reply_count,
    p.reply_count,
    coalesce(g.gained_reply_count, case when p.reply_count is not null and p.last_seen_at > p.first_seen_at then 0 end) as gained_reply_count,
    coalesce(g.lost_reply_count, case when p.reply_count is not null and p.last_seen_at > p.first_seen_at then 0 end) as lost_reply_count,
    coalesce(g.lost_reply_count > 0, false) as replies_fell,
    coalesce(g.first_repost_count, p.repost_count) as first_repost_count,
    p.repost_count,
    coalesce(g.gained_repost_count, case when p.repost_count is not null and p.last_seen_at > p.first_seen_at then 0 end) as gained_repost_count,
    coalesce(g.lost_repost_count, case when p.repost_count is not null and p.last_seen_at > p.first_seen_at then 0 end) as lost_repost_count,
    coalesce(g.lost_repost_count > 0, false) as reposts_fell,
    coalesce(g.first_like_count, p.like_count) as first_like_count,
    p.like_count,
    coalesce(g.gained_like_count, case when p.like_count is not null and p.last_seen_at > p.first_seen_at then 0 end) as gained_like_count,
    coalesce(g.lost_like_count, case when p.like_count is not null and p.last_seen_at > p.first_seen_at then 0 end) as lost_like_count,
    coalesce(g.lost_like_count > 0, false) as likes_fell,
    coalesce(g.first_view_count, p.view_count) as first_view_count,
    p.view_count,
    coalesce(g.gained_view_count, case when p.view_count is not null and p.last_seen_at > p.first_seen_at then 0 end) as gained_view_count,
    coalesce(g.lost_view_count, case when p.view_count is not null and p.last_seen_at > p.first_seen_at then 0 end) as lost_view_count,
    coalesce(g.lost_view_count > 0, false) as views_fell,
    coalesce(g.first_quote_count, p.quote_count) as first_quote_count,
    p.quote_count,
    coalesce(g.gained_quote_count, case when p.quote_count is not null and p.last_seen_at > p.first_seen_at then 0 end) as gained_quote_count,
    coalesce(g.lost_quote_count, case when p.quote_count is not null and p.last_seen_at > p.first_seen_at then 0 end) as lost_quote_count,
    coalesce(g.lost_quote_count > 0, false) as quotes_fell,
    coalesce(g.first_impression_count, p.impression_count) as first_impression_count,
    p.impression_count,
    coalesce(g.gained_impression_count, case when p.impression_count is not null and p.last_seen_at > p.first_seen_at then 0 end) as gained_impression_count,
    coalesce(g.lost_impression_count, case when p.impression_count is not null and p.last_seen_at > p.first_seen_at then 0 end) as lost_impression_count,
    coalesce(g.lost_impression_count > 0, false) as impressions_fell,
    coalesce(g.first_bookmark_count, p.bookmark_count) as first_bookmark_count,
    p.bookmark_count,
    coalesce(g.gained_bookmark_count, case when p.bookmark_count is not null and p.last_seen_at > p.first_seen_at then 0 end) as gained_bookmark_count,
    coalesce(g.lost_bookmark_count, case when p.bookmark_count is not null and p.last_seen_at > p.first_seen_at then 0 end) as lost_bookmark_count,
    coalesce(g.lost_bookmark_count > 0, false) as bookmarks_fell,
    case when coalesce(p.like_count, p.repost_count, p.reply_count, p.quote_count) is not null then coalesce(p.like_count, 0) + coalesce(p.repost_count, 0) + coalesce(p.reply_count, 0) + coalesce(p.quote_count, 0) end as engagement,
    coalesce(case when coalesce(g.gained_like_count, g.gained_repost_count, g.gained_reply_count, g.gained_quote_count) is not null then coalesce(g.gained_like_count, 0) + coalesce(g.gained_repost_count, 0) + coalesce(g.gained_reply_count, 0) + coalesce(g.gained_quote_count, 0) end, case when coalesce(p.like_count, p.repost_count, p.reply_count, p.quote_count) is not null and p.last_seen_at > p.first_seen_at then 0 end) as gained_engagement,
    case when g.post_id is not null then g.step_like_count / nullif(extract(epoch from greatest(p.last_seen_at, g.changed_at) - g.changed_before_at)::float8 / 3600, 0)
      when p.like_count is not null and p.last_seen_at > p.first_seen_at then 0 end as likes_per_hour,
    case when g.post_id is not null then g.step_engagement / nullif(extract(epoch from greatest(p.last_seen_at, g.changed_at) - g.changed_before_at)::float8 / 3600, 0)
      when coalesce(p.like_count, p.repost_count, p.reply_count, p.quote_count) is not null and p.last_seen_at > p.first_seen_at then 0 end as engagement_per_hour,
    case when p.like_count is not null and p.last_seen_at > p.first_seen_at then coalesce((
      select sum(greatest(h.like_count - h.like_count_before, 0)) from (
        select e.observed_at, e.like_count, lag(e.like_count) over (order by e.observed_at) as like_count_before
        from strandline.post_snapshots e
        where e.post_id = p.id and e.like_count is not null and e.observed_at >= coalesce((
          select max(b.observed_at) from strandline.post_snapshots b
          where b.post_id = p.id and b.like_count is not null and b.observed_at <= p.last_seen_at - interval '24 hours'), '-infinity')
      ) h where h.observed_at > p.last_seen_at - interval '24 hours'
    ), 0) / least(24, extract(epoch from p.last_seen_at - p.first_seen_at)::float8 / 3600) end as likes_per_hour_24h
  from (
    select q.*, (select max(coalesce(u.last_seen_at, l.at)) from strandline.post_sightings o
      join strandline.looks l on l.search_id = o.search_id
      left join strandline.unseen u on u.search_id = o.search_id and u.post_id = o.post_id
      where o.post_id = q.id) as last_seen_at
    from strandline.posts q
  ) p
  join strandline.services sv on sv.id = p.service_id
  left join strandline.authors a on a.id = p.author_id
  left join strandline.post_gains g on g.post_id = p.id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.post_growth IS 'Growth of each post over all its observations. A counter that fell is shown as such and takes nothing from what was gained.';
COMMENT ON COLUMN strandline_analytics.post_growth.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.post_growth.service IS 'Service that returned it.';
COMMENT ON COLUMN strandline_analytics.post_growth.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.post_growth.author_id IS 'Who wrote it; null when the answer did not say.';
COMMENT ON COLUMN strandline_analytics.post_growth.author_username IS 'Handle of the author.';
COMMENT ON COLUMN strandline_analytics.post_growth.text IS 'Text as last seen.';
COMMENT ON COLUMN strandline_analytics.post_growth.url IS 'Address of the post.';
COMMENT ON COLUMN strandline_analytics.post_growth.created_at IS 'The post''s own time (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_seen_at IS 'When any search first returned it, or a post that holds it (UTC).';
COMMENT ON COLUMN strandline_analytics.post_growth.last_seen_at IS 'When the last answer came that returned it (UTC); null for a post that only stood inside others.';
COMMENT ON COLUMN strandline_analytics.post_growth.last_seen_by IS 'Slug of the search of that answer.';
COMMENT ON COLUMN strandline_analytics.post_growth.not_seen_since IS 'last_seen_at where every search that had it has got a newer answer without it: nothing is known of it since. Null while it is in sight.';
COMMENT ON COLUMN strandline_analytics.post_growth.changed_at IS 'When a counter was last seen to differ (UTC); null where none ever did.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_reply_count IS 'Replies when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.reply_count IS 'Replies when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_reply_count IS 'Sum of the steps up in replies between observations, never negative; null where it was observed once or is unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_reply_count IS 'Sum of the steps down in replies, as a positive number. reply_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.replies_fell IS 'Replies were seen to fall at least once.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_repost_count IS 'Reposts when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.repost_count IS 'Reposts when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_repost_count IS 'Sum of the steps up in reposts between observations, never negative; null where it was observed once or is unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_repost_count IS 'Sum of the steps down in reposts, as a positive number. repost_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.reposts_fell IS 'Reposts were seen to fall at least once.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_like_count IS 'Likes when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.like_count IS 'Likes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_like_count IS 'Sum of the steps up in likes between observations, never negative; null where it was observed once or is unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_like_count IS 'Sum of the steps down in likes, as a positive number. like_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.likes_fell IS 'Likes were seen to fall at least once.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_view_count IS 'Views when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.view_count IS 'Views when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_view_count IS 'Sum of the steps up in views between observations, never negative; null where it was observed once or is unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_view_count IS 'Sum of the steps down in views, as a positive number. view_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.views_fell IS 'Views were seen to fall at least once.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_quote_count IS 'Quotes when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.quote_count IS 'Quotes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_quote_count IS 'Sum of the steps up in quotes between observations, never negative; null where it was observed once or is unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_quote_count IS 'Sum of the steps down in quotes, as a positive number. quote_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.quotes_fell IS 'Quotes were seen to fall at least once.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_impression_count IS 'Impressions when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.impression_count IS 'Impressions when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_impression_count IS 'Sum of the steps up in impressions between observations, never negative; null where it was observed once or is unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_impression_count IS 'Sum of the steps down in impressions, as a positive number. impression_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.impressions_fell IS 'Impressions were seen to fall at least once.';
COMMENT ON COLUMN strandline_analytics.post_growth.first_bookmark_count IS 'Bookmarks when first known; null when unknown, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_growth.bookmark_count IS 'Bookmarks when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_bookmark_count IS 'Sum of the steps up in bookmarks between observations, never negative; null where it was observed once or is unknown.';
COMMENT ON COLUMN strandline_analytics.post_growth.lost_bookmark_count IS 'Sum of the steps down in bookmarks, as a positive number. bookmark_count = first + gained - lost.';
COMMENT ON COLUMN strandline_analytics.post_growth.bookmarks_fell IS 'Bookmarks were seen to fall at least once.';
COMMENT ON COLUMN strandline_analytics.post_growth.engagement IS 'likes + reposts + replies + quotes, as far as they are known; null where none is.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_engagement IS 'What likes, reposts, replies and quotes gained, together; null where none is known twice.';
COMMENT ON COLUMN strandline_analytics.post_growth.likes_per_hour IS 'Likes gained over the last observed interval, per hour: from the observation before the last change until it was last seen. 0 where they only fell; null where it was observed once.';
COMMENT ON COLUMN strandline_analytics.post_growth.engagement_per_hour IS 'The same for engagement.';
COMMENT ON COLUMN strandline_analytics.post_growth.likes_per_hour_24h IS 'Likes gained in the 24 h before it was last seen, per hour of them since it was first seen (at most 24); null where it was observed once.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.typical_at_age AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, h.hours, m.posts, m.reply_count, m.repost_count, m.like_count, m.view_count, m.quote_count, m.impression_count, m.bookmark_count, m.engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  cross join (values (1), (3), (8), (24), (72)) h(hours)
  cross join lateral (
    select count(*) as posts, case when count(e.reply_count) >= 5 then percentile_cont(0.5) within group (order by e.reply_count) end as reply_count, case when count(e.repost_count) >= 5 then percentile_cont(0.5) within group (order by e.repost_count) end as repost_count, case when count(e.like_count) >= 5 then percentile_cont(0.5) within group (order by e.like_count) end as like_count, case when count(e.view_count) >= 5 then percentile_cont(0.5) within group (order by e.view_count) end as view_count, case when count(e.quote_count) >= 5 then percentile_cont(0.5) within group (order by e.quote_count) end as quote_count, case when count(e.impression_count) >= 5 then percentile_cont(0.5) within group (order by e.impression_count) end as impression_count, case when count(e.bookmark_count) >= 5 then percentile_cont(0.5) within group (order by e.bookmark_count) end as bookmark_count,
      case when count(e.engagement) >= 5 then percentile_cont(0.5) within group (order by e.engagement) end as engagement
    from (
      select a.*, case when coalesce(a.like_count, a.repost_count, a.reply_count, a.quote_count) is not null then coalesce(a.like_count, 0) + coalesce(a.repost_count, 0) + coalesce(a.reply_count, 0) + coalesce(a.quote_count, 0) end as engagement
      from strandline.post_ages a where a.search_id = s.id and a.hours = h.hours order by a.at desc, a.post_id desc limit 500
    ) e
    having count(*) > 0
  ) m;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.typical_at_age IS 'What is typical of a search: medians over its posts at one age. Only ages that were observed, of the 500 posts that reached the age last.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.hours IS 'Age in hours since the post was written: 1, 3, 8, 24 or 72.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.posts IS 'Number of posts that the medians are over.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.reply_count IS 'Median of replies at this age; null where fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.repost_count IS 'Median of reposts at this age; null where fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.like_count IS 'Median of likes at this age; null where fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.view_count IS 'Median of views at this age; null where fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.quote_count IS 'Median of quotes at this age; null where fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.impression_count IS 'Median of impressions at this age; null where fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.bookmark_count IS 'Median of bookmarks at this age; null where fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.engagement IS 'Median of engagement (likes + reposts + replies + quotes, as far as they are known; null where none is); null where fewer than 5 are known.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.post_at_age AS
  select e.search_id, e.search, e.topic, e.service_kind, e.post_id, e.author_id, e.created_at, e.hours, e.reached_at, e.observed_before_at, e.observed_after_at,
    e.reply_count, e.repost_count, e.like_count, e.view_count, e.quote_count, e.impression_count, e.bookmark_count, e.engagement,
    e.compared_with, e.typical_like_count, e.typical_view_count, e.typical_engagement,
    e.like_count / nullif(e.typical_like_count, 0) as like_ratio,
    e.view_count / nullif(e.typical_view_count, 0) as view_ratio,
    e.engagement / nullif(e.typical_engagement, 0) as engagement_ratio,
    (select count(*) from (
        select distinct on (o.post_id) o.post_id, case when coalesce(o.like_count, o.repost_count, o.reply_count, o.quote_count) is not null then coalesce(o.like_count, 0) + coalesce(o.repost_count, 0) + coalesce(o.reply_count, 0) + coalesce(o.quote_count, 0) end as engagement
        from (select q.id from strandline.posts q where q.author_id = e.author_id order by q.id desc limit 200) q
        join strandline.post_ages o on o.post_id = q.id and o.hours = e.hours
        order by o.post_id, o.after_at - o.before_at
      ) o) as author_compared_with,
    (select case when count(o.engagement) >= 5 then percentile_cont(0.5) within group (order by o.engagement) end from (
        select distinct on (o.post_id) o.post_id, case when coalesce(o.like_count, o.repost_count, o.reply_count, o.quote_count) is not null then coalesce(o.like_count, 0) + coalesce(o.repost_count, 0) + coalesce(o.reply_count, 0) + coalesce(o.quote_count, 0) end as engagement
        from (select q.id from strandline.posts q where q.author_id = e.author_id order by q.id desc limit 200) q
        join strandline.post_ages o on o.post_id = q.id and o.hours = e.hours
        order by o.post_id, o.after_at - o.before_at
      ) o) as author_typical_engagement,
    e.engagement / nullif((select case when count(o.engagement) >= 5 then percentile_cont(0.5) within group (order by o.engagement) end from (
        select distinct on (o.post_id) o.post_id, case when coalesce(o.like_count, o.repost_count, o.reply_count, o.quote_count) is not null then coalesce(o.like_count, 0) + coalesce(o.repost_count, 0) + coalesce(o.reply_count, 0) + coalesce(o.quote_count, 0) end as engagement
        from (select q.id from strandline.posts q where q.author_id = e.author_id order by q.id desc limit 200) q
        join strandline.post_ages o on o.post_id = q.id and o.hours = e.hours
        order by o.post_id, o.after_at - o.before_at
      ) o), 0) as author_engagement_ratio
  from (
    select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, a.post_id, p.author_id, p.created_at, a.hours, a.at as reached_at,
      a.before_at as observed_before_at, a.after_at as observed_after_at,
      a.reply_count, a.repost_count, a.like_count, a.view_count, a.quote_count, a.impression_count, a.bookmark_count, case when coalesce(a.like_count, a.repost_count, a.reply_count, a.quote_count) is not null then coalesce(a.like_count, 0) + coalesce(a.repost_count, 0) + coalesce(a.reply_count, 0) + coalesce(a.quote_count, 0) end as engagement, m.posts as compared_with,
      m.like_count as typical_like_count,
      m.view_count as typical_view_count,
      m.engagement as typical_engagement
    from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
    join strandline_analytics.typical_at_age m on m.search_id = s.id
    join strandline.post_ages a on a.search_id = s.id and a.hours = m.hours
    join strandline.posts p on p.id = a.post_id
  ) e;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.post_at_age IS 'Posts compared at equal age: counters 1, 3, 8, 24 and 72 hours after they were written, with what is typical of the search and of the author then. The rule: counters are taken on the straight line between the last observation before the age and the first one after it, by this search, and only where each of the two is at most half the age away from it. Otherwise there is no row: the nearest value is never taken in its place.';
COMMENT ON COLUMN strandline_analytics.post_at_age.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.post_at_age.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.post_at_age.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.post_at_age.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.post_at_age.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.post_at_age.author_id IS 'Who wrote it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_at_age.created_at IS 'The post''s own time (UTC).';
COMMENT ON COLUMN strandline_analytics.post_at_age.hours IS 'Age in hours since it was written: 1, 3, 8, 24 or 72.';
COMMENT ON COLUMN strandline_analytics.post_at_age.reached_at IS 'When it was of this age (UTC).';
COMMENT ON COLUMN strandline_analytics.post_at_age.observed_before_at IS 'The last time the search saw it before that (UTC): at most half the age before.';
COMMENT ON COLUMN strandline_analytics.post_at_age.observed_after_at IS 'The first time the search saw it after that (UTC): at most half the age after.';
COMMENT ON COLUMN strandline_analytics.post_at_age.reply_count IS 'Replies at this age, on the straight line between the two observations (each at most half the age away); null when unknown at either, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_at_age.repost_count IS 'Reposts at this age, on the straight line between the two observations (each at most half the age away); null when unknown at either, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_at_age.like_count IS 'Likes at this age, on the straight line between the two observations (each at most half the age away); null when unknown at either, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_at_age.view_count IS 'Views at this age, on the straight line between the two observations (each at most half the age away); null when unknown at either, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_at_age.quote_count IS 'Quotes at this age, on the straight line between the two observations (each at most half the age away); null when unknown at either, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_at_age.impression_count IS 'Impressions at this age, on the straight line between the two observations (each at most half the age away); null when unknown at either, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_at_age.bookmark_count IS 'Bookmarks at this age, on the straight line between the two observations (each at most half the age away); null when unknown at either, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_at_age.engagement IS 'likes + reposts + replies + quotes, as far as they are known; null where none is, at this age.';
COMMENT ON COLUMN strandline_analytics.post_at_age.compared_with IS 'Number of posts of the search that typical is the median of: the 500 that reached this age last, itself among them.';
COMMENT ON COLUMN strandline_analytics.post_at_age.typical_like_count IS 'Median of their likes at this age; null where fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.post_at_age.typical_view_count IS 'Median of their views at this age; null where fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.post_at_age.typical_engagement IS 'Median of their engagement at this age; null where fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.post_at_age.like_ratio IS 'like_count over typical; null where typical is 0 or unknown.';
COMMENT ON COLUMN strandline_analytics.post_at_age.view_ratio IS 'view_count over typical; null where typical is 0 or unknown.';
COMMENT ON COLUMN strandline_analytics.post_at_age.engagement_ratio IS 'engagement over typical; null where typical is 0 or unknown.';
COMMENT ON COLUMN strandline_analytics.post_at_age.author_compared_with IS 'Number of posts of its author that were observed at this age, by any search: of the author''s last 200.';
COMMENT ON COLUMN strandline_analytics.post_at_age.author_typical_engagement IS 'Median of their engagement at this age; null where fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.post_at_age.author_engagement_ratio IS 'engagement over author_typical_engagement; null where that is 0 or unknown.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.search_growth_hourly AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, h.bucket_at, h.looks, h.followed, h.changes,
    coalesce((select sum(bit_count(v.minutes))::float8 / 60 from strandline.volume v
      where v.search_id = s.id and v.bucket_at >= h.bucket_at and v.bucket_at < h.bucket_at + interval '1 hour'), 0) as coverage,
    h.gained_reply_count::bigint, h.lost_reply_count::bigint, h.gained_repost_count::bigint, h.lost_repost_count::bigint, h.gained_like_count::bigint, h.lost_like_count::bigint, h.gained_view_count::bigint, h.lost_view_count::bigint, h.gained_quote_count::bigint, h.lost_quote_count::bigint, h.gained_impression_count::bigint, h.lost_impression_count::bigint, h.gained_bookmark_count::bigint, h.lost_bookmark_count::bigint,
    (case when coalesce(h.gained_like_count, h.gained_repost_count, h.gained_reply_count, h.gained_quote_count) is not null then coalesce(h.gained_like_count, 0) + coalesce(h.gained_repost_count, 0) + coalesce(h.gained_reply_count, 0) + coalesce(h.gained_quote_count, 0) end)::bigint as gained_engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  cross join lateral (
    select h.hour_at as bucket_at, h.looks as looks, h.followed as followed, h.changes as changes,
      h.gained_reply_count as gained_reply_count, h.lost_reply_count as lost_reply_count, h.gained_repost_count as gained_repost_count, h.lost_repost_count as lost_repost_count, h.gained_like_count as gained_like_count, h.lost_like_count as lost_like_count, h.gained_view_count as gained_view_count, h.lost_view_count as lost_view_count, h.gained_quote_count as gained_quote_count, h.lost_quote_count as lost_quote_count, h.gained_impression_count as gained_impression_count, h.lost_impression_count as lost_impression_count, h.gained_bookmark_count as gained_bookmark_count, h.lost_bookmark_count as lost_bookmark_count
    from strandline.search_gains h where h.search_id = s.id
  ) h;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.search_growth_hourly IS 'What the posts of a search gained per hour in which it was observed, by whichever search: sums of steps up and, beside them, of steps down. After a gap the first observation holds the growth of the gap. No row: nobody looked, which is not zero.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.bucket_at IS 'When the hour begins (UTC).';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.looks IS 'Answers of the search in this hour. 0: what was gained was seen by other searches that have the same posts.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.followed IS 'Posts in those answers that the search had seen before, summed: what growth could be seen of. 0 with null gains: there was nothing to compare with.';
COMMENT ON COLUMN strandline_analytics.search_growth_hourly.changes IS 'Changes of posts that were observed.';
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
--> statement-breakpoint
CREATE VIEW strandline_analytics.search_growth_daily AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, h.bucket_at, h.looks, h.followed, h.changes,
    coalesce((select d.minutes::float8 / 1440 from strandline.search_days d where d.search_id = s.id and d.day_at = h.bucket_at), 0) as coverage,
    h.gained_reply_count::bigint, h.lost_reply_count::bigint, h.gained_repost_count::bigint, h.lost_repost_count::bigint, h.gained_like_count::bigint, h.lost_like_count::bigint, h.gained_view_count::bigint, h.lost_view_count::bigint, h.gained_quote_count::bigint, h.lost_quote_count::bigint, h.gained_impression_count::bigint, h.lost_impression_count::bigint, h.gained_bookmark_count::bigint, h.lost_bookmark_count::bigint,
    (case when coalesce(h.gained_like_count, h.gained_repost_count, h.gained_reply_count, h.gained_quote_count) is not null then coalesce(h.gained_like_count, 0) + coalesce(h.gained_repost_count, 0) + coalesce(h.gained_reply_count, 0) + coalesce(h.gained_quote_count, 0) end)::bigint as gained_engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  cross join lateral (
    select date_trunc('day', h.hour_at, 'UTC') as bucket_at, sum(h.looks)::bigint as looks, sum(h.followed)::bigint as followed, sum(h.changes)::bigint as changes,
      sum(h.gained_reply_count) as gained_reply_count, sum(h.lost_reply_count) as lost_reply_count, sum(h.gained_repost_count) as gained_repost_count, sum(h.lost_repost_count) as lost_repost_count, sum(h.gained_like_count) as gained_like_count, sum(h.lost_like_count) as lost_like_count, sum(h.gained_view_count) as gained_view_count, sum(h.lost_view_count) as lost_view_count, sum(h.gained_quote_count) as gained_quote_count, sum(h.lost_quote_count) as lost_quote_count, sum(h.gained_impression_count) as gained_impression_count, sum(h.lost_impression_count) as lost_impression_count, sum(h.gained_bookmark_count) as gained_bookmark_count, sum(h.lost_bookmark_count) as lost_bookmark_count
    from strandline.search_gains h where h.search_id = s.id group by 1
  ) h;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.search_growth_daily IS 'What the posts of a search gained per day in which it was observed, by whichever search: sums of steps up and, beside them, of steps down. After a gap the first observation holds the growth of the gap. No row: nobody looked, which is not zero.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.bucket_at IS 'When the day begins (UTC).';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.looks IS 'Answers of the search in this day. 0: what was gained was seen by other searches that have the same posts.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.followed IS 'Posts in those answers that the search had seen before, summed: what growth could be seen of. 0 with null gains: there was nothing to compare with.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.changes IS 'Changes of posts that were observed.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.coverage IS 'Share of the day whose posts were observed, 0 to 1, as in volume_daily. Growth is seen when looked: see looks too.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_reply_count IS 'Replies gained: steps up only, a fall takes nothing from it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.lost_reply_count IS 'Replies lost: steps down, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_repost_count IS 'Reposts gained: steps up only, a fall takes nothing from it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.lost_repost_count IS 'Reposts lost: steps down, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_like_count IS 'Likes gained: steps up only, a fall takes nothing from it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.lost_like_count IS 'Likes lost: steps down, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_view_count IS 'Views gained: steps up only, a fall takes nothing from it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.lost_view_count IS 'Views lost: steps down, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_quote_count IS 'Quotes gained: steps up only, a fall takes nothing from it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.lost_quote_count IS 'Quotes lost: steps down, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_impression_count IS 'Impressions gained: steps up only, a fall takes nothing from it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.lost_impression_count IS 'Impressions lost: steps down, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_bookmark_count IS 'Bookmarks gained: steps up only, a fall takes nothing from it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.lost_bookmark_count IS 'Bookmarks lost: steps down, as a positive number; null when unknown.';
COMMENT ON COLUMN strandline_analytics.search_growth_daily.gained_engagement IS 'Likes, reposts, replies and quotes gained, together, as far as they are known; null where none is.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.rising_posts AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, r.post_id, p.author_id, a.username as author_username, p.text, p.url, p.created_at, l.at as as_of,
    r.age_hours, r.gained as gained_engagement, r.observed_hours, r.gained / r.observed_hours as per_hour,
    y.per_hour as typical_per_hour, y.posts as compared_with,
    r.gained / r.observed_hours - y.per_hour as ahead_per_hour,
    r.gained / r.observed_hours / nullif(y.per_hour, 0) as ratio,
    p.like_count, p.repost_count, p.reply_count, p.quote_count, p.view_count
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.looks l on l.search_id = s.id
  cross join lateral (
    select c.post_id, extract(epoch from l.at - q.created_at)::float8 / 3600 as age_hours,
      (case when q.created_at > l.at - interval '6 hours' then case when coalesce(q.like_count, q.repost_count, q.reply_count, q.quote_count) is not null then coalesce(q.like_count, 0) + coalesce(q.repost_count, 0) + coalesce(q.reply_count, 0) + coalesce(q.quote_count, 0) end
        when g.changed_at > l.at - interval '6 hours' then (
          select sum(greatest(k.x - k.before, 0)) filter (where k.observed_at > l.at - interval '6 hours') from (
            select e.observed_at, v.x, lag(v.x) over (partition by v.counter order by e.observed_at) as before
            from strandline.post_snapshots e
            cross join lateral (values (1, e.like_count), (2, e.repost_count), (3, e.reply_count), (4, e.quote_count)) v(counter, x)
            where e.post_id = c.post_id and v.x is not null and e.observed_at <= l.at and e.observed_at >= coalesce((
              select max(b.observed_at) from strandline.post_snapshots b
              where b.post_id = c.post_id and b.observed_at <= l.at - interval '6 hours'), '-infinity')
          ) k) end)::bigint as gained,
      extract(epoch from l.at - greatest(case when q.created_at > l.at - interval '6 hours' then q.created_at else q.first_seen_at end,
        l.at - interval '6 hours'))::float8 / 3600 as observed_hours
    from (
      select distinct u.post_id from strandline.coverage w join strandline.run_results rr on rr.run_id = w.run_id
      cross join lateral unnest(rr.post_ids) u(post_id)
      where w.search_id = s.id and w.observed_until > l.at - interval '6 hours'
    ) c
    join strandline.posts q on q.id = c.post_id
    left join strandline.post_gains g on g.post_id = c.post_id
  ) r
  left join (
    select h.search_id, b.lower, b.upper, least(h.posts, k.posts) as posts,
      greatest(h.engagement - coalesce(k.engagement, 0), 0) / (b.upper - b.lower) as per_hour
    from (values (0, 1), (1, 3), (3, 8), (8, 24), (24, 72)) b(lower, upper)
    join strandline_analytics.typical_at_age h on h.hours = b.upper and h.engagement is not null
    left join strandline_analytics.typical_at_age k on k.search_id = h.search_id and k.hours = b.lower
    where b.lower = 0 or k.engagement is not null
  ) y on y.search_id = s.id and y.lower <= r.age_hours and (r.age_hours < y.upper or y.upper = 72)
  join strandline.posts p on p.id = r.post_id
  left join strandline.authors a on a.id = p.author_id
  where r.gained >= 5 and r.observed_hours > 0 and (y.per_hour is null or r.gained / r.observed_hours > y.per_hour);
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.rising_posts IS 'Posts that gain more than is typical of their search at their age. Gain is what likes, reposts, replies and quotes rose by in the 6 hours before the newest answer of the search (steps up only; a post that was written in them is counted from zero, at its own time). Typical is the growth per hour of the median post between the two ages (0, 1, 3, 8, 24, 72 h) around its own; beyond 72 h, that between 24 and 72 h. Listed are posts that gained at least 5 and more per hour than is typical, or where nothing is typical yet.';
COMMENT ON COLUMN strandline_analytics.rising_posts.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.rising_posts.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.rising_posts.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.rising_posts.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.rising_posts.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.rising_posts.author_id IS 'Who wrote it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.author_username IS 'Handle of the author.';
COMMENT ON COLUMN strandline_analytics.rising_posts.text IS 'Text as last seen.';
COMMENT ON COLUMN strandline_analytics.rising_posts.url IS 'Address of the post.';
COMMENT ON COLUMN strandline_analytics.rising_posts.created_at IS 'The post''s own time (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.as_of IS 'The newest answer of the search (UTC): "now" in this row. Of a search that rests it is old.';
COMMENT ON COLUMN strandline_analytics.rising_posts.age_hours IS 'Age of the post then, in hours.';
COMMENT ON COLUMN strandline_analytics.rising_posts.gained_engagement IS 'Likes, reposts, replies and quotes gained in the 6 hours before as_of, as far as they were observed.';
COMMENT ON COLUMN strandline_analytics.rising_posts.observed_hours IS 'Hours over which that was gained: 6, or since it was written or first seen.';
COMMENT ON COLUMN strandline_analytics.rising_posts.per_hour IS 'gained_engagement per hour.';
COMMENT ON COLUMN strandline_analytics.rising_posts.typical_per_hour IS 'What the median post of the search gains per hour at this age; null where fewer than 5 posts were observed at either end.';
COMMENT ON COLUMN strandline_analytics.rising_posts.compared_with IS 'Number of posts that typical is the median of, at the end that has fewer; null where typical is.';
COMMENT ON COLUMN strandline_analytics.rising_posts.ahead_per_hour IS 'per_hour minus typical_per_hour: the most first is what rises most. Null where typical is unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.ratio IS 'per_hour over typical_per_hour; null where that is 0 or unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.like_count IS 'Likes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.repost_count IS 'Reposts when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.reply_count IS 'Replies when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.quote_count IS 'Quotes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.view_count IS 'Views when last observed; null when unknown.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.share_of_voice AS
  select d.topic_id, d.topic, d.service_kind, d.bucket_at, d.posts, d.reposts, d.searches, d.coverage, d.lower_bound, d.normalised_posts,
    d.normalised_posts / nullif(sum(d.normalised_posts) over w, 0) as share,
    count(d.normalised_posts) over w as topics
  from (
    select e.*, case when e.coverage >= 0.5 then e.posts / e.coverage end as normalised_posts from (
      select t.id as topic_id, t.slug as topic, n.kind as service_kind, n.day_at as bucket_at, n.posts, n.reposts, n.lower_bound,
        k.searches, least(n.minutes::float8 / (1440 * k.searches), 1) as coverage
      from (
        select s.topic_id, sv.kind, x.day_at, sum(x.topic_posts) as posts, sum(x.topic_reposts) as reposts, sum(x.minutes) as minutes, bool_or(x.cut) as lower_bound
        from strandline.search_days x
        join strandline.searches s on s.id = x.search_id
        join strandline.services sv on sv.id = s.service_id
        group by 1, 2, 3
      ) n
      join strandline.topics t on t.id = n.topic_id
      cross join lateral (
        select count(*) as searches from strandline.searches s
        join strandline.services sv on sv.id = s.service_id and sv.kind = n.kind
        where s.topic_id = n.topic_id
          and (exists (select from strandline.search_days x where x.search_id = s.id and x.day_at = n.day_at)
            or (exists (select from strandline.search_days x where x.search_id = s.id and x.minutes > 0 and x.day_at < n.day_at)
              and (s.archived_at is null or s.archived_at > n.day_at)))
      ) k
    ) e
  ) d
  window w as (partition by d.service_kind, d.bucket_at);
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.share_of_voice IS 'How topics compare per day (UTC) of their posts, each kind of service by itself. No row: nothing found and nothing observed, which is not zero.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.topic_id IS 'The topic.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.bucket_at IS 'When the day begins (UTC).';
COMMENT ON COLUMN strandline_analytics.share_of_voice.posts IS 'Posts whose own time lies in it, each once however many searches of the topic found it, as counted. Reposts count as posts.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.reposts IS 'Of them, those that are known to repeat another post.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.searches IS 'Searches of the topic that were at work by then: answered for the day or an earlier one, and were not removed before it.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.coverage IS 'Share of the day that was observed, 0 to 1: the mean over those searches, none of a search that saw nothing of it.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.lower_bound IS 'An answer that should have reached it was cut at its limit: it may have been more.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.normalised_posts IS 'posts / coverage: what it would have been had all of the day been observed; null where coverage is under 0.5.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.share IS 'Its part of the normalised posts of all topics of this kind of service on this day, 0 to 1; null where its own are unknown or all are 0.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.topics IS 'Number of topics that are compared: those whose normalised posts are known.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.top_authors AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, x.day_at as bucket_at, a.id as author_id, a.username as author_username, a.name as author_name, a.followers_count, x.posts, x.topic_posts
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_tops x on x.search_id = s.id and x.kind = 'author'
  join strandline.authors a on a.id = x.name::bigint;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.top_authors IS 'Who wrote the posts of a search, per day. Rows may be summed over days; over the searches of a topic only topic_posts, for it counts each post once.';
COMMENT ON COLUMN strandline_analytics.top_authors.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.top_authors.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.top_authors.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.top_authors.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.top_authors.bucket_at IS 'When the day (UTC) begins that the posts are from, by their own time.';
COMMENT ON COLUMN strandline_analytics.top_authors.author_id IS 'The author.';
COMMENT ON COLUMN strandline_analytics.top_authors.author_username IS 'Handle.';
COMMENT ON COLUMN strandline_analytics.top_authors.author_name IS 'Display name.';
COMMENT ON COLUMN strandline_analytics.top_authors.followers_count IS 'Followers when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.top_authors.posts IS 'Posts of that day that are new to this search.';
COMMENT ON COLUMN strandline_analytics.top_authors.topic_posts IS 'Of them, those that no other search of the topic had seen before: each post once per topic.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.top_hashtags AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, x.day_at as bucket_at, x.name as hashtag, x.posts, x.topic_posts
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_tops x on x.search_id = s.id and x.kind = 'hashtag';
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.top_hashtags IS 'Hashtags in the posts of a search, per day. Rows may be summed over days; over the searches of a topic only topic_posts, for it counts each post once.';
COMMENT ON COLUMN strandline_analytics.top_hashtags.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.top_hashtags.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.top_hashtags.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.top_hashtags.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.top_hashtags.bucket_at IS 'When the day (UTC) begins that the posts are from, by their own time.';
COMMENT ON COLUMN strandline_analytics.top_hashtags.hashtag IS 'The hashtag, without #, lower case.';
COMMENT ON COLUMN strandline_analytics.top_hashtags.posts IS 'Posts of that day that are new to this search.';
COMMENT ON COLUMN strandline_analytics.top_hashtags.topic_posts IS 'Of them, those that no other search of the topic had seen before: each post once per topic.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.top_languages AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, x.day_at as bucket_at, x.name as lang, x.posts, x.topic_posts
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_tops x on x.search_id = s.id and x.kind = 'language';
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.top_languages IS 'Languages of the posts of a search, per day. Rows may be summed over days; over the searches of a topic only topic_posts, for it counts each post once.';
COMMENT ON COLUMN strandline_analytics.top_languages.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.top_languages.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.top_languages.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.top_languages.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.top_languages.bucket_at IS 'When the day (UTC) begins that the posts are from, by their own time.';
COMMENT ON COLUMN strandline_analytics.top_languages.lang IS 'Language code as given; also und, qme, zxx and others. Posts without one are in no row.';
COMMENT ON COLUMN strandline_analytics.top_languages.posts IS 'Posts of that day that are new to this search.';
COMMENT ON COLUMN strandline_analytics.top_languages.topic_posts IS 'Of them, those that no other search of the topic had seen before: each post once per topic.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.top_domains AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, x.day_at as bucket_at, x.name as domain, x.posts, x.topic_posts, x.links, x.topic_links
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  cross join lateral (
    select x.day_at, x.name, coalesce(sum(x.posts) filter (where x.kind = 'domain'), 0) as posts,
      coalesce(sum(x.topic_posts) filter (where x.kind = 'domain'), 0) as topic_posts,
      coalesce(sum(x.posts) filter (where x.kind = 'site'), 0) as links,
      coalesce(sum(x.topic_posts) filter (where x.kind = 'site'), 0) as topic_links
    from strandline.search_tops x where x.search_id = s.id and x.kind in ('domain', 'site') group by 1, 2
  ) x;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.top_domains IS 'Domains that the posts of a search link to, and of the links that it found, per day. Rows may be summed over days; over the searches of a topic only topic_posts and topic_links, for they count each once.';
COMMENT ON COLUMN strandline_analytics.top_domains.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.top_domains.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.top_domains.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.top_domains.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.top_domains.bucket_at IS 'When the day (UTC) begins: of posts by their own time, of links by when the search first saw them.';
COMMENT ON COLUMN strandline_analytics.top_domains.domain IS 'Host without www, lower case.';
COMMENT ON COLUMN strandline_analytics.top_domains.posts IS 'New posts of that day that link there.';
COMMENT ON COLUMN strandline_analytics.top_domains.topic_posts IS 'Of them, those that no other search of the topic had seen before.';
COMMENT ON COLUMN strandline_analytics.top_domains.links IS 'Links there that are new to this search.';
COMMENT ON COLUMN strandline_analytics.top_domains.topic_links IS 'Of them, those that no other search of the topic had seen before.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.rising_hashtags AS
  select o.topic_id, o.topic, o.service_kind, o.search_id, o.search, o.as_of, x.name as hashtag, x.posts, x.posts_before, o.observed_days, o.observed_days_before,
    x.posts / o.observed_days as per_day, x.posts_before / o.observed_days_before as per_day_before,
    x.posts / o.observed_days / nullif(x.posts_before / o.observed_days_before, 0) as ratio,
    (x.posts - e.expected) / sqrt(e.expected + 1) as score
  from (
    select k.*, d.day_at, d.observed_days, d.observed_days_before from (
      select t.id as topic_id, t.slug as topic, sv.kind as service_kind, s.id as search_id, s.slug as search, array[s.id] as ids, l.at as as_of
      from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
      join strandline.looks l on l.search_id = s.id
      union all
      select t.id, t.slug, sv.kind, null, null, array_agg(s.id), max(l.at)
      from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
      join strandline.looks l on l.search_id = s.id
      group by 1, 2, 3
    ) k
    cross join lateral (
      select date_trunc('day', k.as_of, 'UTC') as day_at,
        sum(m.minutes) filter (where m.day_at > date_trunc('day', k.as_of, 'UTC') - interval '7 days')::float8 / 1440 / count(distinct m.search_id) as observed_days,
        sum(m.minutes) filter (where m.day_at <= date_trunc('day', k.as_of, 'UTC') - interval '7 days')::float8 / 1440 / count(distinct m.search_id) as observed_days_before
      from strandline.search_days m
      where m.search_id = any (k.ids) and m.day_at > date_trunc('day', k.as_of, 'UTC') - interval '35 days' and m.day_at <= k.as_of
    ) d
    where d.observed_days >= 3.5 and d.observed_days_before >= 7
  ) o
  cross join lateral (
    select x.name, coalesce(sum(case when o.search_id is null then x.topic_posts else x.posts end) filter (where x.day_at > o.day_at - interval '7 days'), 0) as posts,
      coalesce(sum(case when o.search_id is null then x.topic_posts else x.posts end) filter (where x.day_at <= o.day_at - interval '7 days'), 0) as posts_before
    from strandline.search_tops x
    where x.search_id = any (o.ids) and x.kind = 'hashtag' and x.day_at > o.day_at - interval '35 days' and x.day_at <= o.day_at
    group by 1
  ) x
  cross join lateral (select x.posts_before / o.observed_days_before * o.observed_days as expected) e
  where x.posts >= 5 and x.posts > e.expected;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.rising_hashtags IS 'Hashtags that are used more this week than in the four weeks before: at least 5 times in the 7 days up to as_of, and more often per observed day. Both sides are divided by the days that were observed; at least 3.5 of this week and 7 of the weeks before, otherwise nothing is said. One row per search, and one per topic (search is null), in which each counts once.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.topic_id IS 'The topic.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.search_id IS 'The search; null in the row of the whole topic.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.search IS 'Slug of the search; null in the row of the whole topic.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.as_of IS 'The newest answer (UTC): the week is the day (UTC) of it and the 6 days before.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.hashtag IS 'The hashtag, without #, lower case.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.posts IS 'This week: posts that carry it, as counted.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.posts_before IS 'The same in the 28 days before.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.observed_days IS 'Days of this week that were observed, 0 to 7: the mean over the searches.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.observed_days_before IS 'Days of the 28 before that were observed.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.per_day IS 'posts per observed day, this week.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.per_day_before IS 'posts_before per observed day.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.ratio IS 'per_day over per_day_before; null where it was not used before: there is no ratio against zero.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.score IS 'How far above chance: (posts - expected) / sqrt(expected + 1), where expected is per_day_before * observed_days. The most first is what rises most.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.rising_domains AS
  select o.topic_id, o.topic, o.service_kind, o.search_id, o.search, o.as_of, x.name as domain, x.posts, x.posts_before, o.observed_days, o.observed_days_before,
    x.posts / o.observed_days as per_day, x.posts_before / o.observed_days_before as per_day_before,
    x.posts / o.observed_days / nullif(x.posts_before / o.observed_days_before, 0) as ratio,
    (x.posts - e.expected) / sqrt(e.expected + 1) as score
  from (
    select k.*, d.day_at, d.observed_days, d.observed_days_before from (
      select t.id as topic_id, t.slug as topic, sv.kind as service_kind, s.id as search_id, s.slug as search, array[s.id] as ids, l.at as as_of
      from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
      join strandline.looks l on l.search_id = s.id
      union all
      select t.id, t.slug, sv.kind, null, null, array_agg(s.id), max(l.at)
      from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
      join strandline.looks l on l.search_id = s.id
      group by 1, 2, 3
    ) k
    cross join lateral (
      select date_trunc('day', k.as_of, 'UTC') as day_at,
        sum(m.minutes) filter (where m.day_at > date_trunc('day', k.as_of, 'UTC') - interval '7 days')::float8 / 1440 / count(distinct m.search_id) as observed_days,
        sum(m.minutes) filter (where m.day_at <= date_trunc('day', k.as_of, 'UTC') - interval '7 days')::float8 / 1440 / count(distinct m.search_id) as observed_days_before
      from strandline.search_days m
      where m.search_id = any (k.ids) and m.day_at > date_trunc('day', k.as_of, 'UTC') - interval '35 days' and m.day_at <= k.as_of
    ) d
    where d.observed_days >= 3.5 and d.observed_days_before >= 7
  ) o
  cross join lateral (
    select x.name, coalesce(sum(case when o.search_id is null then x.topic_posts else x.posts end) filter (where x.day_at > o.day_at - interval '7 days'), 0) as posts,
      coalesce(sum(case when o.search_id is null then x.topic_posts else x.posts end) filter (where x.day_at <= o.day_at - interval '7 days'), 0) as posts_before
    from strandline.search_tops x
    where x.search_id = any (o.ids) and x.kind in ('domain', 'site') and x.day_at > o.day_at - interval '35 days' and x.day_at <= o.day_at
    group by 1
  ) x
  cross join lateral (select x.posts_before / o.observed_days_before * o.observed_days as expected) e
  where x.posts >= 5 and x.posts > e.expected;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.rising_domains IS 'Domains that are used more this week than in the four weeks before: at least 5 times in the 7 days up to as_of, and more often per observed day. Both sides are divided by the days that were observed; at least 3.5 of this week and 7 of the weeks before, otherwise nothing is said. One row per search, and one per topic (search is null), in which each counts once.';
COMMENT ON COLUMN strandline_analytics.rising_domains.topic_id IS 'The topic.';
COMMENT ON COLUMN strandline_analytics.rising_domains.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.rising_domains.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.rising_domains.search_id IS 'The search; null in the row of the whole topic.';
COMMENT ON COLUMN strandline_analytics.rising_domains.search IS 'Slug of the search; null in the row of the whole topic.';
COMMENT ON COLUMN strandline_analytics.rising_domains.as_of IS 'The newest answer (UTC): the week is the day (UTC) of it and the 6 days before.';
COMMENT ON COLUMN strandline_analytics.rising_domains.domain IS 'Host without www, lower case.';
COMMENT ON COLUMN strandline_analytics.rising_domains.posts IS 'This week: posts that link there and found links, as counted.';
COMMENT ON COLUMN strandline_analytics.rising_domains.posts_before IS 'The same in the 28 days before.';
COMMENT ON COLUMN strandline_analytics.rising_domains.observed_days IS 'Days of this week that were observed, 0 to 7: the mean over the searches.';
COMMENT ON COLUMN strandline_analytics.rising_domains.observed_days_before IS 'Days of the 28 before that were observed.';
COMMENT ON COLUMN strandline_analytics.rising_domains.per_day IS 'posts per observed day, this week.';
COMMENT ON COLUMN strandline_analytics.rising_domains.per_day_before IS 'posts_before per observed day.';
COMMENT ON COLUMN strandline_analytics.rising_domains.ratio IS 'per_day over per_day_before; null where it was not used before: there is no ratio against zero.';
COMMENT ON COLUMN strandline_analytics.rising_domains.score IS 'How far above chance: (posts - expected) / sqrt(expected + 1), where expected is per_day_before * observed_days. The most first is what rises most.';
