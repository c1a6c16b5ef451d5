import type { Database } from './database.ts';

/**
 * The newest month that is known to be there. No other is remembered: retention drops old ones, and whoever
 * reads an old answer again needs its month anew.
 */
const newest = new WeakMap<Database, string>();

/** Makes sure that snapshots taken at `at`, and in the month after it, have a partition. Cheap when they have. */
export async function ensurePartitions(db: Database, at: Date): Promise<void> {
  const month = at.toISOString().slice(0, 7);
  const known = newest.get(db);
  if (known === month) return;
  await db.pool.query(
    `SELECT strandline.ensure_snapshot_partitions($1, $1::timestamptz + interval '1 month')`,
    [at],
  );
  if (known === undefined || known < month) newest.set(db, month);
}
