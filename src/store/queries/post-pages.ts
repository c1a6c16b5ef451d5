/** Pages of posts found by searches, and how many there are over time. */

import { engagementSql } from '../../model/counters.ts';
import { buildMatchingSql, type Matching } from '../archive/matching-items.ts';
import type { Id, Pooled, Reads } from '../db/database.ts';
import { countedAtSql } from '../volume/volume-history.ts';
import { type DataScope, rangeValues, SCOPED_SEARCHES_SQL } from './data-scope.ts';
import type { ItemSelection } from './item-counts.ts';
import { type PostRow, readPostsByIds } from './posts.ts';

/** `growth` is the engagement gained since a post was first seen. Unknown values come last. */
export const POST_PAGE_ORDERS = ['newest', 'likes', 'engagement', 'growth'] as const;
export type PostPageOrder = (typeof POST_PAGE_ORDERS)[number];

/** What a list of posts contains. */
export type PostSelectionFilter = DataScope & {
  matching?: Matching | undefined;
  /** Publication time, or the first sighting if that is earlier or the time unknown; `until` is excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
};

type PostPageFilter = PostSelectionFilter & {
  /** Username without `@`; case-insensitive. */
  author?: string | undefined;
  /** As reported by posts; case-insensitive. */
  lang?: string | undefined;
};

/** Cursor: sort value of the last post (µs since 1970, or a count with -1 for unknown), and its ID. */
export type PostPlace = { by: bigint; id: Id };
/** A post with its cursor. */
type PlacedPost = { post: PostRow; place: PostPlace };

/**
 * A page of posts: newest first by publication time, or by a count. Uses the index `post_sightings_time` of each search,
 * the posts of an author, or the text index.
 */
export async function readPostPage(
  db: Reads,
  filter: PostPageFilter & { order: PostPageOrder; after?: PostPlace | undefined; limit: number },
): Promise<PlacedPost[]> {
  const { author, lang, order, after, limit } = filter;
  const values: unknown[] = [
    ...rangeValues(filter),
    after?.by ?? null,
    after?.id ?? null,
    limit,
    author ?? null,
    lang ?? null,
  ];
  const wanted = await buildMatchingSql(db, 'post', filter.matching, values);
  const newestOnes = lang === undefined ? SELECT_NEWEST_POSTS : SELECT_NEWEST_POSTS_IN_LANGUAGE;
  const statement =
    order === 'newest'
      ? author === undefined && wanted === ''
        ? newestOnes
        : author === undefined && lang === undefined
          ? newestIndexedSql(wanted)
          : newestMatchingSql(wanted)
      : highestSql(order, author !== undefined || lang !== undefined, wanted);
  const { rows } = await db.pool.query<PostPlace>(statement, values);
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
  filter: PostSelectionFilter,
  most?: number,
): Promise<ItemSelection> {
  const values: unknown[] = [...rangeValues(filter), most ?? null];
  const wanted = await buildMatchingSql(db, 'post', filter.matching, values);
  return { sql: wanted === '' ? SELECT_FOUND_POSTS : `${matchingTimesSql(wanted)} LIMIT $5`, values };
}

const S = 'strandline';
const TIME_SQL = countedAtSql('g');
/**
 * Conditions on a post `p` sighted as `g`. $3 since, $4 until, $9 language. A post that any search of the scope `mine` saw without a time, or
 * before it, is placed by the first of them to see it, and by no other; all others are placed at the same time by all.
 */
const IN_TIME_SQL = `($3::timestamptz IS NULL OR ${TIME_SQL} >= $3) AND ($4::timestamptz IS NULL OR ${TIME_SQL} < $4)
  AND CASE WHEN g.post_created_at <= g.first_seen_at AND g.post_id NOT IN (
      SELECT a.post_id FROM ${S}.post_sightings a
      WHERE a.search_id = ANY (ARRAY(SELECT id FROM mine)) AND a.post_created_at > a.first_seen_at
    ) THEN true ELSE NOT EXISTS (
      SELECT FROM ${S}.post_sightings o WHERE o.post_id = g.post_id AND o.search_id IN (SELECT id FROM mine)
        AND (o.first_seen_at, o.search_id) < (g.first_seen_at, g.search_id)
    ) END`;
const WANTED_SQL = `${IN_TIME_SQL} AND ($9::text IS NULL OR lower(p.lang) = lower($9))`;
/** $8 author. */
const BY_AUTHOR_SQL = `($8::text IS NULL OR p.author_id IN (SELECT id FROM ${S}.authors WHERE lower(username) = lower($8)))`;
/** Posts of an author or that match a query: few enough to sort. */
const matchingPostsSql = (wanted: string) => `
  SELECT p.id, p.lang FROM ${S}.posts p WHERE ${BY_AUTHOR_SQL} ${wanted === '' ? '' : `AND p.id IN (${wanted})`}`;

const MICROS_SQL = '(extract(epoch FROM at) * 1000000)::bigint';
/** $5 µs, $6 id. */
const PLACE_SQL = `('epoch'::timestamptz + $5::bigint * interval '1 microsecond', $6::bigint)`;

