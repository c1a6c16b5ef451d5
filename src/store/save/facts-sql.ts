/**
 * The SQL that saves posts and authors, for several runs at once: content with its versions, and counters with their
 * snapshots. The rules of `save-sql.ts` apply.
 *
 * These statements save responses that are the newest to contain an item, which nearly all are. They return the
 * others, which `late-history.ts` inserts into the history of the item (`model/history.ts`): a stored row is newer, a
 * later response contained the item, some values are of partial copies, or another transaction came first.
 *
 * If the same response is parsed again, it corrects its own facts and its snapshot: otherwise the next response with
 * the same values would change nothing, and the history would stay wrong.
 */
import { type Columns, columnNames, typedColumns } from '../db/database.ts';
import {
  advancedSql,
  anyKnownSql,
  AUTHOR_CONTENT,
  AUTHOR_COUNTER_COLUMNS,
  differsSql,
  fillsSql,
  memberSql,
  mergedSql,
  POST_CONTENT,
  POST_COUNTER_COLUMNS,
  refreshedSql,
} from './columns.ts';

const S = 'strandline';

export type Kind = 'post' | 'author';

/** What a version contains, with the keys of other rows. */
export const VERSION_COLUMNS = {
  post: { author_id: 'bigint', ...POST_CONTENT },
  author: AUTHOR_CONTENT,
};

/** What volume and tallies count of a post. */
const COUNTED_MEMBERS: Columns = {
  author_id: 'bigint',
  created_at: 'timestamptz',
  lang: 'text',
  hashtags: 'text[]',
  urls: 'text[]',
  is_repost: 'boolean',
};
export const COUNTED_NAMES = Object.keys(COUNTED_MEMBERS);

/** Counters of which `post_counters` has whether two responses knew them. */
export const TWICE_NAMES: Record<Kind, readonly string[]> = {
  post: Object.keys(POST_COUNTER_COLUMNS),
  author: [],
};

/**
 * Of later responses, only this many are searched for an item. One that is late by more may override what they
 * confirmed.
 */
export const MAX_LATER_RESPONSES = 5_000;

/** Posts or authors of responses later than the oldest of some rows, with the time of the last. */
const laterSql = (kind: Kind, rows: string) => `
  SELECT u.id, max(o.observed_at) AS observed_at FROM (
    SELECT observed_at, ${kind}_ids AS ids FROM ${S}.observed_items
    WHERE observed_at > (SELECT min(observed_at) FROM ${rows}) ORDER BY observed_at LIMIT ${MAX_LATER_RESPONSES}
  ) o CROSS JOIN LATERAL unnest(o.ids) u(id) GROUP BY u.id`;

/** The hashes of a row that is newer than the response are not compared. */
const findSql = (table: 'posts' | 'authors', services: string, ids: string, times: string) => `(
  SELECT coalesce(array_agg(k.id ORDER BY r.n), '{}') AS ids,
    coalesce(array_agg(k.content_hash ORDER BY r.n), '{}') AS hashes,
    coalesce(array_agg(k.partial_hash ORDER BY r.n), '{}') AS partial_hashes
  FROM unnest(${services}::bigint[], ${ids}::text[], ${times}::timestamptz[]) WITH ORDINALITY r(service_id, external_id, at, n)
  LEFT JOIN LATERAL (
    SELECT id, CASE WHEN observed_at <= r.at THEN content_hash END AS content_hash,
      CASE WHEN observed_at <= r.at THEN partial_hash END AS partial_hash
    FROM ${S}.${table} WHERE service_id = r.service_id AND external_id = r.external_id OFFSET 0
  ) k ON true
)`;

/**
 * 1: stored rows of posts and authors. $1 services, $2 IDs and $3 times of posts; $4, $5 and $6 of authors.
 */
export const FIND_STORED = `
SELECT p.ids AS post_ids, p.hashes AS post_hashes, p.partial_hashes AS post_partial_hashes,
  a.ids AS author_ids, a.hashes AS author_hashes, a.partial_hashes AS author_partial_hashes
FROM ${findSql('posts', '$1', '$2', '$3')} p, ${findSql('authors', '$4', '$5', '$6')} a`;

/** The row type of content that is saved. `n` is its index. */
export const contentRowSql = (kind: Kind) =>
  `n integer, service_id bigint, run_id bigint, observed_at timestamptz, is_partial boolean, hash bigint, external_id text, ${
    kind === 'post'
      ? `key text, text_key bigint, author_external_id text, ${typedColumns(POST_CONTENT)}`
      : typedColumns(AUTHOR_CONTENT)
  }`;

