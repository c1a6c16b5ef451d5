CREATE OR REPLACE VIEW strandline_analytics.calls AS
  select c.run_id, c.n, r.search_id, s.slug as search, sv.name as service, c.state, c.http_status, c.code, c.bytes, c.latency_ms, c.cost_usd,
    c.fence, c.sent_at, c.received_at
  from strandline.calls c
  join strandline.runs r on r.id = c.run_id
  join strandline.searches s on s.id = r.search_id
  join strandline.services sv on sv.id = c.service_id;

COMMENT ON VIEW strandline_analytics.calls IS 'The ledger: every call that was made or may have been made; its row is older than the request.';
COMMENT ON COLUMN strandline_analytics.calls.run_id IS 'Its run.';
COMMENT ON COLUMN strandline_analytics.calls.n IS 'Number of the call in its run, from 1.';
COMMENT ON COLUMN strandline_analytics.calls.search_id IS 'Its search.';
COMMENT ON COLUMN strandline_analytics.calls.search IS 'Slug of its search.';
COMMENT ON COLUMN strandline_analytics.calls.service IS 'Who was called.';
COMMENT ON COLUMN strandline_analytics.calls.state IS 'sent, received, failed or unknown (the process ended in between; counts as paid).';
COMMENT ON COLUMN strandline_analytics.calls.http_status IS 'HTTP status code of the answer; null when there was none.';
COMMENT ON COLUMN strandline_analytics.calls.code IS 'Why it failed; null otherwise.';
COMMENT ON COLUMN strandline_analytics.calls.bytes IS 'Size of the decoded answer in bytes; null when there was none.';
COMMENT ON COLUMN strandline_analytics.calls.latency_ms IS 'From request to last byte, in milliseconds; null when there was no answer.';
COMMENT ON COLUMN strandline_analytics.calls.cost_usd IS 'What the service said it cost, in US dollars; null when it said nothing.';
COMMENT ON COLUMN strandline_analytics.calls.fence IS 'Number of the claim under which it was made, from 1.';
COMMENT ON COLUMN strandline_analytics.calls.sent_at IS 'Committed before the request was sent (UTC).';
COMMENT ON COLUMN strandline_analytics.calls.received_at IS 'When its answer or failure was known (UTC); null while nothing is, and where the process ended before it was.';
