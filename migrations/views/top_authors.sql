CREATE OR REPLACE VIEW strandline_analytics.top_authors AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, x.day_at as bucket_at, x.name::bigint as author_id, a.username as author_username, a.name as author_name, c.followers_count, x.posts, x.topic_posts
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_tops x on x.search_id = s.id and x.kind = 'author'
  left join strandline.authors a on a.id = x.name::bigint
  left join strandline.author_counters c on c.author_id = a.id;

COMMENT ON VIEW strandline_analytics.top_authors IS 'Most active authors of a search''s new posts, per day. Rows can be summed across days. Across the searches of a topic, sum only topic_posts, which counts each post once.';
COMMENT ON COLUMN strandline_analytics.top_authors.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.top_authors.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.top_authors.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.top_authors.service_kind IS 'sandbox (simulated), own or hosted. Kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.top_authors.bucket_at IS 'Start of the day (UTC) on which the posts were published.';
COMMENT ON COLUMN strandline_analytics.top_authors.author_id IS 'The author.';
COMMENT ON COLUMN strandline_analytics.top_authors.author_username IS 'Handle of the author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.top_authors.author_name IS 'Display name of the author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.top_authors.followers_count IS 'Followers when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.top_authors.posts IS 'Posts published that day that are new to this search.';
COMMENT ON COLUMN strandline_analytics.top_authors.topic_posts IS 'Number of those posts that no other search of the topic had seen before. Counts each post once per topic.';
