CREATE OR REPLACE VIEW strandline_analytics.rejects AS
  select j.id, j.run_id, r.search_id, s.slug as search, j.path, j.code, j.sample, r.ended_at as at
  from strandline.rejects j join strandline.runs r on r.id = j.run_id join strandline.searches s on s.id = r.search_id;

COMMENT ON VIEW strandline_analytics.rejects IS 'Items of answers that could not be read; the rest of the answer was kept.';
COMMENT ON COLUMN strandline_analytics.rejects.id IS 'Key of the reject.';
COMMENT ON COLUMN strandline_analytics.rejects.run_id IS 'Its run.';
COMMENT ON COLUMN strandline_analytics.rejects.search_id IS 'Its search.';
COMMENT ON COLUMN strandline_analytics.rejects.search IS 'Slug of its search.';
COMMENT ON COLUMN strandline_analytics.rejects.path IS 'Where it stood in the answer, in the names of the wire.';
COMMENT ON COLUMN strandline_analytics.rejects.code IS 'Why it could not be read.';
COMMENT ON COLUMN strandline_analytics.rejects.sample IS 'How it began, at most 500 characters.';
COMMENT ON COLUMN strandline_analytics.rejects.at IS 'When its run ended (UTC).';
