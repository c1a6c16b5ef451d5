CREATE OR REPLACE VIEW strandline_analytics.run_tools AS
  select t.run_id, t.search_id, s.slug as search, p.slug as topic, t.request_version, t.tool, t.asked, t.responded, t.items,
    case when t.reason = 'list_full' then true when t.items is not null then t.items >= 10 and t.items >= (
      select max(b.items) from strandline.run_tools b
      where b.search_id = t.search_id and b.request_version = t.request_version and b.tool = t.tool and b.items > 0
    ) end as truncated,
    t.reason, t.detail,
    case when t.responded is false then (
      select b.observed_at from strandline.run_tools b
      where b.search_id = t.search_id and b.tool = t.tool and b.responded and b.run_id < t.run_id order by b.run_id desc limit 1
    ) end as last_responded_at,
    t.observed_at, coalesce(r.slot_at, r.created_at) as due_at
  from strandline.run_tools t
  join strandline.runs r on r.id = t.run_id
  join strandline.searches s on s.id = t.search_id
  join strandline.topics p on p.id = s.topic_id;

COMMENT ON VIEW strandline_analytics.run_tools IS 'Coverage by tool: which tools each run asked, which responded, and why not. One row per run and tool; runs that were not executed, and most from before version 0.2, have none.';
COMMENT ON COLUMN strandline_analytics.run_tools.run_id IS 'The run.';
COMMENT ON COLUMN strandline_analytics.run_tools.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.run_tools.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.run_tools.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.run_tools.request_version IS 'Version in which the request last changed.';
COMMENT ON COLUMN strandline_analytics.run_tools.tool IS 'Label of the tool, such as Web Search. A microblog search asks one, Microblog Search.';
COMMENT ON COLUMN strandline_analytics.run_tools.asked IS 'Whether the request named it. Some services return results of other tools, too.';
COMMENT ON COLUMN strandline_analytics.run_tools.responded IS 'Whether it responded, with or without results; null when the service does not report it.';
COMMENT ON COLUMN strandline_analytics.run_tools.items IS 'Number of items in its results; null when it did not respond, and when its results cannot be told apart from others.';
COMMENT ON COLUMN strandline_analytics.run_tools.truncated IS 'Whether there may be more: the service says so (list_full), or it returned as many items as this request ever got from it, and at least 10. Null when neither is known.';
COMMENT ON COLUMN strandline_analytics.run_tools.reason IS 'Why it did not respond, from a fixed list: a warning of the service (source_needs_key), not_reported, or the code of the failed run. list_full when it responded, but more match than it returned; otherwise null when it responded.';
COMMENT ON COLUMN strandline_analytics.run_tools.detail IS 'What the service reported about it; null when it reported nothing.';
COMMENT ON COLUMN strandline_analytics.run_tools.last_responded_at IS 'When it last responded to the search before this run (UTC); null when it never did, or responded now.';
COMMENT ON COLUMN strandline_analytics.run_tools.observed_at IS 'When the response was received (UTC); null without a response.';
COMMENT ON COLUMN strandline_analytics.run_tools.due_at IS 'When the run was due, or created for a run without a slot (UTC).';
