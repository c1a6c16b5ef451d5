CREATE OR REPLACE VIEW strandline_analytics.top_languages AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, x.day_at as bucket_at, x.name as lang, x.posts, x.topic_posts
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_tops x on x.search_id = s.id and x.kind = 'language';

COMMENT ON VIEW strandline_analytics.top_languages IS 'Languages of a search''s new posts, per day. Rows can be summed across days. Across the searches of a topic, sum only topic_posts, which counts each post once.';
COMMENT ON COLUMN strandline_analytics.top_languages.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.top_languages.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.top_languages.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.top_languages.service_kind IS 'sandbox (simulated), own or hosted. Kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.top_languages.bucket_at IS 'Start of the day (UTC) on which the posts were published.';
COMMENT ON COLUMN strandline_analytics.top_languages.lang IS 'Language code as returned, including und, qme and zxx. Posts without a code are not counted.';
COMMENT ON COLUMN strandline_analytics.top_languages.posts IS 'Posts published that day that are new to this search.';
COMMENT ON COLUMN strandline_analytics.top_languages.topic_posts IS 'Number of those posts that no other search of the topic had seen before. Counts each post once per topic.';
