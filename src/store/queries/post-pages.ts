/** Lists of posts that searches found, for the API, the pages and the command line; and how many posts there are over time. */

import { COUNTER_BY_PLURAL, COUNTER_PLURALS, engagementSql } from '../../model/counters.ts';
import { findMatching, type Matching } from '../archive/matching-items.ts';
import type { Id, Pooled, Reads } from '../db/database.ts';
import { join, rowsOf, type Statement, statement, verbatim } from '../db/statement.ts';
import { countedAtSql } from '../volume/post-time.ts';
import { type DataScope, searchesInScope, hiddenThings } from './data-scope.ts';
import type { ItemSelection } from './item-counts.ts';
import { type PostRow, readPostsByIds } from './post-detail.ts';

/**
 * Orders: by time of publication, by the latest value of a counter, by the sum of counters, or by gains since the first
 * sighting.
 */
export const POST_ORDERS = ['newest', 'oldest', ...COUNTER_PLURALS, 'engagement', 'growth'] as const;
export type PostOrder = (typeof POST_ORDERS)[number];
type TimeOrder = 'newest' | 'oldest';
type CountOrder = Exclude<PostOrder, TimeOrder>;

/** Whether posts are sorted by time, and by no count. */
export function isByTime(order: PostOrder): order is TimeOrder {
  return order === 'newest' || order === 'oldest';
}

