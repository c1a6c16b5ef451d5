CREATE OR REPLACE VIEW strandline_analytics.deliveries AS
  select d.id, d.message_id, c.slug as channel, r.slug as rule, d.run_id, d.state, d.reason,
    (select count(*) from strandline.delivery_discoveries x where x.delivery_id = d.id) as discoveries,
    octet_length(d.body) as bytes, d.created_at, d.made_at, d.next_attempt_at, d.attempts, d.last_attempt_at, d.delivered_at,
    d.http_status, d.code, c.kind as channel_kind, d.muted, d.waits_for, d.digest_id,
    (select count(distinct x.event_id) from strandline.delivery_events x where x.delivery_id = d.id) as system_events
  from strandline.deliveries d
  join strandline.channels c on c.id = d.channel_id
  join strandline.rules r on r.id = d.rule_id;

COMMENT ON VIEW strandline_analytics.deliveries IS 'Alert messages and their status, one row per message and channel.';
COMMENT ON COLUMN strandline_analytics.deliveries.id IS 'Key of the delivery, in order of creation.';
COMMENT ON COLUMN strandline_analytics.deliveries.message_id IS 'ID sent to the receiver (webhook-id). The same for every attempt.';
COMMENT ON COLUMN strandline_analytics.deliveries.channel IS 'Slug of the channel.';
COMMENT ON COLUMN strandline_analytics.deliveries.rule IS 'Slug of the rule.';
COMMENT ON COLUMN strandline_analytics.deliveries.run_id IS 'Run whose discoveries the message reports; null when there were several.';
COMMENT ON COLUMN strandline_analytics.deliveries.state IS 'gathering (until it may be sent), pending, delivered, dead (permanently failed) or cancelled.';
COMMENT ON COLUMN strandline_analytics.deliveries.reason IS 'Why it is dead or cancelled; null otherwise.';
COMMENT ON COLUMN strandline_analytics.deliveries.discoveries IS 'Number of discoveries in the message.';
COMMENT ON COLUMN strandline_analytics.deliveries.bytes IS 'Size of the body in bytes; null while gathering, and after the body was deleted.';
COMMENT ON COLUMN strandline_analytics.deliveries.created_at IS 'When the delivery was created (UTC).';
COMMENT ON COLUMN strandline_analytics.deliveries.made_at IS 'When the body was composed (UTC); null while gathering.';
COMMENT ON COLUMN strandline_analytics.deliveries.next_attempt_at IS 'Earliest time of the next attempt (UTC); null when no further attempt is planned.';
COMMENT ON COLUMN strandline_analytics.deliveries.attempts IS 'Number of delivery attempts.';
COMMENT ON COLUMN strandline_analytics.deliveries.last_attempt_at IS 'When the last attempt began (UTC); null before the first.';
COMMENT ON COLUMN strandline_analytics.deliveries.delivered_at IS 'When the receiver accepted it (UTC); null if it did not.';
COMMENT ON COLUMN strandline_analytics.deliveries.http_status IS 'HTTP status code of the last response; null when there was none.';
COMMENT ON COLUMN strandline_analytics.deliveries.code IS 'Error code of the last attempt; null unless it failed.';
COMMENT ON COLUMN strandline_analytics.deliveries.channel_kind IS 'Kind of the channel, such as webhook.';
COMMENT ON COLUMN strandline_analytics.deliveries.muted IS 'Whether it sums up what a mute held back.';
COMMENT ON COLUMN strandline_analytics.deliveries.waits_for IS 'Why it was not sent at once: mute, limit (of messages a day), quiet_hours or cooldown; null if nothing held it back.';
COMMENT ON COLUMN strandline_analytics.deliveries.digest_id IS 'The digest that it is; null if it reports discoveries.';
COMMENT ON COLUMN strandline_analytics.deliveries.system_events IS 'Number of problems of strandline itself in the message; 0 unless the rule is system.';
