/**
 * The save, as SQL. Each statement takes its rows as one JSON parameter and treats them as a set.
 *
 * Three rules hold in all of them. Rows are inserted in one statement and their keys are read in the
 * *next*: a statement cannot see what others committed after it began, and two searches that meet the
 * same new post at once would lose a sighting. Rows are locked and inserted in the order of their ids,
 * so that two saves wait for each other and never for themselves (deadlock). A row that did not change
 * is not written: an update that changes nothing still costs a lock and WAL.
 */
import {
  AUTHOR_CONTENT,
  AUTHOR_COUNTERS,
  anyKnown,
  differs,
  LINK_CONTENT,
  names,
  POST_CONTENT,
  POST_COUNTERS,
  refreshed,
  typed,
} from './columns.ts';

const S = 'strandline';
const author = { all: { ...AUTHOR_COUNTERS, ...AUTHOR_CONTENT } };
const post = { all: { ...POST_COUNTERS, ...POST_CONTENT } };
const POST_ROW = `ord integer, found boolean, external_id text, author_external_id text, ${typed(post.all)}`;
const LINK_ROW = `ord integer, found boolean, canonical text, address text, site text, source text, ${typed(LINK_CONTENT)}`;

/** 1: authors and links that nobody has seen before. $1 service, $2 time, $3 authors, $4 links. */
export const INSERT_AUTHORS_AND_LINKS = `
WITH new_authors AS (
  INSERT INTO ${S}.authors (service_id, first_seen_at, observed_at, external_id, ${names(author.all)})
  SELECT $1, $2, $2, r.external_id, ${names(author.all, 'r.')}
  FROM json_to_recordset($3::json) AS r(external_id text, ${typed(author.all)})
  WHERE NOT EXISTS (SELECT FROM ${S}.authors a WHERE a.service_id = $1 AND a.external_id = r.external_id)
  ORDER BY r.external_id
  ON CONFLICT (service_id, external_id) DO NOTHING
  RETURNING id, ${names(AUTHOR_COUNTERS)}
), first_snapshots AS (
  INSERT INTO ${S}.author_snapshots (author_id, observed_at, ${names(AUTHOR_COUNTERS)})
  SELECT id, $2, ${names(AUTHOR_COUNTERS)} FROM new_authors WHERE ${anyKnown(AUTHOR_COUNTERS, '')}
)
INSERT INTO ${S}.links (first_seen_at, observed_at, canonical, site, ${names(LINK_CONTENT)})
SELECT $2, $2, r.canonical, r.site, ${names(LINK_CONTENT, 'r.')}
FROM json_to_recordset($4::json) AS r(${LINK_ROW})
WHERE NOT EXISTS (SELECT FROM ${S}.link_addresses la WHERE la.address = r.address)
ORDER BY r.canonical
ON CONFLICT (canonical) DO NOTHING`;

/** 2: keys of the authors, what changed about them, posts that nobody has seen before. $1 service, $2 time, $3 authors, $4 posts, $5 links. */
export const REFRESH_AUTHORS_INSERT_POSTS = `
WITH known AS MATERIALIZED (
  SELECT a.id, r.*
  FROM json_to_recordset($3::json) AS r(external_id text, ${typed(author.all)})
  JOIN ${S}.authors a ON a.service_id = $1 AND a.external_id = r.external_id
), changed AS MATERIALIZED (
  SELECT k.*, (${differs(AUTHOR_COUNTERS, 'k', 'a')}) AS counted
  FROM known k JOIN ${S}.authors a ON a.id = k.id
  WHERE a.observed_at < $2 AND (${differs(author.all, 'k', 'a')})
  ORDER BY a.id
  FOR NO KEY UPDATE OF a
), updated AS (
  UPDATE ${S}.authors a SET observed_at = $2, ${refreshed(author.all, 'c', 'a')}
  FROM changed c WHERE a.id = c.id
), snapshots AS (
  INSERT INTO ${S}.author_snapshots (author_id, observed_at, ${names(AUTHOR_COUNTERS)})
  SELECT id, $2, ${names(AUTHOR_COUNTERS)} FROM changed WHERE counted
  ON CONFLICT DO NOTHING
), new_posts AS (
  INSERT INTO ${S}.posts (service_id, author_id, first_seen_at, observed_at, external_id, ${names(post.all)})
  SELECT $1, k.id, $2, $2, r.external_id, ${names(post.all, 'r.')}
  FROM json_to_recordset($4::json) AS r(${POST_ROW})
  LEFT JOIN known k ON k.external_id = r.author_external_id
  WHERE NOT EXISTS (SELECT FROM ${S}.posts p WHERE p.service_id = $1 AND p.external_id = r.external_id)
  ORDER BY r.external_id
  ON CONFLICT (service_id, external_id) DO NOTHING
  RETURNING id, ${names(POST_COUNTERS)}
), first_snapshots AS (
  INSERT INTO ${S}.post_snapshots (post_id, observed_at, ${names(POST_COUNTERS)})
  SELECT id, $2, ${names(POST_COUNTERS)} FROM new_posts WHERE ${anyKnown(POST_COUNTERS, '')}
)
INSERT INTO ${S}.link_addresses (address, link_id)
SELECT r.address, l.id
FROM json_to_recordset($5::json) AS r(${LINK_ROW})
JOIN ${S}.links l ON l.canonical = r.canonical
ORDER BY r.address
ON CONFLICT (address) DO NOTHING`;

