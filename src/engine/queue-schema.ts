import { assertSchemaCompatibility, runMigrations, SchemaVersionMismatchError } from 'bullmq';
import type pg from 'pg';
import { Refused } from '../errors.ts';

/** The Postgres schema of the queue. */
export const QUEUE_SCHEMA = 'bullmq';

/**
 * Brings the queue's tables up to date, in one transaction of BullMQ's own. The client must be a single
 * connection. Returns whether there was anything to do.
 * @throws Refused where a newer BullMQ made them
 */
export async function migrateQueue(client: pg.Client): Promise<boolean> {
  const before = await queueVersion(client);
  try {
    return (await runMigrations(client, QUEUE_SCHEMA)) !== before;
  } catch (error) {
    throw inWords(error);
  }
}

/**
 * The version of the queue's tables; undefined where there are none.
 * @throws Refused where a newer BullMQ made them
 */
export async function queueVersion(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('${QUEUE_SCHEMA}.migration') IS NOT NULL AS there`,
  );
  if (rows[0]?.there !== true) return undefined;
  try {
    return await assertSchemaCompatibility(client, QUEUE_SCHEMA);
  } catch (error) {
    throw inWords(error);
  }
}

function inWords(error: unknown): unknown {
  if (!(error instanceof SchemaVersionMismatchError)) return error;
  return new Refused(
    'conflict',
    `The schema ${QUEUE_SCHEMA} was made by BullMQ ${error.minimumClientVersion}, which is newer than the ` +
      'one in this strandline; use the newer strandline.',
  );
}
