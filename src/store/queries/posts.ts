/** Posts found by searches, without nested ones: by key, by an order, or in pages. */

import { COUNTER_BY_PLURAL, COUNTER_PLURALS } from '../../domain/counters.ts';
import { EVERYTHING, type Query } from '../../domain/search-query.ts';
import { buildCondition, readWordForms } from '../archive/query-condition.ts';
import { amongIds, type Database, type Id } from '../database.ts';
import { postsView } from '../schema/analytics/post-views.ts';

export type PostRow = typeof postsView.$inferSelect;

export const POST_ORDERS = ['newest', ...COUNTER_PLURALS] as const;
type PostOrder = (typeof POST_ORDERS)[number];

/** Sort keys, highest first; unknown values last. */
const orderSql = (order: PostOrder) =>
  order === 'newest' ? 'p.created_at' : `c.${COUNTER_BY_PLURAL[order]}`;

/**
 * Sorts narrow rows, and looks up the rest only for the selected posts. Joins posts only if their time is needed. $1
 * search, $2 topic, $3 since, $4 limit.
 * @param wanted see {@link buildMatchingSql}
 */
const bestSql = (order: PostOrder, timed: boolean, wanted: string) => `
SELECT g.post_id AS id FROM (
  SELECT DISTINCT g.post_id FROM strandline.searches s
  JOIN strandline.topics t ON t.id = s.topic_id
  JOIN strandline.post_sightings g ON g.search_id = s.id
  WHERE ($1::text IS NULL OR s.slug = $1) AND ($2::text IS NULL OR t.slug = $2)${wanted === '' ? '' : ` AND g.post_id IN (${wanted})`}
) g
LEFT JOIN strandline.post_counters c ON c.post_id = g.post_id
${timed ? 'JOIN strandline.posts p ON p.id = g.post_id' : ''}
WHERE $3::timestamptz IS NULL ${timed ? 'OR p.created_at >= $3' : ''}
ORDER BY ${orderSql(order)} DESC NULLS LAST, g.post_id DESC LIMIT $4`;

/** A query, with the time for its relative times. Only indexed posts match. */
type MatchingPosts = { query: Query; now: Date };

/** A subquery of the ids of posts that match; empty if all do. @param values receives its parameters */
async function buildMatchingSql(
  { pool }: Pick<Database, 'pool'>,
  matching: MatchingPosts | undefined,
  values: unknown[],
): Promise<string> {
  if (matching === undefined || matching.query === EVERYTHING) return '';
  const { query, now } = matching;
  const forms = await readWordForms(pool, [query]);
  const condition = buildCondition(query, { bind: (value) => `$${values.push(value)}`, forms, now });
  return `SELECT d.thing FROM strandline.archive_documents d WHERE d.kind = 'post' AND ${condition}`;
}

/** Posts found by a search, without nested ones. */
export async function readPosts(
  db: Pick<Database, 'orm' | 'pool'>,
  filter: {
    search?: string | undefined;
    topic?: string | undefined;
    /** Published at this time or later. */
    since?: Date | undefined;
    matching?: MatchingPosts | undefined;
    order: PostOrder;
    limit: number;
  },
): Promise<PostRow[]> {
  const { search = null, topic = null, since = null, matching, order, limit } = filter;
  const values: unknown[] = [search, topic, since, limit];
  const wanted = await buildMatchingSql(db, matching, values);
  const statement = bestSql(order, order === 'newest' || since !== null, wanted);
  const { rows } = await db.pool.query<{ id: Id }>(statement, values);
  const ids = rows.map(({ id }) => id);
  const posts = new Map((await readPostsByIds(db, ids)).map((post) => [post.id, post]));
  return ids.flatMap((id) => posts.get(id) ?? []);
}

/** Posts by key, in no order. */
export async function readPostsByIds({ orm }: Pick<Database, 'orm'>, ids: readonly Id[]): Promise<PostRow[]> {
  if (ids.length === 0) return [];
  return orm.select().from(postsView).where(amongIds(postsView.id)).prepare('posts_of').execute({ ids });
}

export const POST_PAGE_ORDERS = ['newest', 'likes'] as const;
type PostPageOrder = (typeof POST_PAGE_ORDERS)[number];

