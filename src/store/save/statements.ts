/**
 * The save, as SQL. Each statement takes its rows as one parameter and treats them as a set.
 *
 * The time of an answer decides what it may change: nothing that a later answer said. The same answer, read
 * again by a better reader, corrects what it said before, and with it the snapshots of its moment: the next
 * answer that says the same changes nothing any more, and would leave the history wrong for ever.
 *
 * Four rules hold in all of them. Rows are inserted in one statement and their keys are read in the
 * *next*: a statement cannot see what others committed after it began, and two searches that meet the
 * same new post at once would lose a sighting. Rows are inserted and locked in the order of the ids that
 * identify them outside, new and known ones alike, so that two saves wait for each other and never for
 * themselves (deadlock). A row that did not change is not written: an update that changes nothing still
 * costs a lock and WAL. Known rows are looked up one by one (`LATERAL ... OFFSET 0`, which Postgres leaves
 * as it stands): the plans are kept, and one that was made while a table was small would read all of it.
 */
import {
  AUTHOR_CONTENT,
  AUTHOR_COUNTERS,
  counted,
  differs,
  LINK_CONTENT,
  names,
  POST_CONTENT,
  POST_COUNTERS,
  refreshed,
  typed,
} from './columns.ts';

const S = 'strandline';
const AUTHOR = { ...AUTHOR_COUNTERS, ...AUTHOR_CONTENT };
const POST = { ...POST_COUNTERS, ...POST_CONTENT };
const AUTHOR_ROW = `external_id text, ${typed(AUTHOR)}`;
const POST_ROW = `external_id text, author_external_id text, ${typed(POST)}`;
const LINK_ROW = `ord integer, canonical text, address text, site text, ${typed(LINK_CONTENT)}`;

/**
 * 1: authors and links that nobody has seen before or that changed, with the counters of the authors. The
 * first look sorts out what to write; what others wrote since then is met again by the conflict.
 * $1 service, $2 time, $3 authors, $4 links.
 */
export const SAVE_AUTHORS_AND_LINKS = `
WITH author_rows AS MATERIALIZED (
  SELECT r.*, a.id, a.id IS NULL OR (a.observed_at <= $2 AND (${differs(AUTHOR_CONTENT, 'r', 'a')})) AS changed,
    (${differs(AUTHOR_COUNTERS, 'r', 'k')}) AS counted
  FROM json_to_recordset($3::json) AS r(${AUTHOR_ROW})
  LEFT JOIN LATERAL (
    SELECT * FROM ${S}.authors WHERE service_id = $1 AND external_id = r.external_id OFFSET 0
  ) a ON true
  LEFT JOIN LATERAL (SELECT * FROM ${S}.author_counters WHERE author_id = a.id OFFSET 0) k ON true
  WHERE a.id IS NULL OR (a.observed_at <= $2 AND (${differs(AUTHOR_CONTENT, 'r', 'a')}))
    OR (k.observed_at <= $2 AND (${differs(AUTHOR_COUNTERS, 'r', 'k')}))
), saved_authors AS (
  INSERT INTO ${S}.authors AS a (service_id, first_seen_at, observed_at, external_id, ${names(AUTHOR_CONTENT)})
  SELECT $1, $2, $2, external_id, ${names(AUTHOR_CONTENT)} FROM author_rows WHERE changed ORDER BY external_id
  ON CONFLICT (service_id, external_id) DO UPDATE
    SET observed_at = excluded.observed_at, ${refreshed(AUTHOR_CONTENT, 'excluded', 'a')}
    WHERE a.observed_at <= excluded.observed_at
  RETURNING id, external_id
), keyed AS MATERIALIZED (
  SELECT coalesce(r.id, s.id) AS author_id, r.id IS NULL OR r.counted AS written, r.counted, ${names(AUTHOR_COUNTERS, 'r.')}
  FROM author_rows r LEFT JOIN saved_authors s USING (external_id) WHERE coalesce(r.id, s.id) IS NOT NULL
), counters AS (
  INSERT INTO ${S}.author_counters AS k (author_id, observed_at, ${names(AUTHOR_COUNTERS)})
  SELECT author_id, $2, ${names(AUTHOR_COUNTERS)} FROM keyed WHERE written ORDER BY author_id
  ON CONFLICT (author_id) DO UPDATE SET observed_at = excluded.observed_at, ${counted(AUTHOR_COUNTERS, 'k')}
    WHERE k.observed_at <= excluded.observed_at AND (${differs(AUTHOR_COUNTERS, 'excluded', 'k')})
  RETURNING author_id
), snapshots AS (
  INSERT INTO ${S}.author_snapshots AS h (author_id, observed_at, ${names(AUTHOR_COUNTERS)})
  SELECT author_id, $2, ${names(AUTHOR_COUNTERS, 'r.')}
  FROM counters JOIN keyed r USING (author_id) WHERE r.counted
  ON CONFLICT (author_id, observed_at) DO UPDATE SET ${refreshed(AUTHOR_COUNTERS, 'excluded', 'h')}
), link_rows AS MATERIALIZED (
  SELECT DISTINCT ON (identity) coalesce(l.canonical, r.canonical) AS identity, r.site, ${names(LINK_CONTENT, 'r.')}
  FROM json_to_recordset($4::json) AS r(${LINK_ROW})
  LEFT JOIN LATERAL (
    SELECT l.* FROM ${S}.link_addresses la JOIN ${S}.links l ON l.id = la.link_id WHERE la.address = r.address OFFSET 0
  ) l ON true
  WHERE l.id IS NULL OR (l.observed_at <= $2 AND (${differs(LINK_CONTENT, 'r', 'l')}))
  ORDER BY identity, r.ord
)
INSERT INTO ${S}.links AS l (first_seen_at, observed_at, canonical, site, ${names(LINK_CONTENT)})
SELECT $2, $2, identity, site, ${names(LINK_CONTENT)} FROM link_rows ORDER BY identity
ON CONFLICT (canonical) DO UPDATE
  SET observed_at = excluded.observed_at, ${refreshed(LINK_CONTENT, 'excluded', 'l')}
  WHERE l.observed_at <= excluded.observed_at AND (${differs(LINK_CONTENT, 'excluded', 'l')})`;

