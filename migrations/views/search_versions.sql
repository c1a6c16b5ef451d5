CREATE OR REPLACE VIEW strandline_analytics.search_versions AS
  select v.search_id, s.slug as search, t.slug as topic, v.version, v.request_version, v.created_at, v.prompt, v.tools, v.model,
    v.date_filter, v.streaming, v.extra, v.cron, v.every_seconds, v.tz, v.auto
  from strandline.search_versions v
  join strandline.searches s on s.id = v.search_id
  join strandline.topics t on t.id = s.topic_id;

COMMENT ON VIEW strandline_analytics.search_versions IS 'All versions of each search: request and schedule, and when they took effect. A changed request starts a new baseline.';
COMMENT ON COLUMN strandline_analytics.search_versions.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.search_versions.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.search_versions.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.search_versions.version IS 'Version number, from 1.';
COMMENT ON COLUMN strandline_analytics.search_versions.request_version IS 'Version in which the request last changed. Equal to version if this version changed it.';
COMMENT ON COLUMN strandline_analytics.search_versions.created_at IS 'When it was created (UTC).';
COMMENT ON COLUMN strandline_analytics.search_versions.prompt IS 'The query.';
COMMENT ON COLUMN strandline_analytics.search_versions.tools IS 'Tools of an ai search, as named in the specification; empty for microblog.';
COMMENT ON COLUMN strandline_analytics.search_versions.model IS 'NOVA, ORBIT or HORIZON: about 10, 30 or 120 seconds.';
COMMENT ON COLUMN strandline_analytics.search_versions.date_filter IS 'Time range of an ai search; null for microblog.';
COMMENT ON COLUMN strandline_analytics.search_versions.streaming IS 'Whether the response is streamed.';
COMMENT ON COLUMN strandline_analytics.search_versions.extra IS 'Request members beyond the specification, passed through.';
COMMENT ON COLUMN strandline_analytics.search_versions.cron IS 'Cron expression with five fields; null for an interval.';
COMMENT ON COLUMN strandline_analytics.search_versions.every_seconds IS 'Interval in seconds; null for a cron expression or an adaptive interval.';
COMMENT ON COLUMN strandline_analytics.search_versions.tz IS 'Time zone of the cron expression (IANA name).';
COMMENT ON COLUMN strandline_analytics.search_versions.auto IS 'Adaptive interval as written, such as auto 5m-2h 48/day; null for a fixed schedule.';
