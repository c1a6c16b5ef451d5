CREATE OR REPLACE VIEW strandline_analytics.link_sources AS
  select g.link_id, l.canonical as url, l.site, g.search_id, s.slug as search, v.name as service, g.source,
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

COMMENT ON VIEW strandline_analytics.link_sources IS 'Who had each link first: one row per search that found it, in the order in which they did.';
COMMENT ON COLUMN strandline_analytics.link_sources.link_id IS 'The link.';
COMMENT ON COLUMN strandline_analytics.link_sources.url IS 'Its canonical address.';
COMMENT ON COLUMN strandline_analytics.link_sources.site IS 'Host of the address, without www.';
COMMENT ON COLUMN strandline_analytics.link_sources.search_id IS 'The search that found it.';
COMMENT ON COLUMN strandline_analytics.link_sources.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.link_sources.service IS 'Name of the service that answers the search.';
COMMENT ON COLUMN strandline_analytics.link_sources.source IS 'Group of the answer in which it stood then: web, news_forum, discussion_board, encyclopedia, video, microblog or preprint.';
COMMENT ON COLUMN strandline_analytics.link_sources.first_run_id IS 'Run that saw it first.';
COMMENT ON COLUMN strandline_analytics.link_sources.first_seen_at IS 'When this search first saw it (UTC).';
COMMENT ON COLUMN strandline_analytics.link_sources.baseline IS 'The first look of a request found it: it may have been there for long. Null where the run that found it is no longer kept.';
COMMENT ON COLUMN strandline_analytics.link_sources.nth IS 'Place number of the search among those that had it: 1 for the first, 2 for the next, ...';
COMMENT ON COLUMN strandline_analytics.link_sources.searches IS 'Number of searches that found it.';
COMMENT ON COLUMN strandline_analytics.link_sources.lead_seconds IS 'How much earlier than the next search, in seconds; null where there is none, and where a first look of the next found it, which says nothing of when it could have been found.';
