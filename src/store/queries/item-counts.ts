/** How many items a list has, and how they spread over time. */

import { type Pooled, onlyRow } from '../db/database.ts';
import { rowsOf, type Statement, statement } from '../db/statement.ts';

/** A subquery with one row per item: `id` and `at`. */
export type ItemSelection = Statement;

/** Items of a bucket that begins at `at`. Buckets without items are left out. */
type ItemBucket = { at: Date; items: number };

/** Counts the rows of a selection that may end after as many as are needed. */
export async function countItems({ pool }: Pooled, items: ItemSelection): Promise<number> {
  const rows = await rowsOf<{ n: number }>(pool, statement`SELECT count(*)::int AS n FROM (${items}) items`);
  return onlyRow(rows).n;
}

/**
 * Counts all items, and those from `from` until before `until` per bucket.
 * @param per `seconds` of a bucket; buckets begin at multiples of it since 1970
 */
export async function countItemsOverTime(
  { pool }: Pooled,
  items: ItemSelection,
  per: { seconds: number; from: Date; until: Date },
): Promise<{ total: number; buckets: ItemBucket[] }> {
  const rows = await rowsOf<{ at: Date | null; items: number }>(
    pool,
    statement`SELECT CASE WHEN at >= ${per.from}::timestamptz AND at < ${per.until}::timestamptz
        THEN date_bin(make_interval(secs => ${per.seconds}), at, 'epoch') END AS at, count(*)::int AS items
      FROM (${items}) items GROUP BY 1 ORDER BY 1`,
  );
  return {
    total: rows.reduce((sum, row) => sum + row.items, 0),
    buckets: rows.flatMap((row) => (row.at === null ? [] : [{ at: row.at, items: row.items }])),
  };
}
