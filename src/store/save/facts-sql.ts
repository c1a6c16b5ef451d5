/**
 * The SQL that saves posts and authors, for several runs at once: content with its versions, and counters with their
 * snapshots. The rules of `save-sql.ts` apply.
 *
 * A copy is *late* if what is stored is newer, or if a result that was received later has the item: an unchanged
 * observation writes nothing, so only the results show what was confirmed ({@link laterResultsSql}). Late content only
 * fills what is unknown. Late counters are saved by `late-counters.ts`.
 *
 * A *partial* copy only fills what is unknown once a full copy was stored, and any full copy replaces partial ones.
 *
 * If the same response is parsed again, it corrects its own facts and its snapshot, unless a later one confirmed them.
 */
import { type Columns, columnNames, typedColumns } from '../db/database.ts';
import {
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
import { ADD_STEP } from '../derive/post-gains.ts';

const S = 'strandline';

export type Kind = 'post' | 'author';

/** What a version contains, with the keys of other rows. */
const VERSION_COLUMNS = {
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

/**
 * How many of the results received after a response are searched for its items. A response that is late by more may override
 * what they confirmed.
 */
export const MAX_LATER_RESULTS = 5_000;

/**
 * What later results contain: `id` of a post, of the author of a post, or of a link, and `observed_at` of each result.
 * @param since the time after which results were received; null: none
 */
export function laterResultsSql(kind: Kind | 'link', since: string): string {
  const later = `(
    SELECT observed_at, ${kind === 'link' ? 'link_ids' : 'post_ids'} AS ids FROM ${S}.run_results
    WHERE observed_at > ${since} ORDER BY observed_at LIMIT ${MAX_LATER_RESULTS}
  ) o CROSS JOIN LATERAL unnest(o.ids) u(id)`;
  return kind === 'author'
    ? `SELECT p.id, o.observed_at FROM ${later} CROSS JOIN LATERAL (SELECT author_id AS id FROM ${S}.posts WHERE id = u.id OFFSET 0) p`
    : `SELECT u.id, o.observed_at FROM ${later}`;
}

/** The newest later result with each item. @param rows what may be late */
const confirmedSql = (kind: Kind, rows: string) =>
  `SELECT id, max(observed_at) AS observed_at FROM (${laterResultsSql(kind, `(SELECT min(observed_at) FROM ${rows})`)}) c GROUP BY id`;

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

/** The row type of content that is saved. */
const contentRowSql = (kind: Kind) =>
  `service_id bigint, run_id bigint, observed_at timestamptz, is_partial boolean, hash bigint, external_id text, ${
    kind === 'post'
      ? `key text, author_external_id text, ${typedColumns(POST_CONTENT)}`
      : typedColumns(AUTHOR_CONTENT)
  }`;

/** Joins the author of a post `r`, as `w`. */
const AUTHOR_OF_ROW = `LEFT JOIN LATERAL (
    SELECT id AS author_id FROM ${S}.authors WHERE service_id = r.service_id AND external_id = r.author_external_id OFFSET 0
  ) w ON true`;

/**
 * How a copy is merged into a stored row `k`, as conditions.
 * @param now the copy
 * @param isConfirmed whether a later result has the item
 */
function mergeRules(now: string, isConfirmed: string) {
  const isLate = `(k.observed_at > ${now}.observed_at OR ${isConfirmed})`;
  const becomesFull = `(k.is_partial AND NOT ${now}.is_partial)`;
  const onlyFills = `((${now}.is_partial AND NOT k.is_partial) OR (${isLate} AND NOT ${becomesFull}))`;
  return { isLate, becomesFull, onlyFills };
}

/** The key of a post is that of the address that is stored. */
const mergedKeySql = (onlyFills: string) => `
      key = CASE WHEN excluded.url IS NULL OR (${onlyFills} AND k.url IS NOT NULL) THEN coalesce(k.key, excluded.key) ELSE excluded.key END,`;

/**
 * 2: new or changed authors. The first lookup selects rows to write; rows that another transaction inserts meanwhile are
 * merged by the conflict clause. Also writes missing hashes, and those of rows from before
 * `0004_versions` (without a run), since hashed content has more members now. The first change writes the former content
 * as the first version; what a late copy fills is no version. $1 rows.
 */
export const SAVE_AUTHORS = saveContentSql('author');
/** 3: the same for posts, after their authors have keys. Returns posts of which a counted member changed, and the former keys of posts whose key may have changed. */
export const SAVE_POSTS = saveContentSql('post');

function saveContentSql(kind: Kind): string {
  const isPost = kind === 'post';
  const members = VERSION_COLUMNS[kind];
  const names = columnNames(members);
  const insertedNames = Object.keys(members)
    .map((name) => (name === 'text' ? `coalesce(r.text, '')` : `r.${name}`))
    .join(', ');
  const storedNames = Object.keys(members)
    .map((name) => memberSql(`${kind}s`, name))
    .join(', ');
  const newNames = Object.keys(members)
    .map((name) => `CASE WHEN NOT s.only_fills OR ${memberSql('k', name)} IS NULL THEN s.${name} END`)
    .join(', ');
  const rules = mergeRules('r', 'coalesce(c.observed_at > r.observed_at, false)');
  const merge = {
    ...mergeRules('excluded', 'k.id = ANY (ARRAY(SELECT id FROM changed WHERE is_late))'),
    isSame: 'k.id = ANY (ARRAY(SELECT id FROM marked))',
  };
  const isNews = (columns: Columns) =>
    `CASE WHEN m.only_fills THEN ${fillsSql(columns, 'r', 'k')} ELSE ${differsSql(columns, 'r', 'k')} END`;
  const stored = `SELECT * FROM ${S}.${kind}s`;
  return `
WITH rows AS MATERIALIZED (
  SELECT r.*, ${isPost ? 'w.author_id, ' : ''}k.id, k.observed_at AS stored_at, k.first_seen_at > r.observed_at AS is_earlier,
    k.is_partial AND NOT r.is_partial AS becomes_full,
    k.id IS NOT NULL AND (${differsSql(isPost ? POST_CONTENT : AUTHOR_CONTENT, 'r', 'k')}${isPost ? ' OR (w.author_id IS NOT NULL AND w.author_id IS DISTINCT FROM k.author_id)' : ''}) AS is_different,
    h.stored IS NULL OR (k.run_id IS NULL AND h.stored <> r.hash) AS needs_hash
  FROM json_to_recordset($1::json) AS r(${contentRowSql(kind)})
  ${isPost ? AUTHOR_OF_ROW : ''}
  LEFT JOIN LATERAL (${stored} WHERE service_id = r.service_id AND external_id = r.external_id OFFSET 0) k ON true
  CROSS JOIN LATERAL (SELECT CASE WHEN r.is_partial THEN k.partial_hash ELSE k.content_hash END AS stored) h
), confirmed AS MATERIALIZED (${confirmedSql(kind, 'rows WHERE is_different')}
), changed AS MATERIALIZED (
  SELECT r.*, m.*${isPost ? `, k.key AS stored_key, ${isNews(COUNTED_MEMBERS)} AS is_edit` : ''}
  FROM rows r CROSS JOIN LATERAL (${stored} WHERE id = r.id OFFSET 0) k
  LEFT JOIN confirmed c ON c.id = r.id
  CROSS JOIN LATERAL (SELECT ${rules.isLate} AS is_late, ${rules.onlyFills} AS only_fills OFFSET 0) m
  WHERE r.is_different AND ${isNews(members)}
), marked AS MATERIALIZED (
  SELECT * FROM rows WHERE (is_earlier OR becomes_full) AND id NOT IN (SELECT id FROM changed)
), written AS (
  INSERT INTO ${S}.${kind}s AS k (service_id, external_id, first_seen_at, observed_at, run_id, is_partial, content_hash, partial_hash, ${isPost ? 'key, ' : ''}${names})
  SELECT service_id, external_id, observed_at, observed_at, run_id, is_partial, CASE WHEN NOT is_partial THEN hash END,
    CASE WHEN is_partial THEN hash END, ${isPost ? 'key, ' : ''}${insertedNames}
  FROM rows r WHERE id IS NULL OR id IN (SELECT id FROM changed UNION ALL SELECT id FROM marked) ORDER BY service_id, external_id
  ON CONFLICT (service_id, external_id) DO UPDATE
    SET first_seen_at = least(k.first_seen_at, excluded.first_seen_at),
      observed_at = CASE WHEN ${merge.isSame} THEN k.observed_at ELSE greatest(k.observed_at, excluded.observed_at) END,
      run_id = CASE WHEN ${merge.isSame} OR k.observed_at > excluded.observed_at THEN k.run_id ELSE excluded.run_id END,
      is_partial = k.is_partial AND excluded.is_partial,
      content_hash = CASE WHEN ${merge.isLate} AND NOT ${merge.becomesFull} THEN k.content_hash ELSE coalesce(excluded.content_hash, k.content_hash) END,
      partial_hash = CASE WHEN ${merge.isLate} THEN k.partial_hash ELSE coalesce(excluded.partial_hash, k.partial_hash) END,
      ${isPost ? mergedKeySql(merge.onlyFills) : ''}${mergedSql(members, 'excluded', 'k', merge.onlyFills)}
), hashed AS (
  UPDATE ${S}.${kind}s k SET content_hash = CASE WHEN r.is_partial THEN content_hash ELSE r.hash END,
    partial_hash = CASE WHEN r.is_partial THEN r.hash ELSE partial_hash END
  FROM rows r WHERE k.id = r.id AND r.needs_hash AND k.observed_at <= r.observed_at
    AND r.id NOT IN (SELECT id FROM changed UNION ALL SELECT id FROM marked)
), edited AS MATERIALIZED (
  SELECT c.*, EXISTS (SELECT FROM ${S}.${kind}_versions WHERE ${kind}_id = c.id) AS has_versions FROM changed c WHERE NOT is_late
), first_version AS (
  INSERT INTO ${S}.${kind}_versions (${kind}_id, observed_at, run_id, is_partial, ${names})
  SELECT k.* FROM edited s CROSS JOIN LATERAL (
    SELECT id, observed_at, run_id, is_partial, ${storedNames} FROM ${S}.${kind}s WHERE id = s.id OFFSET 0
  ) k
  WHERE NOT s.has_versions AND s.stored_at < s.observed_at
  ON CONFLICT DO NOTHING
), version AS (
  INSERT INTO ${S}.${kind}_versions AS v (${kind}_id, observed_at, run_id, is_partial, ${names})
  SELECT s.id, s.observed_at, s.run_id, s.is_partial, ${newNames}
  FROM edited s CROSS JOIN LATERAL (${stored} WHERE id = s.id OFFSET 0) k
  WHERE s.has_versions OR s.stored_at < s.observed_at
  ON CONFLICT (${kind}_id, observed_at) DO UPDATE SET ${refreshedSql(members, 'excluded', 'v')}
)
SELECT ${
    isPost
      ? `ARRAY(SELECT id FROM changed WHERE is_edit ORDER BY id) AS edited, (
    SELECT coalesce(json_agg(json_build_object('id', id::text, 'key', stored_key)), '[]')
    FROM changed WHERE stored_key IS DISTINCT FROM key
  ) AS renamed`
      : ''
  }`;
}

/**
 * 4: counters of posts and authors that differ from the stored ones, with a snapshot, and gains of posts. Returns existing posts
 * with a new snapshot and its time, those of them whose newest snapshot was corrected, so that their gains are summed up again, and
 * the indexes of posts and authors whose copies are late. From
 * $1 on: services, IDs, keys or null, times and counters of posts; then the same of authors.
 */
export const SAVE_COUNTERS = `
WITH ${saveCountersSql('post', POST_COUNTER_COLUMNS, 1)}, ${saveCountersSql('author', AUTHOR_COUNTER_COLUMNS, 5 + Object.keys(POST_COUNTER_COLUMNS).length)}
SELECT p.ids, p.times, ARRAY(SELECT post_id FROM post_newest WHERE is_corrected) AS corrected,
  ARRAY(SELECT n FROM post_rows WHERE verdict <> 'same' AND id NOT IN (SELECT post_id FROM post_newest) ORDER BY n) AS late_posts,
  ARRAY(SELECT n FROM author_rows WHERE verdict <> 'same' AND id NOT IN (SELECT author_id FROM author_newest) ORDER BY n) AS late_authors
FROM (
  SELECT coalesce(array_agg(id ORDER BY id), '{}') AS ids, coalesce(array_agg(observed_at ORDER BY id), '{}') AS times
  FROM post_changes WHERE verdict = 'changed'
) p`;

/** @param first number of the first parameter */
function saveCountersSql(kind: Kind, counters: Columns, first: number): string {
  const lists = Object.keys(counters).map((_, i) => `$${first + 4 + i}::bigint[]`);
  const names = columnNames(counters);
  return `
${kind}_rows AS MATERIALIZED (
  SELECT i.id, r.n::integer - 1 AS n, r.observed_at, ${columnNames(counters, 'r.')},
    CASE WHEN k.${kind}_id IS NULL THEN 'new' WHEN k.observed_at > r.observed_at THEN 'late'
      WHEN ${differsSql(counters, 'r', 'k')} THEN 'changed' ELSE 'same' END AS verdict
  FROM unnest($${first}::bigint[], $${first + 1}::text[], $${first + 2}::bigint[], $${first + 3}::timestamptz[], ${lists.join(', ')})
    WITH ORDINALITY AS r(service_id, external_id, id, observed_at, ${names}, n)
  CROSS JOIN LATERAL (
    SELECT coalesce(r.id, (SELECT id FROM ${S}.${kind}s WHERE service_id = r.service_id AND external_id = r.external_id)) AS id OFFSET 0
  ) i
  LEFT JOIN LATERAL (SELECT * FROM ${S}.${kind}_counters WHERE ${kind}_id = i.id OFFSET 0) k ON true
), ${kind}_confirmed AS MATERIALIZED (${confirmedSql(kind, `${kind}_rows WHERE verdict = 'changed'`)}
), ${kind}_newest AS (
  INSERT INTO ${S}.${kind}_counters AS k (${kind}_id, observed_at, ${names})
  -- Late ones, too: the conflict locks their rows here, in the order of all saves, and changes nothing.
  SELECT id, observed_at, ${names} FROM ${kind}_rows WHERE verdict <> 'same' ORDER BY id
  ON CONFLICT (${kind}_id) DO UPDATE SET observed_at = excluded.observed_at, ${refreshedSql(counters, 'excluded', 'k')}${
    kind === 'post' ? `,\n  ${ADD_STEP}` : ''
  }
    WHERE k.${kind}_id = ANY (ARRAY(
        SELECT r.id FROM ${kind}_rows r WHERE r.verdict = 'changed'
          AND NOT EXISTS (SELECT FROM ${kind}_confirmed c WHERE c.id = r.id AND c.observed_at > r.observed_at)
      )) AND k.observed_at <= excluded.observed_at AND (${differsSql(counters, 'excluded', 'k')})
  RETURNING ${kind}_id${kind === 'post' ? ', coalesce(changed_before_at = observed_at, false) AS is_corrected' : ''}
), ${kind}_changes AS MATERIALIZED (
  SELECT r.* FROM ${kind}_rows r JOIN ${kind}_newest k ON k.${kind}_id = r.id WHERE ${anyKnownSql(counters, 'r')}
), ${kind}_history AS (
  INSERT INTO ${S}.${kind}_snapshots AS h (${kind}_id, observed_at, ${names})
  SELECT id, observed_at, ${names} FROM ${kind}_changes
  ON CONFLICT (${kind}_id, observed_at) DO UPDATE SET ${refreshedSql(counters, 'excluded', 'h')}
)`;
}
