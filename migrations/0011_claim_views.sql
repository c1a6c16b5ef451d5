-- Views of claims, of the places of links over time, and of who had a link first; `completions` gets a column.
CREATE OR REPLACE VIEW strandline_analytics.completions AS
  select c.id, c.run_id, c.search_id, s.slug as search, c.observed_at, c.changed, c.summary, c.microblog_summary,
    c.discussion_board_summary, c.news_forum_summary, c.text_chunks, c.completion_links, c.search_completion_links, c.miner_link_scores, c.warnings,
    c.claims
  from strandline.completions c join strandline.searches s on s.id = c.search_id;
--> statement-breakpoint
COMMENT ON COLUMN strandline_analytics.completions.claims IS 'How many claims it makes, see completion_claims; null where it was kept before claims were read (runs replay reads them).';
--> statement-breakpoint
CREATE VIEW strandline_analytics.claims AS
  select c.id, c.search_id, s.slug as search, c.role, c.text, c.first_run_id, c.first_seen_at,
    last.run_id as last_run_id, last.observed_at as last_seen_at,
    (select count(*) from strandline.completion_claims m where m.claim_id = c.id) as runs_seen,
    last.id = (select n.id from strandline.completions n where n.search_id = c.search_id and n.claims is not null
      order by n.observed_at desc, n.run_id desc limit 1) as current,
    last.link_ids as cited_links,
    array(select l.canonical from unnest(last.link_ids) with ordinality u(id, n) join strandline.links l on l.id = u.id order by u.n) as cited_urls,
    case when cardinality(last.link_ids) > 0 then cardinality(last.not_returned) = 0 end as cited_returned,
    last.not_returned, last.unresolved
  from strandline.claims c
  join strandline.searches s on s.id = c.search_id
  cross join lateral (
    select o.id, o.run_id, o.observed_at, m.link_ids, m.not_returned, m.unresolved
    from strandline.completion_claims m join strandline.completions o on o.id = m.completion_id
    where m.claim_id = c.id order by o.observed_at desc, o.run_id desc limit 1
  ) last;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.claims IS 'Sentences of completions, each once per search and text, with when it was first and last said. Words that differ in case and white space alone are one claim; any other wording is another.';
COMMENT ON COLUMN strandline_analytics.claims.id IS 'Key of the claim.';
COMMENT ON COLUMN strandline_analytics.claims.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.claims.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.claims.role IS 'Text of the completion in which it stands: summary, microblog_summary, discussion_board_summary or news_forum_summary.';
COMMENT ON COLUMN strandline_analytics.claims.text IS 'The sentence as it was first said, without citation marks.';
COMMENT ON COLUMN strandline_analytics.claims.first_run_id IS 'Run whose completion said it first.';
COMMENT ON COLUMN strandline_analytics.claims.first_seen_at IS 'When that was received (UTC).';
COMMENT ON COLUMN strandline_analytics.claims.last_run_id IS 'Run whose completion said it last.';
COMMENT ON COLUMN strandline_analytics.claims.last_seen_at IS 'When that was received (UTC).';
COMMENT ON COLUMN strandline_analytics.claims.runs_seen IS 'Number of completions that say it.';
COMMENT ON COLUMN strandline_analytics.claims.current IS 'The newest completion of the search says it. A later run that failed changes nothing: what it would have said is not known.';
COMMENT ON COLUMN strandline_analytics.claims.cited_links IS 'Ids of the links that it cited when it was last said, in order; empty where it cites none that is known.';
COMMENT ON COLUMN strandline_analytics.claims.cited_urls IS 'Their addresses, in the same order.';
COMMENT ON COLUMN strandline_analytics.claims.cited_returned IS 'Every link that it cited was a result of the answer; false where one was not; null where it cites none that is known.';
COMMENT ON COLUMN strandline_analytics.claims.not_returned IS 'Ids of the cited links that were no result of the answer.';
COMMENT ON COLUMN strandline_analytics.claims.unresolved IS 'Numbers that it cites and of which the answer does not say what they stand for.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.completion_claims AS
  select m.completion_id, o.run_id, o.search_id, s.slug as search, o.observed_at, c.role, m.position, m.claim_id, c.text,
    m.link_ids as cited_links,
    array(select l.canonical from unnest(m.link_ids) with ordinality u(id, n) join strandline.links l on l.id = u.id order by u.n) as cited_urls,
    case when cardinality(m.link_ids) > 0 then cardinality(m.not_returned) = 0 end as cited_returned,
    m.not_returned, m.unresolved, c.first_run_id = o.run_id as new
  from strandline.completion_claims m
  join strandline.claims c on c.id = m.claim_id
  join strandline.completions o on o.id = m.completion_id
  join strandline.searches s on s.id = o.search_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.completion_claims IS 'Which claims each completion makes, in order, with what it cites for each.';