/**
 * 2: the same for posts, now that their authors have keys; and addresses of links. What comes back are the posts that
 * were known before and of which a counter changed. $1 service, $2 time, $3 posts, $4 links.
 */
export const SAVE_POSTS_AND_ADDRESSES = `
WITH post_rows AS MATERIALIZED (
  SELECT r.*, p.id, (${differs(POST_COUNTERS, 'r', 'k')}) AS counted,
    p.id IS NULL OR (p.observed_at <= $2
      AND ((p.author_id IS NULL AND r.author_external_id IS NOT NULL) OR ${differs(POST_CONTENT, 'r', 'p')})) AS changed
  FROM json_to_recordset($3::json) AS r(${POST_ROW})
  LEFT JOIN LATERAL (
    SELECT * FROM ${S}.posts WHERE service_id = $1 AND external_id = r.external_id OFFSET 0
  ) p ON true
  LEFT JOIN LATERAL (SELECT * FROM ${S}.post_counters WHERE post_id = p.id OFFSET 0) k ON true
  WHERE p.id IS NULL
    OR (p.observed_at <= $2 AND ((p.author_id IS NULL AND r.author_external_id IS NOT NULL) OR ${differs(POST_CONTENT, 'r', 'p')}))
    OR (k.observed_at <= $2 AND (${differs(POST_COUNTERS, 'r', 'k')}))
), saved_posts AS (
  INSERT INTO ${S}.posts AS p (service_id, author_id, first_seen_at, observed_at, external_id, ${names(POST_CONTENT)})
  SELECT $1, (SELECT id FROM ${S}.authors WHERE service_id = $1 AND external_id = r.author_external_id),
    $2, $2, external_id, ${names(POST_CONTENT)}
  FROM post_rows r WHERE changed ORDER BY external_id
  ON CONFLICT (service_id, external_id) DO UPDATE
    SET observed_at = excluded.observed_at, author_id = coalesce(p.author_id, excluded.author_id),
      ${refreshed(POST_CONTENT, 'excluded', 'p')}
    WHERE p.observed_at <= excluded.observed_at
  RETURNING id, external_id, first_seen_at
), keyed AS MATERIALIZED (
  SELECT coalesce(r.id, s.id) AS id, r.id IS NOT NULL OR s.first_seen_at < $2 AS known, r.id IS NULL OR r.counted AS written, r.counted,
    ${names(POST_COUNTERS, 'r.')}
  FROM post_rows r LEFT JOIN saved_posts s USING (external_id) WHERE coalesce(r.id, s.id) IS NOT NULL
), counters AS (
  INSERT INTO ${S}.post_counters AS k (post_id, observed_at, ${names(POST_COUNTERS)})
  SELECT id, $2, ${names(POST_COUNTERS)} FROM keyed WHERE written ORDER BY id
  ON CONFLICT (post_id) DO UPDATE SET observed_at = excluded.observed_at, ${counted(POST_COUNTERS, 'k')}
    WHERE k.observed_at <= excluded.observed_at AND (${differs(POST_COUNTERS, 'excluded', 'k')})
  RETURNING post_id AS id
), changed AS MATERIALIZED (
  SELECT r.* FROM counters JOIN keyed r USING (id) WHERE r.counted
), snapshots AS (
  INSERT INTO ${S}.post_snapshots AS h (post_id, observed_at, ${names(POST_COUNTERS)})
  SELECT id, $2, ${names(POST_COUNTERS)} FROM changed
  ON CONFLICT (post_id, observed_at) DO UPDATE SET ${refreshed(POST_COUNTERS, 'excluded', 'h')}
), addresses AS (
  INSERT INTO ${S}.link_addresses (address, link_id)
  SELECT r.address, l.id
  FROM json_to_recordset($4::json) AS r(canonical text, address text)
  CROSS JOIN LATERAL (SELECT id FROM ${S}.links WHERE canonical = r.canonical OFFSET 0) l
  WHERE NOT EXISTS (SELECT FROM ${S}.link_addresses WHERE address = r.address OFFSET 0)
  ORDER BY r.address
  ON CONFLICT (address) DO NOTHING
)
SELECT coalesce(array_agg(id ORDER BY id), '{}') AS changed FROM changed WHERE known`;

