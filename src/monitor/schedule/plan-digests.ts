/** Plans the digests of rules with a schedule. Workers compose them: `monitor/alerts/compose-digests.ts`. */
import {
  insertPlannedDigest,
  listDueDigests,
  lockDueDigest,
  setDigestDue,
} from '../../store/alerts/digests.ts';
import { inTransaction } from '../../store/db/database.ts';
import { requestRecurringWork } from '../../store/runs/scanner.ts';
import type { Context } from '../context.ts';
import { nextSlot } from './cadence.ts';

/** Rules of one scan. */
const PLANNED_AT_ONCE = 100;

/** The name of the recurring work that composes what is planned. */
export const DIGEST_WORK = 'digests';

/**
 * Plans digests that are due, each slot once. Slots that passed while no scan ran are one digest, at the first of them.
 * @param now by the database's clock
 */
export async function planDigests({ db }: Pick<Context, 'db'>, now: Date): Promise<void> {
  for (const id of await listDueDigests(db.pool, now, PLANNED_AT_ONCE))
    await inTransaction(db, async (tx) => {
      const rule = await lockDueDigest(tx, id, now);
      if (rule === null) return;
      const { digest: cron, tz, digest_due_at: dueAt } = rule;
      if (dueAt !== null) {
        await insertPlannedDigest(tx, { ruleId: id, dueAt, now });
        await requestRecurringWork(tx, DIGEST_WORK, now);
      }
      await setDigestDue(tx, id, new Date(nextSlot({ kind: 'cron', cron, tz }, now)));
    });
}
