/**
 * Things that a person dismissed as not relevant for a topic: no rule reports them again, and no digest lists them. Stored at
 * the item (`topic_items.dismissed_at`); whatever is one thing with it, also what is found later, is dismissed with it.
 */
import { nameTopicItem, readGroups, readThings } from '../topics/copies.ts';
import type { Id, Pooled, Queryable, Transaction } from '../db/database.ts';
import { execute, rowsOf, statement, verbatim } from '../db/statement.ts';
import { POST_KEY_SQL, type TopicItem } from '../save/topic-items.ts';

/** A post or link, for a topic. */
export type DismissedItem = { topicId: Id; kind: 'post' | 'link'; thing: Id };

/** The discoveries whose item was dismissed for their topic. */
export async function findDismissed(db: Queryable, discoveryIds: readonly Id[]): Promise<ReadonlySet<Id>> {
  if (discoveryIds.length === 0) return new Set();
  // Posts, also those that grew, and links of discoveries, if anything of their topics is dismissed.
  const { rows } = await execute<TopicItem & { id: Id }>(
    db,
    statement`SELECT d.id, s.topic_id AS "topicId", i.key, i.text_key AS "textKey"
      FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
      CROSS JOIN LATERAL (
        SELECT ${verbatim(POST_KEY_SQL)} AS key, text_key FROM strandline.posts p WHERE d.kind = 'post' AND p.id = d.thing
        UNION ALL SELECT canonical, NULL FROM strandline.links WHERE d.kind = 'link' AND id = d.thing
        UNION ALL SELECT ${verbatim(POST_KEY_SQL)}, p.text_key FROM strandline.growth_reports g JOIN strandline.posts p ON p.id = g.post_id
          WHERE d.kind = 'growth' AND g.id = d.thing
      ) i
      WHERE d.id = ANY (${discoveryIds}::bigint[])
        AND EXISTS (SELECT FROM strandline.topic_items t WHERE t.topic_id = s.topic_id AND t.dismissed_at IS NOT NULL)`,
  );
  const dismissed = await selectDismissed(db, rows);
  return new Set(dismissed.map(({ id }) => id));
}

/** Leaves out posts that are dismissed. @param posts each for the topic with that slug */
export async function leaveOutDismissedPosts<Post extends { topic: string; post_id: Id }>(
  db: Queryable,
  posts: readonly Post[],
): Promise<Post[]> {
  if (posts.length === 0) return [];
  const { rows } = await execute<TopicItem & { topic: string; postId: Id }>(
    db,
    statement`SELECT u.topic, u.post_id AS "postId", t.id AS "topicId", ${verbatim(POST_KEY_SQL)} AS key, p.text_key AS "textKey"
      FROM unnest(${posts.map(({ topic }) => topic)}::text[], ${posts.map(({ post_id }) => post_id)}::bigint[]) u(topic, post_id)
      JOIN strandline.topics t ON t.slug = u.topic JOIN strandline.posts p ON p.id = u.post_id
      WHERE EXISTS (SELECT FROM strandline.topic_items i WHERE i.topic_id = t.id AND i.dismissed_at IS NOT NULL)`,
  );
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

/** @returns null unless its topic has found it */
export async function findTopicItem(
  db: Queryable,
  { topicId, kind, thing }: DismissedItem,
): Promise<TopicItem | null> {
  const { rows } = await execute<TopicItem>(
    db,
    statement`SELECT i.topic_id AS "topicId", i.key, k.text_key AS "textKey" FROM (
        SELECT ${verbatim(POST_KEY_SQL)} AS key, text_key FROM strandline.posts p WHERE ${kind} = 'post' AND p.id = ${thing}
        UNION ALL SELECT canonical, NULL FROM strandline.links WHERE ${kind} = 'link' AND id = ${thing}
      ) k JOIN strandline.topic_items i ON i.topic_id = ${topicId} AND i.key = k.key`,
  );
  return rows[0] ?? null;
}

export async function isDismissed(db: Queryable, item: TopicItem): Promise<boolean> {
  return (await selectDismissed(db, [item])).length > 0;
}

export async function dismissItem(tx: Transaction, { topicId, key }: TopicItem, now: Date): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.topic_items SET dismissed_at = ${now} WHERE topic_id = ${topicId} AND key = ${key} AND dismissed_at IS NULL`,
  );
}

/** Undoes it for all that is one thing with the item. */
export async function restoreItem(tx: Transaction, item: TopicItem): Promise<void> {
  const keys = (await readGroups(tx, [item])).flat().map(({ key }) => key);
  await execute(
    tx,
    statement`UPDATE strandline.topic_items SET dismissed_at = NULL
      WHERE topic_id = ${item.topicId} AND key = ANY (${[item.key, ...keys]}) AND dismissed_at IS NOT NULL`,
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