/**
 * 3: keys of posts and links, what changed about them, and the diff: a sighting that could be inserted
 * is new to this search, exactly once, for ever.
 * $1 service, $2 time, $3 posts, $4 links, $5 search, $6 run.
 */
export const REFRESH_AND_SIGHT = `
WITH known AS MATERIALIZED (
  SELECT p.id, r.*
  FROM json_to_recordset($3::json) AS r(${POST_ROW})
  JOIN ${S}.posts p ON p.service_id = $1 AND p.external_id = r.external_id
), changed AS MATERIALIZED (
  SELECT k.*, (${differs(POST_COUNTERS, 'k', 'p')}) AS counted
  FROM known k JOIN ${S}.posts p ON p.id = k.id
  WHERE p.observed_at < $2 AND (${differs(post.all, 'k', 'p')})
  ORDER BY p.id
  FOR NO KEY UPDATE OF p
), updated AS (
  UPDATE ${S}.posts p SET observed_at = $2, ${refreshed(post.all, 'c', 'p')}
  FROM changed c WHERE p.id = c.id
), snapshots AS (
  INSERT INTO ${S}.post_snapshots (post_id, observed_at, ${names(POST_COUNTERS)})
  SELECT id, $2, ${names(POST_COUNTERS)} FROM changed WHERE counted
  ON CONFLICT DO NOTHING
), post_sightings AS (
  INSERT INTO ${S}.post_sightings (search_id, post_id, first_run_id, first_seen_at, post_created_at)
  SELECT $5, id, $6, $2, created_at FROM known WHERE found
  ON CONFLICT DO NOTHING
  RETURNING post_id
), known_links AS MATERIALIZED (
  SELECT DISTINCT ON (la.link_id) la.link_id AS id, r.*
  FROM json_to_recordset($4::json) AS r(${LINK_ROW})
  JOIN ${S}.link_addresses la ON la.address = r.address
  ORDER BY la.link_id, r.found DESC, r.ord
), changed_links AS MATERIALIZED (
  SELECT k.* FROM known_links k JOIN ${S}.links l ON l.id = k.id
  WHERE l.observed_at < $2 AND (${differs(LINK_CONTENT, 'k', 'l')})
  ORDER BY l.id
  FOR NO KEY UPDATE OF l
), updated_links AS (
  UPDATE ${S}.links l SET observed_at = $2, ${refreshed(LINK_CONTENT, 'c', 'l')}
  FROM changed_links c WHERE l.id = c.id
), link_sightings AS (
  INSERT INTO ${S}.link_sightings (search_id, link_id, first_run_id, first_seen_at, source)
  SELECT $5, id, $6, $2, source FROM known_links WHERE found
  ON CONFLICT DO NOTHING
  RETURNING link_id
), results AS (
  INSERT INTO ${S}.run_results (run_id, post_ids, link_ids, link_sources)
  SELECT $6,
    coalesce((SELECT array_agg(id ORDER BY ord) FROM known WHERE found), '{}'),
    coalesce((SELECT array_agg(id ORDER BY ord) FROM known_links WHERE found), '{}'),
    coalesce((SELECT array_agg(source ORDER BY ord) FROM known_links WHERE found), '{}')
  ON CONFLICT (run_id) DO UPDATE
    SET post_ids = excluded.post_ids, link_ids = excluded.link_ids, link_sources = excluded.link_sources
)
SELECT
  (SELECT coalesce(array_agg(k.id ORDER BY k.ord), '{}') FROM known k JOIN post_sightings s ON s.post_id = k.id) AS new_posts,
  (SELECT coalesce(array_agg(k.id ORDER BY k.ord), '{}') FROM known_links k JOIN link_sightings s ON s.link_id = k.id) AS new_links`;

