CREATE OR REPLACE VIEW strandline_analytics.link_sightings AS
  select g.search_id, s.slug as search, g.link_id, g.first_run_id, g.first_seen_at, g.source
  from strandline.link_sightings g join strandline.searches s on s.id = g.search_id;

COMMENT ON VIEW strandline_analytics.link_sightings IS 'Sightings of links: the first time each search saw each link.';
COMMENT ON COLUMN strandline_analytics.link_sightings.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.link_sightings.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.link_sightings.link_id IS 'The link.';
COMMENT ON COLUMN strandline_analytics.link_sightings.first_run_id IS 'Run that saw it first.';
COMMENT ON COLUMN strandline_analytics.link_sightings.first_seen_at IS 'When this search first saw it (UTC).';
COMMENT ON COLUMN strandline_analytics.link_sightings.source IS 'Group of the response that contained it at that time: web, news_forum, discussion_board, encyclopedia, video, microblog or preprint.';
