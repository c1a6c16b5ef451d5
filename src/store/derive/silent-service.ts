/** Whether a whole service fell silent with one of its searches. */
import type { Id, Transaction } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';

/** One other search may be silent by chance. */
const MIN_SEARCHES = 2;

/**
 * The service of a search, with the number of its other searches that found posts in the time before, and were observed since; null
 * if one of these has found a post since, or there are fewer than two.
 * @param beforeMs length of the time before
 */
export async function readSilentService(
  tx: Transaction,
  searchId: Id,
  since: Date,
  beforeMs: number,
): Promise<{ service: string; searches: number } | null> {
  const [row] = await rowsOf<{ service: string; searches: number; found: number }>(
    tx,
    statement`SELECT v.name AS service, count(*)::int AS searches, (count(*) FILTER (WHERE x.found))::int AS found
      FROM strandline.searches s
      JOIN strandline.searches o ON o.service_id = s.service_id AND o.id <> s.id AND o.operation = s.operation
        AND o.archived_at IS NULL
      JOIN strandline.services v ON v.id = s.service_id
      CROSS JOIN LATERAL (
        SELECT EXISTS (SELECT FROM strandline.volume WHERE search_id = o.id AND exposed_posts > 0 AND bucket_at >= ${since}) AS found
      ) x
      WHERE s.id = ${searchId}
        AND EXISTS (SELECT FROM strandline.coverage WHERE search_id = o.id AND observed_until > ${since})
        AND EXISTS (SELECT FROM strandline.volume WHERE search_id = o.id AND exposed_posts > 0
          AND bucket_at < ${since} AND bucket_at >= ${new Date(since.getTime() - beforeMs)})
      GROUP BY v.name`,
  );
  if (row === undefined || row.searches < MIN_SEARCHES || row.found > 0) return null;
  return { service: row.service, searches: row.searches };
}
