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
      join strandline.latest_results l on l.search_id = s.id
      where s.simulated = :simulated
      union all
      select t.id, t.slug, sv.kind, null, null, array_agg(s.id), max(l.at)
      from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
      join strandline.latest_results l on l.search_id = s.id
      where s.simulated = :simulated
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

COMMENT ON VIEW strandline_analytics.rising_hashtags IS 'Hashtags used more often this week than in the four weeks before: at least 5 times in the 7 days up to as_of, and with a score of 2 or more. Rates are per observed day; hashtags are compared only if at least 3.5 days of this week and 7 of the weeks before were observed. One row per search, and one per topic (search is null), which counts each post once.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.topic_id IS 'The topic.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.service_kind IS 'sandbox (simulated), own or hosted. Kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.search_id IS 'The search; null in the row for the whole topic.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.search IS 'Slug of the search; null in the row for the whole topic.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.as_of IS 'When the newest response was received (UTC). The week is that day (UTC) and the 6 days before.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.hashtag IS 'Hashtag without #, lower case.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.posts IS 'Posts with this hashtag this week. Not corrected for coverage.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.posts_before IS 'The same count for the 28 days before.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.observed_days IS 'Observed days of this week, 0 to 7: mean across the searches.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.observed_days_before IS 'Observed days of the 28 days before.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.per_day IS 'posts per observed day this week.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.per_day_before IS 'posts_before per observed day.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.ratio IS 'per_day / per_day_before; null when it was not used before.';
COMMENT ON COLUMN strandline_analytics.rising_hashtags.score IS 'Excess over expectation: (posts - expected) / sqrt(expected + 1), with expected = per_day_before * observed_days. Higher rises more.';
