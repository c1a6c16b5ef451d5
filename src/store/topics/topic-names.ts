/** The names that topics list: their own, and those of rivals. Which answers have them: `store/derive/read-answer-names.ts`. */
import { keyOfName } from '../../model/answer-names.ts';
import { MAX_ID } from '../../model/value-shapes.ts';
import type { Id, Queryable, Transaction } from '../db/database.ts';
import { execute, rowsOf, selectIds, statement } from '../db/statement.ts';
import type { topic_names } from '../schema/name-tables.ts';

export type TopicNameRow = Omit<typeof topic_names.$inferSelect, 'topic_id' | 'key' | 'added_by' | 'owner'>;
export type NewTopicName = Pick<TopicNameRow, 'name' | 'side' | 'aliases' | 'domains'>;

const COLUMNS = statement`n.id, n.name, n.side, n.aliases, n.domains, n.added_at`;

/** Its own names first, then in the order in which they were added. */
export async function listTopicNames(db: Queryable, topicId: Id): Promise<TopicNameRow[]> {
  return rowsOf<TopicNameRow>(
    db,
    statement`SELECT ${COLUMNS} FROM strandline.topic_names n WHERE n.topic_id = ${topicId} ORDER BY n.side, n.id`,
  );
}

/** Names of all topics that are not removed, with the slug of the topic. */
export async function listAllTopicNames(db: Queryable): Promise<(TopicNameRow & { topic: string })[]> {
  return rowsOf<TopicNameRow & { topic: string }>(
    db,
    statement`SELECT ${COLUMNS}, t.slug AS topic FROM strandline.topic_names n JOIN strandline.topics t ON t.id = n.topic_id
      WHERE t.archived_at IS NULL ORDER BY t.slug, n.side, n.id`,
  );
}

/** Creates a name, or replaces the name with the same words. */
export async function putTopicName(
  tx: Transaction,
  topicId: Id,
  { name, side, aliases, domains }: NewTopicName,
  { now, by }: { now: Date; by: string },
): Promise<void> {
  await execute(
    tx,
    statement`INSERT INTO strandline.topic_names (topic_id, name, key, side, aliases, domains, added_at, added_by)
      VALUES (${topicId}, ${name}, ${keyOfName(name)}, ${side}, ${aliases}, ${domains}, ${now}, ${by})
      ON CONFLICT (topic_id, key) DO UPDATE
      SET name = excluded.name, side = excluded.side, aliases = excluded.aliases, domains = excluded.domains`,
  );
}

export async function deleteTopicName(tx: Transaction, id: Id): Promise<void> {
  await execute(tx, statement`DELETE FROM strandline.topic_names WHERE id = ${id}`);
}

/** Copies the names of one topic to another. */
export async function copyTopicNames(tx: Transaction, from: Id, toSlug: string): Promise<void> {
  const [to] = await selectIds(
    tx,
    statement`INSERT INTO strandline.topic_names (topic_id, name, key, side, aliases, domains, added_at, added_by)
      SELECT t.id, n.name, n.key, n.side, n.aliases, n.domains, n.added_at, n.added_by
      FROM strandline.topic_names n CROSS JOIN strandline.topics t
      WHERE n.topic_id = ${from} AND t.slug = ${toSlug} ORDER BY n.id RETURNING topic_id AS id`,
  );
  if (to !== undefined) await markAnswersUnread(tx, to);
}

/**
 * After a change of the names of a topic: all of its answers are read again, also those that are being saved, whose ids nobody else
 * sees yet. The row of the topic must be locked.
 */
export async function markAnswersUnread(tx: Transaction, topicId: Id): Promise<void> {
  await execute(
    tx,
    statement`INSERT INTO strandline.topic_name_lists AS l (topic_id, version, unread_below)
      SELECT ${topicId}::bigint, 1, CASE WHEN EXISTS (SELECT FROM strandline.topic_names WHERE topic_id = ${topicId}) THEN ${MAX_ID}::bigint END
      ON CONFLICT (topic_id) DO UPDATE SET version = l.version + 1, unread_below = excluded.unread_below`,
  );
}
