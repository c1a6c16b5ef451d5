/** Posts page by page: those that searches found, not those that only stand inside others. */
import type { Database, Id } from '../database.ts';
import { readQueryOfAll } from '../archive/all-words.ts';
import { type PostRow, readPostsOf } from './posts.ts';

export const POST_PAGE_ORDERS = ['newest', 'likes'] as const;
export type PostPageOrder = (typeof POST_PAGE_ORDERS)[number];

export type PostPageFilter = {
  search?: string | undefined;
  topic?: string | undefined;
  /** Username, without `@`, in any case. */
  author?: string | undefined;
  /** As posts say it, in any case. */
  lang?: string | undefined;
  /** Words, all of which stand there, in any form. */
  text?: string | undefined;
  /** Its own time, or when a search first saw it where it tells none: from then on, and before. */
  since?: Date | undefined;
  until?: Date | undefined;
};

/** Where a page goes on: what the last post was placed by (µs since 1970, or likes; -1 for none known), and its id. */
export type PostPlace = { by: bigint; id: Id };
/** A post with its place in the list. */
export type PlacedPost = { post: PostRow; place: PostPlace };

/**
 * A page of posts: by their own time, the newest first; or by likes as last seen, the most first, unknown ones last.
 * By the index `post_sightings_time` of each search, or by the posts of an author, or by the index of all texts.
 */
export async function readPostPage(
  db: Pick<Database, 'orm' | 'pool'>,
  filter: PostPageFilter & { order: PostPageOrder; after?: PostPlace | undefined; limit: number },
): Promise<PlacedPost[]> {
  const { search, topic, author, lang, text, since, until, order, after, limit } = filter;
  const query = text === undefined ? null : await readQueryOfAll(db, text);
  if (query === '') return [];
  const values = [
    search ?? null,
    topic ?? null,
    author ?? null,
    lang ?? null,
    query,
    since ?? null,
    until ?? null,
  ];
  const newestOnes = lang === undefined ? NEWEST : NEWEST_IN_LANGUAGE;
  const statement =
    order === 'likes' ? LIKED : author === undefined && query === null ? newestOnes : NEWEST_OF_FEW;
  const { rows } = await db.pool.query<PostPlace>(statement, [
    ...values,
    after?.by ?? null,
    after?.id ?? null,
    limit,
  ]);
  const posts = new Map(
    (
      await readPostsOf(
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
const MINE = `SELECT s.id FROM ${S}.searches s JOIN ${S}.topics t ON t.id = s.topic_id
  WHERE ($1::text IS NULL OR s.slug = $1) AND ($2::text IS NULL OR t.slug = $2)`;
const TIME = 'coalesce(g.post_created_at, g.first_seen_at)';
/** Of a post `p` sighted as `g`. $3 author, $4 language, $5 words, $6 since, $7 until. */
const IN_TIME = `($6::timestamptz IS NULL OR ${TIME} >= $6) AND ($7::timestamptz IS NULL OR ${TIME} < $7)`;
const WANTED = `${IN_TIME} AND ($4::text IS NULL OR lower(p.lang) = lower($4))`;
/** Of an author or with words: few enough to be sorted. */
const THESE = `
  SELECT p.id, p.lang FROM ${S}.posts p
  WHERE ($3::text IS NULL OR p.author_id IN (SELECT id FROM ${S}.authors WHERE lower(username) = lower($3)))
    AND ($5::text IS NULL OR p.id IN (SELECT thing FROM ${S}.archive_documents WHERE kind = 'post' AND tsv @@ $5::tsquery))`;

const MICROS = '(extract(epoch FROM at) * 1000000)::bigint';
/** $8 µs, $9 id. */
const PLACE = `('epoch'::timestamptz + $8::bigint * interval '1 microsecond', $9::bigint)`;

/**
 * Of each search `most` posts, by its index on their time. Where a post tells no time of its own, the last of the searches to
 * see it places it, and the others do not.
 */
const newestOfEach = (most: string, lang: boolean, from = '') => `
SELECT f.post_id AS id, f.at FROM mine CROSS JOIN LATERAL (
  SELECT g.post_id, ${TIME} AS at FROM ${S}.post_sightings g ${lang ? `JOIN ${S}.posts p ON p.id = g.post_id` : ''}
  WHERE g.search_id = mine.id AND ${lang ? WANTED : IN_TIME} ${from}
    AND ($8::bigint IS NULL OR (${TIME}, g.post_id) < ${PLACE})
    AND (g.post_created_at IS NOT NULL OR NOT EXISTS (SELECT FROM ${S}.post_sightings o
      WHERE o.post_id = g.post_id AND o.search_id IN (SELECT id FROM mine) AND o.first_seen_at > g.first_seen_at))
  ORDER BY ${TIME} DESC, g.post_id DESC LIMIT ${most}
) f`;

/**
 * A few of each search say how far back a page goes at most; then only what lies there is read, and not a page of each.
 * $3 and $5 are not asked for here.
 */
const newest = (lang: boolean) => `
WITH mine AS MATERIALIZED (${MINE}),
bound AS MATERIALIZED (
  SELECT at FROM (SELECT DISTINCT id, at FROM (${newestOfEach('(SELECT least($10::int, 2 + 2 * $10::int / greatest(count(*), 1)) FROM mine)', lang)}) few) few
  ORDER BY at DESC OFFSET $10::int - 1 LIMIT 1
)
SELECT DISTINCT id, at, ${MICROS} AS by
FROM (${newestOfEach('$10', lang, `AND ${TIME} >= coalesce((SELECT at FROM bound), '-infinity')`)}) found
WHERE $3::text IS NULL ${lang ? '' : 'AND $4::text IS NULL '}AND $5::text IS NULL ORDER BY at DESC, id DESC LIMIT $10`;
const NEWEST = newest(false);
const NEWEST_IN_LANGUAGE = newest(true);

const NEWEST_OF_FEW = `
WITH these AS MATERIALIZED (${THESE})
SELECT id, at, ${MICROS} AS by FROM (
  SELECT p.id, max(${TIME}) AS at FROM these p
  JOIN ${S}.post_sightings g ON g.post_id = p.id AND g.search_id IN (${MINE})
  WHERE ${WANTED} GROUP BY p.id
) found WHERE $8::bigint IS NULL OR (at, id) < ${PLACE}
ORDER BY at DESC, id DESC LIMIT $10`;

const LIKED = `
WITH these AS (${THESE})
SELECT p.id, coalesce(c.like_count, -1) AS by FROM these p LEFT JOIN ${S}.post_counters c ON c.post_id = p.id
WHERE ($8::bigint IS NULL OR (coalesce(c.like_count, -1), p.id) < ($8, $9::bigint))
  AND EXISTS (SELECT FROM ${S}.post_sightings g WHERE g.post_id = p.id AND g.search_id IN (${MINE}) AND ${WANTED})
ORDER BY 2 DESC, p.id DESC LIMIT $10`;
