CREATE OR REPLACE VIEW strandline_analytics.share_of_voice AS
  with watched as (
    select s.id, s.topic_id, sv.kind, s.archived_at, f.day_at as first_at
    from strandline.searches s
    join strandline.services sv on sv.id = s.service_id
    left join lateral (
      select day_at from strandline.search_days where search_id = s.id and exposure_ms > 0 order by day_at limit 1
    ) f on true
  )
  select topic_id, topic, service_kind, bucket_at, posts, reposts, searches, coverage, lower_bound, normalised_posts,
    normalised_posts / nullif(sum(normalised_posts) over w, 0) as share, count(normalised_posts) over w as topics
  from (
    select e.*, case when coverage >= 0.5 or (hours >= 12 * searches and exposed_posts >= 20)
      then coalesce(posts::float8 * exposed_posts / nullif(counted_posts, 0), 0) / coverage end as normalised_posts
    from (
      select t.id as topic_id, t.slug as topic, n.kind as service_kind, n.day_at as bucket_at, n.posts, n.reposts, n.lower_bound,
        n.searches, n.exposed_posts, n.counted_posts, n.hours, least(n.exposure_ms::float8 / (86400000.0 * n.searches), 1) as coverage
      from (
        select d.topic_id, d.kind, d.day_at, d.posts, d.reposts, d.exposure_ms, d.exposed_posts, d.counted_posts, d.hours, d.lower_bound, d.begun + count(o.id) as searches
        from (
          select s.topic_id, s.kind, x.day_at, sum(x.topic_posts) as posts, sum(x.topic_reposts) as reposts, sum(x.exposure_ms) as exposure_ms,
            sum(x.exposed_posts) as exposed_posts, sum(x.posts) as counted_posts, sum(x.hours) as hours,
            bool_or(x.cut) as lower_bound,
            count(*) filter (where (s.first_at < x.day_at and (s.archived_at is null or s.archived_at > x.day_at)) is not true) as begun
          from strandline.search_days x join watched s on s.id = x.search_id group by 1, 2, 3
        ) d
        left join watched o on o.topic_id = d.topic_id and o.kind = d.kind and o.first_at < d.day_at
          and (o.archived_at is null or o.archived_at > d.day_at)
        group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, d.begun
      ) n join strandline.topics t on t.id = n.topic_id
    ) e
  ) d
  window w as (partition by service_kind, bucket_at);

COMMENT ON VIEW strandline_analytics.share_of_voice IS 'Topics compared per day (UTC) of publication, separately for each kind of service. No row: nothing found and nothing observed, which is not zero.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.topic_id IS 'The topic.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.service_kind IS 'sandbox (simulated), own or hosted. Kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.bucket_at IS 'Start of the day (UTC).';
COMMENT ON COLUMN strandline_analytics.share_of_voice.posts IS 'Posts published that day, each counted once per topic, including reposts. Not corrected for coverage.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.reposts IS 'Number of those posts known to be reposts.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.searches IS 'Number of searches of the topic in use that day: they had returned results for it or an earlier day, and were not removed before it.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.coverage IS 'Share of the day that was observed, 0 to 1: mean across those searches, counting 0 for a search that saw none of it.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.lower_bound IS 'Whether the count may be too low because a response reached its limit.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.normalised_posts IS 'Estimate for a fully observed day: the posts published in the observed time, divided by coverage. Null when coverage is below 0.5, unless 20 such posts in half of the hours measure the rate.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.share IS 'Share of the normalised posts of all topics of this kind of service on this day, 0 to 1; null when unknown for this topic, or when all are 0.';
COMMENT ON COLUMN strandline_analytics.share_of_voice.topics IS 'Number of topics compared: those with known normalised posts.';
