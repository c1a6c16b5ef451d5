CREATE OR REPLACE VIEW strandline_analytics.topic_names AS
  select n.id, n.topic_id, t.slug as topic, n.name, n.side, n.aliases, n.domains, n.added_at, n.added_by
  from strandline.topic_names n join strandline.topics t on t.id = n.topic_id;

COMMENT ON VIEW strandline_analytics.topic_names IS 'Names that topics list, to see in which answers of AI searches they are.';
COMMENT ON COLUMN strandline_analytics.topic_names.id IS 'Key of the name.';
COMMENT ON COLUMN strandline_analytics.topic_names.topic_id IS 'The topic.';
COMMENT ON COLUMN strandline_analytics.topic_names.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.topic_names.name IS 'The name as it was written.';
COMMENT ON COLUMN strandline_analytics.topic_names.side IS 'own or rival.';
COMMENT ON COLUMN strandline_analytics.topic_names.aliases IS 'Further forms that count as the name.';
COMMENT ON COLUMN strandline_analytics.topic_names.domains IS 'Domains whose links count as citing it, with their subdomains.';
COMMENT ON COLUMN strandline_analytics.topic_names.added_at IS 'When it was added (UTC).';
COMMENT ON COLUMN strandline_analytics.topic_names.added_by IS 'Who added it.';
