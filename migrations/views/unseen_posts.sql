CREATE OR REPLACE VIEW strandline_analytics.unseen_posts AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, u.post_id, u.last_seen_at as not_seen_since,
    exists (select from strandline.post_sightings o where o.post_id = u.post_id and o.search_id <> u.search_id
      and not exists (select from strandline.dropped_posts n where n.search_id = o.search_id and n.post_id = o.post_id)) as seen_elsewhere,
    u.created_at, date_bin('1 day', u.created_at, 'epoch') as bucket_at, u.engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.dropped_posts u on u.search_id = s.id;

COMMENT ON VIEW strandline_analytics.unseen_posts IS 'Posts that a search found earlier and that are not in its newest response. Later changes to them are not observed by this search.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.service_kind IS 'sandbox (simulated), own or hosted. Kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.not_seen_since IS 'When this search last returned it (UTC).';
COMMENT ON COLUMN strandline_analytics.unseen_posts.seen_elsewhere IS 'Whether the newest response of another search contains it.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.created_at IS 'When the post was published (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.bucket_at IS 'Start of the day (UTC) on which it was published; null when unknown.';
COMMENT ON COLUMN strandline_analytics.unseen_posts.engagement IS 'Likes + reposts + replies + quotes, as last observed by any search; null when all are unknown.';
