-- No view exposes channel addresses, secrets or receivers' replies.
CREATE OR REPLACE VIEW strandline_analytics.rules AS
  select r.id, r.slug, r.name, coalesce(t.slug, st.slug) as topic, s.slug as search, r.kinds, r.filter, r.cooldown_seconds,
    array(select c.slug from strandline.rule_channels rc join strandline.channels c on c.id = rc.channel_id
      where rc.rule_id = r.id and c.archived_at is null order by c.slug) as channels,
    r.state, r.state_since,
    (select max(d.made_at) from strandline.deliveries d where d.rule_id = r.id) as last_made_at,
    r.created_at, r.archived_at, r.quiet_hours, r.tz, r.max_per_day, r.muted_until,
    r.digest, r.digest_due_at, r.growth
  from strandline.rules r
  left join strandline.topics t on t.id = r.topic_id
  left join strandline.searches s on s.id = r.search_id
  left join strandline.topics st on st.id = s.topic_id;

COMMENT ON VIEW strandline_analytics.rules IS 'Alert rules: what they report, and to which channels.';
COMMENT ON COLUMN strandline_analytics.rules.id IS 'Key of the rule.';
COMMENT ON COLUMN strandline_analytics.rules.slug IS 'Short name. Unique among rules that are not removed.';
COMMENT ON COLUMN strandline_analytics.rules.name IS 'Display name.';
COMMENT ON COLUMN strandline_analytics.rules.topic IS 'Slug of the topic in scope, or of the topic of the search in scope; null when the scope is everything.';
COMMENT ON COLUMN strandline_analytics.rules.search IS 'Slug of the search in scope; null when the scope is a topic or everything.';
COMMENT ON COLUMN strandline_analytics.rules.kinds IS 'What it reports: post, link, spike, trend, answer, growth, name; of the rule system: system, the problems of strandline itself.';
COMMENT ON COLUMN strandline_analytics.rules.filter IS 'Query that a discovery must match (docs/reference/queries.md). Empty: no filter.';
COMMENT ON COLUMN strandline_analytics.rules.cooldown_seconds IS 'Minimum seconds between two messages, per channel. 0: one message per run with discoveries.';
COMMENT ON COLUMN strandline_analytics.rules.channels IS 'Slugs of the channels it sends to.';
COMMENT ON COLUMN strandline_analytics.rules.state IS 'active or paused.';
COMMENT ON COLUMN strandline_analytics.rules.state_since IS 'When this state began (UTC).';
COMMENT ON COLUMN strandline_analytics.rules.last_made_at IS 'When its last message was created (UTC); null before the first message.';
COMMENT ON COLUMN strandline_analytics.rules.created_at IS 'When it was created (UTC).';
COMMENT ON COLUMN strandline_analytics.rules.archived_at IS 'When it was removed (UTC); null unless removed.';
COMMENT ON COLUMN strandline_analytics.rules.quiet_hours IS 'Local times between which it sends nothing, such as 22:00-07:00; null: none.';
COMMENT ON COLUMN strandline_analytics.rules.tz IS 'Time zone of the quiet hours, and of the day of max_per_day.';
COMMENT ON COLUMN strandline_analytics.rules.max_per_day IS 'Maximum number of messages a day, per channel; null: no limit.';
COMMENT ON COLUMN strandline_analytics.rules.muted_until IS 'Until when its messages are held back (UTC). Over if in the past; null if it was never muted.';
COMMENT ON COLUMN strandline_analytics.rules.digest IS 'When it sends a digest, as a cron expression in tz; null: it reports discoveries instead.';
COMMENT ON COLUMN strandline_analytics.rules.digest_due_at IS 'When its next digest is due (UTC); null if it sends none, and until the next scan.';
COMMENT ON COLUMN strandline_analytics.rules.growth IS 'For the kind growth: what a post must reach, such as likes>=1000, or unusual. Empty: unusual.';
