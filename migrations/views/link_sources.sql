CREATE OR REPLACE VIEW strandline_analytics.link_sources AS
  select g.link_id, l.url, l.site, g.search_id, s.slug as search, v.name as service, g.source,
    g.first_run_id, g.first_seen_at, r.baseline,
    (row_number() over w)::integer as nth,
    (count(*) over (partition by g.link_id))::integer as searches,
    case when not lead(r.baseline) over w then extract(epoch from lead(g.first_seen_at) over w - g.first_seen_at)::float8 end as lead_seconds
  from strandline.link_sightings g
  join strandline.links l on l.id = g.link_id
  join strandline.searches s on s.id = g.search_id
  join strandline.services v on v.id = s.service_id
  left join strandline.runs r on r.id = g.first_run_id
  window w as (partition by g.link_id order by g.first_seen_at, g.first_run_id, g.search_id);

COMMENT ON VIEW strandline_analytics.link_sources IS 'Which search found each link first: one row per link and search, in order of discovery.';
COMMENT ON COLUMN strandline_analytics.link_sources.link_id IS 'The link.';
COMMENT ON COLUMN strandline_analytics.link_sources.url IS 'URL with which the link was first seen, as returned.';
COMMENT ON COLUMN strandline_analytics.link_sources.site IS 'Host of the link, without www., m., mobile., old. and amp.';
COMMENT ON COLUMN strandline_analytics.link_sources.search_id IS 'The search that found it.';
COMMENT ON COLUMN strandline_analytics.link_sources.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.link_sources.service IS 'Name of the service that the search uses.';
COMMENT ON COLUMN strandline_analytics.link_sources.source IS 'Group of the response that contained it at that time: web, news_forum, discussion_board, encyclopedia, video, microblog or preprint.';
COMMENT ON COLUMN strandline_analytics.link_sources.first_run_id IS 'Run that saw it first.';
COMMENT ON COLUMN strandline_analytics.link_sources.first_seen_at IS 'When this search first saw it (UTC).';
COMMENT ON COLUMN strandline_analytics.link_sources.baseline IS 'Whether a baseline run found it, so it may be old; null when that run is no longer stored.';
COMMENT ON COLUMN strandline_analytics.link_sources.nth IS 'Position of the search among those that found the link: 1 is the first.';
COMMENT ON COLUMN strandline_analytics.link_sources.searches IS 'Number of searches that found it.';
COMMENT ON COLUMN strandline_analytics.link_sources.lead_seconds IS 'Seconds until the next search found it; null when there is no next search, and when it found the link in a baseline run, which does not show when the link appeared.';
