import type { Database, Id } from '../database.ts';
import { postsView } from '../schema/analytics/posts.ts';
import { amongIds } from './among-ids.ts';

export type PostRow = typeof postsView.$inferSelect;

export const POST_ORDERS = ['newest', 'likes', 'views', 'reposts', 'replies', 'quotes'] as const;
export type PostOrder = (typeof POST_ORDERS)[number];

/** What each order goes by, the most first; what is unknown comes last. */
const BY = {
  newest: 'p.created_at',
  likes: 'c.like_count',
  views: 'c.view_count',
  reposts: 'c.repost_count',
  replies: 'c.reply_count',
  quotes: 'c.quote_count',
} as const;

/**
 * Chosen from short rows; what is shown is looked up for those alone. Posts are joined where their time is asked for.
 * $1 search, $2 topic, $3 since, $4 how many.
 */
const best = (order: PostOrder, timed: boolean) => `
SELECT g.post_id AS id FROM (
  SELECT DISTINCT g.post_id FROM strandline.searches s
  JOIN strandline.topics t ON t.id = s.topic_id
  JOIN strandline.post_sightings g ON g.search_id = s.id
  WHERE ($1::text IS NULL OR s.slug = $1) AND ($2::text IS NULL OR t.slug = $2)
) g
LEFT JOIN strandline.post_counters c ON c.post_id = g.post_id
${timed ? 'JOIN strandline.posts p ON p.id = g.post_id' : ''}
WHERE $3::timestamptz IS NULL ${timed ? 'OR p.created_at >= $3' : ''}
ORDER BY ${BY[order]} DESC NULLS LAST, g.post_id DESC LIMIT $4`;

/** Posts that a search found (not those nested in them). */
export async function readPosts(
  db: Pick<Database, 'orm' | 'pool'>,
  filter: {
    search?: string | undefined;
    topic?: string | undefined;
    /** Written at this time or later. */
    since?: Date | undefined;
    order: PostOrder;
    limit: number;
  },
): Promise<PostRow[]> {
  const { search = null, topic = null, since = null, order, limit } = filter;
  const statement = best(order, order === 'newest' || since !== null);
  const { rows } = await db.pool.query<{ id: Id }>(statement, [search, topic, since, limit]);
  const ids = rows.map(({ id }) => id);
  const posts = new Map((await readPostsOf(db, ids)).map((post) => [post.id, post]));
  return ids.flatMap((id) => posts.get(id) ?? []);
}

/** Posts by their keys, in no order. */
export async function readPostsOf({ orm }: Pick<Database, 'orm'>, ids: readonly Id[]): Promise<PostRow[]> {
  if (ids.length === 0) return [];
  return orm.select().from(postsView).where(amongIds(postsView.id)).prepare('posts_of').execute({ ids });
}
