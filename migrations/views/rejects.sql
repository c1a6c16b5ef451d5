CREATE OR REPLACE VIEW strandline_analytics.rejects AS
  select j.id, j.run_id, r.search_id, s.slug as search, j.path, j.code, j.sample, r.ended_at as at
  from strandline.rejects j join strandline.runs r on r.id = j.run_id join strandline.searches s on s.id = r.search_id;

COMMENT ON VIEW strandline_analytics.rejects IS 'Response items that could not be parsed. The rest of the response was stored.';
COMMENT ON COLUMN strandline_analytics.rejects.id IS 'Key of the reject.';
COMMENT ON COLUMN strandline_analytics.rejects.run_id IS 'The run.';
COMMENT ON COLUMN strandline_analytics.rejects.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.rejects.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.rejects.path IS 'Path of the item in the response, with the names used on the wire.';
COMMENT ON COLUMN strandline_analytics.rejects.code IS 'Why it could not be parsed.';
COMMENT ON COLUMN strandline_analytics.rejects.sample IS 'First 500 characters of the item.';
COMMENT ON COLUMN strandline_analytics.rejects.at IS 'When its run ended (UTC).';
