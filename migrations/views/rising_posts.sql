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

COMMENT ON VIEW strandline_analytics.rising_posts IS 'Posts that gain more than is typical of their search at their age. Gain is what likes, reposts, replies and quotes rose by since the look before the last 6 hours of the search (steps up only; a post that was written in these hours is counted from zero, at its own time; one that came into sight later, from then on). Typical is the growth per hour of the median post between the two ages (0, 1, 3, 8, 24, 72 h) around its own; beyond 72 h, that between 24 and 72 h. Listed are posts that gained at least 5 and more per hour than is typical, or where nothing is typical yet.';
COMMENT ON COLUMN strandline_analytics.rising_posts.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.rising_posts.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.rising_posts.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.rising_posts.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.rising_posts.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.rising_posts.author_id IS 'Who wrote it; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.author_username IS 'Handle of the author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.text IS 'Text as last seen.';
COMMENT ON COLUMN strandline_analytics.rising_posts.url IS 'Address of the post; null when never given.';
COMMENT ON COLUMN strandline_analytics.rising_posts.created_at IS 'The post''s own time (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.as_of IS 'The newest look of the search that was compared (UTC): "now" in this row. Of a search that rests it is old.';
COMMENT ON COLUMN strandline_analytics.rising_posts.age_hours IS 'Age of the post then, in hours; null where its own time is unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.gained_engagement IS 'Likes, reposts, replies and quotes gained in the hours before as_of (observed_hours), as far as they were observed.';
COMMENT ON COLUMN strandline_analytics.rising_posts.observed_hours IS 'Hours over which that was gained: since the look before the last 6 hours, or since it was written or came into sight. Never over a gap of more than two intervals.';
COMMENT ON COLUMN strandline_analytics.rising_posts.per_hour IS 'gained_engagement per hour.';
COMMENT ON COLUMN strandline_analytics.rising_posts.typical_per_hour IS 'What the median post of the search gains per hour at this age; null where fewer than 5 posts were observed at either end.';
COMMENT ON COLUMN strandline_analytics.rising_posts.compared_with IS 'Number of posts that typical is the median of, at the end that has fewer; null where typical is.';
COMMENT ON COLUMN strandline_analytics.rising_posts.ahead_per_hour IS 'Engagement per hour beyond what is typical, per_hour minus typical_per_hour: the most first is what rises most. Null where typical is unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.ratio IS 'per_hour over typical_per_hour; null where that is 0 or unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.like_count IS 'Likes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.repost_count IS 'Reposts when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.reply_count IS 'Replies when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.quote_count IS 'Quotes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.rising_posts.view_count IS 'Views when last observed; null when unknown.';
