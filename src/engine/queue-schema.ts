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

/** `absent`: no tables, or tables that are not all that BullMQ's migrations made. */
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
  // What is left of tables cannot be migrated, and nothing in them is needed: the scan offers all work again.
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
    const version = await assertSchemaCompatibility(client, QUEUE_SCHEMA);
    if (version < LATEST_SCHEMA_VERSION) return 'behind';
    // A newer version that is still compatible has a shape of its own.
    return version > LATEST_SCHEMA_VERSION || (await readShape(client)) === QUEUE_SHAPE
      ? 'current'
      : 'absent';
  } catch (error) {
    if (error instanceof SchemaVersionMismatchError) return 'newer';
    throw error;
  }
}

/** {@link readShape} of what the migrations of our BullMQ (exactly 6.7.0) make; a database that was restored in part has less. */
export const QUEUE_SHAPE = '13913459a5d41a37653edab866b1e4b4';

/**
 * A digest of tables, columns, indexes, triggers and functions by name, and of what functions do. Not of what the server
 * writes in its own words, which depends on its version and on the search path.
 */
export async function readShape(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ shape: string }>(
    `SELECT md5(string_agg(line, E'\n' ORDER BY line COLLATE "C")) AS shape FROM (
       SELECT concat_ws(' ', c.relkind, c.relname, a.attname, y.typname, a.attnotnull) AS line
       FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       LEFT JOIN pg_type y ON y.oid = a.atttypid
       WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p', 'i', 'S')
       UNION ALL
       SELECT concat_ws(' ', 'trigger', t.tgname) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
       WHERE c.relnamespace = $1::regnamespace AND NOT t.tgisinternal
       UNION ALL
       SELECT concat_ws(' ', 'function', proname, pronargs, md5(prosrc)) FROM pg_proc WHERE pronamespace = $1::regnamespace
     ) lines`,
    [QUEUE_SCHEMA],
  );
  return rows[0]?.shape;
}
