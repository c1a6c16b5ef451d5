CREATE OR REPLACE VIEW strandline_analytics.channels AS
  select c.id, c.slug, c.kind, c.target as host, c.state, c.state_reason, c.state_since,
    (select count(*) from strandline.rule_channels rc join strandline.rules r on r.id = rc.rule_id
      where rc.channel_id = c.id and r.archived_at is null) as rules,
    c.cursor as judged_discovery_id,
    (select count(*) from strandline.deliveries d where d.channel_id = c.id and d.state in ('gathering', 'pending')) as waiting,
    (select count(*) from strandline.deliveries d where d.channel_id = c.id and d.state = 'dead') as dead,
    c.failures, c.failing_since, c.resting_until,
    c.last_delivered_at,
    c.former_until as rotating_until, c.created_at, c.archived_at
  from strandline.channels c;

COMMENT ON VIEW strandline_analytics.channels IS 'Where alerts are sent. Addresses may be secrets, and are not here.';
COMMENT ON COLUMN strandline_analytics.channels.id IS 'Key of the channel.';
COMMENT ON COLUMN strandline_analytics.channels.slug IS 'Short name; only removed channels may have one that another has.';
COMMENT ON COLUMN strandline_analytics.channels.kind IS 'How it sends, such as webhook; kinds may come.';
COMMENT ON COLUMN strandline_analytics.channels.host IS 'Where it sends, as far as that may be shown: of a webhook the host, and port where one is named.';
COMMENT ON COLUMN strandline_analytics.channels.state IS 'active, paused (by a person) or disabled (by what its receiver answers, or did not).';
COMMENT ON COLUMN strandline_analytics.channels.state_reason IS 'Why it is in this state; null where nothing is to be said.';
COMMENT ON COLUMN strandline_analytics.channels.state_since IS 'Since when (UTC).';
COMMENT ON COLUMN strandline_analytics.channels.rules IS 'Number of rules that tell it something.';
COMMENT ON COLUMN strandline_analytics.channels.judged_discovery_id IS 'The last discovery that rules were asked about for it; it stands still while the channel is not active.';
COMMENT ON COLUMN strandline_analytics.channels.waiting IS 'Number of messages that gather or wait to be sent.';
COMMENT ON COLUMN strandline_analytics.channels.dead IS 'Number of messages that were given up.';
COMMENT ON COLUMN strandline_analytics.channels.failures IS 'Number of attempts that failed since one succeeded.';
COMMENT ON COLUMN strandline_analytics.channels.failing_since IS 'When the first of them failed (UTC); null while attempts succeed.';
COMMENT ON COLUMN strandline_analytics.channels.resting_until IS 'Until when nothing is sent because of them (UTC); null while attempts succeed.';
COMMENT ON COLUMN strandline_analytics.channels.last_delivered_at IS 'When a message was last delivered (UTC); null before the first.';
COMMENT ON COLUMN strandline_analytics.channels.rotating_until IS 'Until when messages are signed with the secret before this one, too (UTC); null where it was never rotated.';
COMMENT ON COLUMN strandline_analytics.channels.created_at IS 'When it was made (UTC).';
COMMENT ON COLUMN strandline_analytics.channels.archived_at IS 'When it was removed (UTC); null while it is there.';
