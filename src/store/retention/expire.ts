/** What goes by its age, in batches so short that no save waits for one. */
import type { Database } from '../database.ts';

const BATCH = 1_000;

/** Raw responses are not storage, once they were read. Goes by when they were received. */
const ANSWERS = `
DELETE FROM strandline.answers WHERE (run_id, n) IN
  (SELECT run_id, n FROM strandline.answers WHERE received_at < $1 AND read_at IS NOT NULL ORDER BY received_at LIMIT $2)`;

/**
 * Goes by when their run ended. Ids rise with time, so that looking at the oldest is enough; those that a later
 * replay wrote anew wait until they are among them.
 */
const REJECTS = `
DELETE FROM strandline.rejects WHERE id IN
  (SELECT j.id FROM (SELECT id, run_id FROM strandline.rejects ORDER BY id LIMIT $2) j
   JOIN strandline.runs r ON r.id = j.run_id WHERE r.ended_at < $1)`;

/**
 * What messages said goes by their last attempt; that they were sent, and of which discoveries, stays. One that was
 * given up and is sent again afterwards says what is left of it. Asked twice for its state: somebody may send it again
 * in between.
 */
const OVER = `state IN ('delivered', 'dead', 'cancelled') AND body IS NOT NULL AND last_attempt_at < $1`;
const MESSAGES = `
UPDATE strandline.deliveries SET body = NULL, answer = NULL WHERE ${OVER} AND id IN
  (SELECT id FROM strandline.deliveries WHERE ${OVER} ORDER BY id LIMIT $2)`;

/** Goes by when it was written. */
const AUDIT = `
DELETE FROM strandline.audit_log WHERE id IN (SELECT id FROM strandline.audit_log WHERE at < $1 ORDER BY at LIMIT $2)`;

const STATEMENTS = { answers: ANSWERS, rejects: REJECTS, messages: MESSAGES, audit: AUDIT } as const;
export type Expiring = keyof typeof STATEMENTS;

/**
 * Lets go of what is older than `before`.
 * @param goOn asked after each batch
 * @returns of how many rows, and whether nothing is left
 */
export async function expire(
  db: Database,
  kind: Expiring,
  before: Date,
  goOn: () => boolean,
): Promise<{ deleted: number; done: boolean }> {
  for (let deleted = 0; ; ) {
    const { rowCount } = await db.pool.query(STATEMENTS[kind], [before, BATCH]);
    if ((rowCount ?? 0) === 0) return { deleted, done: true };
    deleted += rowCount ?? 0;
    if (!goOn()) return { deleted, done: false };
  }
}
