CREATE OR REPLACE VIEW strandline_analytics.interval_changes AS
  select c.id, c.at, c.search_id, s.slug as search, t.slug as topic, c.seconds_before, c.seconds, c.reason,
    c.per_hour, c.room, c.new_items, c.waited_seconds, c.calls_per_day
  from strandline.interval_changes c
  join strandline.searches s on s.id = c.search_id
  join strandline.topics t on t.id = s.topic_id;

COMMENT ON VIEW strandline_analytics.interval_changes IS 'Changes of adaptive intervals (auto) by a tenth or more, each with its reason. Until the next row of its search, an interval stays within a tenth of this one.';
COMMENT ON COLUMN strandline_analytics.interval_changes.id IS 'Key of the change.';
COMMENT ON COLUMN strandline_analytics.interval_changes.at IS 'When the response was received that caused it (UTC).';
COMMENT ON COLUMN strandline_analytics.interval_changes.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.interval_changes.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.interval_changes.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.interval_changes.seconds_before IS 'The interval before, in seconds; null if there was none.';
COMMENT ON COLUMN strandline_analytics.interval_changes.seconds IS 'The interval from then on, in seconds.';
COMMENT ON COLUMN strandline_analytics.interval_changes.reason IS 'Why: learning (its rate is not known yet), rate (so that a response is not truncated), truncated (posts are missing between this response and the one before), quiet (nothing new), found (something new, of an ai search), least or most (the shortest or longest allowed), budget (limited by calls per day).';
COMMENT ON COLUMN strandline_analytics.interval_changes.per_hour IS 'Posts per hour expected then; null if unknown, and for an ai search.';
COMMENT ON COLUMN strandline_analytics.interval_changes.room IS 'How many of the newest posts a response holds, as learned; null if unknown.';
COMMENT ON COLUMN strandline_analytics.interval_changes.new_items IS 'Posts and links that were new to the search in this response; null if unknown.';
COMMENT ON COLUMN strandline_analytics.interval_changes.waited_seconds IS 'Seconds between the previous response and this one; null if there is none, or the time between was not observed.';
COMMENT ON COLUMN strandline_analytics.interval_changes.calls_per_day IS 'Limit of calls per day of the search; null if it has none of its own, only CALLS_PER_DAY of its service.';
