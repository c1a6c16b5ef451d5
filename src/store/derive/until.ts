/** Up to when what follows from runs is derived. */
import { SECOND } from '../../engine/clock.ts';
import type { Database, Id } from '../database.ts';

/** A search of which something waits, and when the oldest response was received that is not derived yet. */
export type DerivedUntil = { search_id: Id; as_of: Date };

/** Of searches, those of a topic or topics, or all: which are not derived up to now. */
export async function readDerivedUntil(
  { pool }: Pick<Database, 'pool'>,
  { search, topic }: { search?: string | undefined; topic?: string | readonly string[] | undefined },
): Promise<DerivedUntil[]> {
  const topics = typeof topic === 'string' ? [topic] : topic;
  const { rows } = await pool.query<DerivedUntil>({
    name: 'derived_until',
    text: `SELECT search_id, as_of FROM strandline_analytics.derived_until
      WHERE waiting > 0 AND ($1::text IS NULL OR search = $1) AND ($2::text[] IS NULL OR topic = ANY ($2))`,
    values: [search ?? null, topics ?? null],
  });
  return rows;
}

/** Up to which time everything is derived of all of them; null: up to now. */
export function oldestOf(searches: readonly DerivedUntil[]): Date | null {
  return searches.reduce<Date | null>(
    (oldest, { as_of }) => (oldest === null || as_of < oldest ? as_of : oldest),
    null,
  );
}

/** Figures that are so old are called current: what came in the last seconds is on its way. */
const IN_TIME_MS = 15 * SECOND;

/** Whether people are told that figures are behind. */
export function isBehind(until: Date, now: Date): boolean {
  return now.getTime() - until.getTime() > IN_TIME_MS;
}
