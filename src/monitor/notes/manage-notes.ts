/** Adds, edits and removes notes of a topic. */
import { createNotFound, InvalidInput, Refused } from '../../model/errors.ts';
import { cleanLine } from '../../lib/text.ts';
import { diffFields, nameActor, recordAudit } from '../../store/access/audit-entries.ts';
import { type Id, inTransaction, readTime } from '../../store/db/database.ts';
import {
  countTopicNotes,
  deleteTopicNote,
  insertTopicNote,
  lockTopicNote,
  MAX_NOTE_LENGTH,
  type TopicNote,
  updateTopicNote,
} from '../../store/topics/topic-notes.ts';
import { lockTopic } from '../../store/topics/topics.ts';
import type { ActingContext } from '../context.ts';
import { assertTopicNotRemoved } from '../topics/find-by-slug.ts';

const MAX_NOTES = 1_000;

/**
 * @param note.at default: now
 * @throws InvalidInput at `text`
 * @throws Refused `not_found`, `conflict` for a removed topic or too many notes
 */
export async function addNote(
  ctx: ActingContext,
  slug: string,
  note: { text: string; at?: Date | undefined },
): Promise<TopicNote> {
  const text = readText(note.text);
  await assertTopicNotRemoved(ctx.db, slug);
  return inTransaction(ctx.db, async (tx) => {
    const topic = await lockTopic(tx, slug);
    if (topic === null) throw createNotFound('topic', slug);
    if ((await countTopicNotes(tx, topic.id)) >= MAX_NOTES)
      throw new Refused('conflict', `a topic has at most ${MAX_NOTES} notes; remove one first`);
    const now = await readTime(tx, ctx.clock);
    const { at = now } = note;
    const row = await insertTopicNote(tx, { topicId: topic.id, at, text, now, by: nameActor(ctx.actor) });
    await recordAudit(tx, ctx, {
      action: 'topic.note_added',
      subject: topic.slug,
      changes: { note: { after: text }, at: { after: at } },
    });
    return { ...row, topic: topic.slug };
  });
}

/** @param change members that are omitted stay @throws InvalidInput at `text`; Refused `not_found` */
export async function editNote(
  ctx: ActingContext,
  id: Id,
  change: { text?: string | undefined; at?: Date | undefined },
): Promise<TopicNote> {
  return inTransaction(ctx.db, async (tx) => {
    const before = await lockTopicNote(tx, id);
    if (before === null) throw createUnknownNote(id);
    const after = {
      text: change.text === undefined ? before.text : readText(change.text),
      at: change.at ?? before.at,
    };
    const changes = diffFields({ text: before.text, at: before.at }, after);
    if (Object.keys(changes).length === 0) return before;
    const now = await readTime(tx, ctx.clock);
    const row = await updateTopicNote(tx, { id, ...after, now });
    await recordAudit(tx, ctx, { action: 'topic.note_changed', subject: before.topic, changes });
    return { ...row, topic: before.topic };
  });
}

/** @returns what was removed @throws Refused `not_found` */
export async function removeNote(ctx: ActingContext, id: Id): Promise<TopicNote> {
  return inTransaction(ctx.db, async (tx) => {
    const note = await lockTopicNote(tx, id);
    if (note === null) throw createUnknownNote(id);
    await deleteTopicNote(tx, id);
    await recordAudit(tx, ctx, {
      action: 'topic.note_removed',
      subject: note.topic,
      changes: { note: { before: note.text }, at: { before: note.at } },
    });
    return note;
  });
}

const createUnknownNote = (id: Id) =>
  new Refused('not_found', `there is no note ${id}; to list them: strandline notes list TOPIC`);

/** One line. @throws InvalidInput */
function readText(given: string): string {
  const text = cleanLine(given.toWellFormed());
  const { length } = Array.from(text);
  if (length > 0 && length <= MAX_NOTE_LENGTH) return text;
  throw new InvalidInput([
    { path: 'text', given: given.slice(0, 200), expected: `a text of 1 to ${MAX_NOTE_LENGTH} characters` },
  ]);
}
