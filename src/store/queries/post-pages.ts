/** Lists of posts that searches found, for the API, the pages and the command line; and how many posts there are over time. */

import { COUNTER_BY_PLURAL, COUNTER_PLURALS, engagementSql } from '../../model/counters.ts';
import { type Matching, matchesAll, writeMatchingSql } from '../archive/matching-items.ts';
import type { Id, Pooled, Reads } from '../db/database.ts';
import { countedAtSql } from '../volume/volume-history.ts';
import { type DataScope, SCOPED_SEARCHES_SQL, scopeValues } from './data-scope.ts';
import type { ItemSelection } from './item-counts.ts';
import { type PostRow, readPostsByIds } from './posts.ts';

/** By time of publication, by the latest value of a counter, by their sum, or by what was gained since the first sighting. */
export const POST_ORDERS = ['newest', ...COUNTER_PLURALS, 'engagement', 'growth'] as const;
export type PostOrder = (typeof POST_ORDERS)[number];
type CountOrder = Exclude<PostOrder, 'newest'>;

/** What a list of posts contains. */
export type PostFilter = DataScope & {
  matching?: Matching | undefined;
  /** Publication time, or the first sighting if that is earlier or the time unknown; `until` is excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
  /** Username; case-insensitive. */
  author?: string | undefined;
  /** As reported by posts; case-insensitive. */
  lang?: string | undefined;
};

/** Cursor: sort value of the last post (µs since 1970, or a count with -1 for unknown), and its ID. */
export type PostPlace = { by: bigint; id: Id };
/** A post with its cursor. */
type PlacedPost = { post: PostRow; place: PostPlace };

/**
 * A page of posts, highest first; unknown counts are last. Newest posts are read by the index `post_sightings_time` of
 * each search, or from the posts of an author or a query.
 */
export async function readPostPage(
  db: Reads,
  filter: PostFilter & { order: PostOrder; after?: PostPlace | undefined; limit: number },
): Promise<PlacedPost[]> {
  const { order, after, limit } = filter;
  const parts = await buildParts(db, filter);
  const place = after && { by: parts.bind(after.by), id: parts.bind(after.id) };
  const most = parts.bind(limit);
  const statement =
    order !== 'newest'
      ? highestSql(parts, order, place, most)
      : parts.few === undefined
        ? newestOfSearchesSql(parts, place, most)
        : newestOfFewSql(parts, parts.few, place, most);
  const { rows } = await db.pool.query<PostPlace>(statement, parts.values);
  const ids = rows.map(({ id }) => id);
  const posts = new Map((await readPostsByIds(db, ids)).map((post) => [post.id, post]));
  return rows.flatMap(({ id, by }) => {
    const post = posts.get(id);
    return post === undefined ? [] : [{ post, place: { by, id } }];
  });
}

/** The posts of a list with their times, to be counted. @param most maximum of each search; undefined for all */
export async function selectPosts(
  db: Pooled,
  filter: Omit<PostFilter, 'author' | 'lang'>,
  most?: number,
): Promise<ItemSelection> {
  const parts = await buildParts(db, filter);
  const limit = most === undefined ? '' : `LIMIT ${parts.bind(most)}`;
  const sql =
    parts.few === undefined
      ? `WITH ${MINE_SQL} SELECT id, min(at) AS at FROM (${ofEachSearchSql(parts, limit)}) f GROUP BY id`
      : `WITH ${MINE_SQL} ${timesOfFewSql(parts, parts.few)} ${limit}`;
  return { sql, values: parts.values };
}

const S = 'strandline';
const TIME_SQL = countedAtSql('g');
const MINE_SQL = `mine AS MATERIALIZED (${SCOPED_SEARCHES_SQL})`;
const IS_MINE_SQL = 'g.search_id = ANY (ARRAY(SELECT id FROM mine))';
/**
 * On a sighting `g`. A post that any search of the scope `mine` saw without a time, or before it, is placed by the first of
 * them to see it, and by no other; all others are placed at the same time by all.
 */
const IS_PLACED_SQL = `CASE WHEN g.post_created_at <= g.first_seen_at AND g.post_id NOT IN (
    SELECT a.post_id FROM ${S}.post_sightings a
    WHERE a.search_id = ANY (ARRAY(SELECT id FROM mine)) AND a.post_created_at > a.first_seen_at
  ) THEN true ELSE NOT EXISTS (
    SELECT FROM ${S}.post_sightings o WHERE o.post_id = g.post_id AND o.search_id IN (SELECT id FROM mine)
      AND (o.first_seen_at, o.search_id) < (g.first_seen_at, g.search_id)
  ) END`;

/** A filter as parts of a statement. Its conditions are about a sighting `g`. */
type Parts = {
  /** The parameters; the first two are the scope. */
  values: unknown[];
  /** Adds a parameter. */
  bind: (value: unknown) => string;
  isInTime: string;
  /** Author and language, on the post `p` of the sighting, which `joinPosts` joins if there are any. */
  isOfPost: string;
  joinPosts: string;
  /** The post matches the query. */
  isMatching: string;
  /** The posts of an author or a query, which are few enough to sort. */
  few: string | undefined;
};

