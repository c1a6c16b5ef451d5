/** Notes: what people know about a time of a topic, such as the start of a campaign. */
import { type Id, onlyRow, type Pooled, type Queryable, type Transaction } from '../db/database.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';
import type { topic_notes } from '../schema/note-tables.ts';

export type TopicNoteRow = Omit<typeof topic_notes.$inferSelect, 'topic_id'>;
/** In Unicode code points, as the CHECK of the table counts them. */
export const MAX_NOTE_LENGTH = 280;

/** A note with the slug of its topic. */
export type TopicNote = TopicNoteRow & { topic: string };

const COLUMNS = statement`n.id, n.at, n.text, n.added_at, n.added_by, n.edited_at`;

/** Notes of a topic in the order of their times; of a range, in which `until` is excluded. */
export async function listTopicNotes(
  { pool }: Pooled,
  topicId: Id,
  { from = null, until = null }: { from?: Date | null; until?: Date | null } = {},
): Promise<TopicNoteRow[]> {
  return rowsOf<TopicNoteRow>(
    pool,
    statement`SELECT ${COLUMNS} FROM strandline.topic_notes n WHERE n.topic_id = ${topicId}
      AND n.at >= coalesce(${from}::timestamptz, '-infinity') AND n.at < coalesce(${until}::timestamptz, 'infinity')
      ORDER BY n.at, n.id`,
    'topic_notes_of',
  );
}

/** Locks the note. @returns null if there is none */
export async function lockTopicNote(tx: Transaction, id: Id): Promise<TopicNote | null> {
  const rows = await rowsOf<TopicNote>(
    tx,
    statement`SELECT ${COLUMNS}, t.slug AS topic FROM strandline.topic_notes n JOIN strandline.topics t ON t.id = n.topic_id
      WHERE n.id = ${id} FOR UPDATE OF n`,
  );
  return rows[0] ?? null;
}

export async function countTopicNotes(db: Queryable, topicId: Id): Promise<number> {
  const rows = await rowsOf<{ n: number }>(
    db,
    statement`SELECT count(*)::int AS n FROM strandline.topic_notes WHERE topic_id = ${topicId}`,
  );
  return onlyRow(rows).n;
}

/** @param by `nameActor` */
export async function insertTopicNote(
  tx: Transaction,
  { topicId, at, text, now, by }: { topicId: Id; at: Date; text: string; now: Date; by: string },
): Promise<TopicNoteRow> {
  const rows = await rowsOf<TopicNoteRow>(
    tx,
    statement`INSERT INTO strandline.topic_notes AS n (topic_id, at, text, added_at, added_by)
      VALUES (${topicId}, ${at}, ${text}, ${now}, ${by}) RETURNING ${COLUMNS}`,
  );
  return onlyRow(rows);
}

export async function updateTopicNote(
  tx: Transaction,
  { id, at, text, now }: { id: Id; at: Date; text: string; now: Date },
): Promise<TopicNoteRow> {
  const rows = await rowsOf<TopicNoteRow>(
    tx,
    statement`UPDATE strandline.topic_notes n SET at = ${at}, text = ${text}, edited_at = ${now} WHERE n.id = ${id} RETURNING ${COLUMNS}`,
  );
  return onlyRow(rows);
}

export async function deleteTopicNote(tx: Transaction, id: Id): Promise<void> {
  await execute(tx, statement`DELETE FROM strandline.topic_notes WHERE id = ${id}`);
}
