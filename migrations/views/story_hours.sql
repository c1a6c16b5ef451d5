CREATE OR REPLACE VIEW strandline_analytics.story_hours AS
  select m.story_id, k.topic_id, t.slug as topic, date_trunc('hour', d.at, 'UTC') as hour, count(*)::integer as members
  from strandline.story_items m
  join strandline.stories k on k.id = m.story_id
  join strandline.topics t on t.id = k.topic_id
  join strandline.discoveries d on d.id = m.discovery_id
  group by 1, 2, 3, 4;

COMMENT ON VIEW strandline_analytics.story_hours IS 'How stories grew: their posts and links by the hour in which the topic found them. Hours without any are left out.';
COMMENT ON COLUMN strandline_analytics.story_hours.story_id IS 'The story.';
COMMENT ON COLUMN strandline_analytics.story_hours.topic_id IS 'Topic.';
COMMENT ON COLUMN strandline_analytics.story_hours.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.story_hours.hour IS 'Beginning of the hour (UTC).';
COMMENT ON COLUMN strandline_analytics.story_hours.members IS 'Posts and links of the story that were found in it, each once.';
