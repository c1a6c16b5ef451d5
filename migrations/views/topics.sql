CREATE OR REPLACE VIEW strandline_analytics.topics AS
  select t.id, t.slug, t.name, t.sample, t.created_at, t.archived_at,
    (select count(*) from strandline.searches s where s.topic_id = t.id and s.archived_at is null) as searches,
    (select n.slug from strandline.topics n where n.id = t.successor_id) as successor, :simulated as simulated, t.muted_until, t.goal, t.language
  from strandline.topics t;

COMMENT ON VIEW strandline_analytics.topics IS 'Topics, including removed ones.';
COMMENT ON COLUMN strandline_analytics.topics.id IS 'Key of the topic.';
COMMENT ON COLUMN strandline_analytics.topics.slug IS 'Short unique name used by commands.';
COMMENT ON COLUMN strandline_analytics.topics.name IS 'Display name.';
COMMENT ON COLUMN strandline_analytics.topics.sample IS 'Whether it is the sample topic that the program creates with simulated posts.';
COMMENT ON COLUMN strandline_analytics.topics.created_at IS 'When it was created (UTC).';
COMMENT ON COLUMN strandline_analytics.topics.archived_at IS 'When it was removed (UTC); null unless removed. Its history is kept.';
COMMENT ON COLUMN strandline_analytics.topics.searches IS 'Number of its searches that are not removed.';
COMMENT ON COLUMN strandline_analytics.topics.successor IS 'Slug of the topic that continues its searches on another service; null if there is none.';
COMMENT ON COLUMN strandline_analytics.topics.simulated IS 'Whether it is simulated: true in the database of the sandbox, false in any other.';
COMMENT ON COLUMN strandline_analytics.topics.muted_until IS 'Until when messages about it are held back (UTC). Over if in the past; null if it was never muted.';
COMMENT ON COLUMN strandline_analytics.topics.goal IS 'What its news is about, in words: a language model judges each story by it (judgements), and only relevant ones are reported. Null: everything is.';
COMMENT ON COLUMN strandline_analytics.topics.language IS 'Language tag of its readers: a language model translates what it finds in other languages (translations). Null: nothing is translated.';
