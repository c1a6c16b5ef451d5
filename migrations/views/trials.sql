CREATE OR REPLACE VIEW strandline_analytics.trials AS
  select x.id, v.name as service, x.operation, x.prompt, x.tools, x.model, x.date_filter, x.streaming, x.extra, x.state,
    x.http_status, x.code, x.bytes, x.latency_ms, x.cost_usd, x.sent_at, x.received_at
  from strandline.trials x
  join strandline.services v on v.id = x.service_id;

COMMENT ON VIEW strandline_analytics.trials IS 'Calls that tested a search before it was saved. They belong to no run but count toward the daily call limit. Their results are not stored.';
COMMENT ON COLUMN strandline_analytics.trials.id IS 'Key of the trial.';
COMMENT ON COLUMN strandline_analytics.trials.service IS 'Service that was called.';
COMMENT ON COLUMN strandline_analytics.trials.operation IS 'ai or microblog.';
COMMENT ON COLUMN strandline_analytics.trials.prompt IS 'The query.';
COMMENT ON COLUMN strandline_analytics.trials.tools IS 'Tools of an ai search, as named in the specification; empty for microblog.';
COMMENT ON COLUMN strandline_analytics.trials.model IS 'NOVA, ORBIT or HORIZON: about 10, 30 or 120 seconds.';
COMMENT ON COLUMN strandline_analytics.trials.date_filter IS 'Time range of an ai search; null for microblog.';
COMMENT ON COLUMN strandline_analytics.trials.streaming IS 'Whether a streamed response was requested.';
COMMENT ON COLUMN strandline_analytics.trials.extra IS 'Request members beyond the specification, passed through.';
COMMENT ON COLUMN strandline_analytics.trials.state IS 'sent, received, failed or unknown (the client disconnected or the process ended during the call; counts as paid).';
COMMENT ON COLUMN strandline_analytics.trials.http_status IS 'HTTP status code of the response; null when there was none.';
COMMENT ON COLUMN strandline_analytics.trials.code IS 'Why the call failed or its response could not be parsed; null otherwise.';
COMMENT ON COLUMN strandline_analytics.trials.bytes IS 'Size of the decoded response in bytes; null when there was none.';
COMMENT ON COLUMN strandline_analytics.trials.latency_ms IS 'Milliseconds from request to last byte; null when there was no response.';
COMMENT ON COLUMN strandline_analytics.trials.cost_usd IS 'Cost in US dollars, as reported by the service; null when not reported.';
COMMENT ON COLUMN strandline_analytics.trials.sent_at IS 'When the call was recorded, just before the request was sent (UTC).';
COMMENT ON COLUMN strandline_analytics.trials.received_at IS 'When the response arrived or the call failed (UTC); null while the call is open.';
