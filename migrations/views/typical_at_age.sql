CREATE OR REPLACE VIEW strandline_analytics.typical_at_age AS
  select s.id as search_id, s.slug as search, t.slug as topic, sv.kind as service_kind, m.hours, m.posts, m.reply_count, m.repost_count, m.like_count, m.view_count, m.quote_count, m.impression_count, m.bookmark_count, m.engagement
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_typical m on m.search_id = s.id;

COMMENT ON VIEW strandline_analytics.typical_at_age IS 'Typical values of a search: medians over its posts at one age, from at most 500 observed posts that reached the age last, as of the search''s newest response.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.service_kind IS 'sandbox (simulated), own or hosted. Kinds are never added together.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.hours IS 'Age of the posts in hours: 1, 3, 8, 24 or 72.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.posts IS 'Number of posts behind the medians.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.reply_count IS 'Median of replies at this age; null when fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.repost_count IS 'Median of reposts at this age; null when fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.like_count IS 'Median of likes at this age; null when fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.view_count IS 'Median of views at this age; null when fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.quote_count IS 'Median of quotes at this age; null when fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.impression_count IS 'Median of impressions at this age; null when fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.bookmark_count IS 'Median of bookmarks at this age; null when fewer than 5 are known.';
COMMENT ON COLUMN strandline_analytics.typical_at_age.engagement IS 'Median of engagement at this age (likes + reposts + replies + quotes, as far as known); null when fewer than 5 are known.';
