/** Empties the database of the sandbox, whatever is in it. */
import type { Logger } from '../../platform/logger.ts';
import { connect } from '../../platform/postgres/connect.ts';
import { QUEUE_SCHEMA } from '../../platform/queue/queue-schema.ts';
import { ANALYTICS } from '../../model/database-kind.ts';
import { describeDatabase, lockMigrations, migrate } from './migrate.ts';
import { listSnapshotMonths } from '../maintenance/partitions.ts';
import { assertKind, SCHEMA } from './schema-state.ts';
import { execute, statement } from './statement.ts';

/** How long to wait for transactions of a running server. */
const LOCK_TIMEOUT = '20s';

/**
 * Drops our schemas with everything that depends on them, and creates them again. Programs that have the database open
 * continue.
 * @throws Refused `conflict` for a database that is not the sandbox
 */
export async function recreateSandbox(url: string, readerUrl: string | null, log: Logger): Promise<void> {
  const months = await empty(url, log);
  await migrate({ url, kind: 'sandbox', readerUrl: readerUrl ?? undefined, log });
  // Open programs remember which months they ensured.
  const client = await connect(url, 'strandline demo');
  try {
    for (const month of months)
      await execute(client, statement`SELECT strandline.ensure_snapshot_partitions(${month}, ${month})`);
  } finally {
    await client.end();
  }
}

/** @returns the months of the partitions that were there */
async function empty(url: string, log: Logger): Promise<Date[]> {
  const client = await connect(url, 'strandline demo');
  try {
    await lockMigrations(client, log);
    await assertKind(client, 'sandbox', describeDatabase(url));
    const months = await listSnapshotMonths({ pool: client });
    await client.query(`BEGIN; SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    await client.query(`DROP SCHEMA IF EXISTS ${ANALYTICS}, ${SCHEMA}, ${QUEUE_SCHEMA} CASCADE`);
    await client.query('COMMIT');
    return months.map(({ from }) => from);
  } finally {
    await client.end();
  }
}
