/** Empties the database of the sandbox, whatever is in it. */
import type { Client } from 'pg';
import type { Logger } from '../../platform/logger.ts';
import { connect } from '../../platform/postgres/connect.ts';
import { changeInUse } from '../../platform/postgres/change-in-use.ts';
import { emptyQueue } from '../../platform/queue/queue-schema.ts';
import { ANALYTICS } from '../../model/database-kind.ts';
import { listSnapshotMonths } from '../maintenance/partitions.ts';
import { applyMigrations, describeDatabase, lockMigrations, migrate } from './migrate.ts';
import { readMigrations, readViews } from './migrations-folder.ts';
import { announceKind, assertKind, SCHEMA } from './schema-state.ts';
import { execute, statement } from './statement.ts';
import { applyViews } from './views.ts';

/**
 * Drops our schemas with everything that depends on them, and creates them again, in one transaction: programs that have the
 * database open wait for it, and never see it without tables. Jobs of the queue are deleted.
 * @throws Refused `conflict` for a database that is not the sandbox
 */
export async function recreateSandbox(url: string, readerUrl: string | null, log: Logger): Promise<void> {
  const client = await connect(url, 'strandline demo');
  try {
    await lockMigrations(client, log);
    await assertKind(client, 'sandbox', describeDatabase(url));
    await createAnew(client, log);
  } finally {
    await client.end();
  }
  // What lies outside our schemas: the reader's role, and tables of a queue that were never created.
  await migrate({ url, kind: 'sandbox', readerUrl: readerUrl ?? undefined, log });
}

async function createAnew(client: Client, log: Logger): Promise<void> {
  const [migrations, views] = await Promise.all([readMigrations(), readViews()]);
  await changeInUse(client, async () => {
    // Open programs remember which months they ensured.
    const months = await listSnapshotMonths({ pool: client });
    await client.query(`DROP SCHEMA IF EXISTS ${ANALYTICS}, ${SCHEMA} CASCADE`);
    await announceKind(client, 'sandbox');
    await applyMigrations(client, migrations, async () => {
      if (views !== undefined) await applyViews(client, views, 'sandbox', log);
    });
    for (const { from } of months)
      await execute(client, statement`SELECT strandline.ensure_snapshot_partitions(${from}, ${from})`);
    await emptyQueue(client);
  });
}
