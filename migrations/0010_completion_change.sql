-- How much a completion changed against the one before it. New columns without a default: a short exclusive lock, no rewrite.
-- The completions of earlier versions get their figures when they are parsed again; until then, they are null.
ALTER TABLE strandline.completions
  ADD COLUMN previous_run_id bigint,
  ADD COLUMN statements_new integer,
  ADD COLUMN statements_gone integer,
  ADD COLUMN statements_kept integer,
  ADD COLUMN citations_added integer,
  ADD COLUMN citations_removed integer,
  ADD COLUMN similarity double precision;

-- The first completion of a search is no change. One row per search, by the index on completions.
UPDATE strandline.completions c SET changed = false
FROM strandline.searches s CROSS JOIN LATERAL (
  SELECT id FROM strandline.completions WHERE search_id = s.id ORDER BY observed_at, run_id LIMIT 1
) first
WHERE c.id = first.id AND c.changed;
