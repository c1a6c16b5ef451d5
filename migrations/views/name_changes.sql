CREATE OR REPLACE VIEW strandline_analytics.name_changes AS
  select k.id, k.at, k.search_id, s.slug as search, t.slug as topic, v.name as service, k.run_id, k.name_id, k.name, k.change,
    k.before, k.present, k.missing, k.sentence
  from strandline.name_changes k
  join strandline.searches s on s.id = k.search_id
  join strandline.topics t on t.id = s.topic_id
  join strandline.services v on v.id = s.service_id;

COMMENT ON VIEW strandline_analytics.name_changes IS 'Names that entered the answers of a search, or left them, as they were reported.';
COMMENT ON COLUMN strandline_analytics.name_changes.id IS 'Key of the change.';
COMMENT ON COLUMN strandline_analytics.name_changes.at IS 'When the answer was received that decided it (UTC).';
COMMENT ON COLUMN strandline_analytics.name_changes.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.name_changes.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.name_changes.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.name_changes.service IS 'Name of the search service that wrote the answers.';
COMMENT ON COLUMN strandline_analytics.name_changes.run_id IS 'Run whose answer decided it.';
COMMENT ON COLUMN strandline_analytics.name_changes.name_id IS 'Key of the name, which may be gone.';
COMMENT ON COLUMN strandline_analytics.name_changes.name IS 'The name as it was then.';
COMMENT ON COLUMN strandline_analytics.name_changes.change IS 'entered: the answer names or cites it, and none of at least five before did, or it had left. left: at least three answers in a row do not, which chance does not explain.';
COMMENT ON COLUMN strandline_analytics.name_changes.before IS 'Number of answers before that were compared, at most 60 with those that lack it.';
COMMENT ON COLUMN strandline_analytics.name_changes.present IS 'Number of these that name or cite it.';
COMMENT ON COLUMN strandline_analytics.name_changes.missing IS 'Number of answers in a row without it.';
COMMENT ON COLUMN strandline_analytics.name_changes.sentence IS 'The change in one sentence.';
