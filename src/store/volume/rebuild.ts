import { type Database, type Id, inTransaction } from '../database.ts';
import { lookBack, rollUp } from './roll-up.ts';

/**
 * Runs of which a response was read, with the posts they returned and those they saw first, in the order of their answers. What only the
 * time itself could tell is taken from what was written down then: the interval of a schedule whose slots got their rows
 * later, and how many posts an answer held before those of a forgotten author were left out. $1 search.
 */
const RUNS = `
SELECT r.id AS run_id, coalesce(c.received_at, r.ended_at) AS observed_at, k.every_seconds,
  greatest(cardinality(rr.post_ids), k.posts) AS posts,
  (SELECT coalesce(array_agg(extract(epoch FROM p.created_at)::float8 * 1000), '{}') FROM strandline.posts p
    WHERE p.id = ANY (rr.post_ids) AND p.created_at IS NOT NULL) AS times,
  coalesce(f.times, '{}') AS new_times
FROM strandline.runs r
JOIN strandline.run_results rr ON rr.run_id = r.id
LEFT JOIN strandline.coverage k ON k.run_id = r.id
LEFT JOIN LATERAL (
  SELECT max(received_at) AS received_at FROM strandline.calls WHERE run_id = r.id AND state = 'received'
) c ON true
LEFT JOIN (
  SELECT first_run_id, array_agg(extract(epoch FROM post_created_at)::float8 * 1000) AS times
  FROM strandline.post_sightings WHERE search_id = $1 GROUP BY 1
) f ON f.first_run_id = r.id
WHERE r.search_id = $1
ORDER BY observed_at, r.id`;

type RunRow = {
  run_id: Id;
  observed_at: Date;
  every_seconds: number | null;
  posts: number;
  times: number[];
  new_times: (number | null)[];
};

/**
 * Makes the volume and the coverage of a search again from its runs and sightings, by the save's own statements.
 * A save of the same search that commits meanwhile is either seen as a whole or has the rebuild begin anew.
 * @returns how many runs were rolled up
 */
export async function rebuildVolume(db: Database, searchId: Id): Promise<number> {
  return inTransaction(db, async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    const { rows } = await tx.query<RunRow>(RUNS, [searchId]);
    await tx.query('DELETE FROM strandline.coverage WHERE search_id = $1', [searchId]);
    await tx.query('DELETE FROM strandline.volume WHERE search_id = $1', [searchId]);
    for (const row of rows) {
      const observed = {
        runId: row.run_id,
        observedAt: row.observed_at,
        everySeconds: row.every_seconds,
        posts: row.posts,
        times: row.times,
        newTimes: row.new_times,
      };
      await rollUp(tx, await lookBack(tx, observed), observed);
    }
    return rows.length;
  });
}
