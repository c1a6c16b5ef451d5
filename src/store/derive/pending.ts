/**
 * Readings of responses that nothing was derived from yet. The save inserts one in its own transaction; the follower takes
 * some, writes what they yield, and deletes them in one transaction: each is derived once, whoever is killed. Readings commit
 * in any order, so that there is no cursor.
 */
import type { Database, Id, Transaction } from '../database.ts';

const P = 'strandline.pending_derivations';

/** What the save knows of a reading and nobody can tell afterwards. */
export type Reading = {
  searchId: Id;
  runId: Id;
  /** When the response was received. */
  at: Date;
  /** How many posts it held, also those that were left out; null where it is not the result of its run. */
  posts: number | null;
  newPosts: readonly Id[];
  newLinks: readonly Id[];
  /** Posts that were known before and have other counters since. */
  changedPosts: readonly Id[];
  /** Read again or late: what its former reading held, and what was thought to be first seen later. */
  touchedPosts: readonly Id[];
  touchedLinks: readonly Id[];
  /** Whether spikes are looked for. */
  notify: boolean;
};

/** In the transaction of the save. */
export async function logReading(tx: Transaction, reading: Reading): Promise<void> {
  await tx.query({
    name: 'log_reading',
    text: `INSERT INTO ${P} (search_id, run_id, at, posts, new_posts, new_links, changed_posts, touched_posts, touched_links, checked, notify)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, false, $10)`,
    values: [
      reading.searchId,
      reading.runId,
      reading.at,
      reading.posts,
      reading.newPosts,
      reading.newLinks,
      reading.changedPosts,
      reading.touchedPosts,
      reading.touchedLinks,
      reading.notify,
    ],
  });
}

/**
 * One follower at a time: what a post gained counts for searches of any topic, so that topics cannot be derived apart.
 * @returns whether this transaction is the one
 */
export async function lockFollowing(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtext('strandline.derive')) AS locked`,
  );
  return rows[0]?.locked === true;
}

/** A reading in this batch. */
export type Taken = { id: Id; search_id: Id; run_id: Id; at: Date; notify: boolean; baseline: boolean };

/**
 * The oldest readings. Where some of a search wait to be derived again, its newest wait behind them; those of other searches go
 * first, so that a rebuild delays no spike.
 * $1 most, $2 how long ago they came at least, in milliseconds, for others may come before them; null: however lately;
 * $3 of simulations.
 */
const TAKE = `
SELECT p.id, p.search_id, p.run_id, p.at, p.notify, r.baseline
FROM (SELECT *, bool_and(notify) OVER (PARTITION BY search_id) AS is_first FROM ${P}) p
JOIN strandline.runs r ON r.id = p.run_id
JOIN strandline.searches s ON s.id = p.search_id
WHERE coalesce(p.at <= clock_timestamp() - $2 * interval '1 millisecond', true) AND (s.simulation IS NOT NULL) = $3
ORDER BY p.is_first DESC, p.at, p.run_id, p.id LIMIT $1`;

export async function takeReadings(
  tx: Transaction,
  { limit, settleMs, simulated }: { limit: number; settleMs: number | null; simulated: boolean },
): Promise<Taken[]> {
  const values = [limit, settleMs, simulated];
  const { rows } = await tx.query<Taken>({ name: 'take_readings', text: TAKE, values });
  return rows;
}

/** At the end of the batch. A follower that worked on what another one has derived fails here, and begins anew. */
export async function removeReadings(tx: Transaction, ids: readonly Id[]): Promise<void> {
  await tx.query(`DELETE FROM ${P} WHERE id = ANY ($1::bigint[])`, [ids]);
}

/** How far the follower is behind: what waits, and for how long; what is derived again does not count as old. */
export type Lag = { readings: number; oldestSeconds: number | null };

export async function readLag({ pool }: Pick<Database, 'pool'>): Promise<Lag> {
  const { rows } = await pool.query<Lag>(
    `SELECT count(*)::int AS readings,
       extract(epoch FROM clock_timestamp() - min(at) FILTER (WHERE notify))::float8 AS "oldestSeconds" FROM ${P}`,
  );
  return rows[0] ?? { readings: 0, oldestSeconds: null };
}

/**
 * Up to which time everything is derived of a search, or of all of a topic's: what was received since then is not in volume,
 * growth, tallies and what rises. Null where nothing waits.
 */
export async function derivedUntil(
  { pool }: Pick<Database, 'pool'>,
  { search, topic }: { search?: string | undefined; topic?: string | undefined },
): Promise<Date | null> {
  const { rows } = await pool.query<{ until: Date | null }>({
    name: 'derived_until',
    text: `SELECT min(p.at) AS until FROM ${P} p
      JOIN strandline.searches s ON s.id = p.search_id JOIN strandline.topics t ON t.id = s.topic_id
      WHERE ($1::text IS NULL OR s.slug = $1) AND ($2::text IS NULL OR t.slug = $2)`,
    values: [search ?? null, topic ?? null],
  });
  return rows[0]?.until ?? null;
}