/** Joins the author of a post `r`, as `w`. */
export const AUTHOR_OF_ROW = `LEFT JOIN LATERAL (
    SELECT id AS author_id FROM ${S}.authors WHERE service_id = r.service_id AND external_id = r.author_external_id OFFSET 0
  ) w ON true`;

/** The keys of a post are those of the address and of the text that are stored. */
const MERGED_KEYS = `key = CASE WHEN excluded.url IS NULL OR (excluded.is_partial AND k.url IS NOT NULL) THEN coalesce(k.key, excluded.key)
        ELSE excluded.key END,
      text_key = CASE WHEN excluded.text = '' OR (excluded.is_partial AND k.text <> '') THEN k.text_key ELSE excluded.text_key END, `;

/**
 * 2: new or changed authors. The first lookup selects rows to write; concurrent inserts are handled by the conflict
 * clause. Also writes missing hashes, and those of rows from before
 * `0004_versions` (without a run), since hashed content has more members now. The first change writes the former content as the first version. Returns the
 * indexes of rows that are to be inserted into their histories. $1 rows.
 */
export const SAVE_AUTHORS = saveContentSql('author');
/** 3: the same for posts, after their authors have keys. Also returns posts of which a counted member changed, and the former keys of posts whose keys may have changed. */
export const SAVE_POSTS = saveContentSql('post');

