CREATE OR REPLACE VIEW strandline_analytics.story_items AS
  select m.story_id, k.topic_id, t.slug as topic, d.id as discovery_id, d.kind, d.thing as item_id, d.at as found_at, i.published_at,
    coalesce(i.text, i.title) as text, i.url, i.author_id, a.username as author_username
  from strandline.story_items m
  join strandline.stories k on k.id = m.story_id
  join strandline.topics t on t.id = k.topic_id
  join strandline.discoveries d on d.id = m.discovery_id
  cross join lateral (
    select p.text, null as title, p.url, p.author_id, p.created_at as published_at from strandline.posts p where d.kind = 'post' and p.id = d.thing
    union all select null, l.title, l.url, null, l.published_at from strandline.links l where d.kind = 'link' and l.id = d.thing
  ) i
  left join strandline.authors a on a.id = i.author_id;

COMMENT ON VIEW strandline_analytics.story_items IS 'Posts and links of stories, each once in its topic.';
COMMENT ON COLUMN strandline_analytics.story_items.story_id IS 'The story.';
COMMENT ON COLUMN strandline_analytics.story_items.topic_id IS 'Topic.';
COMMENT ON COLUMN strandline_analytics.story_items.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.story_items.discovery_id IS 'First discovery of the item in the topic.';
COMMENT ON COLUMN strandline_analytics.story_items.kind IS 'Kind of the item: post or link.';
COMMENT ON COLUMN strandline_analytics.story_items.item_id IS 'Key of the post or link.';
COMMENT ON COLUMN strandline_analytics.story_items.found_at IS 'When the topic found it (UTC).';
COMMENT ON COLUMN strandline_analytics.story_items.published_at IS 'When it was published (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.story_items.text IS 'Text of the post, or title of the link; null when never returned.';
COMMENT ON COLUMN strandline_analytics.story_items.url IS 'URL of the post or link; null when never returned.';
COMMENT ON COLUMN strandline_analytics.story_items.author_id IS 'Author of the post; null for a link, and when unknown.';
COMMENT ON COLUMN strandline_analytics.story_items.author_username IS 'Handle of the author; null when unknown.';
