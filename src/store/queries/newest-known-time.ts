/** What a search has seen of its newest posts. */
import type { Id, Pooled } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';

/**
 * Until when the posts of a run's request are known: the newest publication time in the last successful response that had posts, at
 * most when it was received; without any post, when the last successful run ended.
 * @returns null if the request has not succeeded yet
 */
export async function readNewestKnown({ pool }: Pooled, runId: Id): Promise<Date | null> {
  const { rows } = await execute<{ at: Date | null }>(
    pool,
    statement`WITH earlier AS (
        SELECT b.id, b.search_id, b.ended_at, rr.post_ids FROM strandline.runs r
        JOIN strandline.runs b ON b.search_id = r.search_id AND b.request_version = r.request_version
        JOIN strandline.run_results rr ON rr.run_id = b.id
        WHERE r.id = ${runId} AND b.id < r.id AND b.status = 'succeeded' ORDER BY b.id DESC
      ), newest AS (SELECT * FROM earlier WHERE cardinality(post_ids) > 0 LIMIT 1)
      SELECT coalesce(
        (SELECT least(max(g.post_created_at), max(n.ended_at)) FROM newest n, unnest(n.post_ids) u(id)
         JOIN strandline.post_sightings g ON g.post_id = u.id WHERE g.search_id = n.search_id),
        (SELECT ended_at FROM earlier LIMIT 1)) AS at`,
    'newest_known',
  );
  return rows[0]?.at ?? null;
}
