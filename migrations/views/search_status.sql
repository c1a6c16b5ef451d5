CREATE OR REPLACE VIEW strandline_analytics.search_status AS
  select s.id as search_id, s.slug as search, t.slug as topic,
    case
      when s.archived_at is not null then 'removed'
      when s.state <> 'active' then s.state
      when source.since is not null then 'waiting_for_source'
      when last.status = 'failed' then 'failing'
      when last.id is null then 'waiting'
      when empty.runs > 0 then 'nothing_coming'
      else 'ok'
    end as status,
    case
      when s.archived_at is not null then s.archived_at
      when s.state <> 'active' then s.state_since
      when source.since is not null then source.since
      when last.status = 'failed' then coalesce(failing.since, last.ended_at)
      when last.id is null then s.created_at
      when empty.runs > 0 then empty.since
    end as since,
    case when s.archived_at is not null then null when s.state = 'paused' and s.all_paused_until is not null and s.paused_until is null and s.topic_paused_until is null
      then 'paused with all searches'
      when s.state <> 'active' then s.state_reason else source.reason end as reason,
    last.id as last_run_id, last.status as last_run_status, last.code as last_run_code, last.reason as last_run_reason,
    last.ended_at as last_run_at,
    greatest(seen.at, unseen.at) as last_success_at,
    empty.runs as empty_runs, empty.usual as usual_results,
    greatest(seen.at, unseen.at, s.state_since, v.created_at) as no_success_since,
    coalesce(s.next_due_at, p.due_at) as next_due_at,
    case when last.status = 'failed' then (select c.http_status from strandline.calls c where c.run_id = last.id order by c.n desc limit 1) end as last_run_http_status,
    nullif(s.pause_ends_at, 'infinity') as paused_until,
    case when s.state <> 'paused' then '{}'::text[] else array_remove(array[
      case when s.paused_until is not null or s.pause_ends_at is null then 'search' end,
      case when s.topic_paused_until is not null then 'topic' end,
      case when s.all_paused_until is not null then 'all' end], null) end as pauses
  from strandline.searches s
  join strandline.topics t on t.id = s.topic_id
  join strandline.search_versions v on v.search_id = s.id and v.version = s.version
  left join strandline.search_pace p on p.search_id = s.id
  -- The newest response, whether what follows from it is derived or not: the newest success is among the two.
  left join strandline.latest_results seen on seen.search_id = s.id
  left join lateral (
    select max(d.run_id) as run_id, max(d.at) as at from strandline.pending_derivations d where d.search_id = s.id
  ) unseen on true
  left join lateral (
    select r.id, r.status, r.code, r.reason, r.ended_at, r.items_seen, r.request_version from strandline.runs r
    where r.search_id = s.id and r.status in ('succeeded', 'failed') order by r.id desc limit 1
  ) last on true
  -- A run that waits for a source keeps this reason while it asks again (monitor/topics/service-choice.ts).
  left join lateral (
    select min(r.created_at) as since, min(r.reason) as reason from strandline.runs r
    where r.search_id = s.id and r.status in ('queued', 'running')
      and r.reason = 'no public source is reachable; starts when a source is reachable'
  ) source on true
  left join lateral (
    select r.ended_at as since from strandline.runs r
    where last.status = 'failed' and r.search_id = s.id and r.id > coalesce(greatest(seen.run_id, unseen.run_id), 0) and r.status = 'failed'
    order by r.id limit 1
  ) failing on true
  -- Only for a search whose newest response was empty: its last 50 successful runs with this request, newest first. An empty
  -- response that a tool is missing from is left out, because what was not observed is not "nothing found".
  left join lateral (
    select w.empty as runs, w.since, w.usual
    from (
      select
        (count(*) filter (where n < first))::int as empty,
        min(ended_at) filter (where n < first) as since,
        count(*) filter (where n >= first) as known,
        percentile_cont(0.5) within group (order by items_seen) filter (where n >= first) as usual,
        max(gap) as most_empty
      from (
        select o.n, o.ended_at, o.items_seen,
          min(o.n) filter (where o.items_seen > 0) over () as first,
          case when o.items_seen > 0 then o.n - 1 - lag(o.n) over (partition by o.items_seen > 0 order by o.n) end as gap
        from (
          select r.ended_at, r.items_seen, row_number() over (order by r.id desc) as n
          from (
            select newest.*, count(*) filter (where newest.items_seen >= 10) over () as full_runs
            from (
              select id, ended_at, items_seen, request_version from strandline.runs
              where s.state = 'active' and last.status = 'succeeded' and last.items_seen = 0 and search_id = s.id and status = 'succeeded'
              order by id desc limit 50
            ) newest
          ) r
          -- A median of 10 takes two such runs: most searches that are empty at times are left out here.
          where r.full_runs >= 2 and r.request_version = last.request_version and (r.items_seen > 0
            or not exists (select from strandline.run_tools u where u.run_id = r.id and u.asked and not u.responded))
        ) o
      ) numbered
    ) w
    where w.known >= 3 and w.usual >= 10 and w.empty > coalesce(w.most_empty, 0)
  ) empty on true;

