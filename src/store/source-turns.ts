import type { Database } from './database.ts';

/** Two who ask at once: the second waits for the row, then comes after the turn that the first was given. */
const NEXT = `
INSERT INTO strandline.source_turns AS t (source, at) VALUES ($1, clock_timestamp())
ON CONFLICT (source) DO UPDATE SET at = greatest(clock_timestamp(), t.at + $2 * interval '1 ms')
  WHERE t.at + $2 * interval '1 ms' <= clock_timestamp() + $3 * interval '1 ms'
RETURNING greatest(0, extract(epoch FROM at - clock_timestamp()) * 1000)::float8 AS wait_ms`;

/**
 * Reserves the next turn of a source, at least `everyMs` after the one before, over all machines.
 * @returns in how many milliseconds it is; undefined, and nothing is reserved, where that is more than `mostMs`
 */
export async function nextSourceTurn(
  db: Pick<Database, 'pool'>,
  source: string,
  everyMs: number,
  mostMs: number,
): Promise<number | undefined> {
  const { rows } = await db.pool.query<{ wait_ms: number }>({
    name: 'next_source_turn',
    text: NEXT,
    values: [source, everyMs, mostMs],
  });
  const waitMs = rows[0]?.wait_ms;
  return waitMs === undefined ? undefined : Math.ceil(waitMs);
}
