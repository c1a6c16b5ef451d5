CREATE OR REPLACE VIEW strandline_analytics.posts_in_sight AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, p.id as post_id, l.at as last_seen_at,
    p.created_at, strandline_analytics.engagement(c.like_count, c.repost_count, c.reply_count, c.quote_count) as engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.latest_results l on l.search_id = s.id
  join strandline.run_results rr on rr.run_id = l.run_id
  cross join lateral unnest(rr.post_ids) i(id)
  join strandline.posts p on p.id = i.id
  left join strandline.post_counters c on c.post_id = i.id;

COMMENT ON VIEW strandline_analytics.posts_in_sight IS 'Posts in the newest response of each search. Together with unseen_posts: all posts a search has found.';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.service_kind IS 'sandbox (simulated), own or hosted. Kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.last_seen_at IS 'When that response was received (UTC).';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.created_at IS 'When the post was published (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.posts_in_sight.engagement IS 'Likes + reposts + replies + quotes, as last observed by any search; null when all are unknown.';
