CREATE OR REPLACE VIEW strandline_analytics.searches AS
  select s.id, s.slug, s.topic_id, t.slug as topic, sv.name as service, sv.kind as service_kind, s.operation,
    s.version, v.request_version, v.prompt, v.tools, v.model, v.date_filter, v.streaming, v.extra,
    v.cron, v.every_seconds, v.tz, s.labels, s.state, s.state_reason, s.state_since,
    coalesce(s.next_due_at, p.due_at) as next_due_at, s.created_at, s.archived_at, s.sensitivity, :simulated as simulated, v.auto,
    nullif(s.pause_ends_at, 'infinity') as paused_until,
    case when s.state <> 'paused' then '{}'::text[] else array_remove(array[
      case when s.paused_until is not null or s.pause_ends_at is null then 'search' end,
      case when s.topic_paused_until is not null then 'topic' end,
      case when s.all_paused_until is not null then 'all' end], null) end as pauses
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.services sv on sv.id = s.service_id
  join strandline.search_versions v on v.search_id = s.id and v.version = s.version
  left join strandline.search_pace p on p.search_id = s.id;

COMMENT ON VIEW strandline_analytics.searches IS 'Saved searches with their current version.';
COMMENT ON COLUMN strandline_analytics.searches.id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.searches.slug IS 'Short unique name used by commands.';
COMMENT ON COLUMN strandline_analytics.searches.topic_id IS 'Its topic.';
COMMENT ON COLUMN strandline_analytics.searches.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.searches.service IS 'Name of the service it uses. Never changes.';
COMMENT ON COLUMN strandline_analytics.searches.service_kind IS 'sandbox (simulated), own or hosted.';
COMMENT ON COLUMN strandline_analytics.searches.operation IS 'ai (all sources) or microblog (posts).';
COMMENT ON COLUMN strandline_analytics.searches.version IS 'Current version. Each change creates a new one.';
COMMENT ON COLUMN strandline_analytics.searches.request_version IS 'Version in which the request last changed. A new request starts a new baseline.';
COMMENT ON COLUMN strandline_analytics.searches.prompt IS 'The query.';
COMMENT ON COLUMN strandline_analytics.searches.tools IS 'Tools of an ai search, as named in the specification; empty for microblog.';
COMMENT ON COLUMN strandline_analytics.searches.model IS 'NOVA, ORBIT or HORIZON: about 10, 30 or 120 seconds.';
COMMENT ON COLUMN strandline_analytics.searches.date_filter IS 'Time range of an ai search; null for microblog.';
COMMENT ON COLUMN strandline_analytics.searches.streaming IS 'Whether the response is streamed.';
COMMENT ON COLUMN strandline_analytics.searches.extra IS 'Request members beyond the specification, passed through.';
COMMENT ON COLUMN strandline_analytics.searches.cron IS 'Cron expression with five fields; null for an interval.';
COMMENT ON COLUMN strandline_analytics.searches.every_seconds IS 'Interval in seconds; null for a cron expression or an adaptive interval.';
COMMENT ON COLUMN strandline_analytics.searches.tz IS 'Time zone of the cron expression (IANA name).';
COMMENT ON COLUMN strandline_analytics.searches.labels IS 'Labels set by a person.';
COMMENT ON COLUMN strandline_analytics.searches.state IS 'active, paused, broken or capped.';
COMMENT ON COLUMN strandline_analytics.searches.state_reason IS 'Why it is in this state; null while active.';
COMMENT ON COLUMN strandline_analytics.searches.state_since IS 'When this state began (UTC).';
COMMENT ON COLUMN strandline_analytics.searches.next_due_at IS 'Next slot (UTC); null when none is planned.';
COMMENT ON COLUMN strandline_analytics.searches.created_at IS 'When it was created (UTC).';
COMMENT ON COLUMN strandline_analytics.searches.archived_at IS 'When it was removed (UTC); null unless removed.';
COMMENT ON COLUMN strandline_analytics.searches.sensitivity IS 'How unusual volume must be to count as a spike: low, normal, high or off.';
COMMENT ON COLUMN strandline_analytics.searches.simulated IS 'Whether it is simulated: true in the database of the sandbox, false in any other.';
COMMENT ON COLUMN strandline_analytics.searches.auto IS 'Adaptive interval as written, such as auto 5m-2h 48/day; null for a fixed schedule.';
COMMENT ON COLUMN strandline_analytics.searches.paused_until IS 'When it becomes active again by itself (UTC); null unless it is paused with an end.';
COMMENT ON COLUMN strandline_analytics.searches.pauses IS 'What was paused: search (it alone), topic (its topic), all (all searches). Each is resumed by itself; it is active again after the last of them. Empty unless it is paused.';
