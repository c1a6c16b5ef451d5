/**
 * Things that a person dismissed as not relevant for a topic: no rule reports them again, and no digest lists them. Stored at
 * the item (`topic_items.dismissed_at`); whatever is one thing with it, also what is found later, is dismissed with it.
 */
import { nameTopicItem, readGroups, readThings } from '../topics/copies.ts';
import type { Id, Pooled, Queryable, Transaction } from '../db/database.ts';
import { POST_KEY_SQL, type TopicItem } from '../save/topic-items.ts';

/** A post or link, for a topic. */
export type DismissedItem = { topicId: Id; kind: 'post' | 'link'; thing: Id };

/** Posts, also those that grew, and links of discoveries, if anything of their topics is dismissed. $1 discoveries. */
const SELECT_OF_DISCOVERIES = `
SELECT d.id, s.topic_id AS "topicId", i.key, i.text_key AS "textKey"
FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
CROSS JOIN LATERAL (
  SELECT ${POST_KEY_SQL} AS key, text_key FROM strandline.posts p WHERE d.kind = 'post' AND p.id = d.thing
  UNION ALL SELECT canonical, NULL FROM strandline.links WHERE d.kind = 'link' AND id = d.thing
  UNION ALL SELECT ${POST_KEY_SQL}, p.text_key FROM strandline.growth_reports g JOIN strandline.posts p ON p.id = g.post_id
    WHERE d.kind = 'growth' AND g.id = d.thing
) i
WHERE d.id = ANY ($1::bigint[])
  AND EXISTS (SELECT FROM strandline.topic_items t WHERE t.topic_id = s.topic_id AND t.dismissed_at IS NOT NULL)`;

/** Those of the discoveries that found something dismissed. */
export async function findDismissed(db: Queryable, discoveryIds: readonly Id[]): Promise<ReadonlySet<Id>> {
  if (discoveryIds.length === 0) return new Set();
  const { rows } = await db.query<TopicItem & { id: Id }>(SELECT_OF_DISCOVERIES, [discoveryIds]);
  const dismissed = await selectDismissed(db, rows);
  return new Set(dismissed.map(({ id }) => id));
}

/** $1 slugs of topics, $2 posts. */
const SELECT_OF_POSTS = `
SELECT u.topic, u.post_id AS "postId", t.id AS "topicId", ${POST_KEY_SQL} AS key, p.text_key AS "textKey"
FROM unnest($1::text[], $2::bigint[]) u(topic, post_id)
JOIN strandline.topics t ON t.slug = u.topic JOIN strandline.posts p ON p.id = u.post_id
WHERE EXISTS (SELECT FROM strandline.topic_items i WHERE i.topic_id = t.id AND i.dismissed_at IS NOT NULL)`;

/** Leaves out posts that are dismissed. @param posts each for the topic with that slug */
export async function leaveOutDismissedPosts<Post extends { topic: string; post_id: Id }>(
  db: Queryable,
  posts: readonly Post[],
): Promise<Post[]> {
  if (posts.length === 0) return [];
  const { rows } = await db.query<TopicItem & { topic: string; postId: Id }>(SELECT_OF_POSTS, [
    posts.map(({ topic }) => topic),
    posts.map(({ post_id }) => post_id),
  ]);
  const dismissed = new Set(
    (await selectDismissed(db, rows)).map(({ topic, postId }) => `${topic} ${postId}`),
  );
  return posts.filter(({ topic, post_id }) => !dismissed.has(`${topic} ${post_id}`));
}

async function selectDismissed<Item extends TopicItem>(
  db: Queryable,
  items: readonly Item[],
): Promise<Item[]> {
  const things = await readThings(db, items);
  return items.filter((item) => things.get(nameTopicItem(item))?.members.some(({ dismissed }) => dismissed));
}

/** $1 topic, $2 kind, $3 id. */
const SELECT_ITEM = `
SELECT i.topic_id AS "topicId", i.key, k.text_key AS "textKey" FROM (
  SELECT ${POST_KEY_SQL} AS key, text_key FROM strandline.posts p WHERE $2 = 'post' AND p.id = $3
  UNION ALL SELECT canonical, NULL FROM strandline.links WHERE $2 = 'link' AND id = $3
) k JOIN strandline.topic_items i ON i.topic_id = $1 AND i.key = k.key`;

/** @returns null unless its topic has found it */
export async function findTopicItem(
  db: Queryable,
  { topicId, kind, thing }: DismissedItem,
): Promise<TopicItem | null> {
  const { rows } = await db.query<TopicItem>(SELECT_ITEM, [topicId, kind, thing]);
  return rows[0] ?? null;
}

export async function isDismissed(db: Queryable, item: TopicItem): Promise<boolean> {
  return (await selectDismissed(db, [item])).length > 0;
}

export async function dismissItem(tx: Transaction, { topicId, key }: TopicItem, now: Date): Promise<void> {
  await tx.query(
    `UPDATE strandline.topic_items SET dismissed_at = $3 WHERE topic_id = $1 AND key = $2 AND dismissed_at IS NULL`,
    [topicId, key, now],
  );
}

/** Undoes it for all that is one thing with the item. */
export async function restoreItem(tx: Transaction, item: TopicItem): Promise<void> {
  const keys = (await readGroups(tx, [item])).flat().map(({ key }) => key);
  await tx.query(
    `UPDATE strandline.topic_items SET dismissed_at = NULL WHERE topic_id = $1 AND key = ANY ($2) AND dismissed_at IS NOT NULL`,
    [item.topicId, [item.key, ...keys]],
  );
}

/** A dismissed post or link. */
export type DismissalRow = {
  topic: string;
  kind: 'post' | 'link';
  id: Id;
  /** Text of the post, or title of the link. */
  text: string | null;
  url: string | null;
  at: Date;
};

/** $1 slug of a topic or null, $2 limit. Deleted posts and links are left out. */
const SELECT_DISMISSALS = `
SELECT t.slug AS topic, x.kind, x.id, x.text, x.url, i.dismissed_at AS at
FROM strandline.topic_items i JOIN strandline.topics t ON t.id = i.topic_id
CROSS JOIN LATERAL (
  SELECT 'post' AS kind, id, text, url FROM strandline.posts WHERE key = i.key
  UNION ALL SELECT 'link', id, title, url FROM strandline.links WHERE canonical = i.key
  ORDER BY 1 DESC LIMIT 1
) x
WHERE i.dismissed_at IS NOT NULL AND ($1::text IS NULL OR t.slug = $1)
ORDER BY i.dismissed_at DESC, x.id DESC LIMIT $2`;

/** Newest first. */
export async function listDismissals(
  { pool }: Pooled,
  { topic, limit }: { topic?: string | undefined; limit: number },
): Promise<DismissalRow[]> {
  const { rows } = await pool.query<DismissalRow>(SELECT_DISMISSALS, [topic ?? null, limit]);
  return rows;
}
