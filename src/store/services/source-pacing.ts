/** Allowances and rate limits of public sources, shared by all processes. */

import { DAY } from '../../lib/time.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Pooled } from '../db/database.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';

/** How many whole units of a source may be used in a period such as `2026-11-21`. */
type SourceAllowance = { source: string; period: string; most: number };

/** Periods unused for this long are deleted: a slow clock may still be in yesterday's. */
const RETENTION_MS = 40 * DAY;

/** Takes units; returns false and takes none if fewer are left. */
export async function takeAllowance(
  db: Pooled,
  clock: Clock,
  { source, period, most }: SourceAllowance,
  units: number,
): Promise<boolean> {
  const now = clock.now();
  const unused = new Date(now.getTime() - RETENTION_MS);
  // Concurrent calls: the second waits for the row, then compares with the remaining units. Only rows of other
  // periods are deleted, because a statement cannot change a row twice.
  const { rowCount } = await execute(
    db.pool,
    statement`WITH swept AS (
      DELETE FROM strandline.source_allowances WHERE source = ${source} AND period <> ${period} AND counted_at < ${unused}
    )
    INSERT INTO strandline.source_allowances AS a (source, period, units, counted_at)
    SELECT ${source}, ${period}, ${units}::bigint, ${now} WHERE ${units}::bigint <= ${most}::bigint
    ON CONFLICT (source, period) DO UPDATE SET units = a.units + excluded.units, counted_at = excluded.counted_at
      WHERE a.units + excluded.units <= ${most}::bigint
    RETURNING units`,
    'take_source_allowance',
  );
  return rowCount === 1;
}

/** Refunds unused units. */
export async function refundAllowance(
  db: Pooled,
  { source, period }: SourceAllowance,
  units: number,
): Promise<void> {
  await execute(
    db.pool,
    statement`UPDATE strandline.source_allowances SET units = greatest(0, units - ${units}::bigint)
      WHERE source = ${source} AND period = ${period}`,
  );
}

/** Units taken in the period. */
export async function readUsedAllowance(db: Pooled, { source, period }: SourceAllowance): Promise<number> {
  const { rows } = await execute<{ units: bigint }>(
    db.pool,
    statement`SELECT units FROM strandline.source_allowances WHERE source = ${source} AND period = ${period}`,
  );
  return Number(rows[0]?.units ?? 0);
}

/**
 * Reserves the next turn of a source, at least `everyMs` after the previous one, across all machines.
 * @returns milliseconds until the turn; undefined, and nothing is reserved, if that exceeds `maxWaitMs`
 */
export async function reserveSourceTurn(
  db: Pooled,
  source: string,
  everyMs: number,
  maxWaitMs: number,
): Promise<number | undefined> {
  // The turn after the last one. Nobody waits ten minutes for a turn, so a turn further ahead is left over from another clock.
  const nextTurn = statement`CASE WHEN t.at <= clock_timestamp() + interval '10 minutes'
    THEN t.at + ${everyMs} * interval '1 ms' ELSE clock_timestamp() END`;
  // Concurrent calls: the second waits for the row, and gets the turn after the first.
  const [turn] = await rowsOf<{ wait_ms: number }>(
    db.pool,
    statement`INSERT INTO strandline.source_pacing AS t (source, at) VALUES (${source}, clock_timestamp())
      ON CONFLICT (source) DO UPDATE SET at = greatest(clock_timestamp(), ${nextTurn})
        WHERE ${nextTurn} <= clock_timestamp() + ${maxWaitMs} * interval '1 ms'
      RETURNING greatest(0, extract(epoch FROM at - clock_timestamp()) * 1000)::float8 AS wait_ms`,
    'next_source_turn',
  );
  return turn && Math.ceil(turn.wait_ms);
}
