-- Lower case of every alphabet: the locale of our own databases is C, which knows only that of ASCII.
DO $$ BEGIN
  EXECUTE format('CREATE FUNCTION strandline.lowered(word text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS %L',
    'SELECT lower(word' || coalesce((SELECT ' COLLATE pg_catalog.' || quote_ident(collname) FROM pg_collation
      WHERE collname IN ('und-x-icu', 'pg_c_utf8') AND collnamespace = 'pg_catalog'::regnamespace
      ORDER BY collname DESC LIMIT 1), '') || ')');
END $$;
--> statement-breakpoint
-- What became known at the last change gained nothing that is known; what may be chance does not rise.
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
    case when g.post_id is not null then g.gained_reply_count when p.reply_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_reply_count,
    case when g.post_id is not null then g.lost_reply_count when p.reply_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_reply_count,
    coalesce(g.lost_reply_count > 0, false) as replies_fell,
    coalesce(g.first_repost_count, p.repost_count) as first_repost_count,
    p.repost_count,
    case when g.post_id is not null then g.gained_repost_count when p.repost_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_repost_count,
    case when g.post_id is not null then g.lost_repost_count when p.repost_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_repost_count,
    coalesce(g.lost_repost_count > 0, false) as reposts_fell,
    coalesce(g.first_like_count, p.like_count) as first_like_count,
    p.like_count,
    case when g.post_id is not null then g.gained_like_count when p.like_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_like_count,
    case when g.post_id is not null then g.lost_like_count when p.like_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_like_count,
    coalesce(g.lost_like_count > 0, false) as likes_fell,
    coalesce(g.first_view_count, p.view_count) as first_view_count,
    p.view_count,
    case when g.post_id is not null then g.gained_view_count when p.view_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_view_count,
    case when g.post_id is not null then g.lost_view_count when p.view_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_view_count,
    coalesce(g.lost_view_count > 0, false) as views_fell,
    coalesce(g.first_quote_count, p.quote_count) as first_quote_count,
    p.quote_count,
    case when g.post_id is not null then g.gained_quote_count when p.quote_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_quote_count,
    case when g.post_id is not null then g.lost_quote_count when p.quote_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_quote_count,
    coalesce(g.lost_quote_count > 0, false) as quotes_fell,
    coalesce(g.first_impression_count, p.impression_count) as first_impression_count,
    p.impression_count,
    case when g.post_id is not null then g.gained_impression_count when p.impression_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_impression_count,
    case when g.post_id is not null then g.lost_impression_count when p.impression_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_impression_count,
    coalesce(g.lost_impression_count > 0, false) as impressions_fell,
    coalesce(g.first_bookmark_count, p.bookmark_count) as first_bookmark_count,
    p.bookmark_count,
    case when g.post_id is not null then g.gained_bookmark_count when p.bookmark_count is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_bookmark_count,
    case when g.post_id is not null then g.lost_bookmark_count when p.bookmark_count is not null and p.last_seen_at > p.first_seen_at then 0 end as lost_bookmark_count,
    coalesce(g.lost_bookmark_count > 0, false) as bookmarks_fell,
    case when coalesce(p.like_count, p.repost_count, p.reply_count, p.quote_count) is not null then coalesce(p.like_count, 0) + coalesce(p.repost_count, 0) + coalesce(p.reply_count, 0) + coalesce(p.quote_count, 0) end as engagement,
    case when g.post_id is not null then case when coalesce(g.gained_like_count, g.gained_repost_count, g.gained_reply_count, g.gained_quote_count) is not null then coalesce(g.gained_like_count, 0) + coalesce(g.gained_repost_count, 0) + coalesce(g.gained_reply_count, 0) + coalesce(g.gained_quote_count, 0) end when coalesce(p.like_count, p.repost_count, p.reply_count, p.quote_count) is not null and p.last_seen_at > p.first_seen_at then 0 end as gained_engagement,
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
COMMENT ON COLUMN strandline_analytics.post_growth.gained_reply_count IS 'Sum of the steps up in replies between observations, never negative; null where it was known once or never.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_repost_count IS 'Sum of the steps up in reposts between observations, never negative; null where it was known once or never.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_like_count IS 'Sum of the steps up in likes between observations, never negative; null where it was known once or never.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_view_count IS 'Sum of the steps up in views between observations, never negative; null where it was known once or never.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_quote_count IS 'Sum of the steps up in quotes between observations, never negative; null where it was known once or never.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_impression_count IS 'Sum of the steps up in impressions between observations, never negative; null where it was known once or never.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_bookmark_count IS 'Sum of the steps up in bookmarks between observations, never negative; null where it was known once or never.';
COMMENT ON COLUMN strandline_analytics.post_growth.gained_engagement IS 'What likes, reposts, replies and quotes gained, together; null where none is known twice.';
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.rising_hashtags AS
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
  where x.posts >= 5 and (x.posts - e.expected) / sqrt(e.expected + 1) >= 2;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.rising_hashtags IS 'Hashtags that are used more this week than in the four weeks before: at least 5 times in the 7 days up to as_of, and so much more often per observed day that it is hardly chance (score of 2 or more). Both sides are divided by the days that were observed; at least 3.5 of this week and 7 of the weeks before, otherwise nothing is said. One row per search, and one per topic (search is null), in which each counts once.';
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.rising_domains AS
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
  where x.posts >= 5 and (x.posts - e.expected) / sqrt(e.expected + 1) >= 2;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.rising_domains IS 'Domains that are used more this week than in the four weeks before: at least 5 times in the 7 days up to as_of, and so much more often per observed day that it is hardly chance (score of 2 or more). Both sides are divided by the days that were observed; at least 3.5 of this week and 7 of the weeks before, otherwise nothing is said. One row per search, and one per topic (search is null), in which each counts once.';
