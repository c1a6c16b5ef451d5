CREATE OR REPLACE VIEW strandline_analytics.search_versions AS
  select v.search_id, s.slug as search, t.slug as topic, v.version, v.request_version, v.created_at, v.prompt, v.tools, v.model,
    v.date_filter, v.streaming, v.extra, v.cron, v.every_seconds, v.tz
  from strandline.search_versions v
  join strandline.searches s on s.id = v.search_id
  join strandline.topics t on t.id = s.topic_id;

COMMENT ON VIEW strandline_analytics.search_versions IS 'Every version of each search: what it asked for, and when, from when on. A change of the request begins a new baseline.';
COMMENT ON COLUMN strandline_analytics.search_versions.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.search_versions.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.search_versions.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.search_versions.version IS 'Version number, from 1.';
COMMENT ON COLUMN strandline_analytics.search_versions.request_version IS 'Version number with which its request began; the same as version where the change was one of the request.';
COMMENT ON COLUMN strandline_analytics.search_versions.created_at IS 'When it was made (UTC).';
COMMENT ON COLUMN strandline_analytics.search_versions.prompt IS 'What is asked.';
COMMENT ON COLUMN strandline_analytics.search_versions.tools IS 'Tools of an ai search, in the words of the specification; empty for microblog.';
COMMENT ON COLUMN strandline_analytics.search_versions.model IS 'NOVA, ORBIT or HORIZON: about 10, 30 or 120 seconds.';
COMMENT ON COLUMN strandline_analytics.search_versions.date_filter IS 'How far back an ai search looks; null for microblog.';
COMMENT ON COLUMN strandline_analytics.search_versions.streaming IS 'Whether the answer is streamed.';
COMMENT ON COLUMN strandline_analytics.search_versions.extra IS 'Members beyond the specification that are passed through.';
COMMENT ON COLUMN strandline_analytics.search_versions.cron IS 'Cron expression of five fields; null for an interval.';
COMMENT ON COLUMN strandline_analytics.search_versions.every_seconds IS 'Interval in seconds; null for a cron expression.';
COMMENT ON COLUMN strandline_analytics.search_versions.tz IS 'Time zone of the cron expression (IANA name).';
