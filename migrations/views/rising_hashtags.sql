CREATE OR REPLACE VIEW strandline_analytics.rising_hashtags AS
  -- The chance is a bound of the tail of a negative binomial distribution: a week that varies by a third beyond chance, and the
  -- uncertainty of the weeks before. It is compared with those of all names (Benjamini and Hochberg, 5 %).
  select r.topic_id, r.topic, r.service_kind, r.search_id, r.search, r.as_of, r.name as hashtag, r.posts, r.posts_before, r.observed_days,
    r.observed_days_before, r.per_day, r.per_day_before, r.ratio, r.score, v.authors
  from (
  select y.*, max(case when y.chance <= 0.05 * y.place / y.names then 0.05 * y.place / y.names end) over (partition by y.topic_id, y.service_kind, y.search_id) as limit_of_chance
  from (
  select o.topic_id, o.topic, o.service_kind, o.search_id, o.search, o.as_of, o.ids, o.day_at, x.name, x.posts, x.posts_before, x.sites,
    o.observed_days, o.observed_days_before, x.posts / o.observed_days as per_day, x.posts_before / o.observed_days_before as per_day_before,
    x.posts / o.observed_days / nullif(x.posts_before / o.observed_days_before, 0) as ratio,
    (x.posts - e.expected) / sqrt(e.expected + 1) as score, e.mean, e.shape, c.chance,
    count(*) over (partition by o.topic_id, o.service_kind, o.search_id) as names,
    rank() over (partition by o.topic_id, o.service_kind, o.search_id order by c.chance) as place
  from (
    select k.*, d.day_at, d.observed_days, d.observed_days_before from (
      select t.id as topic_id, t.slug as topic, sv.kind as service_kind, s.id as search_id, s.slug as search, array[s.id] as ids, l.at as as_of
      from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
      join strandline.latest_results l on l.search_id = s.id
      union all
      select t.id, t.slug, sv.kind, null, null, array_agg(s.id), max(l.at)
      from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
      join strandline.latest_results l on l.search_id = s.id
      group by 1, 2, 3
    ) k
    cross join lateral (
      select date_trunc('day', k.as_of, 'UTC') as day_at,
        sum(m.exposure_ms) filter (where m.day_at > date_trunc('day', k.as_of, 'UTC') - interval '7 days')::float8 / 86400000 / count(distinct m.search_id) as observed_days,
        sum(m.hours) filter (where m.day_at > date_trunc('day', k.as_of, 'UTC') - interval '7 days') / count(distinct m.search_id) as hours, sum(m.hours) filter (where m.day_at <= date_trunc('day', k.as_of, 'UTC') - interval '7 days') / count(distinct m.search_id) as hours_before,
        sum(m.exposure_ms) filter (where m.day_at <= date_trunc('day', k.as_of, 'UTC') - interval '7 days')::float8 / 86400000 / count(distinct m.search_id) as observed_days_before
      from strandline.search_days m
      where m.search_id = any (k.ids) and m.day_at > date_trunc('day', k.as_of, 'UTC') - interval '35 days' and m.day_at <= k.as_of
    ) d
    where (d.observed_days >= 3.5 or d.hours >= 84) and (d.observed_days_before >= 7 or d.hours_before >= 168)
  ) o
  cross join lateral (
    select n.name, sum(n.n) filter (where n.day_at > w.week_at) as posts, sum(n.n) - sum(n.n) filter (where n.day_at > w.week_at) as posts_before,
      sum(n.n) filter (where n.day_at > w.week_at and n.kind = 'site') as sites
    from (select o.day_at - interval '7 days' as week_at offset 0) w
    cross join lateral (
      select x.name, x.day_at, x.kind, case when o.search_id is null then x.topic_posts else x.posts end as n
      from strandline.search_tops x
      where x.search_id = any (o.ids) and x.kind = 'hashtag' and x.day_at > o.day_at - interval '35 days' and x.day_at <= o.day_at
    ) n
    group by 1
  ) x
  cross join lateral (
    select x.posts_before / o.observed_days_before * o.observed_days as expected,
      ((x.posts_before + 0.5) / o.observed_days_before * o.observed_days)::float8 as mean, 1 / (0.1 + 1 / (x.posts_before + 0.5)::float8) as shape
  ) e
  cross join lateral (select case when x.posts <= e.mean then 1 else exp(-greatest(0, x.posts * ln(x.posts / e.mean)
      - (x.posts + e.shape) * ln((x.posts + e.shape) / (e.mean + e.shape)))) end as chance) c
  ) y
  ) r
  cross join lateral (
    select (select count(distinct coalesce(p.author_id, -p.id))
    from strandline.post_sightings g join strandline.posts p on p.id = g.post_id
    where g.search_id = any (r.ids) and least(g.post_created_at, g.first_seen_at) >= r.day_at - interval '6 days'
      and r.posts >= 5 and r.score >= 2 and r.chance <= r.limit_of_chance and exists (select from unnest(p.hashtags) h where strandline.lowered(h) = r.name)) + coalesce(r.sites, 0)::bigint as authors
    offset 0
  ) v
  where r.posts >= 5 and r.score >= 2 and r.chance <= r.limit_of_chance and v.authors > 0
    and case when v.authors <= r.mean then 1 else exp(-greatest(0, v.authors * ln(v.authors / r.mean)
      - (v.authors + r.shape) * ln((v.authors + r.shape) / (r.mean + r.shape)))) end <= r.limit_of_chance;

COMMENT ON VIEW strandline_analytics.rising_hashtags IS 'Hashtags used more often this week than in the four weeks before: at least 5 times in the 7 days up to as_of, with a score of 2 or more, by so many authors that it is not chance: at most 5 % of what rises is expected to be false, over all that is compared. Rates are per observed day; hashtags are compared only if at least 3.5 days of this week and 7 of the weeks before were observed. One row per search, and one per topic (search is null), which counts each post once.';
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
COMMENT ON COLUMN strandline_analytics.rising_hashtags.authors IS 'Distinct authors of these posts.';