/**
 * 3: keys of the found posts and links, and the diff: a sighting that could be inserted is new to this
 * search, exactly once, for ever.
 * $1 service, $2 time, $3 search, $4 run, $5 ids of the posts, $6 addresses of the links, $7 their sources, $8 whether
 * they are the result of the run.
 */
export const SIGHT = `
WITH found_posts AS MATERIALIZED (
  SELECT p.id, p.created_at, r.ord
  FROM unnest($5::text[]) WITH ORDINALITY AS r(external_id, ord)
  CROSS JOIN LATERAL (
    SELECT id, created_at FROM ${S}.posts WHERE service_id = $1 AND external_id = r.external_id OFFSET 0
  ) p
), post_sightings AS (
  INSERT INTO ${S}.post_sightings (search_id, post_id, first_run_id, first_seen_at, post_created_at)
  SELECT $3, id, $4, $2, created_at FROM found_posts ORDER BY id
  ON CONFLICT DO NOTHING
  RETURNING post_id
), found_links AS MATERIALIZED (
  SELECT DISTINCT ON (la.id) la.id, r.source, r.ord
  FROM unnest($6::text[], $7::text[]) WITH ORDINALITY AS r(address, source, ord)
  CROSS JOIN LATERAL (SELECT link_id AS id FROM ${S}.link_addresses WHERE address = r.address OFFSET 0) la
  ORDER BY la.id, r.ord
), link_sightings AS (
  INSERT INTO ${S}.link_sightings (search_id, link_id, first_run_id, first_seen_at, source)
  SELECT $3, id, $4, $2, source FROM found_links ORDER BY id
  ON CONFLICT DO NOTHING
  RETURNING link_id
), results AS (
  INSERT INTO ${S}.run_results (run_id, observed_at, post_ids, link_ids, link_sources)
  SELECT $4, $2,
    (SELECT coalesce(array_agg(id ORDER BY ord), '{}') FROM found_posts),
    (SELECT coalesce(array_agg(id ORDER BY ord), '{}') FROM found_links),
    (SELECT coalesce(array_agg(source ORDER BY ord), '{}') FROM found_links)
  WHERE $8::boolean
  ON CONFLICT (run_id) DO UPDATE SET observed_at = excluded.observed_at,
    post_ids = excluded.post_ids, link_ids = excluded.link_ids, link_sources = excluded.link_sources
)
SELECT
  (SELECT coalesce(array_agg(id ORDER BY ord), '{}') FROM found_posts JOIN post_sightings ON post_id = id) AS new_posts,
  (SELECT coalesce(array_agg(id ORDER BY ord), '{}') FROM found_links JOIN link_sightings ON link_id = id) AS new_links`;

/**
 * For a late response, after its sightings: what it holds was first seen when it came, where that is earlier than what is
 * known. Rows are locked in the order in which they are inserted.
 * $1 service, $2 time, $3 search, $4 run, $5 ids of the posts, $6 addresses of the links.
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
 * 4, for answers with a completion. It counts as changed when the set of links it cites differs from the
 * search's completion before, in the order in which they were received; its words vary by themselves.
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
  WHERE search_id = $2 AND run_id <> $1 AND (observed_at, run_id) < ($3, $1)
  ORDER BY observed_at DESC, run_id DESC LIMIT 1
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
 * $1 search, $2 run, $3 time, $4 baseline, $5 kinds, $6 things, $7 new items, $8 whether its search
 * has read a newer response.
 */
export const LOCK_FEED = `SELECT pg_advisory_xact_lock(hashtext('${S}.discoveries'))`;
export const APPEND_DISCOVERIES = `
WITH appended AS (
  INSERT INTO ${S}.discoveries (search_id, run_id, at, baseline, late, kind, thing)
  SELECT $1, $2, $3, $4, $8, u.kind, u.thing
  FROM unnest($5::text[], $6::bigint[]) WITH ORDINALITY u(kind, thing, ord)
  ORDER BY u.ord
  ON CONFLICT (search_id, kind, thing) DO NOTHING
)
UPDATE ${S}.runs SET items_new = $7 WHERE id = $2`;
