-- Which tools each run asked, which responded, and why not. The foreign key takes SHARE ROW EXCLUSIVE on runs until the end of
-- the migration; no row of runs is read for it, since the table is new.
CREATE TABLE strandline.run_tools (
  run_id bigint NOT NULL,
  tool text NOT NULL,
  search_id bigint NOT NULL,
  request_version integer NOT NULL,
  observed_at timestamp (3) with time zone,
  asked boolean NOT NULL,
  responded boolean,
  items integer,
  reason text,
  detail text,
  CONSTRAINT run_tools_run_id_tool_pk PRIMARY KEY (run_id, tool),
  CONSTRAINT run_tools_reason CHECK ((responded IS TRUE) = (reason IS NULL))
);
ALTER TABLE strandline.run_tools ADD CONSTRAINT run_tools_run_id_runs_id_fk FOREIGN KEY (run_id) REFERENCES strandline.runs (id);

-- Completions have kept the warnings of their service, so runs with a tool that did not respond are known since then. A service
-- that warns of one tool says that the others responded; how many items they had is not known any more. Where a warning has the
-- label of another dialect, it may be about any of the others, so that nothing is known of them.
INSERT INTO strandline.run_tools (run_id, tool, search_id, request_version, observed_at, asked, responded, reason, detail)
SELECT r.id, asked.tool, r.search_id, r.request_version, c.observed_at, true,
  CASE WHEN said.silent THEN false WHEN NOT other.labels THEN true END,
  CASE WHEN said.silent THEN coalesce(said.why ->> 'code', 'tool_unanswered') WHEN other.labels THEN 'not_reported' END,
  said.why ->> 'message'
FROM strandline.completions c
JOIN strandline.runs r ON r.id = c.run_id
JOIN strandline.search_versions v ON v.search_id = r.search_id AND v.version = r.version
CROSS JOIN LATERAL (SELECT DISTINCT unnest(v.tools) AS tool) asked
CROSS JOIN LATERAL (
  SELECT coalesce(bool_or(w ->> 'code' = 'tool_unanswered' AND NOT coalesce(w ->> 'tool' = ANY (v.tools), false)), false) AS labels
  FROM jsonb_array_elements(c.warnings) w
) other
LEFT JOIN LATERAL (
  SELECT true AS silent, (
    SELECT jsonb_build_object('code', y ->> 'code', 'message', left(y ->> 'message', 500)) FROM jsonb_array_elements(c.warnings) y
    WHERE y ->> 'tool' = asked.tool AND y ->> 'code' IN ('source_off', 'source_needs_key', 'source_quota', 'source_busy',
      'source_resting', 'source_timeout', 'source_refused', 'source_failed') LIMIT 1
  ) AS why
  FROM jsonb_array_elements(c.warnings) w WHERE w ->> 'tool' = asked.tool AND w ->> 'code' = 'tool_unanswered' LIMIT 1
) said ON true
WHERE c.warnings @> '[{"code": "tool_unanswered"}]';

CREATE INDEX run_tools_responded ON strandline.run_tools USING btree (search_id, tool, run_id) WHERE responded;
CREATE INDEX run_tools_items ON strandline.run_tools USING btree (search_id, request_version, tool, items) WHERE items > 0;
