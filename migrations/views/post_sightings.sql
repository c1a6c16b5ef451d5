CREATE OR REPLACE VIEW strandline_analytics.post_sightings AS
  select g.search_id, s.slug as search, g.post_id, g.first_run_id, g.first_seen_at, g.post_created_at
  from strandline.post_sightings g join strandline.searches s on s.id = g.search_id;

COMMENT ON VIEW strandline_analytics.post_sightings IS 'Sightings of posts: the first time each search saw each post.';
COMMENT ON COLUMN strandline_analytics.post_sightings.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.post_sightings.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.post_sightings.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.post_sightings.first_run_id IS 'Run that saw it first.';
COMMENT ON COLUMN strandline_analytics.post_sightings.first_seen_at IS 'When this search first saw it (UTC).';
COMMENT ON COLUMN strandline_analytics.post_sightings.post_created_at IS 'When the post was published (UTC), as first reported; null when unknown.';
