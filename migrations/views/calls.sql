CREATE OR REPLACE VIEW strandline_analytics.calls AS
  select c.run_id, c.n, r.search_id, s.slug as search, sv.name as service, c.state, c.http_status, c.code, c.bytes, c.latency_ms, c.cost_usd,
    c.fence, c.sent_at, c.received_at
  from strandline.calls c
  join strandline.runs r on r.id = c.run_id
  join strandline.searches s on s.id = r.search_id
  join strandline.services sv on sv.id = c.service_id;

COMMENT ON VIEW strandline_analytics.calls IS 'The ledger: every call that was, or may have been, made. The row is committed before the request is sent.';
COMMENT ON COLUMN strandline_analytics.calls.run_id IS 'The run.';
COMMENT ON COLUMN strandline_analytics.calls.n IS 'Number of the call within its run, from 1.';
COMMENT ON COLUMN strandline_analytics.calls.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.calls.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.calls.service IS 'Service that was called.';
COMMENT ON COLUMN strandline_analytics.calls.state IS 'sent, received, failed or unknown (the process ended during the call; counts as paid).';
COMMENT ON COLUMN strandline_analytics.calls.http_status IS 'HTTP status code of the response; null when there was none.';
COMMENT ON COLUMN strandline_analytics.calls.code IS 'Error code; null unless the call failed.';
COMMENT ON COLUMN strandline_analytics.calls.bytes IS 'Size of the decoded response in bytes; null when there was none.';
COMMENT ON COLUMN strandline_analytics.calls.latency_ms IS 'Milliseconds from request to last byte; null when there was no response.';
COMMENT ON COLUMN strandline_analytics.calls.cost_usd IS 'Cost in US dollars, as reported by the service; null when not reported.';
COMMENT ON COLUMN strandline_analytics.calls.fence IS 'Fence number of the lease under which the call was made, from 1.';
COMMENT ON COLUMN strandline_analytics.calls.sent_at IS 'When the call was recorded, just before the request was sent (UTC).';
COMMENT ON COLUMN strandline_analytics.calls.received_at IS 'When the response arrived or the call failed (UTC); null while the call is open, and when the process ended first.';
