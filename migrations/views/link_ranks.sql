CREATE OR REPLACE VIEW strandline_analytics.link_ranks AS
  select r.search_id, s.slug as search, u.link_id, l.url, r.id as run_id,
    coalesce((select max(k.received_at) from strandline.calls k where k.run_id = r.id and k.state = 'received'), r.ended_at) as observed_at,
    u.source,
    (select count(*)::integer from unnest(rr.link_sources[1:u.place]) as before(source) where before.source = u.source) as rank,
    u.place::integer as place
  from strandline.run_results rr
  join strandline.runs r on r.id = rr.run_id
  join strandline.searches s on s.id = r.search_id
  cross join lateral unnest(rr.link_ids, rr.link_sources) with ordinality u(link_id, source, place)
  join strandline.links l on l.id = u.link_id;

COMMENT ON VIEW strandline_analytics.link_ranks IS 'Rank of each link in each run: its position over time. If a run has no row for a link, it did not return it. Failed runs have no rows.';
COMMENT ON COLUMN strandline_analytics.link_ranks.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.link_ranks.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.link_ranks.link_id IS 'The link.';
COMMENT ON COLUMN strandline_analytics.link_ranks.url IS 'URL with which the link was first seen, as returned.';
COMMENT ON COLUMN strandline_analytics.link_ranks.run_id IS 'The run.';
COMMENT ON COLUMN strandline_analytics.link_ranks.observed_at IS 'When the run''s response was received (UTC).';
COMMENT ON COLUMN strandline_analytics.link_ranks.source IS 'Group of the response that contained it: web, news_forum, discussion_board, encyclopedia, video, microblog or preprint.';
COMMENT ON COLUMN strandline_analytics.link_ranks.rank IS 'Position in its group, from 1.';
COMMENT ON COLUMN strandline_analytics.link_ranks.place IS 'Position among all links of the response, from 1, with groups in the order of the response.';
