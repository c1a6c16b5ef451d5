/**
 * Keys of the texts of posts from before `copies` of the migrations, the oldest first, in batches of one transaction each. What
 * proves to be one thing is then reported once: its older discoveries stay, and one of them is first in its topic.
 */
import { hashFoldedText } from '../../model/copies.ts';
import { settleThings } from '../topics/copies.ts';
import { type Database, type Id, inTransaction, type Transaction } from '../db/database.ts';
import { POST_KEY_SQL, type TopicItem } from '../save/topic-items.ts';
import { lockAgainstErasing } from '../erase/save-lock.ts';
import { execute, rowsOf, statement, verbatim } from '../db/statement.ts';

const BATCH_SIZE = 1_000;
/** The fact with the last post that was read, which the migration writes if there are posts. */
const PROGRESS = 'text_keys';

/** @returns whether nothing is left */
export async function fillTextKeys(db: Database, batches: number, signal?: AbortSignal): Promise<boolean> {
  for (let n = 0; n < batches; n += 1) {
    if (signal?.aborted === true) return false;
    if (await inTransaction(db, fillBatch)) return true;
  }
  return false;
}

async function fillBatch(tx: Transaction): Promise<boolean> {
  await lockAgainstErasing(tx);
  const [progress] = await rowsOf<{ value: string }>(
    tx,
    statement`SELECT value FROM strandline.facts WHERE name = ${PROGRESS} FOR UPDATE`,
  );
  if (progress === undefined) return true;
  const last = await fillPosts(tx, BigInt(progress.value));
  await execute(
    tx,
    last === null
      ? statement`DELETE FROM strandline.facts WHERE name = ${PROGRESS}`
      : statement`UPDATE strandline.facts SET value = ${String(last)} WHERE name = ${PROGRESS}`,
  );
  return last === null;
}

/** Locks posts in the order of the save. @returns the last post of the batch; null if there is none */
async function fillPosts(tx: Transaction, after: Id): Promise<Id | null> {
  const rows = await rowsOf<{ id: Id; text: string; text_key: Id | null }>(
    tx,
    statement`SELECT p.id, text, text_key FROM strandline.posts p
      WHERE id = ANY (ARRAY(SELECT id FROM strandline.posts WHERE id > ${after} ORDER BY id LIMIT ${BATCH_SIZE}))
      ORDER BY service_id, external_id FOR NO KEY UPDATE`,
  );
  if (rows.length === 0) return null;
  const filled = rows
    .filter(({ text_key }) => text_key === null)
    .map(({ id, text }) => ({ id, key: hashFoldedText(text) }))
    .filter(({ key }) => key !== null);
  const ids = filled.map(({ id }) => id);
  const keys = filled.map(({ key }) => key);
  await execute(
    tx,
    statement`UPDATE strandline.posts p SET text_key = r.key FROM unnest(${ids}::bigint[], ${keys}::bigint[]) r(id, key)
      WHERE p.id = r.id`,
  );
  await settleThings(tx, await listCopied(tx, ids));
  return rows.reduce((last, { id }) => (id > last ? id : last), after);
}

/** The posts of which another post has the text, in the topics that found them. */
function listCopied(tx: Transaction, postIds: readonly Id[]): Promise<TopicItem[]> {
  return rowsOf<TopicItem>(
    tx,
    statement`SELECT DISTINCT s.topic_id AS "topicId", ${verbatim(POST_KEY_SQL)} AS key, p.text_key AS "textKey"
      FROM strandline.posts p
      JOIN strandline.discoveries d ON d.kind = 'post' AND d.thing = p.id
      JOIN strandline.searches s ON s.id = d.search_id
      WHERE p.id = ANY (${postIds}::bigint[]) AND EXISTS (
        SELECT FROM strandline.posts o WHERE o.text_key = p.text_key AND o.id <> p.id OFFSET 0)`,
  );
}