/** `most` posts of each search, by its index on their time. */
const newestOfEachSql = (most: string, lang: boolean, from = '') => `
SELECT f.post_id AS id, f.at FROM mine CROSS JOIN LATERAL (
  SELECT g.post_id, ${TIME_SQL} AS at FROM ${S}.post_sightings g ${lang ? `JOIN ${S}.posts p ON p.id = g.post_id` : ''}
  WHERE g.search_id = mine.id AND ${lang ? WANTED_SQL : IN_TIME_SQL} ${from}
    AND ($5::bigint IS NULL OR (${TIME_SQL}, g.post_id) < ${PLACE_SQL})
  ORDER BY ${TIME_SQL} DESC, g.post_id DESC LIMIT ${most}
) f`;

/**
 * A few posts of each search bound how far back a page can reach; then only posts within this bound are read, instead
 * of a page per search. $7 limit; $8 is not used here.
 */
const newestSql = (lang: boolean) => `
WITH mine AS MATERIALIZED (${SCOPED_SEARCHES_SQL}),
bound AS MATERIALIZED (
  SELECT at FROM (SELECT DISTINCT id, at FROM (${newestOfEachSql('(SELECT least($7::int, 2 + 2 * $7::int / greatest(count(*), 1)) FROM mine)', lang)}) few) few
  ORDER BY at DESC OFFSET $7::int - 1 LIMIT 1
)
SELECT DISTINCT id, at, ${MICROS_SQL} AS by
FROM (${newestOfEachSql('$7', lang, `AND ${TIME_SQL} >= coalesce((SELECT at FROM bound), '-infinity')`)}) found
WHERE $8::text IS NULL ${lang ? '' : 'AND $9::text IS NULL '}ORDER BY at DESC, id DESC LIMIT $7`;
const SELECT_NEWEST_POSTS = newestSql(false);
const SELECT_NEWEST_POSTS_IN_LANGUAGE = newestSql(true);

const newestMatchingSql = (wanted: string) => `
WITH mine AS MATERIALIZED (${SCOPED_SEARCHES_SQL}), these AS MATERIALIZED (${matchingPostsSql(wanted)})
SELECT id, at, ${MICROS_SQL} AS by FROM (
  SELECT p.id, min(${TIME_SQL}) AS at FROM these p
  JOIN ${S}.post_sightings g ON g.post_id = p.id AND g.search_id IN (SELECT id FROM mine)
  WHERE ${WANTED_SQL} GROUP BY p.id
) found WHERE $5::bigint IS NULL OR (at, id) < ${PLACE_SQL}
ORDER BY at DESC, id DESC LIMIT $7`;

/** From documents to sightings: twice as fast as by posts if many match. */
const matchingTimesSql = (wanted: string) => `
WITH mine AS MATERIALIZED (${SCOPED_SEARCHES_SQL})
SELECT p.thing AS id, min(${TIME_SQL}) AS at FROM (${wanted}) p
JOIN ${S}.post_sightings g ON g.post_id = p.thing AND g.search_id = ANY (ARRAY(SELECT id FROM mine))
WHERE ${IN_TIME_SQL} GROUP BY p.thing`;

const newestIndexedSql = (wanted: string) => `
SELECT id, at, ${MICROS_SQL} AS by FROM (${matchingTimesSql(wanted)}) found
WHERE $8::text IS NULL AND $9::text IS NULL AND ($5::bigint IS NULL OR (at, id) < ${PLACE_SQL})
ORDER BY at DESC, id DESC LIMIT $7`;

const COUNT_SQL: Readonly<Record<Exclude<PostPageOrder, 'newest'>, string>> = {
  likes: 'c.like_count',
  engagement: engagementSql('c.'),
  growth: engagementSql('n.gained_'),
};

/** Sorts counts of the posts in range; nothing else of them is read. @param named whether there is an author or language */
const highestSql = (order: Exclude<PostPageOrder, 'newest'>, named: boolean, wanted: string) => `
WITH mine AS MATERIALIZED (${SCOPED_SEARCHES_SQL}), these AS MATERIALIZED (
  SELECT DISTINCT g.post_id AS id FROM ${S}.post_sightings g ${named ? `JOIN ${S}.posts p ON p.id = g.post_id` : ''}
  WHERE g.search_id = ANY (ARRAY(SELECT id FROM mine)) ${wanted === '' ? '' : `AND g.post_id IN (${wanted})`}
    AND ${named ? `${WANTED_SQL} AND ${BY_AUTHOR_SQL}` : `${IN_TIME_SQL} AND $8::text IS NULL AND $9::text IS NULL`}
)
SELECT id, by FROM (
  SELECT t.id, coalesce(${COUNT_SQL[order]}, -1)::bigint AS by FROM these t
  LEFT JOIN ${S}.post_${order === 'growth' ? 'gains n ON n' : 'counters c ON c'}.post_id = t.id
) counted WHERE $5::bigint IS NULL OR (by, id) < ($5, $6::bigint)
ORDER BY by DESC, id DESC LIMIT $7`;

/** $5 maximum of each search. */
const SELECT_FOUND_POSTS = `
WITH mine AS MATERIALIZED (${SCOPED_SEARCHES_SQL})
SELECT f.post_id AS id, min(f.at) AS at FROM mine CROSS JOIN LATERAL (
  SELECT g.post_id, ${TIME_SQL} AS at FROM ${S}.post_sightings g WHERE g.search_id = mine.id AND ${IN_TIME_SQL} LIMIT $5
) f GROUP BY f.post_id`;
