import {
  assertSchemaCompatibility,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaVersionMismatchError,
} from 'bullmq';
import type { Client } from 'pg';
import { Refused } from '../errors.ts';

/** The Postgres schema of the queue. */
export const QUEUE_SCHEMA = 'bullmq';

/** `absent`: no tables, or what is left of tables whose list of migrations is gone. */
export type QueueState = 'absent' | 'behind' | 'current' | 'newer';

/**
 * Brings the queue's tables up to date, in one transaction of BullMQ's own. The client must be a single
 * connection. Returns whether there was anything to do.
 * @throws Refused where a newer BullMQ made them
 */
export async function migrateQueue(client: Client): Promise<boolean> {
  const before = await queueState(client);
  if (before === 'newer')
    throw new Refused(
      'conflict',
      `The schema "${QUEUE_SCHEMA}" was made by a newer BullMQ than the one in this strandline; ` +
        'use the newer strandline.',
    );
  if (before === 'current') return false;
  // Without their list of migrations tables cannot be migrated, and nothing in them is needed: the scan offers all work again.
  if (before === 'absent') await client.query(`DROP SCHEMA IF EXISTS ${QUEUE_SCHEMA} CASCADE`);
  await runMigrations(client, QUEUE_SCHEMA);
  return true;
}

/** In what state the queue's tables are. */
export async function queueState(client: Client): Promise<QueueState> {
  const { rows } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('${QUEUE_SCHEMA}.migration') IS NOT NULL AS there`,
  );
  if (rows[0]?.there !== true) return 'absent';
  const { rowCount } = await client.query(`SELECT FROM ${QUEUE_SCHEMA}.migration LIMIT 1`);
  if (rowCount === 0) return 'absent';
  try {
    return (await assertSchemaCompatibility(client, QUEUE_SCHEMA)) < LATEST_SCHEMA_VERSION
      ? 'behind'
      : 'current';
  } catch (error) {
    if (error instanceof SchemaVersionMismatchError) return 'newer';
    throw error;
  }
}
