import { and, desc, eq, exists, gte, sql } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { postSightingsView, postsView } from '../schema/analytics/posts.ts';
import { searchesView } from '../schema/analytics/topics.ts';
import { amongIds } from './among-ids.ts';
import { searchIs } from './searches.ts';

export type PostRow = typeof postsView.$inferSelect;

export const POST_ORDERS = ['newest', 'likes', 'views', 'reposts', 'replies', 'quotes'] as const;
export type PostOrder = (typeof POST_ORDERS)[number];

/** What each order goes by, the most first; what is unknown comes last. */
const BY = {
  newest: postsView.created_at,
  likes: postsView.like_count,
  views: postsView.view_count,
  reposts: postsView.repost_count,
  replies: postsView.reply_count,
  quotes: postsView.quote_count,
} as const;

/** Posts that a search found (not those nested in them). */
export async function readPosts(
  { orm }: Pick<Database, 'orm'>,
  filter: {
    search?: string | undefined;
    topic?: string | undefined;
    /** Written at this time or later. */
    since?: Date | undefined;
    order: PostOrder;
    limit: number;
  },
): Promise<PostRow[]> {
  const { since, order, limit } = filter;
  const sighted = orm
    .select({ one: sql`1` })
    .from(postSightingsView)
    .innerJoin(searchesView, eq(searchesView.id, postSightingsView.search_id))
    .where(and(eq(postSightingsView.post_id, postsView.id), searchIs(filter)));
  return orm
    .select()
    .from(postsView)
    .where(and(exists(sighted), since === undefined ? undefined : gte(postsView.created_at, since)))
    .orderBy(sql`${BY[order]} desc nulls last`, desc(postsView.id))
    .limit(limit);
}

/** Posts by their keys, in no order. */
export async function readPostsOf({ orm }: Pick<Database, 'orm'>, ids: readonly Id[]): Promise<PostRow[]> {
  if (ids.length === 0) return [];
  return orm.select().from(postsView).where(amongIds(postsView.id)).prepare('posts_of').execute({ ids });
}