function saveContentSql(kind: Kind): string {
  const isPost = kind === 'post';
  const members = VERSION_COLUMNS[kind];
  const names = columnNames(members);
  const insertedNames = (row: string) =>
    Object.keys(members)
      .map((name) => (name === 'text' ? `coalesce(${row}.text, '')` : `${row}.${name}`))
      .join(', ');
  const storedNames = (row: string) =>
    Object.keys(members)
      .map((name) => memberSql(row, name))
      .join(', ');
  // What a full copy has said is ignored in a partial one.
  const newNames = Object.keys(members)
    .map((name) => `CASE WHEN NOT s.is_partial OR ${memberSql('k', name)} IS NULL THEN s.${name} END`)
    .join(', ');
  const isNews = (now: string, stored: string, columns: Columns) =>
    `CASE WHEN ${now}.is_partial THEN ${fillsSql(columns, now, stored)} ELSE ${differsSql(columns, now, stored)} END`;
  return `
WITH rows AS MATERIALIZED (
  SELECT r.*, ${isPost ? 'w.author_id, k.key AS stored_key, k.text_key AS stored_text_key, ' : ''}k.id, k.observed_at AS stored_at, ${isPost ? `coalesce(${isNews('j', 'k', COUNTED_MEMBERS)}, false)` : 'false'} AS is_edit,
    h.stored IS NULL OR (k.run_id IS NULL AND h.stored <> r.hash) AS needs_hash,
    CASE WHEN k.id IS NULL THEN 'new' WHEN k.observed_at > r.observed_at OR k.is_partial THEN 'late'
      WHEN ${isNews('j', 'k', members)} THEN 'changed' ELSE 'same' END AS verdict
  FROM json_to_recordset($1::json) AS r(${contentRowSql(kind)})
  ${isPost ? AUTHOR_OF_ROW : ''}
  CROSS JOIN LATERAL (SELECT ${isPost ? 'w.author_id, ' : ''}r.is_partial, ${columnNames(isPost ? POST_CONTENT : AUTHOR_CONTENT, 'r.')}) j
  LEFT JOIN LATERAL (
    SELECT * FROM ${S}.${kind}s WHERE service_id = r.service_id AND external_id = r.external_id OFFSET 0
  ) k ON true
  CROSS JOIN LATERAL (SELECT CASE WHEN r.is_partial THEN k.partial_hash ELSE k.content_hash END AS stored) h
), later AS MATERIALIZED (${laterSql(kind, `rows WHERE verdict = 'changed'`)}
), changed AS MATERIALIZED (
  SELECT * FROM rows r WHERE verdict = 'changed'
    AND NOT EXISTS (SELECT FROM later l WHERE l.id = r.id AND l.observed_at > r.observed_at)
), written AS (
  INSERT INTO ${S}.${kind}s AS k (service_id, external_id, first_seen_at, observed_at, run_id, is_partial, content_hash, partial_hash, ${isPost ? 'key, text_key, ' : ''}${names})
  SELECT service_id, external_id, observed_at, observed_at, run_id, is_partial, CASE WHEN NOT is_partial THEN hash END,
    CASE WHEN is_partial THEN hash END, ${isPost ? 'key, text_key, ' : ''}${insertedNames('r')}
  -- Late ones, too: the conflict locks their rows here, in the order of all saves, and changes nothing.
  FROM rows r WHERE verdict <> 'same' ORDER BY service_id, external_id
  ON CONFLICT (service_id, external_id) DO UPDATE
    SET observed_at = excluded.observed_at, run_id = excluded.run_id, is_partial = excluded.is_partial,
      content_hash = coalesce(excluded.content_hash, k.content_hash),
      partial_hash = coalesce(excluded.partial_hash, k.partial_hash), ${isPost ? MERGED_KEYS : ''}${mergedSql(members, 'excluded', 'k')}
    WHERE k.id = ANY (ARRAY(SELECT id FROM changed)) AND k.observed_at <= excluded.observed_at AND NOT k.is_partial
  RETURNING service_id, external_id
), hashed AS (
  UPDATE ${S}.${kind}s k SET content_hash = CASE WHEN r.is_partial THEN content_hash ELSE r.hash END,
    partial_hash = CASE WHEN r.is_partial THEN r.hash ELSE partial_hash END
  FROM rows r WHERE r.verdict = 'same' AND r.needs_hash AND k.id = r.id
), saved AS MATERIALIZED (
  SELECT c.*, EXISTS (SELECT FROM ${S}.${kind}_versions WHERE ${kind}_id = c.id) AS has_versions
  FROM changed c JOIN written USING (service_id, external_id)
), first_version AS (
  INSERT INTO ${S}.${kind}_versions (${kind}_id, observed_at, run_id, is_partial, ${names})
  SELECT k.* FROM saved s CROSS JOIN LATERAL (
    SELECT id, observed_at, run_id, is_partial, ${storedNames(`${kind}s`)} FROM ${S}.${kind}s WHERE id = s.id OFFSET 0
  ) k
  WHERE NOT s.has_versions AND s.stored_at < s.observed_at
  ON CONFLICT DO NOTHING
), version AS (
  INSERT INTO ${S}.${kind}_versions AS v (${kind}_id, observed_at, run_id, is_partial, ${names})
  SELECT s.id, s.observed_at, s.run_id, s.is_partial, ${newNames}
  FROM saved s CROSS JOIN LATERAL (SELECT * FROM ${S}.${kind}s WHERE id = s.id OFFSET 0) k
  WHERE s.has_versions OR s.stored_at < s.observed_at
  ON CONFLICT (${kind}_id, observed_at) DO UPDATE SET ${refreshedSql(members, 'excluded', 'v')}
)
SELECT ARRAY(
    SELECT n FROM rows r WHERE verdict <> 'same'
      AND NOT EXISTS (SELECT FROM written WHERE service_id = r.service_id AND external_id = r.external_id) ORDER BY n
  ) AS late, ARRAY(SELECT id FROM saved WHERE is_edit ORDER BY id) AS edited${
    isPost
      ? `, (SELECT coalesce(json_agg(json_build_object('id', id::text, 'key', stored_key, 'textKey', stored_text_key::text)), '[]')
    FROM saved WHERE (stored_key, stored_text_key) IS DISTINCT FROM (key, text_key)) AS renamed`
      : ''
  }`;
}

/**
 * 4: counters of posts and authors that differ from the stored ones, with a snapshot; and of posts, which counters a
 * second response knew, even if it changes none. Returns existing posts with a
 * new snapshot and its time, and the indexes of posts and authors that are to be inserted into their histories. From
 * $1 on: services, IDs, keys or null, times and counters of posts; then the same of authors.
 */
export const SAVE_COUNTERS = `
WITH ${saveCountersSql('post', POST_COUNTER_COLUMNS, 1)}, ${saveCountersSql('author', AUTHOR_COUNTER_COLUMNS, 5 + Object.keys(POST_COUNTER_COLUMNS).length)}
SELECT p.ids, p.times,
  ARRAY(SELECT n FROM post_rows WHERE verdict <> 'same' AND id NOT IN (SELECT post_id FROM post_newest) ORDER BY n) AS late_posts,
  ARRAY(SELECT n FROM author_rows WHERE verdict <> 'same' AND id NOT IN (SELECT author_id FROM author_newest) ORDER BY n) AS late_authors
FROM (
  SELECT coalesce(array_agg(id ORDER BY id), '{}') AS ids, coalesce(array_agg(observed_at ORDER BY id), '{}') AS times
  FROM post_changes WHERE verdict = 'changed'
) p`;