async function buildParts(db: Pooled, filter: PostFilter): Promise<Parts> {
  const { matching, since, until, author, lang } = filter;
  const values = scopeValues(filter);
  const bind = (value: unknown) => `$${values.push(value)}`;
  const matchingSql =
    matching === undefined || matchesAll(matching)
      ? []
      : [await writeMatchingSql(db.pool, 'post', matching, bind)];
  const named = author?.replace(/^@/, '');
  const byAuthor =
    named === undefined
      ? []
      : [`p.author_id IN (SELECT id FROM ${S}.authors WHERE lower(username) = lower(${bind(named)}::text))`];
  const inLanguage = lang === undefined ? [] : [`lower(p.lang) = lower(${bind(lang)}::text)`];
  const ofPost = [...byAuthor, ...inLanguage];
  const inTime = [
    ...(since === undefined ? [] : [`${TIME_SQL} >= ${bind(since)}::timestamptz`]),
    ...(until === undefined ? [] : [`${TIME_SQL} < ${bind(until)}::timestamptz`]),
    IS_PLACED_SQL,
  ];
  // From documents to sightings is twice as fast as by posts if many match.
  const few =
    ofPost.length === 0
      ? matchingSql.map((things) => `SELECT d.thing AS id FROM (${things}) d`)[0]
      : byAuthor.length + matchingSql.length > 0
        ? `SELECT p.id FROM ${S}.posts p WHERE ${[...ofPost, ...matchingSql.map((things) => `p.id IN (${things})`)].join(' AND ')}`
        : undefined;
  return {
    values,
    bind,
    isInTime: inTime.join(' AND '),
    isOfPost: ofPost.join(' AND ') || 'true',
    joinPosts: ofPost.length === 0 ? '' : `JOIN ${S}.posts p ON p.id = g.post_id`,
    isMatching: matchingSql.map((things) => `g.post_id IN (${things})`)[0] ?? 'true',
    few,
  };
}

/** Parameters of a {@link PostPlace}. */
type PlaceSql = { by: string; id: string };

const MICROS_SQL = '(extract(epoch FROM at) * 1000000)::bigint';
/** Older than a place; two columns, time and id. */
const isOlderSql = (columns: string, after: PlaceSql | undefined) =>
  after === undefined
    ? 'true'
    : `(${columns}) < ('epoch'::timestamptz + ${after.by}::bigint * interval '1 microsecond', ${after.id}::bigint)`;

/** Posts of each search, with their times. */
const ofEachSearchSql = ({ isInTime, isOfPost, joinPosts }: Parts, last: string, condition = 'true') => `
SELECT f.post_id AS id, f.at FROM mine CROSS JOIN LATERAL (
  SELECT g.post_id, ${TIME_SQL} AS at FROM ${S}.post_sightings g ${joinPosts}
  WHERE g.search_id = mine.id AND ${isInTime} AND ${isOfPost} AND ${condition} ${last}
) f`;

/**
 * A few posts of each search bound how far back a page can reach; then only posts within this bound are read, instead
 * of a page per search.
 */
function newestOfSearchesSql(parts: Parts, after: PlaceSql | undefined, limit: string): string {
  const isOlder = isOlderSql(`${TIME_SQL}, g.post_id`, after);
  const newest = (most: string) => `ORDER BY ${TIME_SQL} DESC, g.post_id DESC LIMIT ${most}`;
  const few = newest(
    `(SELECT least(${limit}::int, 2 + 2 * ${limit}::int / greatest(count(*), 1)) FROM mine)`,
  );
  const isInBound = `${TIME_SQL} >= coalesce((SELECT at FROM bound), '-infinity')`;
  return `
WITH ${MINE_SQL},
bound AS MATERIALIZED (
  SELECT at FROM (SELECT DISTINCT id, at FROM (${ofEachSearchSql(parts, few, isOlder)}) few) few
  ORDER BY at DESC OFFSET ${limit}::int - 1 LIMIT 1
)
SELECT DISTINCT id, at, ${MICROS_SQL} AS by
FROM (${ofEachSearchSql(parts, newest(limit), `${isOlder} AND ${isInBound}`)}) found
ORDER BY at DESC, id DESC LIMIT ${limit}`;
}

const timesOfFewSql = ({ isInTime }: Parts, few: string) => `
SELECT few.id, min(${TIME_SQL}) AS at FROM (${few}) few
JOIN ${S}.post_sightings g ON g.post_id = few.id AND ${IS_MINE_SQL}
WHERE ${isInTime} GROUP BY few.id`;

const newestOfFewSql = (parts: Parts, few: string, after: PlaceSql | undefined, limit: string) => `
WITH ${MINE_SQL}
SELECT id, at, ${MICROS_SQL} AS by FROM (${timesOfFewSql(parts, few)}) found
WHERE ${isOlderSql('at, id', after)} ORDER BY at DESC, id DESC LIMIT ${limit}`;

/** The row of counters `n` of a post, and its value. */
const countSql = (order: CountOrder) =>
  order === 'growth'
    ? { table: 'post_gains', value: engagementSql('n.gained_') }
    : {
        table: 'post_counters',
        value: order === 'engagement' ? engagementSql('n.') : `n.${COUNTER_BY_PLURAL[order]}`,
      };

/** Sorts counts of the posts in range; nothing else of them is read. */
function highestSql(
  { isInTime, isOfPost, joinPosts, isMatching }: Parts,
  order: CountOrder,
  after: PlaceSql | undefined,
  limit: string,
): string {
  const { table, value } = countSql(order);
  const isLower = after === undefined ? 'true' : `(by, id) < (${after.by}::bigint, ${after.id}::bigint)`;
  return `
WITH ${MINE_SQL}, these AS MATERIALIZED (
  SELECT DISTINCT g.post_id AS id FROM ${S}.post_sightings g ${joinPosts}
  WHERE ${IS_MINE_SQL} AND ${isMatching} AND ${isInTime} AND ${isOfPost}
)
SELECT id, by FROM (
  SELECT t.id, coalesce(${value}, -1)::bigint AS by FROM these t LEFT JOIN ${S}.${table} n ON n.post_id = t.id
) counted WHERE ${isLower} ORDER BY by DESC, id DESC LIMIT ${limit}`;
}
