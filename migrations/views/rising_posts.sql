CREATE OR REPLACE VIEW strandline_analytics.rising_posts AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, r.post_id, p.author_id, a.username as author_username, p.text, p.url, p.created_at, r.as_of,
    r.age_hours, r.gained as gained_engagement, r.observed_hours, r.gained / r.observed_hours as per_hour,
    r.typical_per_hour, r.compared_with,
    r.gained / r.observed_hours - r.typical_per_hour as ahead_per_hour,
    r.gained / r.observed_hours / nullif(r.typical_per_hour, 0) as ratio,
    c.like_count, c.repost_count, c.reply_count, c.quote_count, c.view_count
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_rising r on r.search_id = s.id
  join strandline.posts p on p.id = r.post_id
  left join strandline.authors a on a.id = p.author_id
  left join strandline.post_counters c on c.post_id = r.post_id;

COMMENT ON VIEW strandline_analytics.rising_posts IS 'Posts that gain engagement faster than is typical for their search and age. The gain is the increase in likes, reposts, replies and quotes since the last response before the search''s last 6 hours; a post published within these hours counts from zero at publication, one found later counts from its first observation. Typical is the hourly growth of the median post between the two ages (0, 1, 3, 8, 24, 72 h) around its age; beyond 72 h, between 24 and 72 h. Lists posts that gained at least 5 in at least a quarter of an hour and either exceed the typical rate or have no typical rate yet.';
COMMENT ON COLUMN strandline_analytics.rising_posts.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.rising_posts.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.rising_posts.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.rising_posts.service_kind IS 'sandbox (simulated), own or hosted. Kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.rising_posts.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.rising_posts.author_id IS 'Author of the post; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.author_username IS 'Handle of the author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.text IS 'Text as last observed.';
COMMENT ON COLUMN strandline_analytics.rising_posts.url IS 'URL of the post; null when never returned.';
COMMENT ON COLUMN strandline_analytics.rising_posts.created_at IS 'When the post was published (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.as_of IS 'Newest response of the search that was compared (UTC): "now" for this row. Old if the search is not active.';
COMMENT ON COLUMN strandline_analytics.rising_posts.age_hours IS 'Age of the post at as_of, in hours; null when its publication time is unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.gained_engagement IS 'Engagement gained in the observed_hours before as_of, as far as observed.';
COMMENT ON COLUMN strandline_analytics.rising_posts.observed_hours IS 'Hours over which the gain was observed: since the last response before the last 6 hours, or since publication or first observation. Never spans a gap of more than two intervals.';
COMMENT ON COLUMN strandline_analytics.rising_posts.per_hour IS 'gained_engagement per hour.';
COMMENT ON COLUMN strandline_analytics.rising_posts.typical_per_hour IS 'Hourly gain of the median post of the search at this age; null when fewer than 5 posts were observed at either end.';
COMMENT ON COLUMN strandline_analytics.rising_posts.compared_with IS 'Number of posts behind the typical rate, at the end with fewer; null when there is no typical rate.';
COMMENT ON COLUMN strandline_analytics.rising_posts.ahead_per_hour IS 'Engagement per hour above the typical rate. Higher rises more; null when the typical rate is unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.ratio IS 'per_hour / typical_per_hour; null when the typical rate is 0 or unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.like_count IS 'Likes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.repost_count IS 'Reposts when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.reply_count IS 'Replies when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.quote_count IS 'Quotes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.view_count IS 'Views when last observed; null when unknown.';
