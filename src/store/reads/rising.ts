import { and, desc, eq, gte, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { risingDomainsView, risingHashtagsView, risingPostsView } from '../schema/analytics.ts';

type Reads = Pick<Database, 'orm'>;

export type RisingPostRow = typeof risingPostsView.$inferSelect;
export type RisingHashtagRow = typeof risingHashtagsView.$inferSelect;
export type RisingDomainRow = typeof risingDomainsView.$inferSelect;

/** "Now" is the newest answer of a search: one that rests is left out by `since`. */
type Which = {
  search?: string | undefined;
  topic?: string | undefined;
  since?: Date | undefined;
  limit: number;
};

/** Posts that gain most beyond what is typical at their age; where nothing is typical yet, by what they gain. */
export async function readRisingPosts({ orm }: Reads, filter: Which): Promise<RisingPostRow[]> {
  const { search, topic, since, limit } = filter;
  return orm
    .select()
    .from(risingPostsView)
    .where(
      and(
        search === undefined ? undefined : eq(risingPostsView.search, search),
        topic === undefined ? undefined : eq(risingPostsView.topic, topic),
        since === undefined ? undefined : gte(risingPostsView.as_of, since),
      ),
    )
    .orderBy(
      sql`coalesce(${risingPostsView.ahead_per_hour}, ${risingPostsView.per_hour}) desc`,
      desc(risingPostsView.post_id),
    )
    .limit(limit);
}

/** Hashtags that rise, the least by chance first: of one search, or else of whole topics. */
export async function readRisingHashtags({ orm }: Reads, filter: Which): Promise<RisingHashtagRow[]> {
  return orm
    .select()
    .from(risingHashtagsView)
    .where(ofScope(risingHashtagsView, filter))
    .orderBy(desc(risingHashtagsView.score), risingHashtagsView.hashtag)
    .limit(filter.limit);
}

/** Domains that rise, the least by chance first: of one search, or else of whole topics. */
export async function readRisingDomains({ orm }: Reads, filter: Which): Promise<RisingDomainRow[]> {
  return orm
    .select()
    .from(risingDomainsView)
    .where(ofScope(risingDomainsView, filter))
    .orderBy(desc(risingDomainsView.score), risingDomainsView.domain)
    .limit(filter.limit);
}

function ofScope(
  view: typeof risingHashtagsView | typeof risingDomainsView,
  { search, topic, since }: Which,
): SQL | undefined {
  return and(
    search === undefined ? isNull(view.search) : eq(view.search, search),
    topic === undefined ? undefined : eq(view.topic, topic),
    since === undefined ? undefined : gte(view.as_of, since),
  );
}