/** What a list of posts contains. */
type PostFilter = DataScope & {
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
 * A page of posts, highest first; unknown counts are last. Newest and oldest posts are read by the index `post_sightings_time` of
 * each search, or from the posts of an author or a query.
 */
export async function readPostPage(
  db: Reads,
  filter: PostFilter & { order: PostOrder; after?: PostPlace | undefined; limit: number },
): Promise<PlacedPost[]> {
  const { order, after, limit } = filter;
  const parts = await buildParts(db, filter);
  const page = !isByTime(order)
    ? highestPosts(parts, order, after, limit)
    : parts.few === undefined
      ? nextOfSearches(parts, order, after, limit)
      : nextOfFew(parts, parts.few, order, after, limit);
  const rows = await rowsOf<PostPlace>(db.pool, page);
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
  const limited = most === undefined ? statement`` : statement`LIMIT ${most}`;
  return parts.few === undefined
    ? statement`WITH ${parts.mine} SELECT id, min(at) AS at FROM (${postsOfEachSearch(parts, limited)}) f GROUP BY id`
    : statement`WITH ${parts.mine} ${timesOfFew(parts, parts.few)} ${limited}`;
}

const TRUE = statement`true`;
/** Of a sighting `g`. */
const TIME = verbatim(countedAtSql('g'));
const IS_MINE = statement`g.search_id = ANY (ARRAY(SELECT id FROM mine))`;
/**
 * A condition on a sighting `g` that keeps one time for each post. If a search of the scope `mine` saw the post without a
 * publication time, or before that time, only the sighting of the search that saw the post first counts. Otherwise the sightings
 * of all searches have the same time, and all count.
 */
const IS_PLACED = statement`CASE WHEN g.post_created_at <= g.first_seen_at AND g.post_id NOT IN (
    SELECT a.post_id FROM strandline.post_sightings a
    WHERE a.search_id = ANY (ARRAY(SELECT id FROM mine)) AND a.post_created_at > a.first_seen_at
  ) THEN true ELSE NOT EXISTS (
    SELECT FROM strandline.post_sightings o WHERE o.post_id = g.post_id AND o.search_id IN (SELECT id FROM mine)
      AND (o.first_seen_at, o.search_id) < (g.first_seen_at, g.search_id)
  ) END`;

/** A condition on a sighting `g`. */
const IS_SHOWN = statement`g.post_id NOT IN (
  SELECT thing FROM (${hiddenThings(statement`ARRAY(SELECT id FROM mine)`)}) h WHERE kind = 'post')`;

/** A filter as parts of a statement. Its conditions are about a sighting `g`. */
type Parts = {
  /** The searches of the scope: `mine`, the first part of WITH. */
  mine: Statement;
  isInTime: Statement;
  /** Author and language, on the post `p` of the sighting, which `joinPosts` joins if there are any. */
  isOfPost: Statement;
  joinPosts: Statement;
  /** The post matches the query. */
  isMatching: Statement;
  /** The posts of an author or a query, which are few enough to sort. */
  few: Statement | undefined;
};

async function buildParts(db: Pooled, filter: PostFilter): Promise<Parts> {
  const { matching, since, until, author, lang } = filter;
  const matches = await findMatching(db.pool, 'post', matching);
  const named = author?.replace(/^@/, '');
  const byAuthor =
    named === undefined
      ? []
      : [
          statement`p.author_id IN (SELECT id FROM strandline.authors WHERE lower(username) = lower(${named}::text))`,
        ];
  const inLanguage = lang === undefined ? [] : [statement`lower(p.lang) = lower(${lang}::text)`];
  const ofPost = [...byAuthor, ...inLanguage];
  const inTime = [
    ...(since === undefined ? [] : [statement`${TIME} >= ${since}::timestamptz`]),
    ...(until === undefined ? [] : [statement`${TIME} < ${until}::timestamptz`]),
    IS_PLACED,
    IS_SHOWN,
  ];
  return {
    mine: statement`mine AS MATERIALIZED (${searchesInScope(filter)})`,
    isInTime: join(inTime, ' AND '),
    isOfPost: ofPost.length === 0 ? TRUE : join(ofPost, ' AND '),
    joinPosts: ofPost.length === 0 ? statement`` : statement`JOIN strandline.posts p ON p.id = g.post_id`,
    isMatching: matches === undefined ? TRUE : statement`g.post_id IN (${matches})`,
    few: findFew({ byAuthor, inLanguage, matches }),
  };
}

/** Posts of an author, or that match a query; undefined: neither is given. */
function findFew({
  byAuthor,
  inLanguage,
  matches,
}: {
  byAuthor: readonly Statement[];
  inLanguage: readonly Statement[];
  matches: Statement | undefined;
}): Statement | undefined {
  // From documents to sightings is twice as fast as by posts if many match.
  if (byAuthor.length + inLanguage.length === 0)
    return matches && statement`SELECT d.thing AS id FROM (${matches}) d`;
  if (byAuthor.length === 0 && matches === undefined) return undefined;
  const conditions = [
    ...byAuthor,
    ...inLanguage,
    ...(matches === undefined ? [] : [statement`p.id IN (${matches})`]),
  ];
  return statement`SELECT p.id FROM strandline.posts p WHERE ${join(conditions, ' AND ')}`;
}

const MICROS = statement`(extract(epoch FROM at) * 1000000)::bigint`;

/** The direction of a sort, and the sign of what comes later in it. */
const DIRECTION = {
  newest: {
    sort: verbatim('DESC'),
    later: verbatim('<'),
    end: verbatim(`'-infinity'`),
    within: verbatim('>='),
  },
  oldest: {
    sort: verbatim('ASC'),
    later: verbatim('>'),
    end: verbatim(`'infinity'`),
    within: verbatim('<='),
  },
} as const;

/** Whether a time and an ID come after a place. */
const isAfter = (order: TimeOrder, at: Statement, id: Statement, after: PostPlace | undefined): Statement =>
  after === undefined
    ? TRUE
    : statement`(${at}, ${id}) ${DIRECTION[order].later} ('epoch'::timestamptz + ${after.by}::bigint * interval '1 microsecond', ${after.id}::bigint)`;

/** Posts of each search, with their times. @param last the order, and a limit @param condition on a sighting `g` */
const postsOfEachSearch = (
  { isInTime, isOfPost, joinPosts }: Parts,
  last: Statement,
  condition = TRUE,
): Statement => statement`
SELECT f.post_id AS id, f.at FROM mine CROSS JOIN LATERAL (
  SELECT g.post_id, ${TIME} AS at FROM strandline.post_sightings g ${joinPosts}
  WHERE g.search_id = mine.id AND ${isInTime} AND ${isOfPost} AND ${condition} ${last}
) f`;

/**
 * A few posts of each search bound how far a page can reach; then only posts within this bound are read, instead
 * of a page per search.
 */
function nextOfSearches(
  parts: Parts,
  order: TimeOrder,
  after: PostPlace | undefined,
  limit: number,
): Statement {
  const { sort, end, within } = DIRECTION[order];
  const isOnPage = isAfter(order, TIME, statement`g.post_id`, after);
  const next = (most: Statement) => statement`ORDER BY ${TIME} ${sort}, g.post_id ${sort} LIMIT ${most}`;
  const few = statement`(SELECT least(${limit}::int, 2 + 2 * ${limit}::int / greatest(count(*), 1)) FROM mine)`;
  const isInBound = statement`${TIME} ${within} coalesce((SELECT at FROM bound), ${end})`;
  return statement`
WITH ${parts.mine},
bound AS MATERIALIZED (
  SELECT at FROM (SELECT DISTINCT id, at FROM (${postsOfEachSearch(parts, next(few), isOnPage)}) few) few
  ORDER BY at ${sort} OFFSET ${limit}::int - 1 LIMIT 1
)
SELECT DISTINCT id, at, ${MICROS} AS by
FROM (${postsOfEachSearch(parts, next(statement`${limit}`), statement`${isOnPage} AND ${isInBound}`)}) found
ORDER BY at ${sort}, id ${sort} LIMIT ${limit}`;
}

const timesOfFew = ({ isInTime }: Parts, few: Statement): Statement => statement`
SELECT few.id, min(${TIME}) AS at FROM (${few}) few
JOIN strandline.post_sightings g ON g.post_id = few.id AND ${IS_MINE}
WHERE ${isInTime} GROUP BY few.id`;

const nextOfFew = (
  parts: Parts,
  few: Statement,
  order: TimeOrder,
  after: PostPlace | undefined,
  limit: number,
): Statement => {
  const { sort } = DIRECTION[order];
  return statement`
WITH ${parts.mine}
SELECT id, at, ${MICROS} AS by FROM (${timesOfFew(parts, few)}) found
WHERE ${isAfter(order, statement`at`, statement`id`, after)} ORDER BY at ${sort}, id ${sort} LIMIT ${limit}`;
};

/** The value of a post with the counters `n`. */
function countOf(order: CountOrder): string {
  if (order === 'growth') return engagementSql('n.gained_');
  return order === 'engagement' ? engagementSql('n.') : `n.${COUNTER_BY_PLURAL[order]}`;
}

/** Sorts counts of the posts in range; nothing else of them is read. */
function highestPosts(
  { mine, isInTime, isOfPost, joinPosts, isMatching }: Parts,
  order: CountOrder,
  after: PostPlace | undefined,
  limit: number,
): Statement {
  const isLower =
    after === undefined ? TRUE : statement`(by, id) < (${after.by}::bigint, ${after.id}::bigint)`;
  return statement`
WITH ${mine}, these AS MATERIALIZED (
  SELECT DISTINCT g.post_id AS id FROM strandline.post_sightings g ${joinPosts}
  WHERE ${IS_MINE} AND ${isMatching} AND ${isInTime} AND ${isOfPost}
)
SELECT id, by FROM (
  SELECT t.id, coalesce(${verbatim(countOf(order))}, -1)::bigint AS by
  FROM these t LEFT JOIN strandline.post_counters n ON n.post_id = t.id
) counted WHERE ${isLower} ORDER BY by DESC, id DESC LIMIT ${limit}`;
}
