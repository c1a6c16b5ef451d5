CREATE OR REPLACE VIEW strandline_analytics.runs AS
  select r.id, r.search_id, s.slug as search, t.slug as topic, r.version, r.request_version, r.trigger, r.slot_at, r.span_until, r.span_slots,
    r.status, r.code, r.reason, r.baseline, r.items_seen, r.items_new, r.rejected,
    coalesce(cardinality(rr.post_ids), 0) as posts_seen, coalesce(cardinality(rr.link_ids), 0) as links_seen,
    (select count(*) from strandline.calls c where c.run_id = r.id) as calls,
    (select sum(c.cost_usd) from strandline.calls c where c.run_id = r.id) as cost_usd,
    r.not_before, r.fence, r.worker, r.created_at, r.started_at, r.ended_at,
    extract(epoch from r.ended_at - r.started_at)::float8 as seconds,
    (select count(*) from strandline.run_tools t where t.run_id = r.id and t.asked)::integer as tools_asked,
    (select count(*) from strandline.run_tools t where t.run_id = r.id and t.asked and t.responded)::integer as tools_responded,
    (select count(*) from strandline.run_tools t where t.run_id = r.id and t.asked and not t.responded)::integer as tools_silent,
    :simulated as simulated
  from strandline.runs r
  join strandline.searches s on s.id = r.search_id
  join strandline.topics t on t.id = s.topic_id
  left join strandline.run_results rr on rr.run_id = r.id;

COMMENT ON VIEW strandline_analytics.runs IS 'Runs: one row per due slot of a search, including slots that were not run, and one per manual or first run.';
COMMENT ON COLUMN strandline_analytics.runs.id IS 'Key of the run.';
COMMENT ON COLUMN strandline_analytics.runs.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.runs.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.runs.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.runs.version IS 'Search version that was run.';
COMMENT ON COLUMN strandline_analytics.runs.request_version IS 'Version in which the request last changed.';
COMMENT ON COLUMN strandline_analytics.runs.trigger IS 'schedule, manual or first.';
COMMENT ON COLUMN strandline_analytics.runs.slot_at IS 'When it was due (UTC); null for manual and first runs.';
COMMENT ON COLUMN strandline_analytics.runs.span_until IS 'Last slot of a range of missed slots (UTC); null for a single slot.';
COMMENT ON COLUMN strandline_analytics.runs.span_slots IS 'Number of slots in the range; null for a single slot.';
COMMENT ON COLUMN strandline_analytics.runs.status IS 'queued, running, succeeded, failed, skipped or cancelled.';
COMMENT ON COLUMN strandline_analytics.runs.code IS 'Error code, from a fixed list; null unless the run failed.';
COMMENT ON COLUMN strandline_analytics.runs.reason IS 'Why it was skipped or cancelled, or what the service reported; null when there is no reason to report.';
COMMENT ON COLUMN strandline_analytics.runs.baseline IS 'Whether it is the first succeeded run of its request, or an older one that was parsed later. Its discoveries are listed but trigger no alerts.';
COMMENT ON COLUMN strandline_analytics.runs.items_seen IS 'Posts and links in the response, parsed or not; null when there was no response.';
COMMENT ON COLUMN strandline_analytics.runs.items_new IS 'Posts and links that this search saw for the first time; null when there was no response.';
COMMENT ON COLUMN strandline_analytics.runs.rejected IS 'Number of items that could not be parsed, see rejects; null when there was no response.';
COMMENT ON COLUMN strandline_analytics.runs.posts_seen IS 'Posts returned.';
COMMENT ON COLUMN strandline_analytics.runs.links_seen IS 'Links returned.';
COMMENT ON COLUMN strandline_analytics.runs.calls IS 'Number of calls made for this run. Each may be billed.';
COMMENT ON COLUMN strandline_analytics.runs.cost_usd IS 'Cost in US dollars, as reported by the service; null when not reported.';
COMMENT ON COLUMN strandline_analytics.runs.not_before IS 'Earliest start of a queued run (retry, UTC); null when it can start now.';
COMMENT ON COLUMN strandline_analytics.runs.fence IS 'Number of times a worker leased it.';
COMMENT ON COLUMN strandline_analytics.runs.worker IS 'Worker that leased it last; null when never leased.';
COMMENT ON COLUMN strandline_analytics.runs.created_at IS 'When the row was created (UTC).';
COMMENT ON COLUMN strandline_analytics.runs.started_at IS 'When it was first leased (UTC); null when never leased.';
COMMENT ON COLUMN strandline_analytics.runs.ended_at IS 'When it ended (UTC); null while queued or running.';
COMMENT ON COLUMN strandline_analytics.runs.seconds IS 'Seconds from first lease to end; null until it ends, and when never leased.';
COMMENT ON COLUMN strandline_analytics.runs.tools_asked IS 'Number of tools that its request names, see run_tools; 0 when it was not executed, or before this was recorded.';
COMMENT ON COLUMN strandline_analytics.runs.tools_responded IS 'Number of those that responded. Tools that the service does not report are neither responding nor silent.';
COMMENT ON COLUMN strandline_analytics.runs.tools_silent IS 'Number of those that did not respond: what they would have found is missing.';
COMMENT ON COLUMN strandline_analytics.runs.simulated IS 'Whether it is simulated: true in the database of the sandbox, false in any other.';
