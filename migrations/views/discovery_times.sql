CREATE OR REPLACE VIEW strandline_analytics.discovery_times AS
  select d.at, d.kind, d.baseline, d.search_id, s.slug as search, t.slug as topic
  from strandline.discoveries d
  join strandline.searches s on s.id = d.search_id
  join strandline.topics t on t.id = s.topic_id;

COMMENT ON VIEW strandline_analytics.discovery_times IS 'When each search found something for the first time. A narrow view for counting; discoveries has the details.';
COMMENT ON COLUMN strandline_analytics.discovery_times.at IS 'When it was found (UTC).';
COMMENT ON COLUMN strandline_analytics.discovery_times.kind IS 'post, link, completion, spike or trend.';
COMMENT ON COLUMN strandline_analytics.discovery_times.baseline IS 'Whether it was found by the first run of a request.';
COMMENT ON COLUMN strandline_analytics.discovery_times.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.discovery_times.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.discovery_times.topic IS 'Slug of the topic.';
