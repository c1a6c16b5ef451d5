/** Paid, unparsed responses, and workers that have spooled some. */
import type { Database, Id } from '../../src/store/db/database.ts';
import type { World } from '../world.ts';

/** A run that failed although its response was stored. @returns the run */
export async function storeUnread(
  { pool }: Pick<Database, 'pool'>,
  searchId: Id,
  receivedAt: Date,
): Promise<Id> {
  const { rows } = await pool.query<{ id: Id }>(
    `WITH run AS (
       INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, code, created_at, started_at, ended_at)
       VALUES ($1, 1, 1, 'manual', 'failed', 'internal', $2, $2, $2) RETURNING id
     )
     INSERT INTO strandline.responses (run_id, n, http_status, content_type, body, sha256, bytes, received_at)
     SELECT id, 1, 200, 'application/json', '', '', 0, $2 FROM run RETURNING run_id AS id`,
    [searchId, receivedAt],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('no response was stored');
  return row.id;
}

/** A live worker. */
export async function heartbeatOf(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  { name, spooled = 0 }: { name: string; spooled?: number },
): Promise<void> {
  await db.pool.query(
    `INSERT INTO strandline.workers (name, version, queue, concurrency, skew_ms, spooled, started_at, seen_at)
     VALUES ($1, '1', 'postgres', 8, 0, $2, $3, $3)`,
    [name, spooled, clock.now()],
  );
}
