import type { Database } from './database.ts';

const ready = new WeakMap<Database, Set<string>>();

/** Makes sure that snapshots taken at `at`, and in the month after it, have a partition. Cheap when they have. */
export async function ensurePartitions(db: Database, at: Date): Promise<void> {
  const months = ready.get(db) ?? new Set<string>();
  ready.set(db, months);
  const month = at.toISOString().slice(0, 7);
  if (months.has(month)) return;
  await db.pool.query(
    `SELECT strandline.ensure_snapshot_partitions($1, $1::timestamptz + interval '1 month')`,
    [at],
  );
  months.add(month);
}
