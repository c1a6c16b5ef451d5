/**
 * Keys of the texts of posts from before `copies` of the migrations, the oldest first, in batches of one transaction each. What
 * proves to be one thing is then reported once: its older discoveries stay, and one of them is first in its topic.
 */
import { hashFoldedText } from '../../model/copies.ts';
import { settleThings } from '../topics/copies.ts';
import { type Database, type Id, inTransaction, type Transaction } from '../db/database.ts';
import { POST_KEY_SQL, type TopicItem } from '../save/topic-items.ts';
import { lockAgainstForgetting } from '../erase/forget-lock.ts';

const S = 'strandline';
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
  await lockAgainstForgetting(tx);
  const { rows } = await tx.query<{ value: string }>(
    `SELECT value FROM ${S}.facts WHERE name = $1 FOR UPDATE`,
    [PROGRESS],
  );
  if (rows[0] === undefined) return true;
  const last = await fillPosts(tx, BigInt(rows[0].value));
  if (last === null) await tx.query(`DELETE FROM ${S}.facts WHERE name = $1`, [PROGRESS]);
  else await tx.query(`UPDATE ${S}.facts SET value = $2 WHERE name = $1`, [PROGRESS, String(last)]);
  return last === null;
}

/** Topics that found posts of which another has the text. $1 posts. */
const SELECT_COPIED = `
SELECT DISTINCT s.topic_id AS "topicId", ${POST_KEY_SQL} AS key, p.text_key AS "textKey"
FROM ${S}.posts p JOIN ${S}.discoveries d ON d.kind = 'post' AND d.thing = p.id JOIN ${S}.searches s ON s.id = d.search_id
WHERE p.id = ANY ($1::bigint[]) AND EXISTS (
  SELECT FROM ${S}.posts o WHERE o.text_key = p.text_key AND o.id <> p.id OFFSET 0)`;

/** Locks posts in the order of the save. @returns the last post of the batch; null if there is none */
async function fillPosts(tx: Transaction, after: Id): Promise<Id | null> {
  const { rows } = await tx.query<{ id: Id; text: string; text_key: Id | null }>(
    `SELECT p.id, text, text_key FROM ${S}.posts p
     WHERE id = ANY (ARRAY(SELECT id FROM ${S}.posts WHERE id > $1 ORDER BY id LIMIT ${BATCH_SIZE}))
     ORDER BY service_id, external_id FOR NO KEY UPDATE`,
    [after],
  );
  if (rows.length === 0) return null;
  const filled = rows
    .filter(({ text_key }) => text_key === null)
    .map(({ id, text }) => ({ id, key: hashFoldedText(text) }))
    .filter(({ key }) => key !== null);
  const ids = filled.map(({ id }) => id);
  await tx.query(
    `UPDATE ${S}.posts p SET text_key = r.key FROM unnest($1::bigint[], $2::bigint[]) r(id, key) WHERE p.id = r.id`,
    [ids, filled.map(({ key }) => key)],
  );
  const { rows: copied } = await tx.query<TopicItem>(SELECT_COPIED, [ids]);
  await settleThings(tx, copied);
  return rows.reduce((last, { id }) => (id > last ? id : last), after);
}
