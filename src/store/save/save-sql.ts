/**
 * The SQL of the save, for several runs at once: the diff, completions and the feed. Posts, authors and their counters are
 * in `facts-sql.ts`, links in `link-sql.ts`. Each statement takes its rows as a set.
 *
 * Rules for all statements:
 * - Rows are inserted in one statement, and their keys are read in the *next*: a statement does not see rows
 *   committed after it began, and two searches that save the same new post at once would lose a sighting.
 * - Rows are inserted and locked in the order of their external IDs, new and existing ones alike, to avoid deadlocks.
 * - Unchanged rows are not written: an update without changes still costs a lock and WAL.
 * - Existing rows are looked up one by one (`LATERAL ... OFFSET 0`, which Postgres does not flatten): plans are
 *   cached, and a plan made while a table was small would scan all of it.
 */
import { MAX_LATER_RESULTS } from './facts-sql.ts';

const S = 'strandline';

/**
 * 5: keys of posts and links, and the diffs: an inserted sighting is new to its search, exactly once. Several of the runs
 * may be of one search, in a simulated past. Also whether a
 * later result of the search was saved before.
 * $1 runs, $2 their searches, $3 times, $4 whether this is the result of the run. Of posts: $5 index of the run in
 * these lists, $6 services, $7 IDs, $8 keys or null. Of links: $9 index of the run, $10 addresses, $11 sources. Of
 * posts, $12 whether nested in others.
 */
export const INSERT_SIGHTINGS = `
WITH responses AS MATERIALIZED (
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::boolean[]) WITH ORDINALITY
    AS r(run_id, search_id, observed_at, is_result, place)
), found_posts AS MATERIALIZED (
  SELECT r.place, r.n, coalesce(r.id, p.id) AS id, r.is_nested
  FROM unnest($5::int[], $6::bigint[], $7::text[], $8::bigint[], $12::boolean[]) WITH ORDINALITY
    AS r(place, service_id, external_id, id, is_nested, n)
  LEFT JOIN LATERAL (
    SELECT id FROM ${S}.posts WHERE r.id IS NULL AND service_id = r.service_id AND external_id = r.external_id OFFSET 0
  ) p ON true
), post_sightings AS (
  INSERT INTO ${S}.post_sightings (search_id, post_id, first_run_id, first_seen_at, post_created_at)
  SELECT ($2::bigint[])[f.place], f.id, ($1::bigint[])[f.place], ($3::timestamptz[])[f.place],
    (SELECT created_at FROM ${S}.posts WHERE id = f.id)
  FROM found_posts f WHERE NOT f.is_nested AND NOT EXISTS (
    SELECT FROM (SELECT FROM ${S}.post_sightings WHERE post_id = f.id AND search_id = ($2::bigint[])[f.place] OFFSET 0) known
  ) ORDER BY 1, 2, f.place
  ON CONFLICT DO NOTHING
  RETURNING search_id, post_id, first_run_id
), found_links AS MATERIALIZED (
  SELECT DISTINCT ON (r.place, la.id) r.place, la.id, r.source, r.n
  FROM unnest($9::int[], $10::text[], $11::text[]) WITH ORDINALITY
    AS r(place, address, source, n)
  CROSS JOIN LATERAL (
    SELECT link_id AS id FROM ${S}.link_addresses WHERE address = r.address OFFSET 0
  ) la
  ORDER BY r.place, la.id, r.n
), link_sightings AS (
  INSERT INTO ${S}.link_sightings (search_id, link_id, first_run_id, first_seen_at, source)
  SELECT ($2::bigint[])[f.place], f.id, ($1::bigint[])[f.place], ($3::timestamptz[])[f.place], f.source
  FROM found_links f ORDER BY 1, 2, f.place
  ON CONFLICT DO NOTHING
  RETURNING search_id, link_id, first_run_id
), results AS (
  INSERT INTO ${S}.run_results (run_id, observed_at, post_ids, link_ids, link_sources)
  SELECT run_id, observed_at,
    ARRAY(SELECT id FROM found_posts f WHERE f.place = r.place AND NOT f.is_nested ORDER BY n),
    ARRAY(SELECT id FROM found_links f WHERE f.place = r.place ORDER BY n),
    ARRAY(SELECT source FROM found_links f WHERE f.place = r.place ORDER BY n)
  FROM responses r WHERE is_result
  ON CONFLICT (run_id) DO UPDATE SET observed_at = excluded.observed_at,
    post_ids = excluded.post_ids, link_ids = excluded.link_ids, link_sources = excluded.link_sources
)
SELECT
  ARRAY(SELECT f.id FROM found_posts f JOIN post_sightings s ON s.post_id = f.id
    WHERE f.place = r.place AND NOT f.is_nested AND s.search_id = r.search_id AND s.first_run_id = r.run_id ORDER BY f.n) AS new_posts,
  ARRAY(SELECT f.id FROM found_links f JOIN link_sightings s ON s.link_id = f.id
    WHERE f.place = r.place AND s.search_id = r.search_id AND s.first_run_id = r.run_id ORDER BY f.n) AS new_links,
  EXISTS (
    SELECT FROM (SELECT run_id FROM ${S}.run_results WHERE observed_at > r.observed_at ORDER BY observed_at LIMIT ${MAX_LATER_RESULTS}) o
    CROSS JOIN LATERAL (SELECT search_id FROM ${S}.runs WHERE id = o.run_id OFFSET 0) n WHERE n.search_id = r.search_id
  ) AS is_late
FROM responses r ORDER BY r.place`;

