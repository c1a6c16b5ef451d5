/**
 * Things that a person dismissed as not relevant for a topic: no rule reports them again, and no digest lists them. Stored at
 * the item (`topic_items.dismissed_at`); its story is dismissed with it, also what is found later.
 */
import type { Id, Pooled, Queryable, Transaction } from '../db/database.ts';
import { execute, rowsOf, selectIds, statement, verbatim } from '../db/statement.ts';
import { POST_KEY_SQL, type TopicItem } from '../save/topic-items.ts';
import { ITEMS_OF_THING, KEY_OF_ITEM } from '../stories/one-thing.ts';

/** A post or link, for a topic. */
export type DismissedItem = { topicId: Id; kind: 'post' | 'link'; thing: Id };

/** Whether an item `u` (topic_id, kind, thing) is dismissed. Most topics have dismissed nothing. */
const IS_DISMISSED = statement`(
  EXISTS (SELECT FROM strandline.topic_items t WHERE t.topic_id = u.topic_id AND t.dismissed_at IS NOT NULL) AND EXISTS (
    SELECT FROM ${ITEMS_OF_THING}
    JOIN strandline.topic_items t ON t.topic_id = u.topic_id AND t.key = ${KEY_OF_ITEM} AND t.dismissed_at IS NOT NULL
  ))`;

/** The discoveries whose item was dismissed for their topic. */
export async function findDismissed(db: Queryable, discoveryIds: readonly Id[]): Promise<ReadonlySet<Id>> {
  if (discoveryIds.length === 0) return new Set();
  // Posts, also those that grew, and links.
  const ids = await selectIds(
    db,
    statement`SELECT u.id FROM (
        SELECT d.id, s.topic_id, CASE d.kind WHEN 'link' THEN 'link' ELSE 'post' END AS kind, coalesce(g.post_id, d.thing) AS thing
        FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
        LEFT JOIN strandline.growth_reports g ON d.kind = 'growth' AND g.id = d.thing
        WHERE d.id = ANY (${discoveryIds}::bigint[]) AND d.kind IN ('post', 'link', 'growth')
      ) u WHERE ${IS_DISMISSED}`,
  );
  return new Set(ids);
}

/** Leaves out posts that are dismissed. @param posts each for the topic with that slug */
export async function leaveOutDismissedPosts<Post extends { topic: string; post_id: Id }>(
  db: Queryable,
  posts: readonly Post[],
): Promise<Post[]> {
  if (posts.length === 0) return [];
  const rows = await rowsOf<{ topic: string; thing: Id }>(
    db,
    statement`SELECT u.topic, u.thing FROM (
        SELECT p.topic, t.id AS topic_id, 'post' AS kind, p.thing
        FROM unnest(${posts.map(({ topic }) => topic)}::text[], ${posts.map(({ post_id }) => post_id)}::bigint[]) p(topic, thing)
        JOIN strandline.topics t ON t.slug = p.topic
      ) u WHERE ${IS_DISMISSED}`,
  );
  const dismissed = new Set(rows.map(({ topic, thing }) => `${topic} ${thing}`));
  return posts.filter(({ topic, post_id }) => !dismissed.has(`${topic} ${post_id}`));
}

/** @returns the key of an item; null unless its topic has found it */
export async function findTopicItem(
  db: Queryable,
  { topicId, kind, thing }: DismissedItem,
): Promise<TopicItem | null> {
  const { rows } = await execute<TopicItem>(
    db,
    statement`SELECT i.topic_id AS "topicId", i.key FROM (
        SELECT ${verbatim(POST_KEY_SQL)} AS key FROM strandline.posts p WHERE ${kind} = 'post' AND p.id = ${thing}
        UNION ALL SELECT canonical FROM strandline.links WHERE ${kind} = 'link' AND id = ${thing}
      ) k JOIN strandline.topic_items i ON i.topic_id = ${topicId} AND i.key = k.key`,
  );
  return rows[0] ?? null;
}

export async function isDismissed(db: Queryable, { topicId, kind, thing }: DismissedItem): Promise<boolean> {
  const rows = await rowsOf(
    db,
    statement`SELECT FROM (
        SELECT ${topicId}::bigint AS topic_id, ${kind}::text AS kind, ${thing}::bigint AS thing
      ) u WHERE ${IS_DISMISSED}`,
  );
  return rows.length > 0;
}

export async function dismissItem(tx: Transaction, { topicId, key }: TopicItem, now: Date): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.topic_items SET dismissed_at = ${now} WHERE topic_id = ${topicId} AND key = ${key} AND dismissed_at IS NULL`,
  );
}

/** Undoes it for all that is one thing with the item. */
export async function restoreItem(tx: Transaction, { topicId, kind, thing }: DismissedItem): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.topic_items t SET dismissed_at = NULL
      WHERE t.topic_id = ${topicId} AND t.dismissed_at IS NOT NULL AND t.key = ANY (ARRAY(
        SELECT i.key FROM (SELECT ${topicId}::bigint AS topic_id, ${kind}::text AS kind, ${thing}::bigint AS thing) u
        CROSS JOIN LATERAL (SELECT ${KEY_OF_ITEM} AS key FROM ${ITEMS_OF_THING}) i))`,
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

/** Newest first. */
export async function listDismissals(
  { pool }: Pooled,
  { topic, limit }: { topic?: string | undefined; limit: number },
): Promise<DismissalRow[]> {
  // Deleted posts and links are left out.
  return rowsOf<DismissalRow>(
    pool,
    statement`SELECT t.slug AS topic, x.kind, x.id, x.text, x.url, i.dismissed_at AS at
      FROM strandline.topic_items i JOIN strandline.topics t ON t.id = i.topic_id
      CROSS JOIN LATERAL (
        SELECT 'post' AS kind, id, text, url FROM strandline.posts WHERE key = i.key
        UNION ALL SELECT 'link', id, title, url FROM strandline.links WHERE canonical = i.key
        ORDER BY 1 DESC LIMIT 1
      ) x
      WHERE i.dismissed_at IS NOT NULL AND (${topic ?? null}::text IS NULL OR t.slug = ${topic ?? null})
      ORDER BY i.dismissed_at DESC, x.id DESC LIMIT ${limit}`,
  );
}