type PostPageFilter = {
  search?: string | undefined;
  topic?: string | undefined;
  /** Username without `@`; case-insensitive. */
  author?: string | undefined;
  /** As reported by posts; case-insensitive. */
  lang?: string | undefined;
  matching?: MatchingPosts | undefined;
  /** Publication time, or the first sighting if unknown; `until` is excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
};

/** Cursor: sort value of the last post (µs since 1970, or likes with -1 for unknown), and its ID. */
type PostPlace = { by: bigint; id: Id };
/** A post with its cursor. */
type PlacedPost = { post: PostRow; place: PostPlace };

/**
 * A page of posts: newest first by publication time, or most likes first with unknown ones last. Uses the index
 * `post_sightings_time` of each search, the posts of an author, or the text index.
 */
export async function readPostPage(
  db: Pick<Database, 'orm' | 'pool'>,
  filter: PostPageFilter & { order: PostPageOrder; after?: PostPlace | undefined; limit: number },
): Promise<PlacedPost[]> {
  const { search, topic, author, lang, matching, since, until, order, after, limit } = filter;
  const values: unknown[] = [
    search ?? null,
    topic ?? null,
    author ?? null,
    lang ?? null,
    since ?? null,
    until ?? null,
    after?.by ?? null,
    after?.id ?? null,
    limit,
  ];
  const wanted = await buildMatchingSql(db, matching, values);
  const newestOnes = lang === undefined ? SELECT_NEWEST_POSTS : SELECT_NEWEST_POSTS_IN_LANGUAGE;
  const statement =
    order === 'likes'
      ? mostLikedSql(wanted)
      : author === undefined && wanted === ''
        ? newestOnes
        : newestMatchingSql(wanted);
  const { rows } = await db.pool.query<PostPlace>(statement, values);
  const posts = new Map(
    (
      await readPostsByIds(
        db,
        rows.map(({ id }) => id),
      )
    ).map((post) => [post.id, post]),
  );
  return rows.flatMap(({ id, by }) => {
    const post = posts.get(id);
    return post === undefined ? [] : [{ post, place: { by, id } }];
  });
}

const S = 'strandline';
/** $1 search, $2 topic. */
const OWN_SEARCHES_SQL = `SELECT s.id FROM ${S}.searches s JOIN ${S}.topics t ON t.id = s.topic_id
  WHERE ($1::text IS NULL OR s.slug = $1) AND ($2::text IS NULL OR t.slug = $2)`;
const TIME_SQL = 'coalesce(g.post_created_at, g.first_seen_at)';
/** Conditions on a post `p` sighted as `g`. $3 author, $4 language, $5 since, $6 until. */
const IN_TIME_SQL = `($5::timestamptz IS NULL OR ${TIME_SQL} >= $5) AND ($6::timestamptz IS NULL OR ${TIME_SQL} < $6)`;
const WANTED_SQL = `${IN_TIME_SQL} AND ($4::text IS NULL OR lower(p.lang) = lower($4))`;
/** Posts of an author or with words: few enough to sort. */
const matchingPostsSql = (wanted: string) => `
  SELECT p.id, p.lang FROM ${S}.posts p
  WHERE ($3::text IS NULL OR p.author_id IN (SELECT id FROM ${S}.authors WHERE lower(username) = lower($3)))
    ${wanted === '' ? '' : `AND p.id IN (${wanted})`}`;

const MICROS_SQL = '(extract(epoch FROM at) * 1000000)::bigint';
/** $7 µs, $8 id. */
const PLACE_SQL = `('epoch'::timestamptz + $7::bigint * interval '1 microsecond', $8::bigint)`;

/**
 * `most` posts of each search, by its index on their time. A post without a publication time is placed by the last
 * search to see it, and by no other.
 */
const newestOfEachSql = (most: string, lang: boolean, from = '') => `
SELECT f.post_id AS id, f.at FROM mine CROSS JOIN LATERAL (
  SELECT g.post_id, ${TIME_SQL} AS at FROM ${S}.post_sightings g ${lang ? `JOIN ${S}.posts p ON p.id = g.post_id` : ''}
  WHERE g.search_id = mine.id AND ${lang ? WANTED_SQL : IN_TIME_SQL} ${from}
    AND ($7::bigint IS NULL OR (${TIME_SQL}, g.post_id) < ${PLACE_SQL})
    AND (g.post_created_at IS NOT NULL OR NOT EXISTS (SELECT FROM ${S}.post_sightings o
      WHERE o.post_id = g.post_id AND o.search_id IN (SELECT id FROM mine) AND o.first_seen_at > g.first_seen_at))
  ORDER BY ${TIME_SQL} DESC, g.post_id DESC LIMIT ${most}
) f`;

/**
 * A few posts of each search bound how far back a page can reach; then only posts within this bound are read, instead
 * of a page per search. $3 is not used here.
 */
const newestSql = (lang: boolean) => `
WITH mine AS MATERIALIZED (${OWN_SEARCHES_SQL}),
bound AS MATERIALIZED (
  SELECT at FROM (SELECT DISTINCT id, at FROM (${newestOfEachSql('(SELECT least($9::int, 2 + 2 * $9::int / greatest(count(*), 1)) FROM mine)', lang)}) few) few
  ORDER BY at DESC OFFSET $9::int - 1 LIMIT 1
)
SELECT DISTINCT id, at, ${MICROS_SQL} AS by
FROM (${newestOfEachSql('$9', lang, `AND ${TIME_SQL} >= coalesce((SELECT at FROM bound), '-infinity')`)}) found
WHERE $3::text IS NULL ${lang ? '' : 'AND $4::text IS NULL '}ORDER BY at DESC, id DESC LIMIT $9`;
const SELECT_NEWEST_POSTS = newestSql(false);
const SELECT_NEWEST_POSTS_IN_LANGUAGE = newestSql(true);

const newestMatchingSql = (wanted: string) => `
WITH these AS MATERIALIZED (${matchingPostsSql(wanted)})
SELECT id, at, ${MICROS_SQL} AS by FROM (
  SELECT p.id, max(${TIME_SQL}) AS at FROM these p
  JOIN ${S}.post_sightings g ON g.post_id = p.id AND g.search_id IN (${OWN_SEARCHES_SQL})
  WHERE ${WANTED_SQL} GROUP BY p.id
) found WHERE $7::bigint IS NULL OR (at, id) < ${PLACE_SQL}
ORDER BY at DESC, id DESC LIMIT $9`;

const mostLikedSql = (wanted: string) => `
WITH these AS (${matchingPostsSql(wanted)})
SELECT p.id, coalesce(c.like_count, -1) AS by FROM these p LEFT JOIN ${S}.post_counters c ON c.post_id = p.id
WHERE ($7::bigint IS NULL OR (coalesce(c.like_count, -1), p.id) < ($7, $8::bigint))
  AND EXISTS (SELECT FROM ${S}.post_sightings g WHERE g.post_id = p.id AND g.search_id IN (${OWN_SEARCHES_SQL}) AND ${WANTED_SQL})
ORDER BY 2 DESC, p.id DESC LIMIT $9`;
