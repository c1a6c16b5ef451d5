/** Rows that go by their age, in batches so short that no save waits for one. */
import type { Database } from '../database.ts';

const BATCH = 1_000;

/** Raw answers are not storage. Goes by when they were received. */
const ANSWERS = `
DELETE FROM strandline.answers WHERE (run_id, n) IN
  (SELECT run_id, n FROM strandline.answers WHERE received_at < $1 ORDER BY received_at LIMIT $2)`;

/**
 * Goes by when their run ended. Ids rise with time, so that looking at the oldest is enough; those that a later
 * replay wrote anew wait until they are among them.
 */
const REJECTS = `
DELETE FROM strandline.rejects WHERE id IN
  (SELECT j.id FROM (SELECT id, run_id FROM strandline.rejects ORDER BY id LIMIT $2) j
   JOIN strandline.runs r ON r.id = j.run_id WHERE r.ended_at < $1)`;

const STATEMENTS = { answers: ANSWERS, rejects: REJECTS } as const;
export type Expiring = keyof typeof STATEMENTS;

/**
 * Deletes what is older than `before`.
 * @param goOn asked after each batch
 * @returns how many rows, and whether nothing is left
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
