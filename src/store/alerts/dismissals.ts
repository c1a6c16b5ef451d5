/** Things that a person dismissed as not relevant for a topic: nothing lists or reports them, or their stories, again (`hidden-stories.ts`). */
import { type Id, onlyRow, type Pooled, type Queryable, type Transaction } from '../db/database.ts';
import { execute, rowsOf, statement, verbatim } from '../db/statement.ts';
import { POST_KEY_SQL, type TopicItem } from '../save/topic-items.ts';
import { type HiddenBy, settleMarks } from '../stories/hidden-stories.ts';
import { ITEMS_OF_THING, KEY_OF_ITEM } from '../stories/one-thing.ts';
import { lockStories } from '../stories/write-stories.ts';

/** A post or link, for a topic. */
export type DismissedItem = { topicId: Id; kind: 'post' | 'link'; thing: Id };

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

/** Whether it, or its story, is dismissed. */
export async function isDismissed(db: Queryable, { topicId, kind, thing }: DismissedItem): Promise<boolean> {
  const rows = await rowsOf(
    db,
    statement`SELECT FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
      WHERE d.kind = ${kind} AND d.thing = ${thing} AND d.hidden AND s.topic_id = ${topicId} LIMIT 1`,
  );
  return rows.length > 0;
}

/** A topic that found an item. `hidden`: who marked the item, or another of its story; null if it is shown. */
export type RelevanceRow = { topic: string; hidden: HiddenBy | null };

/** The topics that found a post or link, without removed ones. */
export async function readRelevance(
  { pool }: Pooled,
  { kind, id, limit }: { kind: DismissedItem['kind']; id: Id; limit: number },
): Promise<RelevanceRow[]> {
  const rows = await rowsOf<{ topic: string; at: Date | null; by: string | null }>(
    pool,
    statement`SELECT DISTINCT ON (t.id) t.slug AS topic, m.at, m.by
      FROM strandline.discoveries x
      JOIN strandline.searches s ON s.id = x.search_id JOIN strandline.topics t ON t.id = s.topic_id AND t.archived_at IS NULL
      LEFT JOIN LATERAL (
        SELECT k.hidden_at AS at, k.hidden_by AS by FROM strandline.story_items i JOIN strandline.stories k ON k.id = i.story_id
        WHERE x.hidden AND i.discovery_id = x.id AND k.hidden_at IS NOT NULL
        UNION ALL
        SELECT dismissed_at, dismissed_by FROM strandline.topic_items
        WHERE x.hidden AND topic_id = s.topic_id AND key = ${KEY_OF_ITEM} AND dismissed_at IS NOT NULL
      ) m ON true
      WHERE x.kind = ${kind} AND x.thing = ${id} ORDER BY t.id, m.at LIMIT ${limit}`,
  );
  return rows.map(({ topic, at, by }) => ({ topic, hidden: at === null ? null : { at, by } }));
}

/** Hides a thing and its story. @param by `nameActor` */
export async function dismissItem(
  tx: Transaction,
  { topicId, key }: TopicItem,
  { at, by }: { at: Date; by: string },
): Promise<void> {
  await lockStories(tx, { waits: true });
  await execute(
    tx,
    statement`UPDATE strandline.topic_items SET dismissed_at = ${at}, dismissed_by = ${by}
      WHERE topic_id = ${topicId} AND key = ${key} AND dismissed_at IS NULL`,
  );
  await settleMarks(tx, { topicId, keys: [key] });
}

/** Undoes it for all that is one thing with the item. */
export async function restoreItem(tx: Transaction, { topicId, kind, thing }: DismissedItem): Promise<void> {
  await lockStories(tx, { waits: true });
  const rows = await rowsOf<{ key: string }>(
    tx,
    statement`UPDATE strandline.topic_items t SET dismissed_at = NULL, dismissed_by = NULL
      WHERE t.topic_id = ${topicId} AND t.dismissed_at IS NOT NULL AND t.key = ANY (ARRAY(
        SELECT i.key FROM (SELECT ${topicId}::bigint AS topic_id, ${kind}::text AS kind, ${thing}::bigint AS thing) u
        CROSS JOIN LATERAL (SELECT ${KEY_OF_ITEM} AS key FROM ${ITEMS_OF_THING}) i))
      RETURNING t.key`,
  );
  await settleMarks(tx, { topicId, keys: rows.map(({ key }) => key) });
}

/** A dismissed post or link. */
export type DismissalRow = {
  topic: string;
  kind: 'post' | 'link';
  id: Id;
  /** Text of the post, or title of the link. */
  text: string | null;
  url: string | null;
  /** Of which it is an item; null: nothing else says the same. */
  story_id: Id | null;
  at: Date;
  /** Null: before this was recorded. */
  by: string | null;
};

/** Of an item `i` of a topic: its post, or else its link. Items whose posts and links were deleted have none. */
const ITEM_OF_KEY = statement`(
  SELECT 'post' AS kind, id, text, url FROM strandline.posts WHERE key = i.key
  UNION ALL SELECT 'link', id, title, url FROM strandline.links WHERE canonical = i.key
  ORDER BY 1 DESC LIMIT 1
) x`;

/** How many things of a topic are dismissed: one read by an index if none are. */
export async function countDismissals({ pool }: Pooled, topic: string): Promise<number> {
  const rows = await rowsOf<{ n: number }>(
    pool,
    statement`SELECT count(*)::int AS n FROM strandline.topics t JOIN strandline.topic_items i ON i.topic_id = t.id
      CROSS JOIN LATERAL ${ITEM_OF_KEY} WHERE t.slug = ${topic} AND i.dismissed_at IS NOT NULL`,
  );
  return onlyRow(rows).n;
}

/** Newest first. */
export async function listDismissals(
  { pool }: Pooled,
  { topic, limit }: { topic?: string | undefined; limit: number },
): Promise<DismissalRow[]> {
  return rowsOf<DismissalRow>(
    pool,
    statement`SELECT t.slug AS topic, x.kind, x.id, x.text, x.url, i.dismissed_at AS at, i.dismissed_by AS by, k.story_id
      FROM strandline.topic_items i JOIN strandline.topics t ON t.id = i.topic_id
      CROSS JOIN LATERAL ${ITEM_OF_KEY}
      LEFT JOIN LATERAL (
        SELECT m.story_id FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id AND s.topic_id = t.id
        JOIN strandline.story_items m ON m.discovery_id = d.id WHERE d.kind = x.kind AND d.thing = x.id LIMIT 1
      ) k ON true
      WHERE i.dismissed_at IS NOT NULL AND (${topic ?? null}::text IS NULL OR t.slug = ${topic ?? null})
      ORDER BY i.dismissed_at DESC, x.id DESC LIMIT ${limit}`,
  );
}
