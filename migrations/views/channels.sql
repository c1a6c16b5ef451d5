CREATE OR REPLACE VIEW strandline_analytics.channels AS
  select c.id, c.slug, c.kind, c.target as host, c.state, c.state_reason, c.state_since,
    (select count(*) from strandline.rule_channels rc join strandline_analytics.rules r on r.id = rc.rule_id
      where rc.channel_id = c.id and r.archived_at is null) as rules,
    c.cursor as judged_discovery_id,
    (select count(*) from strandline.deliveries d join strandline_analytics.deliveries using (id)
      where d.channel_id = c.id and d.state in ('gathering', 'pending')) as waiting,
    (select count(*) from strandline.deliveries d join strandline_analytics.deliveries using (id)
      where d.channel_id = c.id and d.state = 'dead') as dead,
    c.failures, c.failing_since, c.resting_until,
    c.last_delivered_at,
    c.former_until as rotating_until, c.created_at, c.archived_at
  from strandline.channels c;

COMMENT ON VIEW strandline_analytics.channels IS 'Where alerts are sent. Addresses may contain secrets and are not exposed. Channels are of both sides; their rules and messages are counted by side.';
COMMENT ON COLUMN strandline_analytics.channels.id IS 'Key of the channel.';
COMMENT ON COLUMN strandline_analytics.channels.slug IS 'Short name. Unique among channels that are not removed.';
COMMENT ON COLUMN strandline_analytics.channels.kind IS 'How messages are sent, such as webhook. More kinds may be added.';
COMMENT ON COLUMN strandline_analytics.channels.host IS 'Public part of the destination: for a webhook, the host and any explicit port.';
COMMENT ON COLUMN strandline_analytics.channels.state IS 'active, paused (by a person) or disabled (after failed deliveries).';
COMMENT ON COLUMN strandline_analytics.channels.state_reason IS 'Why the channel is in this state; null when there is no reason to report.';
COMMENT ON COLUMN strandline_analytics.channels.state_since IS 'When this state began (UTC).';
COMMENT ON COLUMN strandline_analytics.channels.rules IS 'Number of rules that send to this channel.';
COMMENT ON COLUMN strandline_analytics.channels.judged_discovery_id IS 'Last discovery that rules were evaluated for. Does not advance while the channel is inactive.';
COMMENT ON COLUMN strandline_analytics.channels.waiting IS 'Number of messages that are being gathered or wait to be sent.';
COMMENT ON COLUMN strandline_analytics.channels.dead IS 'Number of messages that permanently failed.';
COMMENT ON COLUMN strandline_analytics.channels.failures IS 'Number of failed attempts since the last success.';
COMMENT ON COLUMN strandline_analytics.channels.failing_since IS 'When the first of those attempts failed (UTC); null while attempts succeed.';
COMMENT ON COLUMN strandline_analytics.channels.resting_until IS 'Nothing is sent before this time because of those failures (UTC); null while attempts succeed.';
COMMENT ON COLUMN strandline_analytics.channels.last_delivered_at IS 'When a message was last delivered (UTC); null before the first delivery.';
COMMENT ON COLUMN strandline_analytics.channels.rotating_until IS 'Until when messages are also signed with the previous secret (UTC); null if the secret was never rotated.';
COMMENT ON COLUMN strandline_analytics.channels.created_at IS 'When it was created (UTC).';
COMMENT ON COLUMN strandline_analytics.channels.archived_at IS 'When it was removed (UTC); null unless removed.';
