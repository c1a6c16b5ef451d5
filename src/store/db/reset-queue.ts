/** Empties the queue of a database and creates it again. What is due is in our tables, so workers enqueue it again. */

import type { DatabaseKind } from '../../model/database-kind.ts';
import { Refused } from '../../model/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { connect } from '../../platform/postgres/connect.ts';
import { emptyRedis } from '../../platform/queue/connection.ts';
import { QUEUE_SCHEMA, recreateQueue } from '../../platform/queue/queue-schema.ts';
import { grantToApp, mayMigrate } from './app-role.ts';
import { findInstanceName } from './facts.ts';
import { describeDatabase, lockMigrations } from './migrate.ts';
import { readMigrations, readViews } from './migrations-folder.ts';
import { assertKind, findTableMismatch } from './schema-state.ts';

type ResetOptions = {
  url: string;
  kind: DatabaseKind;
  /** Undefined: the queue is in Postgres. */
  redisUrl: string | undefined;
  /** See {@link grantToApp}. */
  appRole: string | undefined;
  log: Logger;
};

/**
 * Workers that use the queue continue: within seconds one of them restarts the repeatable job, and offers all queued runs again.
 * @returns where the queue is, for a person
 * @throws SchemaMismatch if the database is not ours or must be migrated first; Refused if this role may not create tables
 */
export async function resetQueue({ url, kind, redisUrl, appRole, log }: ResetOptions): Promise<string> {
  const where = describeDatabase(url);
  const client = await connect(url, 'strandline doctor');
  try {
    await lockMigrations(client, log);
    await assertKind(client, kind, where);
    const wanted = { known: await readMigrations(), views: await readViews() };
    const mismatch = await findTableMismatch(client, wanted, where);
    if (mismatch !== undefined) throw mismatch;
    if (redisUrl !== undefined) {
      const instance = await findInstanceName(client);
      const removed = instance === null ? 0 : await emptyRedis(redisUrl, instance);
      return `Redis, ${removed} keys of ${where}`;
    }
    if (!(await mayMigrate(client)))
      throw new Refused(
        'conflict',
        'This role may not create tables. Run strandline doctor --reset-queue as the role that owns them (DATABASE_URL), with DATABASE_APP_ROLE set to this role.',
      );
    await recreateQueue(client);
    if (appRole !== undefined) await grantToApp(client, appRole);
    return `schema "${QUEUE_SCHEMA}" of ${where}`;
  } finally {
    await client.end();
  }
}
