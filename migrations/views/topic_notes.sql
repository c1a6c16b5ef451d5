CREATE OR REPLACE VIEW strandline_analytics.topic_notes AS
  select n.id, n.topic_id, t.slug as topic, n.at, n.text, n.added_at, n.added_by, n.edited_at
  from strandline.topic_notes n join strandline.topics t on t.id = n.topic_id;

COMMENT ON VIEW strandline_analytics.topic_notes IS 'What people know about a time of a topic, such as the start of a campaign. The chart of the topic shows it.';
COMMENT ON COLUMN strandline_analytics.topic_notes.id IS 'Key of the note.';
COMMENT ON COLUMN strandline_analytics.topic_notes.topic_id IS 'The topic.';
COMMENT ON COLUMN strandline_analytics.topic_notes.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.topic_notes.at IS 'The time that the note is about (UTC).';
COMMENT ON COLUMN strandline_analytics.topic_notes.text IS 'The note: one line, at most 280 characters.';
COMMENT ON COLUMN strandline_analytics.topic_notes.added_at IS 'When it was added (UTC).';
COMMENT ON COLUMN strandline_analytics.topic_notes.added_by IS 'Who added it: an account, or the prefix of a token.';
COMMENT ON COLUMN strandline_analytics.topic_notes.edited_at IS 'When its time or text was changed last (UTC); null: never.';
