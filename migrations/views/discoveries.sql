-- Subqueries for completions, spikes and trends: joining them made an eight-way join that took longer to plan than to run.
CREATE OR REPLACE VIEW strandline_analytics.discoveries AS
  select d.id, d.at, d.kind, d.baseline, d.search_id, s.slug as search, t.slug as topic, d.run_id,
    case d.kind when 'post' then d.thing
      when 'growth' then (select g.post_id from strandline.growth_reports g where g.id = d.thing) end as post_id,
    case d.kind when 'link' then d.thing end as link_id,
    case d.kind when 'completion' then d.thing end as completion_id,
    coalesce(p.text, l.title,
      (select c.summary from strandline.completions c where d.kind = 'completion' and c.id = d.thing),
      (select k.sentence from strandline.spikes k where d.kind = 'spike' and k.id = d.thing),
      (select k.sentence from strandline.trend_states k where d.kind = 'trend' and k.id = d.thing),
      (select k.sentence from strandline.name_changes k where d.kind = 'name' and k.id = d.thing),
      (select k.sentence from strandline.growth_reports k where d.kind = 'growth' and k.id = d.thing)) as text,
    coalesce(p.url, l.url) as url,
    a.username as author_username,
    coalesce(p.created_at, l.published_at,
      (select k.window_start from strandline.spikes k where d.kind = 'spike' and k.id = d.thing),
      (select k.since from strandline.trend_states k where d.kind = 'trend' and k.id = d.thing)) as created_at,
    c.like_count, c.repost_count, c.reply_count, c.view_count,
    case d.kind when 'spike' then d.thing end as spike_id,
    d.first_in_topic,
    -- Without `offset 0`, all posts are read in the order of their ids as long as there are no statistics on keys.
    (select min(n.id) from (select id from strandline.posts where key = l.canonical offset 0) n) as named_post_id,
    :simulated as simulated,
    case d.kind when 'trend' then d.thing end as trend_state_id,
    d.hidden
  from strandline.discoveries d
  join strandline.searches s on s.id = d.search_id
  join strandline.topics t on t.id = s.topic_id
  left join strandline.posts p on d.kind = 'post' and p.id = d.thing
  left join strandline.authors a on a.id = p.author_id
  left join strandline.links l on d.kind = 'link' and l.id = d.thing
  left join strandline.post_counters c on d.kind = 'post' and c.post_id = d.thing;

COMMENT ON VIEW strandline_analytics.discoveries IS 'The diff: everything a search found for the first time, in commit order.';
COMMENT ON COLUMN strandline_analytics.discoveries.id IS 'Position in the feed. A reader that remembers the last ID it processed misses nothing.';
COMMENT ON COLUMN strandline_analytics.discoveries.at IS 'When it was found (UTC).';
COMMENT ON COLUMN strandline_analytics.discoveries.kind IS 'post, link, completion, spike, trend, growth or name (in answers).';
COMMENT ON COLUMN strandline_analytics.discoveries.baseline IS 'Whether it was found by the first run of a request.';
COMMENT ON COLUMN strandline_analytics.discoveries.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.discoveries.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.discoveries.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.discoveries.run_id IS 'Run that found it.';
COMMENT ON COLUMN strandline_analytics.discoveries.post_id IS 'The post, or the post that grew; null for other kinds.';
COMMENT ON COLUMN strandline_analytics.discoveries.link_id IS 'The link; null for other kinds.';
COMMENT ON COLUMN strandline_analytics.discoveries.completion_id IS 'The completion; null for other kinds.';
COMMENT ON COLUMN strandline_analytics.discoveries.text IS 'Text of the post, title of the link, summary of the completion or sentence of the spike, trend, growth or name; null when a link has no title or a completion no summary.';
COMMENT ON COLUMN strandline_analytics.discoveries.url IS 'URL of the post or link; null for completions, spikes and trends, and for posts without one.';
COMMENT ON COLUMN strandline_analytics.discoveries.author_username IS 'Handle of the author of the post; null when unknown, and for other kinds.';
COMMENT ON COLUMN strandline_analytics.discoveries.created_at IS 'When the post or link was published, or when the spike''s window or the state begins (UTC); null when unknown, and for completions.';
COMMENT ON COLUMN strandline_analytics.discoveries.like_count IS 'Likes when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.discoveries.repost_count IS 'Reposts when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.discoveries.reply_count IS 'Replies when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.discoveries.view_count IS 'Views when last observed; null when unknown.';
COMMENT ON COLUMN strandline_analytics.discoveries.spike_id IS 'The spike; null for other kinds.';
COMMENT ON COLUMN strandline_analytics.discoveries.first_in_topic IS 'Whether it is the first discovery of its story in the topic, or of its item if that is in no story: a post, the links to it and its copies in other services are one item. Decided within seconds after a run. True for completions, spikes and trends. False, too, for the baseline of a search that was added later.';
COMMENT ON COLUMN strandline_analytics.discoveries.named_post_id IS 'Of a link to a known post, that post; null for all others.';
COMMENT ON COLUMN strandline_analytics.discoveries.simulated IS 'Whether it is simulated: true in the database of the sandbox, false in any other.';
COMMENT ON COLUMN strandline_analytics.discoveries.trend_state_id IS 'The change of state of a search; null for other kinds.';
COMMENT ON COLUMN strandline_analytics.discoveries.hidden IS 'Whether a person said that its item, or another of its story, is not relevant for the topic: lists and messages leave it out. Views keep it; who and when is in the view stories.';