/**
 * After the sightings of a late response: moves the first sighting of its items back to when it was received. Locks
 * rows in insertion order.
 * $1 service, $2 time, $3 search, $4 run, $5 IDs of posts, $6 addresses of links.
 */
export const LOWER_FIRST_SEEN = `
WITH posts AS MATERIALIZED (
  SELECT g.post_id FROM ${S}.post_sightings g
  WHERE g.search_id = $3 AND (g.first_seen_at, g.first_run_id) > ($2, $4) AND g.post_id = ANY (ARRAY(
    SELECT p.id FROM ${S}.posts p WHERE p.service_id = $1 AND p.external_id = ANY ($5::text[])))
  ORDER BY g.post_id FOR UPDATE
), lowered AS (
  UPDATE ${S}.post_sightings g SET first_seen_at = $2, first_run_id = $4
  FROM posts WHERE g.search_id = $3 AND g.post_id = posts.post_id
), links AS MATERIALIZED (
  SELECT g.link_id FROM ${S}.link_sightings g
  WHERE g.search_id = $3 AND (g.first_seen_at, g.first_run_id) > ($2, $4) AND g.link_id = ANY (ARRAY(
    SELECT a.link_id FROM ${S}.link_addresses a WHERE a.address = ANY ($6::text[])))
  ORDER BY g.link_id FOR UPDATE
), lowered_links AS (
  UPDATE ${S}.link_sightings g SET first_seen_at = $2, first_run_id = $4
  FROM links WHERE g.search_id = $3 AND g.link_id = links.link_id
)
SELECT (SELECT coalesce(array_agg(post_id), '{}') FROM posts) AS posts,
  (SELECT coalesce(array_agg(link_id), '{}') FROM links) AS links`;

/**
 * 6: a completion. Whether it changed is computed once its statements are saved (`save-completion-change.ts`).
 * $1 run, $2 search, $3 time, $4 cited addresses, $5 returned addresses, $6 completion, $7 key items.
 */
export const INSERT_COMPLETION = `
WITH cited AS (
  SELECT coalesce(array_agg(la.link_id ORDER BY u.ord), '{}') AS ids
  FROM unnest($4::text[]) WITH ORDINALITY u(address, ord) JOIN ${S}.link_addresses la ON la.address = u.address
), returned AS (
  SELECT coalesce(array_agg(la.link_id ORDER BY u.ord), '{}') AS ids
  FROM unnest($5::text[]) WITH ORDINALITY u(address, ord) JOIN ${S}.link_addresses la ON la.address = u.address
), kept AS (
  INSERT INTO ${S}.completions (run_id, search_id, observed_at, changed, completion_links, search_completion_links,
    summary, microblog_summary, discussion_board_summary, news_forum_summary, text, text_chunks, miner_link_scores, warnings)
  SELECT $1, $2, $3,
    false, cited.ids, returned.ids,
    c.summary, c.microblog_summary, c.discussion_board_summary, c.news_forum_summary, c.text, c.text_chunks, c.miner_link_scores, c.warnings
  FROM cited, returned, json_to_record($6::json) AS c(summary text, microblog_summary text, discussion_board_summary text,
    news_forum_summary text, text text, text_chunks text[], miner_link_scores jsonb, warnings jsonb)
  ON CONFLICT (run_id) DO UPDATE SET completion_links = excluded.completion_links,
    search_completion_links = excluded.search_completion_links, summary = excluded.summary,
    microblog_summary = excluded.microblog_summary, discussion_board_summary = excluded.discussion_board_summary,
    news_forum_summary = excluded.news_forum_summary, text = excluded.text, text_chunks = excluded.text_chunks,
    miner_link_scores = excluded.miner_link_scores, warnings = excluded.warnings
  RETURNING id
), items AS (
  INSERT INTO ${S}.key_items (completion_id, list, position, text, url, link_id)
  SELECT kept.id, r.list, r.position, r.text, r.url, la.link_id
  FROM kept, json_to_recordset($7::json) AS r(list text, position integer, text text, url text, address text)
  LEFT JOIN ${S}.link_addresses la ON la.address = r.address
  ON CONFLICT (completion_id, list, position) DO UPDATE
    SET text = excluded.text, url = excluded.url, link_id = excluded.link_id
)
SELECT id FROM kept`;

/**
 * 7, last and under the feed's lock: the discoveries. IDs are assigned under the lock, which is held until the
 * commit, so a reader never sees a higher ID before a lower one.
 * $1 runs, $2 their searches, $3 times, $4 whether baseline, $5 whether a newer response of the search was read, $6
 * new items or null. Of discoveries: $7 index of their run in these lists, $8 kinds, $9 IDs of things, $10 whether the
 * first of their items in their topics.
 */
export const LOCK_FEED = `SELECT pg_advisory_xact_lock(hashtext('${S}.discoveries'))`;
export const INSERT_DISCOVERIES = `
WITH appended AS (
  INSERT INTO ${S}.discoveries (search_id, run_id, at, baseline, late, kind, thing, first_in_topic)
  SELECT ($2::bigint[])[u.place], ($1::bigint[])[u.place], ($3::timestamptz[])[u.place], ($4::boolean[])[u.place],
    ($5::boolean[])[u.place], u.kind, u.thing, u.first
  FROM unnest($7::int[], $8::text[], $9::bigint[], $10::boolean[]) WITH ORDINALITY u(place, kind, thing, first, ord) ORDER BY u.ord
  ON CONFLICT (search_id, kind, thing) DO NOTHING
)
UPDATE ${S}.runs r SET items_new = u.items FROM unnest($1::bigint[], $6::int[]) u(id, items) WHERE u.items IS NOT NULL AND r.id = u.id AND r.id = ANY ($1::bigint[])`;
