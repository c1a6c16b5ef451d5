CREATE OR REPLACE VIEW strandline_analytics.post_at_age AS
  select e.search_id, e.search, e.topic, e.service_kind, e.post_id, e.author_id, e.created_at, e.hours, e.reached_at, e.observed_before_at, e.observed_after_at,
    e.reply_count, e.repost_count, e.like_count, e.view_count, e.quote_count, e.impression_count, e.bookmark_count, e.engagement,
    e.compared_with, e.typical_like_count, e.typical_view_count, e.typical_engagement,
    e.like_count / nullif(e.typical_like_count, 0) as like_ratio,
    e.view_count / nullif(e.typical_view_count, 0) as view_ratio,
    e.engagement / nullif(e.typical_engagement, 0) as engagement_ratio,
    au.compared_with as author_compared_with, au.typical_engagement as author_typical_engagement,
    e.engagement / nullif(au.typical_engagement, 0) as author_engagement_ratio
  from (
    select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, a.post_id, (select p.author_id from strandline.posts p where p.id = a.post_id) as author_id,
      (a.at - a.hours * interval '1 hour')::timestamptz(3) as created_at, a.hours, a.at as reached_at,
      a.before_at as observed_before_at, a.after_at as observed_after_at,
      a.reply_count, a.repost_count, a.like_count, a.view_count, a.quote_count, a.impression_count, a.bookmark_count, strandline_analytics.engagement(a.like_count, a.repost_count, a.reply_count, a.quote_count) as engagement, m.posts as compared_with,
      m.like_count as typical_like_count,
      m.view_count as typical_view_count,
      m.engagement as typical_engagement
    from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
    join strandline_analytics.typical_at_age m on m.search_id = s.id
    join strandline.post_counters_at_age a on a.search_id = s.id and a.hours = m.hours
  ) e
  cross join lateral (
    select count(*) as compared_with, case when count(o.engagement) >= 5 then percentile_cont(0.5) within group (order by o.engagement) end as typical_engagement
    from (
      select distinct on (o.post_id) o.post_id, strandline_analytics.engagement(o.like_count, o.repost_count, o.reply_count, o.quote_count) as engagement
      from (select q.id from strandline.posts q where q.author_id = e.author_id order by q.id desc limit 200) q
      join strandline.post_counters_at_age o on o.post_id = q.id and o.hours = e.hours
      order by o.post_id, o.after_at - o.before_at
    ) o
  ) au;

COMMENT ON VIEW strandline_analytics.post_at_age IS 'Posts at equal age: counters 1, 3, 8, 24 and 72 hours after publication, with typical values of the search and of the author at that age. Counters are interpolated linearly between this search''s last observation before the age and its first one after it, and only if both are within half the age. Otherwise there is no row; the nearest observation is never used instead.';
COMMENT ON COLUMN strandline_analytics.post_at_age.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.post_at_age.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.post_at_age.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.post_at_age.service_kind IS 'sandbox (simulated), own or hosted. Kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.post_at_age.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.post_at_age.author_id IS 'Author of the post; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_at_age.created_at IS 'When the post was published (UTC).';
COMMENT ON COLUMN strandline_analytics.post_at_age.hours IS 'Age of the post in hours: 1, 3, 8, 24 or 72.';
COMMENT ON COLUMN strandline_analytics.post_at_age.reached_at IS 'When the post reached this age (UTC).';
COMMENT ON COLUMN strandline_analytics.post_at_age.observed_before_at IS 'Last observation by this search before that time (UTC), at most half the age earlier.';
COMMENT ON COLUMN strandline_analytics.post_at_age.observed_after_at IS 'First observation by this search after that time (UTC), at most half the age later.';
COMMENT ON COLUMN strandline_analytics.post_at_age.reply_count IS 'Replies at this age, interpolated between the two observations; null when unknown at either, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_at_age.repost_count IS 'Reposts at this age, interpolated between the two observations; null when unknown at either, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_at_age.like_count IS 'Likes at this age, interpolated between the two observations; null when unknown at either, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_at_age.view_count IS 'Views at this age, interpolated between the two observations; null when unknown at either, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_at_age.quote_count IS 'Quotes at this age, interpolated between the two observations; null when unknown at either, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_at_age.impression_count IS 'Impressions at this age, interpolated between the two observations; null when unknown at either, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_at_age.bookmark_count IS 'Bookmarks at this age, interpolated between the two observations; null when unknown at either, which is not zero.';
COMMENT ON COLUMN strandline_analytics.post_at_age.engagement IS 'Likes + reposts + replies + quotes at this age, as far as known; null when none is known.';
COMMENT ON COLUMN strandline_analytics.post_at_age.compared_with IS 'Number of posts behind the typical values: the 500 posts of the search that reached this age last, including this one.';
COMMENT ON COLUMN strandline_analytics.post_at_age.typical_like_count IS 'Median of their likes at this age; null when fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.post_at_age.typical_view_count IS 'Median of their views at this age; null when fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.post_at_age.typical_engagement IS 'Median of their engagement at this age; null when fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.post_at_age.like_ratio IS 'like_count / typical_like_count; null when the typical value is 0 or unknown.';
COMMENT ON COLUMN strandline_analytics.post_at_age.view_ratio IS 'view_count / typical_view_count; null when the typical value is 0 or unknown.';
COMMENT ON COLUMN strandline_analytics.post_at_age.engagement_ratio IS 'engagement / typical_engagement; null when the typical value is 0 or unknown.';
COMMENT ON COLUMN strandline_analytics.post_at_age.author_compared_with IS 'Number of the author''s last 200 posts that any search observed at this age.';
COMMENT ON COLUMN strandline_analytics.post_at_age.author_typical_engagement IS 'Median of their engagement at this age; null when fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.post_at_age.author_engagement_ratio IS 'engagement / author_typical_engagement; null when the typical value is 0 or unknown.';