COMMENT ON VIEW strandline_analytics.search_status IS 'How each search is doing now, from its runs: the same status as on pages, in commands and in the API. Only silent is not decided here, because three intervals of a schedule are not computed in SQL: compare no_success_since with the schedule.';
COMMENT ON COLUMN strandline_analytics.search_status.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.search_status.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.search_status.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.search_status.status IS 'ok; nothing_coming: its newest successful runs returned nothing where at least ten results are usual, more of them in a row than ever before in its last 50 successful runs with this request; runs in which a tool did not respond do not count; waiting_for_source: its run waits until a public source is reachable; failing: the newest run failed; waiting: no run has succeeded or failed yet; paused, broken or capped: its state; removed.';
COMMENT ON COLUMN strandline_analytics.search_status.since IS 'When this status began (UTC): the first run that failed or returned nothing, the change of state, the creation, or that of the run that waits for a source; null for ok.';
COMMENT ON COLUMN strandline_analytics.search_status.reason IS 'Why it is paused, broken, capped or waiting for a source; null for any other status.';
COMMENT ON COLUMN strandline_analytics.search_status.last_run_id IS 'Newest run that succeeded or failed; null if there is none.';
COMMENT ON COLUMN strandline_analytics.search_status.last_run_status IS 'succeeded or failed; null if no run has yet.';
COMMENT ON COLUMN strandline_analytics.search_status.last_run_code IS 'Error code of the newest run, from a closed list; null unless it failed.';
COMMENT ON COLUMN strandline_analytics.search_status.last_run_reason IS 'The service''s message if it failed; untrusted text. Null if there is none.';
COMMENT ON COLUMN strandline_analytics.search_status.last_run_at IS 'When the newest run that succeeded or failed ended (UTC); null if none has.';
COMMENT ON COLUMN strandline_analytics.search_status.last_success_at IS 'When the newest response that was parsed was received (UTC); null if there is none.';
COMMENT ON COLUMN strandline_analytics.search_status.empty_runs IS 'For nothing_coming: number of successful runs in a row that returned nothing; null for any other status.';
COMMENT ON COLUMN strandline_analytics.search_status.usual_results IS 'For nothing_coming: median number of results of the runs before, at most 50; null for any other status.';
COMMENT ON COLUMN strandline_analytics.search_status.no_success_since IS 'Start of the time without a successful run (UTC): the newest response, or a later creation, edit or resume.';
COMMENT ON COLUMN strandline_analytics.search_status.next_due_at IS 'Next slot (UTC); null when none is planned.';
COMMENT ON COLUMN strandline_analytics.search_status.last_run_http_status IS 'HTTP status code of the response to the last call of the newest run, if that run failed; null if it did not, or none arrived.';
COMMENT ON COLUMN strandline_analytics.search_status.paused_until IS 'When it becomes active again by itself (UTC); null unless it is paused with an end.';
COMMENT ON COLUMN strandline_analytics.search_status.pauses IS 'What was paused: search (it alone), topic (its topic), all (all searches). Each is resumed by itself; it is active again after the last of them. Empty unless it is paused.';
