/** How many items a list has, and how they spread over time. */

import { type Pooled, onlyRow } from '../db/database.ts';

/** A subquery with one row per item, `id` and `at`, and its parameters. */
export type ItemSelection = { sql: string; values: readonly unknown[] };

/** Items of a bucket that begins at `at`. Buckets without items are left out. */
type ItemBucket = { at: Date; items: number };

/** Counts the rows of a selection that may end after as many as are needed. */
export async function countItems({ pool }: Pooled, { sql, values }: ItemSelection): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM (${sql}) items`, [
    ...values,
  ]);
  return onlyRow(rows).n;
}

/**
 * Counts all items, and those from `from` until before `until` per bucket.
 * @param per `seconds` of a bucket; buckets begin at multiples of it since 1970
 */
export async function countItemsOverTime(
  { pool }: Pooled,
  { sql, values }: ItemSelection,
  per: { seconds: number; from: Date; until: Date },
): Promise<{ total: number; buckets: ItemBucket[] }> {
  const n = values.length;
  const { rows } = await pool.query<{ at: Date | null; items: number }>(
    `SELECT CASE WHEN at >= $${n + 1}::timestamptz AND at < $${n + 2}::timestamptz
       THEN date_bin(make_interval(secs => $${n + 3}), at, 'epoch') END AS at, count(*)::int AS items
     FROM (${sql}) items GROUP BY 1 ORDER BY 1`,
    [...values, per.from, per.until, per.seconds],
  );
  return {
    total: rows.reduce((sum, { items }) => sum + items, 0),
    buckets: rows.flatMap(({ at, items }) => (at === null ? [] : [{ at, items }])),
  };
}
