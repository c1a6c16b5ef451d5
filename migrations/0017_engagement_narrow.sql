-- Narrow ways to the posts of a search that gained most or went out of sight; what rises and what is compared is asked of less.
CREATE VIEW strandline_analytics.search_post_gains AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, o.post_id, o.first_seen_at, g.changed_at,
    g.gained_like_count, g.gained_repost_count, g.gained_reply_count, g.gained_quote_count, g.gained_view_count, (case when coalesce(g.gained_like_count, g.gained_repost_count, g.gained_reply_count, g.gained_quote_count) is not null then coalesce(g.gained_like_count, 0) + coalesce(g.gained_repost_count, 0) + coalesce(g.gained_reply_count, 0) + coalesce(g.gained_quote_count, 0) end)::bigint as gained_engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.post_sightings o on o.search_id = s.id
  join strandline.post_gains g on g.post_id = o.post_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.search_post_gains IS 'What posts gained, per search that found them: the narrow way to rank the posts of a search. Only posts of which a counter was seen to differ; the rest stands in post_growth.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.first_seen_at IS 'When this search first saw it (UTC).';
COMMENT ON COLUMN strandline_analytics.search_post_gains.changed_at IS 'When a counter was last seen to differ (UTC).';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_like_count IS 'Likes gained since they were first known, steps up only; null where known once or never.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_repost_count IS 'Reposts gained since they were first known, steps up only; null where known once or never.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_reply_count IS 'Replies gained since they were first known, steps up only; null where known once or never.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_quote_count IS 'Quotes gained since they were first known, steps up only; null where known once or never.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_view_count IS 'Views gained since they were first known, steps up only; null where known once or never.';
COMMENT ON COLUMN strandline_analytics.search_post_gains.gained_engagement IS 'Likes, reposts, replies and quotes gained, together, as far as they are known.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.unseen_posts AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, u.post_id, u.last_seen_at as not_seen_since,
    exists (select from strandline.post_sightings o where o.post_id = u.post_id and o.search_id <> u.search_id
      and not exists (select from strandline.unseen n where n.search_id = o.search_id and n.post_id = o.post_id)) as seen_elsewhere
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.unseen u on u.search_id = s.id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.unseen_posts IS 'Posts that a search had and that its newest answer does not hold: nothing is known of them by this search since.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.not_seen_since IS 'When the last answer of this search came that held it (UTC).';
COMMENT ON COLUMN strandline_analytics.unseen_posts.seen_elsewhere IS 'The newest answer of another search holds it.';
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.post_at_age AS
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
    select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, a.post_id, (select p.author_id from strandline.posts p where p.id = a.post_id) as author_id,
      (a.at - a.hours * interval '1 hour')::timestamptz(3) as created_at, a.hours, a.at as reached_at,
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
  ) e;
--> statement-breakpoint
CREATE OR REPLACE VIEW strandline_analytics.rising_posts AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, r.post_id, p.author_id, a.username as author_username, p.text, p.url, p.created_at, l.at as as_of,
    r.age_hours, r.gained as gained_engagement, r.observed_hours, r.gained / r.observed_hours as per_hour,
    y.per_hour as typical_per_hour, case when y.per_hour is not null then y.posts end as compared_with,
    r.gained / r.observed_hours - y.per_hour as ahead_per_hour,
    r.gained / r.observed_hours / nullif(y.per_hour, 0) as ratio,
    p.like_count, p.repost_count, p.reply_count, p.quote_count, p.view_count
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.looks l on l.search_id = s.id
  cross join lateral (
    select array_agg(m.engagement order by h.hours) as engagement, array_agg(m.posts order by h.hours) as posts
    from (values (1), (3), (8), (24), (72)) h(hours)
    cross join lateral (
      select count(*) as posts, case when count(e.engagement) >= 5 then percentile_cont(0.5) within group (order by e.engagement) end as engagement from (
        select case when coalesce(g.like_count, g.repost_count, g.reply_count, g.quote_count) is not null then coalesce(g.like_count, 0) + coalesce(g.repost_count, 0) + coalesce(g.reply_count, 0) + coalesce(g.quote_count, 0) end as engagement from strandline.post_ages g
        where g.search_id = s.id and g.hours = h.hours order by g.at desc, g.post_id desc limit 500
      ) e
    ) m
  ) m
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
    offset 0
  ) r
  cross join lateral (select width_bucket(r.age_hours, array[1, 3, 8, 24]::float8[]) + 1 as i) b
  cross join lateral (
    select least(m.posts[b.i], m.posts[b.i - 1]) as posts,
      greatest(m.engagement[b.i] - case when b.i = 1 then 0 else m.engagement[b.i - 1] end, 0) / (array[1, 2, 5, 16, 48])[b.i] as per_hour
  ) y
  join strandline.posts p on p.id = r.post_id
  left join strandline.authors a on a.id = p.author_id
  where r.gained >= 5 and r.observed_hours > 0 and (y.per_hour is null or r.gained / r.observed_hours > y.per_hour);
