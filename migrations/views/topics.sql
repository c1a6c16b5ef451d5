CREATE OR REPLACE VIEW strandline_analytics.topics AS
  select t.id, t.slug, t.name, t.sample, t.created_at, t.archived_at,
    (select count(*) from strandline.searches s where s.topic_id = t.id and s.archived_at is null) as searches
  from strandline.topics t;

COMMENT ON VIEW strandline_analytics.topics IS 'What is watched. One row per topic, archived ones too.';
COMMENT ON COLUMN strandline_analytics.topics.id IS 'Key of the topic.';
COMMENT ON COLUMN strandline_analytics.topics.slug IS 'Short unique name used by commands.';
COMMENT ON COLUMN strandline_analytics.topics.name IS 'What a person calls it.';
COMMENT ON COLUMN strandline_analytics.topics.sample IS 'Made by the program itself, from simulated posts.';
COMMENT ON COLUMN strandline_analytics.topics.created_at IS 'When it was made (UTC).';
COMMENT ON COLUMN strandline_analytics.topics.archived_at IS 'When it was removed (UTC); null while it lives. History stays.';
COMMENT ON COLUMN strandline_analytics.topics.searches IS 'Number of its searches that are not archived.';