COMMENT ON COLUMN strandline_analytics.completion_claims.completion_id IS 'The completion.';
COMMENT ON COLUMN strandline_analytics.completion_claims.run_id IS 'Its run.';
COMMENT ON COLUMN strandline_analytics.completion_claims.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.completion_claims.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.completion_claims.observed_at IS 'When the completion was received (UTC).';
COMMENT ON COLUMN strandline_analytics.completion_claims.role IS 'Text of the completion in which it stands.';
COMMENT ON COLUMN strandline_analytics.completion_claims.position IS 'Place in the completion, over all its texts, from 0.';
COMMENT ON COLUMN strandline_analytics.completion_claims.claim_id IS 'The claim.';
COMMENT ON COLUMN strandline_analytics.completion_claims.text IS 'The sentence as it was first said, without citation marks.';
COMMENT ON COLUMN strandline_analytics.completion_claims.cited_links IS 'Ids of the links that it cites here, in order.';
COMMENT ON COLUMN strandline_analytics.completion_claims.cited_urls IS 'Their addresses, in the same order.';
COMMENT ON COLUMN strandline_analytics.completion_claims.cited_returned IS 'Every link that it cites here was a result of the answer; false where one was not; null where it cites none that is known.';
COMMENT ON COLUMN strandline_analytics.completion_claims.not_returned IS 'Ids of the cited links that were no result of the answer.';
COMMENT ON COLUMN strandline_analytics.completion_claims.unresolved IS 'Numbers that it cites here and of which the answer does not say what they stand for.';
COMMENT ON COLUMN strandline_analytics.completion_claims.new IS 'No completion of this search said it before.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.link_ranks AS
  select r.search_id, s.slug as search, u.link_id, l.canonical as url, r.id as run_id,
    coalesce((select max(k.received_at) from strandline.calls k where k.run_id = r.id and k.state = 'received'), r.ended_at) as observed_at,
    u.source,
    (select count(*)::integer from unnest(rr.link_sources[1:u.place]) as before(source) where before.source = u.source) as rank,
    u.place::integer as place
  from strandline.run_results rr
  join strandline.runs r on r.id = rr.run_id
  join strandline.searches s on s.id = r.search_id
  cross join lateral unnest(rr.link_ids, rr.link_sources) with ordinality u(link_id, source, place)
  join strandline.links l on l.id = u.link_id;
--> statement-breakpoint
COMMENT ON VIEW strandline_analytics.link_ranks IS 'Where each run returned each link: its place over time. A run without a row for a link did not return it; a run that failed has no rows at all.';
COMMENT ON COLUMN strandline_analytics.link_ranks.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.link_ranks.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.link_ranks.link_id IS 'The link.';
COMMENT ON COLUMN strandline_analytics.link_ranks.url IS 'Its canonical address.';
COMMENT ON COLUMN strandline_analytics.link_ranks.run_id IS 'The run.';
COMMENT ON COLUMN strandline_analytics.link_ranks.observed_at IS 'When the answer of the run was received (UTC).';
COMMENT ON COLUMN strandline_analytics.link_ranks.source IS 'Group of the answer in which it stood: web, news_forum, discussion_board, encyclopedia, video, microblog or preprint.';
COMMENT ON COLUMN strandline_analytics.link_ranks.rank IS 'Place in its group, from 1.';
COMMENT ON COLUMN strandline_analytics.link_ranks.place IS 'Place among all links of the answer, from 1; groups stand in the order of the answer.';
--> statement-breakpoint
CREATE VIEW strandline_analytics.link_sources AS
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
--> statement-breakpoint
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
COMMENT ON COLUMN strandline_analytics.link_sources.baseline IS 'The first look of a request found it: it may have been there for long.';
COMMENT ON COLUMN strandline_analytics.link_sources.nth IS '1 for the search that had it first, 2 for the next, ...';
COMMENT ON COLUMN strandline_analytics.link_sources.searches IS 'Number of searches that found it.';
COMMENT ON COLUMN strandline_analytics.link_sources.lead_seconds IS 'How much earlier than the next search, in seconds; null where there is none, and where a first look of the next found it, which says nothing of when it could have been found.';
