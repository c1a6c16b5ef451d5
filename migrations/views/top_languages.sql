CREATE OR REPLACE VIEW strandline_analytics.top_languages AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, x.day_at as bucket_at, x.name as lang, x.posts, x.topic_posts
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_tops x on x.search_id = s.id and x.kind = 'language';

COMMENT ON VIEW strandline_analytics.top_languages IS 'Languages of the posts of a search, per day. Rows may be summed over days; over the searches of a topic only topic_posts, for it counts each post once.';
COMMENT ON COLUMN strandline_analytics.top_languages.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.top_languages.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.top_languages.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.top_languages.service_kind IS 'sandbox (simulated), own or hosted: kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.top_languages.bucket_at IS 'When the day (UTC) begins that the posts are from, by their own time.';
COMMENT ON COLUMN strandline_analytics.top_languages.lang IS 'Language code as given; also und, qme, zxx and others. Posts without one are in no row.';
COMMENT ON COLUMN strandline_analytics.top_languages.posts IS 'Posts of that day that are new to this search.';
COMMENT ON COLUMN strandline_analytics.top_languages.topic_posts IS 'Number of those posts that no other search of the topic had seen before: each post once per topic.';
