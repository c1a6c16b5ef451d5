CREATE OR REPLACE VIEW strandline_analytics.trials AS
  select x.id, v.name as service, x.operation, x.prompt, x.tools, x.model, x.date_filter, x.streaming, x.extra, x.state,
    x.http_status, x.code, x.bytes, x.latency_ms, x.cost_usd, x.sent_at, x.received_at
  from strandline.trials x
  join strandline.services v on v.id = x.service_id;

COMMENT ON VIEW strandline_analytics.trials IS 'Calls that tried out a search before it was saved: they belong to no run and count against the calls of their day. Nothing that they found is kept.';
COMMENT ON COLUMN strandline_analytics.trials.id IS 'Key of the trial.';
COMMENT ON COLUMN strandline_analytics.trials.service IS 'Who was called.';
COMMENT ON COLUMN strandline_analytics.trials.operation IS 'ai or microblog.';
COMMENT ON COLUMN strandline_analytics.trials.prompt IS 'What was asked.';
COMMENT ON COLUMN strandline_analytics.trials.tools IS 'Tools of an ai search, in the words of the specification; empty for microblog.';
COMMENT ON COLUMN strandline_analytics.trials.model IS 'NOVA, ORBIT or HORIZON: about 10, 30 or 120 seconds.';
COMMENT ON COLUMN strandline_analytics.trials.date_filter IS 'How far back an ai search looks; null for microblog.';
COMMENT ON COLUMN strandline_analytics.trials.streaming IS 'Whether the answer was to be streamed.';
COMMENT ON COLUMN strandline_analytics.trials.extra IS 'Members beyond the specification that were passed through.';
COMMENT ON COLUMN strandline_analytics.trials.state IS 'sent, received, failed or unknown (nobody waited for its end, or the process ended before it; counts as paid).';
COMMENT ON COLUMN strandline_analytics.trials.http_status IS 'HTTP status code of the answer; null when there was none.';
COMMENT ON COLUMN strandline_analytics.trials.code IS 'Why it failed, or why its answer could not be read; null otherwise.';
COMMENT ON COLUMN strandline_analytics.trials.bytes IS 'Size of the decoded answer in bytes; null when there was none.';
COMMENT ON COLUMN strandline_analytics.trials.latency_ms IS 'From request to last byte, in milliseconds; null when there was no answer.';
COMMENT ON COLUMN strandline_analytics.trials.cost_usd IS 'What the service said it cost, in US dollars; null when it said nothing.';
COMMENT ON COLUMN strandline_analytics.trials.sent_at IS 'Committed before the request was sent (UTC).';
COMMENT ON COLUMN strandline_analytics.trials.received_at IS 'When its answer or failure was known (UTC); null while nothing is.';
