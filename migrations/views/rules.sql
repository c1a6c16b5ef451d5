-- Addresses and secrets of channels, and what receivers reply, are in no view.
CREATE OR REPLACE VIEW strandline_analytics.rules AS
  select r.id, r.slug, r.name, coalesce(t.slug, st.slug) as topic, s.slug as search, r.kinds, r.filter, r.cooldown_seconds,
    array(select c.slug from strandline.rule_channels rc join strandline.channels c on c.id = rc.channel_id
      where rc.rule_id = r.id and c.archived_at is null order by c.slug) as channels,
    r.state, r.state_since,
    (select max(d.made_at) from strandline.deliveries d where d.rule_id = r.id) as last_made_at,
    r.created_at, r.archived_at
  from strandline.rules r
  left join strandline.topics t on t.id = r.topic_id
  left join strandline.searches s on s.id = r.search_id
  left join strandline.topics st on st.id = s.topic_id;

COMMENT ON VIEW strandline_analytics.rules IS 'Rules of alerts: what is told, and to which channels.';
COMMENT ON COLUMN strandline_analytics.rules.id IS 'Key of the rule.';
COMMENT ON COLUMN strandline_analytics.rules.slug IS 'Short name; only removed rules may have one that another has.';
COMMENT ON COLUMN strandline_analytics.rules.name IS 'What a person calls it.';
COMMENT ON COLUMN strandline_analytics.rules.topic IS 'Slug of the topic that it watches, or of the topic of its search; null when it watches all.';
COMMENT ON COLUMN strandline_analytics.rules.search IS 'Slug of the search that it watches; null when it watches a topic or all.';
COMMENT ON COLUMN strandline_analytics.rules.kinds IS 'What it tells of: post, link, spike.';
COMMENT ON COLUMN strandline_analytics.rules.filter IS 'Words that must appear, and with a minus before them must not; empty: everything passes.';
COMMENT ON COLUMN strandline_analytics.rules.cooldown_seconds IS 'At most one message in so many seconds, per channel; 0: one per run that found something.';
COMMENT ON COLUMN strandline_analytics.rules.channels IS 'Slugs of the channels that it tells.';
COMMENT ON COLUMN strandline_analytics.rules.state IS 'active or paused.';
COMMENT ON COLUMN strandline_analytics.rules.state_since IS 'Since when it is in this state (UTC).';
COMMENT ON COLUMN strandline_analytics.rules.last_made_at IS 'When its last message was made (UTC); null before the first.';
COMMENT ON COLUMN strandline_analytics.rules.created_at IS 'When it was made (UTC).';
COMMENT ON COLUMN strandline_analytics.rules.archived_at IS 'When it was removed (UTC); null while it is there.';
