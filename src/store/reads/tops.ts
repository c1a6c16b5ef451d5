import { and, asc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database, Id } from '../database.ts';
import { topAuthorsView, topDomainsView, topHashtagsView, topLanguagesView } from '../schema/analytics.ts';
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

export async function readTopAuthors({ orm }: Reads, filter: TopsFilter): Promise<TopAuthor[]> {
  const v = topAuthorsView;
  const posts = counted(filter, v.posts, v.topic_posts);
  return orm
    .select({
      service_kind: v.service_kind,
      author_id: v.author_id,
      author_username: v.author_username,
      followers_count: v.followers_count,
      posts,
    })
    .from(v)
    .where(within(v, filter))
    .groupBy(v.service_kind, v.author_id, v.author_username, v.followers_count)
    .having(sql`${posts} > 0`)
    .orderBy(sql`${posts} desc`, asc(v.author_id))
    .limit(filter.limit);
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
  view: typeof topAuthorsView | typeof topHashtagsView | typeof topLanguagesView | typeof topDomainsView,
  { search, topic, from, until }: TopsFilter,
): SQL | undefined {
  return and(
    search === undefined ? undefined : eq(view.search, search),
    topic === undefined ? undefined : eq(view.topic, topic),
    gte(view.bucket_at, from),
    lt(view.bucket_at, until),
  );
}
