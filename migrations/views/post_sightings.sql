CREATE OR REPLACE VIEW strandline_analytics.post_sightings AS
  select g.search_id, s.slug as search, g.post_id, g.first_run_id, g.first_seen_at, g.post_created_at
  from strandline.post_sightings g join strandline.searches s on s.id = g.search_id;

COMMENT ON VIEW strandline_analytics.post_sightings IS 'The first time each search saw each post: what is new, once for ever.';
COMMENT ON COLUMN strandline_analytics.post_sightings.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.post_sightings.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.post_sightings.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.post_sightings.first_run_id IS 'Run that saw it first.';
COMMENT ON COLUMN strandline_analytics.post_sightings.first_seen_at IS 'When it was first seen by this search (UTC).';
COMMENT ON COLUMN strandline_analytics.post_sightings.post_created_at IS 'The post''s own time (UTC), as it was when first seen; null when unknown.';