/** @param first number of the first parameter */
function saveCountersSql(kind: Kind, counters: Columns, first: number): string {
  const lists = Object.keys(counters).map((_, i) => `$${first + 4 + i}::bigint[]`);
  const twice = (sql: (name: string) => string) => TWICE_NAMES[kind].map((name) => `, ${sql(name)}`).join('');
  const isKnownTwice = (name: string) =>
    `(r.${name} IS NOT NULL AND k.${name} IS NOT NULL AND coalesce(k.${name}_at, k.observed_at) <> r.observed_at)`;
  const confirms = TWICE_NAMES[kind].map((name) => `(NOT k.${name}_twice AND ${isKnownTwice(name)})`);
  return `
${kind}_rows AS MATERIALIZED (
  SELECT i.id, r.n::integer - 1 AS n, r.observed_at, ${columnNames(counters, 'r.')},
    CASE WHEN k.${kind}_id IS NULL THEN 'new' WHEN k.observed_at > r.observed_at THEN 'late'
      WHEN ${differsSql(counters, 'r', 'k')} THEN 'changed'
      WHEN ${confirms.join(' OR ') || 'false'} THEN 'confirmed' ELSE 'same' END AS verdict${twice((name) => `${isKnownTwice(name)} AS ${name}_twice`)}
  FROM unnest($${first}::bigint[], $${first + 1}::text[], $${first + 2}::bigint[], $${first + 3}::timestamptz[], ${lists.join(', ')})
    WITH ORDINALITY AS r(service_id, external_id, id, observed_at, ${columnNames(counters)}, n)
  CROSS JOIN LATERAL (
    SELECT coalesce(r.id, (SELECT id FROM ${S}.${kind}s WHERE service_id = r.service_id AND external_id = r.external_id)) AS id OFFSET 0
  ) i
  LEFT JOIN LATERAL (SELECT * FROM ${S}.${kind}_counters WHERE ${kind}_id = i.id OFFSET 0) k ON true
), ${kind}_later AS MATERIALIZED (${laterSql(kind, `${kind}_rows WHERE verdict = 'changed'`)}
), ${kind}_changed AS MATERIALIZED (
  SELECT * FROM ${kind}_rows r WHERE verdict = 'changed'
    AND NOT EXISTS (SELECT FROM ${kind}_later l WHERE l.id = r.id AND l.observed_at > r.observed_at)
), ${kind}_newest AS (
  INSERT INTO ${S}.${kind}_counters AS k (${kind}_id, observed_at, ${columnNames(counters)}${twice((name) => `${name}_twice`)})
  SELECT id, CASE WHEN verdict = 'confirmed' THEN '-infinity' ELSE observed_at END,
    ${Object.keys(counters)
      .map((name) => `CASE WHEN verdict <> 'confirmed' THEN ${name} END`)
      .join(', ')}${twice((name) => `${name}_twice`)}
  -- Late ones are locked here, too.
  FROM ${kind}_rows WHERE verdict <> 'same' ORDER BY id
  ON CONFLICT (${kind}_id) DO UPDATE SET observed_at = greatest(k.observed_at, excluded.observed_at), ${advancedSql(counters, 'excluded', 'k')}${twice((name) => `${name}_twice = k.${name}_twice OR excluded.${name}_twice`)}
    WHERE (k.${kind}_id = ANY (ARRAY(SELECT id FROM ${kind}_changed)) AND k.observed_at <= excluded.observed_at
      AND (${differsSql(counters, 'excluded', 'k')})) OR excluded.observed_at = '-infinity'
  RETURNING ${kind}_id
), ${kind}_changes AS MATERIALIZED (
  SELECT r.* FROM ${kind}_rows r JOIN ${kind}_newest k ON k.${kind}_id = r.id WHERE verdict <> 'confirmed' AND ${anyKnownSql(counters, 'r')}
), ${kind}_history AS (
  INSERT INTO ${S}.${kind}_snapshots AS h (${kind}_id, observed_at, ${columnNames(counters)})
  SELECT id, observed_at, ${columnNames(counters)} FROM ${kind}_changes
  ON CONFLICT (${kind}_id, observed_at) DO UPDATE SET ${refreshedSql(counters, 'excluded', 'h')}
)`;
}