/**
 * 4, for answers with a completion. It counts as changed when the set of links it cites differs from the
 * search's completion before; its words vary by themselves.
 * $1 run, $2 search, $3 time, $4 cited addresses, $5 returned addresses, $6 the completion, $7 key items.
 */
export const INSERT_COMPLETION = `
WITH cited AS (
  SELECT coalesce(array_agg(la.link_id ORDER BY u.ord), '{}') AS ids
  FROM unnest($4::text[]) WITH ORDINALITY u(address, ord) JOIN ${S}.link_addresses la ON la.address = u.address
), returned AS (
  SELECT coalesce(array_agg(la.link_id ORDER BY u.ord), '{}') AS ids
  FROM unnest($5::text[]) WITH ORDINALITY u(address, ord) JOIN ${S}.link_addresses la ON la.address = u.address
), before AS (
  SELECT completion_links AS ids FROM ${S}.completions
  WHERE search_id = $2 AND run_id < $1 ORDER BY run_id DESC LIMIT 1
), kept AS (
  INSERT INTO ${S}.completions (run_id, search_id, observed_at, changed, completion_links, search_completion_links,
    summary, microblog_summary, discussion_board_summary, news_forum_summary, text_chunks, miner_link_scores, warnings)
  SELECT $1, $2, $3,
    NOT EXISTS (SELECT FROM before b WHERE b.ids @> cited.ids AND b.ids <@ cited.ids),
    cited.ids, returned.ids,
    c.summary, c.microblog_summary, c.discussion_board_summary, c.news_forum_summary, c.text_chunks, c.miner_link_scores, c.warnings
  FROM cited, returned, json_to_record($6::json) AS c(summary text, microblog_summary text, discussion_board_summary text,
    news_forum_summary text, text_chunks text[], miner_link_scores jsonb, warnings jsonb)
  ON CONFLICT (run_id) DO UPDATE SET changed = excluded.changed, completion_links = excluded.completion_links,
    search_completion_links = excluded.search_completion_links, summary = excluded.summary,
    microblog_summary = excluded.microblog_summary, discussion_board_summary = excluded.discussion_board_summary,
    news_forum_summary = excluded.news_forum_summary, text_chunks = excluded.text_chunks,
    miner_link_scores = excluded.miner_link_scores, warnings = excluded.warnings
  RETURNING id, changed
), items AS (
  INSERT INTO ${S}.key_items (completion_id, list, position, text, url, link_id)
  SELECT kept.id, r.list, r.position, r.text, r.url, la.link_id
  FROM kept, json_to_recordset($7::json) AS r(list text, position integer, text text, url text, address text)
  LEFT JOIN ${S}.link_addresses la ON la.address = r.address
  ON CONFLICT (completion_id, list, position) DO UPDATE
    SET text = excluded.text, url = excluded.url, link_id = excluded.link_id
)
SELECT id, changed FROM kept`;

/**
 * 5, last and under the feed's lock: the discoveries. Ids are handed out while the lock is held and the
 * lock is held until the commit, so a reader never sees a higher id before a lower one.
 * $1 search, $2 run, $3 time, $4 baseline, $5 kinds, $6 things, $7 new items.
 */
export const LOCK_FEED = `SELECT pg_advisory_xact_lock(hashtext('${S}.discoveries'))`;
export const APPEND_DISCOVERIES = `
WITH appended AS (
  INSERT INTO ${S}.discoveries (search_id, run_id, at, baseline, kind, thing)
  SELECT $1, $2, $3, $4, u.kind, u.thing
  FROM unnest($5::text[], $6::bigint[]) WITH ORDINALITY u(kind, thing, ord)
  ORDER BY u.ord
  ON CONFLICT (search_id, kind, thing) DO NOTHING
)
UPDATE ${S}.runs SET items_new = $7 WHERE id = $2`;
