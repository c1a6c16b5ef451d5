/** The queue's schema in Postgres, whose tables BullMQ creates and migrates. Nothing in it is needed: the scan enqueues all work again. */

import { Refused } from '../../model/errors.ts';
import { changeInUse } from '../postgres/change-in-use.ts';
import type { Client } from 'pg';

/** The Postgres schema of the queue. */
export const QUEUE_SCHEMA = 'bullmq';

/** Major version of our BullMQ, and version of its schema. A test compares them with BullMQ, which commands do not load. */
export const QUEUE_CLIENT = 6;
export const QUEUE_VERSION = 11;

/** `absent`: no list of migrations, or an empty one. */
type QueueState = 'absent' | 'behind' | 'current' | 'newer';

/**
 * Migrates the queue's tables in one BullMQ transaction. The client must be a single connection.
 * @returns whether anything was migrated
 * @throws Refused if a newer BullMQ created them
 */
export async function migrateQueue(client: Client): Promise<boolean> {
  switch (await queueState(client)) {
    case 'current':
      return false;
    case 'newer':
      throw new Refused(
        'conflict',
        `The schema "${QUEUE_SCHEMA}" was created by a newer BullMQ than this strandline includes. ` +
          'Upgrade strandline.',
      );
    case 'behind':
      await applyMigrations(client);
      return true;
    case 'absent':
      // BullMQ cannot migrate tables without their list of migrations.
      await recreateQueue(client);
      return true;
  }
}

/** Drops the schema with everything in it, and creates it again. Workers that use it continue. */
export async function recreateQueue(client: Client): Promise<void> {
  await changeInUse(client, () => client.query(`DROP SCHEMA IF EXISTS ${QUEUE_SCHEMA} CASCADE`));
  await applyMigrations(client);
}

/** Deletes every job, in the caller's transaction. Workers that use the queue continue. */
export async function emptyQueue(client: Client): Promise<void> {
  if ((await queueState(client)) !== 'absent')
    await client.query(`TRUNCATE ${QUEUE_SCHEMA}.job, ${QUEUE_SCHEMA}.scheduler CASCADE`);
}

async function applyMigrations(client: Client): Promise<void> {
  const { runMigrations } = await import('bullmq');
  await runMigrations(client, QUEUE_SCHEMA);
}

/** The version of the queue's tables, as BullMQ's migrations recorded it. */
export async function queueState(client: Client): Promise<QueueState> {
  const { rows } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('${QUEUE_SCHEMA}.migration') IS NOT NULL AS there`,
  );
  if (rows[0]?.there !== true) return 'absent';
  // The schema records its oldest compatible client.
  const { rows: made } = await client.query<{ version: number | null; client: number | null }>(
    `SELECT max(version)::int AS version, max((to_jsonb(m)->>'min_client_version')::int) AS client
     FROM ${QUEUE_SCHEMA}.migration m`,
  );
  const { version = null, client: oldestClient = null } = made[0] ?? {};
  if (version === null) return 'absent';
  if (oldestClient !== null && oldestClient > QUEUE_CLIENT) return 'newer';
  return version < QUEUE_VERSION ? 'behind' : 'current';
}
