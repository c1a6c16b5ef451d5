CREATE OR REPLACE VIEW strandline_analytics.runs AS
  select r.id, r.search_id, s.slug as search, t.slug as topic, r.version, r.request_version, r.trigger, r.slot_at, r.span_until, r.span_slots,
    r.status, r.code, r.reason, r.baseline, r.items_seen, r.items_new, r.rejected,
    coalesce(cardinality(rr.post_ids), 0) as posts_seen, coalesce(cardinality(rr.link_ids), 0) as links_seen,
    (select count(*) from strandline.calls c where c.run_id = r.id) as calls,
    (select sum(c.cost_usd) from strandline.calls c where c.run_id = r.id) as cost_usd,
    r.not_before, r.fence, r.worker, r.created_at, r.started_at, r.ended_at,
    extract(epoch from r.ended_at - r.started_at)::float8 as seconds
  from strandline.runs r
  join strandline.searches s on s.id = r.search_id
  join strandline.topics t on t.id = s.topic_id
  left join strandline.run_results rr on rr.run_id = r.id;

COMMENT ON VIEW strandline_analytics.runs IS 'One row per due slot of a search, also for those that were not run, and per manual or first run.';
COMMENT ON COLUMN strandline_analytics.runs.id IS 'Key of the run.';
COMMENT ON COLUMN strandline_analytics.runs.search_id IS 'Its search.';
COMMENT ON COLUMN strandline_analytics.runs.search IS 'Slug of its search.';
COMMENT ON COLUMN strandline_analytics.runs.topic IS 'Slug of its topic.';
COMMENT ON COLUMN strandline_analytics.runs.version IS 'Version number of the search that was run.';
COMMENT ON COLUMN strandline_analytics.runs.request_version IS 'Version number with which its request began.';
COMMENT ON COLUMN strandline_analytics.runs.trigger IS 'schedule, manual or first.';
COMMENT ON COLUMN strandline_analytics.runs.slot_at IS 'The time it was due (UTC); null for manual and first runs.';
COMMENT ON COLUMN strandline_analytics.runs.span_until IS 'Last slot of a span of missed slots (UTC); null for one slot.';
COMMENT ON COLUMN strandline_analytics.runs.span_slots IS 'Number of slots in the span; null for one slot.';
COMMENT ON COLUMN strandline_analytics.runs.status IS 'queued, running, succeeded, failed, skipped or cancelled.';
COMMENT ON COLUMN strandline_analytics.runs.code IS 'Why it failed, from the closed list of codes; null otherwise.';
COMMENT ON COLUMN strandline_analytics.runs.reason IS 'Why it was skipped or cancelled, or what the service said; null where nothing is to be said.';
COMMENT ON COLUMN strandline_analytics.runs.baseline IS 'First succeeded run of its request, or one that was older and was read again later: what it found is shown, nobody is alerted.';
COMMENT ON COLUMN strandline_analytics.runs.items_seen IS 'Posts and links in the answer, read or not; null when there was no answer.';
COMMENT ON COLUMN strandline_analytics.runs.items_new IS 'Posts and links that this search saw for the first time; null when there was no answer.';
COMMENT ON COLUMN strandline_analytics.runs.rejected IS 'Number of items that could not be read, see rejects; null when there was no answer.';
COMMENT ON COLUMN strandline_analytics.runs.posts_seen IS 'Number of posts that it returned.';
COMMENT ON COLUMN strandline_analytics.runs.links_seen IS 'Number of links that it returned.';
COMMENT ON COLUMN strandline_analytics.runs.calls IS 'Number of calls made for it (each is billed).';
COMMENT ON COLUMN strandline_analytics.runs.cost_usd IS 'What the service said it cost, in US dollars; null when it said nothing.';
COMMENT ON COLUMN strandline_analytics.runs.not_before IS 'A queued run waits until then (retry, UTC); null where it need not wait.';
COMMENT ON COLUMN strandline_analytics.runs.fence IS 'Number of times it was claimed.';
COMMENT ON COLUMN strandline_analytics.runs.worker IS 'Who ran it last; null while nobody has.';
COMMENT ON COLUMN strandline_analytics.runs.created_at IS 'When the row was made (UTC).';
COMMENT ON COLUMN strandline_analytics.runs.started_at IS 'When it was first claimed (UTC); null while nobody has.';
COMMENT ON COLUMN strandline_analytics.runs.ended_at IS 'When it ended (UTC); null while it has not.';
COMMENT ON COLUMN strandline_analytics.runs.seconds IS 'From first claim to end, in seconds; null while it has not ended, and where it was never claimed.';
