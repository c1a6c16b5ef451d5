/** What the search service takes of public sources, counted over every process. */
import { DAY, type Clock } from '../engine/clock.ts';
import type { Database } from './database.ts';

/** `most` whole units of one source in one period such as `2026-11-21`. */
export type SourceAllowance = { source: string; period: string; most: number };

/** Periods that nobody counted in for so long are forgotten: a slow clock may still be in yesterday's. */
const KEPT_MS = 40 * DAY;

/**
 * Two who take at once: the second waits for the row, then compares with what the first has left.
 * A row is swept only in a period that is not the one asked for: a statement cannot change a row twice.
 */
const TAKE = `
WITH swept AS (
  DELETE FROM strandline.source_allowances WHERE source = $1 AND period <> $2 AND counted_at < $6
)
INSERT INTO strandline.source_allowances AS a (source, period, units, counted_at)
SELECT $1, $2, $3::bigint, $5 WHERE $3::bigint <= $4::bigint
ON CONFLICT (source, period) DO UPDATE SET units = a.units + excluded.units, counted_at = excluded.counted_at
  WHERE a.units + excluded.units <= $4::bigint
RETURNING units`;

/** Takes units; false, and nothing is taken, where fewer than that are left. */
export async function takeAllowance(
  db: Pick<Database, 'pool'>,
  clock: Clock,
  { source, period, most }: SourceAllowance,
  units: number,
): Promise<boolean> {
  const now = clock.now();
  const { rowCount } = await db.pool.query({
    name: 'take_source_allowance',
    text: TAKE,
    values: [source, period, units, most, now, new Date(now.getTime() - KEPT_MS)],
  });
  return rowCount === 1;
}

/** Gives back what was taken and not used. */
export async function giveBackAllowance(
  db: Pick<Database, 'pool'>,
  { source, period }: SourceAllowance,
  units: number,
): Promise<void> {
  await db.pool.query(
    `UPDATE strandline.source_allowances SET units = greatest(0, units - $3::bigint) WHERE source = $1 AND period = $2`,
    [source, period, units],
  );
}

/** Units taken in the period. */
export async function usedAllowance(
  db: Pick<Database, 'pool'>,
  { source, period }: SourceAllowance,
): Promise<number> {
  const { rows } = await db.pool.query<{ units: bigint }>(
    'SELECT units FROM strandline.source_allowances WHERE source = $1 AND period = $2',
    [source, period],
  );
  return Number(rows[0]?.units ?? 0);
}
