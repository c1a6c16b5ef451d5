CREATE OR REPLACE VIEW strandline_analytics.system_events AS
  select e.id, e.kind, coalesce(s.slug, e.subject) as subject, s.slug as search, t.slug as topic, e.since, e.opened_at, e.clear_since, e.until,
    e.outcome, e.reason, e.advice
  from strandline.system_events e
  left join strandline.searches s on s.id = e.search_id
  left join strandline.topics t on t.id = s.topic_id
  where e.opened_at is not null;

COMMENT ON VIEW strandline_analytics.system_events IS 'Problems of strandline itself, each with its beginning and its end. The rule system reports them.';
COMMENT ON COLUMN strandline_analytics.system_events.id IS 'Key of the problem, in the order in which they were noticed.';
COMMENT ON COLUMN strandline_analytics.system_events.kind IS 'search_failing: its newest runs failed; search_stopped: it was stopped by a refusal and needs a person; search_silent: no successful run for three intervals; nothing_coming: nothing is returned where results are usual; source_down: a source of the search service failed for all searches that use it; channel_dead: a channel is disabled, or everything sent to it failed for an hour; budget_low: nine tenths of the calls of a day are used; worker_stopped: a worker ended without saying so; nothing_ran: no worker ran.';
COMMENT ON COLUMN strandline_analytics.system_events.subject IS 'What it is about: slug of the search or channel, name of the source, service or worker.';
COMMENT ON COLUMN strandline_analytics.system_events.search IS 'Slug of the search; null if it is about something else.';
COMMENT ON COLUMN strandline_analytics.system_events.topic IS 'Slug of the topic of the search; null if it is about something else.';
COMMENT ON COLUMN strandline_analytics.system_events.since IS 'When it began (UTC).';
COMMENT ON COLUMN strandline_analytics.system_events.opened_at IS 'When a second check confirmed it (UTC), so that it could be reported.';
COMMENT ON COLUMN strandline_analytics.system_events.clear_since IS 'When a check first did not see it any more (UTC): it ends when that lasts. Null while it is seen.';
COMMENT ON COLUMN strandline_analytics.system_events.until IS 'When it ended (UTC); null: it lasts.';
COMMENT ON COLUMN strandline_analytics.system_events.outcome IS 'How it ended: recovered; replaced: another problem of the same search took its place; paused or removed: somebody did that to its subject; day_ended. Null: it lasts.';
COMMENT ON COLUMN strandline_analytics.system_events.reason IS 'Why, as of the last check; may contain text of a service. Null if there is nothing to add.';
COMMENT ON COLUMN strandline_analytics.system_events.advice IS 'What a person can do; null: nothing, or to wait.';
