import { and, asc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database, Id } from '../database.ts';
import { topDomainsView, topHashtagsView, topLanguagesView } from '../schema/analytics.ts';
import type { ServiceKind } from '../services.ts';

type Reads = Pick<Database, 'orm'>;

/** A search, or a topic: of a topic each post counts once. Without either, all topics: once in each. */
export type TopsFilter = {
  search?: string | undefined;
  topic?: string | undefined;
  /** Whole days (UTC): from this one on, and before that one. */
  from: Date;
  until: Date;
  limit: number;
};

type Top = { service_kind: ServiceKind; posts: number };
export type TopAuthor = Top & {
  author_id: Id;
  author_username: string | null;
  followers_count: number | null;
};
export type TopHashtag = Top & { hashtag: string };
export type TopLanguage = Top & { lang: string };
export type TopDomain = Top & { domain: string; links: number };

/**
 * As the view `top_authors`, but counted before authors are looked up: a busy search has tens of thousands of them.
 * $1 search, $2 topic, $3 from, $4 until, $5 most.
 */
const TOP_AUTHORS = `
SELECT sv.kind AS service_kind, a.id AS author_id, a.username AS author_username, a.followers_count::float8, g.posts
FROM (
  SELECT s.service_id, k.name::bigint AS author_id, sum(CASE WHEN $1::text IS NULL THEN k.topic_posts ELSE k.posts END)::int AS posts
  FROM strandline.searches s
  JOIN strandline.topics t ON t.id = s.topic_id
  JOIN strandline.search_tops k ON k.search_id = s.id AND k.kind = 'author' AND k.day_at >= $3 AND k.day_at < $4
  WHERE ($1::text IS NULL OR s.slug = $1) AND ($2::text IS NULL OR t.slug = $2)
  GROUP BY s.service_id, k.name
  HAVING sum(CASE WHEN $1::text IS NULL THEN k.topic_posts ELSE k.posts END) > 0
  ORDER BY posts DESC, author_id LIMIT $5
) g
JOIN strandline.services sv ON sv.id = g.service_id
JOIN strandline.authors a ON a.id = g.author_id
ORDER BY g.posts DESC, a.id`;

export async function readTopAuthors(
  { pool }: Pick<Database, 'pool'>,
  { search, topic, from, until, limit }: TopsFilter,
): Promise<TopAuthor[]> {
  const { rows } = await pool.query<TopAuthor>(TOP_AUTHORS, [
    search ?? null,
    topic ?? null,
    from,
    until,
    limit,
  ]);
  return rows;
}

export async function readTopHashtags({ orm }: Reads, filter: TopsFilter): Promise<TopHashtag[]> {
  const v = topHashtagsView;
  const posts = counted(filter, v.posts, v.topic_posts);
  return orm
    .select({ service_kind: v.service_kind, hashtag: v.hashtag, posts })
    .from(v)
    .where(within(v, filter))
    .groupBy(v.service_kind, v.hashtag)
    .having(sql`${posts} > 0`)
    .orderBy(sql`${posts} desc`, asc(v.hashtag))
    .limit(filter.limit);
}

export async function readTopLanguages({ orm }: Reads, filter: TopsFilter): Promise<TopLanguage[]> {
  const v = topLanguagesView;
  const posts = counted(filter, v.posts, v.topic_posts);
  return orm
    .select({ service_kind: v.service_kind, lang: v.lang, posts })
    .from(v)
    .where(within(v, filter))
    .groupBy(v.service_kind, v.lang)
    .having(sql`${posts} > 0`)
    .orderBy(sql`${posts} desc`, asc(v.lang))
    .limit(filter.limit);
}

/** By posts that link there and links that were found there, together. */
export async function readTopDomains({ orm }: Reads, filter: TopsFilter): Promise<TopDomain[]> {
  const v = topDomainsView;
  const posts = counted(filter, v.posts, v.topic_posts);
  const links = counted(filter, v.links, v.topic_links);
  return orm
    .select({ service_kind: v.service_kind, domain: v.domain, posts, links })
    .from(v)
    .where(within(v, filter))
    .groupBy(v.service_kind, v.domain)
    .having(sql`${posts} + ${links} > 0`)
    .orderBy(sql`${posts} + ${links} desc`, asc(v.domain))
    .limit(filter.limit);
}

function counted({ search }: TopsFilter, ofSearch: PgColumn, ofTopic: PgColumn): SQL<number> {
  return sql<number>`sum(${search === undefined ? ofTopic : ofSearch})`.mapWith(Number);
}

function within(
  view: typeof topHashtagsView | typeof topLanguagesView | typeof topDomainsView,
  { search, topic, from, until }: TopsFilter,
): SQL | undefined {
  return and(
    search === undefined ? undefined : eq(view.search, search),
    topic === undefined ? undefined : eq(view.topic, topic),
    gte(view.bucket_at, from),
    lt(view.bucket_at, until),
  );
}
