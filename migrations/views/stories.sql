CREATE OR REPLACE VIEW strandline_analytics.stories AS
  select k.id, k.topic_id, t.slug as topic, k.first_at as first_found_at, k.last_at as last_news_at, k.members, k.authors, k.sources, k.languages,
    k.origin_at as first_published_at, d.kind as first_kind, d.thing as first_item_id, coalesce(i.text, i.title) as text, i.url, i.author_id, a.username as author_username, k.things,
    k.hidden_at, k.hidden_by, j.relevant, j.why, j.judged_at
  from strandline.stories k
  join strandline.topics t on t.id = k.topic_id
  join strandline.discoveries d on d.id = k.origin_id
  cross join lateral (
    select p.text, null as title, p.url, p.author_id from strandline.posts p where d.kind = 'post' and p.id = d.thing
    union all select null, l.title, l.url, null from strandline.links l where d.kind = 'link' and l.id = d.thing
  ) i
  left join strandline.authors a on a.id = i.author_id
  left join lateral (
    select v.relevant, v.why, v.judged_at from strandline.story_items m
    join strandline.judgements v on v.discovery_id = m.discovery_id and v.goal_hash = t.goal_hash and v.relevant is not null
    where m.story_id = k.id and t.goal is not null order by m.discovery_id limit 1
  ) j on true;

COMMENT ON VIEW strandline_analytics.stories IS 'Stories of topics: items that say the same thing. Two posts or links of a topic are joined if they were found within 14 days of each other and have one address, contain or quote the same thing, or share two thirds of their wording; a story is whatever such pairs connect. Decided within seconds after a run. An item that nothing joins is in no story.';
COMMENT ON COLUMN strandline_analytics.stories.id IS 'Key of the story: that of the first discovery in it. Stays when stories merge: the older one is kept.';
COMMENT ON COLUMN strandline_analytics.stories.topic_id IS 'Topic.';
COMMENT ON COLUMN strandline_analytics.stories.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.stories.first_found_at IS 'When its first member was found (UTC).';
COMMENT ON COLUMN strandline_analytics.stories.last_news_at IS 'When its newest member was found (UTC).';
COMMENT ON COLUMN strandline_analytics.stories.members IS 'Number of posts and links.';
COMMENT ON COLUMN strandline_analytics.stories.authors IS 'Number of distinct authors of its posts, as far as they are known; of the first 1,000 members.';
COMMENT ON COLUMN strandline_analytics.stories.sources IS 'Number of distinct hosts of its addresses; of the first 1,000 members.';
COMMENT ON COLUMN strandline_analytics.stories.languages IS 'Languages of its posts, as reported; of the first 1,000 members.';
COMMENT ON COLUMN strandline_analytics.stories.first_published_at IS 'When the member that was published first was published (UTC); if unknown, when it was found.';
COMMENT ON COLUMN strandline_analytics.stories.first_kind IS 'Kind of that member: post or link.';
COMMENT ON COLUMN strandline_analytics.stories.first_item_id IS 'Key of that post or link.';
COMMENT ON COLUMN strandline_analytics.stories.text IS 'Text of that post, or title of that link; null when never returned.';
COMMENT ON COLUMN strandline_analytics.stories.url IS 'URL of that post or link; null when never returned.';
COMMENT ON COLUMN strandline_analytics.stories.author_id IS 'Author of that post; null for a link, and when unknown.';
COMMENT ON COLUMN strandline_analytics.stories.author_username IS 'Handle of that author; null when unknown.';
COMMENT ON COLUMN strandline_analytics.stories.things IS 'Number of distinct things among the members: a post and the links to it are one. Of the first 1,000 members; each further one counts.';
COMMENT ON COLUMN strandline_analytics.stories.hidden_at IS 'When a person said that it is not relevant (UTC): lists and messages leave it out. Of merged stories, the first time. Null: it is shown.';
COMMENT ON COLUMN strandline_analytics.stories.hidden_by IS 'Who said so: an account, or the prefix of a token. Null: nobody, or it was not recorded.';
COMMENT ON COLUMN strandline_analytics.stories.relevant IS 'Whether it is what the goal of the topic asks for, as a language model judged its first judged item; null when it is not judged (yet), or when the topic has no goal.';
COMMENT ON COLUMN strandline_analytics.stories.why IS 'Why, in at most a dozen words of the model; null when it gave no reason, and when relevant is null.';
COMMENT ON COLUMN strandline_analytics.stories.judged_at IS 'When it was judged (UTC); null when relevant is.';
