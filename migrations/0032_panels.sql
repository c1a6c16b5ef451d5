DROP INDEX "strandline"."post_ages_most";--> statement-breakpoint
CREATE INDEX "link_sightings_run" ON "strandline"."link_sightings" USING btree ("first_run_id");--> statement-breakpoint
CREATE INDEX "runs_search_ended" ON "strandline"."runs" USING btree ("search_id","ended_at") WHERE "strandline"."runs"."ended_at" is not null;--> statement-breakpoint
CREATE INDEX "post_ages_most" ON "strandline"."post_ages" USING btree ("search_id","hours",(case when coalesce("like_count", "repost_count", "reply_count", "quote_count") is not null then coalesce("like_count", 0) + coalesce("repost_count", 0) + coalesce("reply_count", 0) + coalesce("quote_count", 0) end) desc nulls last,"post_id" DESC NULLS FIRST,"at");
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
    select n.name, sum(n.n) filter (where n.day_at > w.week_at) as posts, sum(n.n) - sum(n.n) filter (where n.day_at > w.week_at) as posts_before
    from (select o.day_at - interval '7 days' as week_at offset 0) w
    cross join lateral (
      select x.name, x.day_at, case when o.search_id is null then x.topic_posts else x.posts end as n
      from strandline.search_tops x
      where x.search_id = any (o.ids) and x.kind = 'hashtag' and x.day_at > o.day_at - interval '35 days' and x.day_at <= o.day_at
    ) n
    group by 1
  ) x
  cross join lateral (select x.posts_before / o.observed_days_before * o.observed_days as expected) e
  where x.posts >= 5 and (x.posts - e.expected) / sqrt(e.expected + 1) >= 2;
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
    select n.name, sum(n.n) filter (where n.day_at > w.week_at) as posts, sum(n.n) - sum(n.n) filter (where n.day_at > w.week_at) as posts_before
    from (select o.day_at - interval '7 days' as week_at offset 0) w
    cross join lateral (
      select x.name, x.day_at, case when o.search_id is null then x.topic_posts else x.posts end as n
      from strandline.search_tops x
      where x.search_id = any (o.ids) and x.kind in ('domain', 'site') and x.day_at > o.day_at - interval '35 days' and x.day_at <= o.day_at
    ) n
    group by 1
  ) x
  cross join lateral (select x.posts_before / o.observed_days_before * o.observed_days as expected) e
  where x.posts >= 5 and (x.posts - e.expected) / sqrt(e.expected + 1) >= 2;
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.share_of_voice AS
  with watched as (
    select s.id, s.topic_id, sv.kind, s.archived_at, f.day_at as first_at
    from strandline.searches s
    join strandline.services sv on sv.id = s.service_id
    left join lateral (
      select day_at from strandline.search_days where search_id = s.id and minutes > 0 order by day_at limit 1
    ) f on true
  )
  select topic_id, topic, service_kind, bucket_at, posts, reposts, searches, coverage, lower_bound, normalised_posts,
    normalised_posts / nullif(sum(normalised_posts) over w, 0) as share, count(normalised_posts) over w as topics
  from (
    select e.*, case when coverage >= 0.5 then posts::float8 / coverage end as normalised_posts
    from (
      select t.id as topic_id, t.slug as topic, n.kind as service_kind, n.day_at as bucket_at, n.posts, n.reposts, n.lower_bound,
        n.searches, least(n.minutes::float8 / (1440 * n.searches), 1) as coverage
      from (
        select d.topic_id, d.kind, d.day_at, d.posts, d.reposts, d.minutes, d.lower_bound, d.begun + count(o.id) as searches
        from (
          select s.topic_id, s.kind, x.day_at, sum(x.topic_posts) as posts, sum(x.topic_reposts) as reposts, sum(x.minutes) as minutes,
            bool_or(x.cut) as lower_bound,
            count(*) filter (where (s.first_at < x.day_at and (s.archived_at is null or s.archived_at > x.day_at)) is not true) as begun
          from strandline.search_days x join watched s on s.id = x.search_id group by 1, 2, 3
        ) d
        left join watched o on o.topic_id = d.topic_id and o.kind = d.kind and o.first_at < d.day_at
          and (o.archived_at is null or o.archived_at > d.day_at)
        group by 1, 2, 3, 4, 5, 6, 7, d.begun
      ) n join strandline.topics t on t.id = n.topic_id
    ) e
  ) d
  window w as (partition by service_kind, bucket_at);
--> statement-breakpoint
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.9';
