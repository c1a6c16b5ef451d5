CREATE OR REPLACE VIEW strandline_analytics.deliveries AS
  select d.id, d.message_id, c.slug as channel, r.slug as rule, d.run_id, d.state, d.reason,
    (select count(*) from strandline.delivery_discoveries x where x.delivery_id = d.id) as discoveries,
    octet_length(d.body) as bytes, d.created_at, d.made_at, d.next_attempt_at, d.attempts, d.last_attempt_at, d.delivered_at,
    d.http_status, d.code, c.kind as channel_kind
  from strandline.deliveries d
  join strandline.channels c on c.id = d.channel_id
  join strandline.rules r on r.id = d.rule_id;

COMMENT ON VIEW strandline_analytics.deliveries IS 'Messages of alerts, one row per message and channel, and what came of them.';
COMMENT ON COLUMN strandline_analytics.deliveries.id IS 'Key of the delivery, in the order they were begun.';
COMMENT ON COLUMN strandline_analytics.deliveries.message_id IS 'What its receiver knows it by (webhook-id); the same however often it is sent.';
COMMENT ON COLUMN strandline_analytics.deliveries.channel IS 'Slug of the channel.';
COMMENT ON COLUMN strandline_analytics.deliveries.rule IS 'Slug of the rule.';
COMMENT ON COLUMN strandline_analytics.deliveries.run_id IS 'Run that found what it says; null when several did.';
COMMENT ON COLUMN strandline_analytics.deliveries.state IS 'gathering (until its cooldown ends), pending, delivered, dead (given up) or cancelled.';
COMMENT ON COLUMN strandline_analytics.deliveries.reason IS 'Why it is dead or cancelled; null otherwise.';
COMMENT ON COLUMN strandline_analytics.deliveries.discoveries IS 'Number of discoveries that it tells of.';
COMMENT ON COLUMN strandline_analytics.deliveries.bytes IS 'Size of its body in bytes; null while it gathers, and where the body was forgotten.';
COMMENT ON COLUMN strandline_analytics.deliveries.created_at IS 'When it was begun (UTC).';
COMMENT ON COLUMN strandline_analytics.deliveries.made_at IS 'When its body was made (UTC); null while it gathers.';
COMMENT ON COLUMN strandline_analytics.deliveries.next_attempt_at IS 'When it is sent next, at the earliest (UTC); null when nothing more is tried.';
COMMENT ON COLUMN strandline_analytics.deliveries.attempts IS 'Number of attempts to send it.';
COMMENT ON COLUMN strandline_analytics.deliveries.last_attempt_at IS 'When the last attempt began (UTC); null before the first.';
COMMENT ON COLUMN strandline_analytics.deliveries.delivered_at IS 'When its receiver took it (UTC); null where it did not.';
COMMENT ON COLUMN strandline_analytics.deliveries.http_status IS 'HTTP status code of the last answer; null when there was none.';
COMMENT ON COLUMN strandline_analytics.deliveries.code IS 'Why the last attempt failed; null when it did not.';
COMMENT ON COLUMN strandline_analytics.deliveries.channel_kind IS 'How its channel sends, such as webhook.';
