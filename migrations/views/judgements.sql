CREATE OR REPLACE VIEW strandline_analytics.judgements AS
  select j.discovery_id, j.topic_id, t.slug as topic, d.kind, d.thing as item_id, m.story_id, j.found_at, coalesce(i.text, i.title) as text, i.url,
    j.relevant, j.why, j.judged_at, j.next_at is not null as waiting, j.failures
  from strandline.judgements j
  join strandline.topics t on t.id = j.topic_id and t.goal_hash = j.goal_hash
  join strandline.discoveries d on d.id = j.discovery_id
  cross join lateral (
    select p.text, null as title, p.url from strandline.posts p where d.kind = 'post' and p.id = d.thing
    union all select null, l.title, l.url from strandline.links l where d.kind = 'link' and l.id = d.thing
  ) i
  left join strandline.story_items m on m.discovery_id = j.discovery_id;

COMMENT ON VIEW strandline_analytics.judgements IS 'Posts and links of topics with a goal, each once in its topic: whether a language model judged that they are what the goal asks for. Of the current goal only. Items that are not relevant stay in every other view.';
COMMENT ON COLUMN strandline_analytics.judgements.discovery_id IS 'First discovery of the item in the topic.';
COMMENT ON COLUMN strandline_analytics.judgements.topic_id IS 'Topic.';
COMMENT ON COLUMN strandline_analytics.judgements.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.judgements.kind IS 'Kind of the item: post or link.';
COMMENT ON COLUMN strandline_analytics.judgements.item_id IS 'Key of the post or link.';
COMMENT ON COLUMN strandline_analytics.judgements.story_id IS 'Its story: items of one story are judged once. Null when nothing else in the topic says the same.';
COMMENT ON COLUMN strandline_analytics.judgements.found_at IS 'When the topic found it (UTC).';
COMMENT ON COLUMN strandline_analytics.judgements.text IS 'Text of the post, or title of the link; null when never returned.';
COMMENT ON COLUMN strandline_analytics.judgements.url IS 'URL of the post or link; null when never returned.';
COMMENT ON COLUMN strandline_analytics.judgements.relevant IS 'Whether it is what the goal asks for; null when it is not judged.';
COMMENT ON COLUMN strandline_analytics.judgements.why IS 'Why, in at most a dozen words of the model; null when it gave no reason, and when relevant is null.';
COMMENT ON COLUMN strandline_analytics.judgements.judged_at IS 'When it was judged (UTC); null when it is not.';
COMMENT ON COLUMN strandline_analytics.judgements.waiting IS 'Whether the model will be asked about it: within a day after it was found.';
COMMENT ON COLUMN strandline_analytics.judgements.failures IS 'Number of requests about it that ended without a verdict.';
