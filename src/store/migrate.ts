import type { Client } from 'pg';
import { connect, readAddress } from '../platform/postgres/connect.ts';
import type { Logger } from '../platform/logger.ts';
import { migrateQueue, QUEUE_SCHEMA, queueState } from '../platform/queue/queue-schema.ts';
import { readErrorCode, Refused } from '../domain/errors.ts';
import { grantToApp, mayMigrate } from './app-role.ts';
import { LAST_SQUASHED, type Migration, readMigrations, readViews, type Views } from './migrations-folder.ts';
import { prepareReader, listOpenToReader } from './reader/prepare-reader.ts';
import { areViewsBehind, MIGRATIONS_TABLE, readState, SCHEMA } from './schema-state.ts';
import { applyViews } from './views.ts';

/** Held during a whole migration of this database. */
const LOCK = 0x7374_7264;
const OLDEST_SERVER = 150_000;

/** What was done: names of migrations, `views`, the queue's schema; and notes about problems, for display. */
type Migrated = { applied: string[]; notes: string[] };

/**
 * Brings a database to the state this program expects: tables, views, the queue's tables, and the reader of the
 * views. The files and the table of migrations are Drizzle's, whose own migrator takes no lock. Migrations and views
 * are one transaction: a failed, killed or refused migration leaves our schemas unchanged. A role without DDL
 * privileges only checks that nothing is pending.
 * @param appRole is granted the tables, if it is not the migrating role
 * @param readerUrl names the reader's role, with the password to create it
 * @param signal aborts connecting; a started migration is completed
 * @throws Refused for an old server; a database that is newer, older than `0000_tables`, or not ours; a pending
 *   migration without privileges; a foreign object that depends on a view to drop
 */
export async function migrate(options: {
  url: string;
  log: Logger;
  readerUrl?: string | undefined;
  appRole?: string | undefined;
  folder?: string | undefined;
  signal?: AbortSignal | undefined;
}): Promise<Migrated> {
  const { url, log, readerUrl, appRole, folder, signal } = options;
  const known = await readMigrations(folder);
  const views = await readViews(folder);
  const where = describeDatabase(url);
  const client = await connect(url, 'strandline migrate', signal).catch((cause: unknown) => {
    throw unreachable(where, cause);
  });
  try {
    await assertServer(client);
    await lockMigrations(client, log);
    if (!(await mayMigrate(client))) {
      await assertCurrent(client, known, views, where);
      return { applied: [], notes: [] };
    }
    const work = await findWork(client, known, views, where);
    const applied = namesOf(known, work);
    if (applied.length > 0) {
      // Log the database before changing it.
      log.info({ database: where, migrations: work.pending.length }, 'migrating database');
      await apply(client, known, work, log);
    }
    for (const migration of applied) log.info({ migration }, 'migration applied');
    const queue = await migrateQueue(client, log);
    if (queue.migrated) applied.push(QUEUE_SCHEMA);
    if (appRole !== undefined) await grantToApp(client, appRole);
    const notes = queue.note === undefined ? [] : [queue.note];
    notes.push(...(await prepareReader({ client, url, readerUrl, appRole })));
    // Reported once, and by `doctor`: only an administrator can fix it.
    const hindrance = applied.length > 0 ? await listOpenToReader(client, readerUrl) : undefined;
    if (hindrance !== undefined) notes.push(hindrance);
    return { applied, notes };
  } finally {
    await client.end();
  }
}

/** Host, port, name and user of a database; never its password. */
export function describeDatabase(url: string): string {
  const { host, port, database, user } = readAddress(url);
  const server = `${host || 'localhost'}:${port || '5432'}`;
  return `${database || user || 'a database'} at ${server}${user === '' ? '' : ` as ${user}`}`;
}

/** @throws Refused if the server is too old */
export async function assertServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`,
  );
  const [server] = rows;
  if (server === undefined || server.number < OLDEST_SERVER)
    throw new Refused(
      'unavailable',
      `strandline requires PostgreSQL 15 or later; this server is ${server?.version ?? 'unknown'}.`,
    );
}

/** Waits for other migrations; the lock ends with the session. */
export async function lockMigrations(client: Client, log: Logger): Promise<void> {
  await client.query('SET statement_timeout = 0');
  const { rows } = await client.query<{ got: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}) AS got`);
  if (rows[0]?.got === true) return;
  log.info('waiting for another migration');
  await client.query(`SELECT pg_advisory_lock(${LOCK})`);
}

/** Pending work: `views` if they are behind, `adopts` if rows of older migrations are replaced by one. */
type Work = { pending: readonly Migration[]; adopts: boolean; views: Views | undefined };

/** Names of the pending steps, in order. */
function namesOf([tables]: readonly Migration[], { pending, adopts, views }: Work): string[] {
  return [
    ...(adopts && tables !== undefined ? [`${tables.name} (adopted)`] : []),
    ...pending.map((migration) => migration.name),
    ...(views === undefined ? [] : ['views']),
  ];
}

async function findWork(
  client: Client,
  known: readonly Migration[],
  views: Views | undefined,
  where: string,
): Promise<Work> {
  const tables = await findPending(client, known, where);
  return { ...tables, views: (await areViewsBehind(client, views)) ? views : undefined };
}

async function findPending(
  client: Client,
  known: readonly Migration[],
  where: string,
): Promise<Omit<Work, 'views'>> {
  const state = await readState(client, known);
  switch (state.state) {
    case 'empty':
      return { pending: known, adopts: false };
    case 'behind':
      return state;
    case 'outdated':
      throw new Refused(
        'conflict',
        `The database ${where} is too old for this strandline to migrate. Install the last release whose newest migration is ` +
          `${LAST_SQUASHED.name}, run strandline migrate with it, then upgrade again.`,
      );
    case 'newer':
      throw new Refused(
        'conflict',
        `The database ${where} was migrated by a newer strandline (${state.unknown} migrations unknown to this ` +
          'version). Use the newer version, or restore an earlier backup.',
      );
    case 'foreign':
      throw new Refused(
        'conflict',
        `The database ${where} has a schema "${state.schema}" that strandline did not create. ` +
          'Set another database in DATABASE_URL.',
      );
    case 'current':
    default:
      return { pending: [], adopts: false };
  }
}

/** @throws Refused if the database must be migrated, which this role may not do */
async function assertCurrent(
  client: Client,
  known: readonly Migration[],
  views: Views | undefined,
  where: string,
): Promise<void> {
  try {
    const work = await findWork(client, known, views, where);
    if (namesOf(known, work).length === 0 && (await queueState(client)) === 'current') return;
  } catch (error) {
    // The role has no grants yet.
    if (readErrorCode(error) !== '42501') throw error;
  }
  throw new Refused(
    'conflict',
    `The database ${where} must be migrated, but this role may not do it. Run strandline migrate as the role that ` +
      'owns the tables (DATABASE_URL), and set DATABASE_APP_ROLE to this role.',
  );
}

async function apply(
  client: Client,
  [tables]: readonly Migration[],
  { pending, adopts, views }: Work,
  log: Logger,
): Promise<void> {
  await client.query('BEGIN');
  try {
    if (adopts && tables !== undefined) await adopt(client, tables);
    for (const migration of pending) await applyMigration(client, migration);
    if (views !== undefined) await applyViews(client, views, log);
    await client.query('COMMIT');
  } catch (error) {
    // If the connection is lost, the server rolls back; the first error is reported.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Records `0000_tables` in place of the squashed migrations that created the existing tables. */
async function adopt(client: Client, { when, hash }: Migration): Promise<void> {
  const ledger = `${SCHEMA}.${MIGRATIONS_TABLE}`;
  await client.query(`DELETE FROM ${ledger} WHERE created_at <= $1`, [LAST_SQUASHED.when]);
  await client.query(`INSERT INTO ${ledger} (hash, created_at) VALUES ($1, $2)`, [hash, when]);
}

/** Applies a migration and records it, inside the caller's transaction. */
export async function applyMigration(client: Client, { when, hash, statements }: Migration): Promise<void> {
  const ledger = `${SCHEMA}.${MIGRATIONS_TABLE}`;
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${ledger} (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`,
  );
  for (const statement of statements) await client.query(statement);
  await client.query(`INSERT INTO ${ledger} (hash, created_at) VALUES ($1, $2)`, [hash, when]);
}

function unreachable(where: string, cause: unknown): Refused {
  const why = cause instanceof Error ? cause.message || String('code' in cause && cause.code) : String(cause);
  return new Refused('unavailable', `The database ${where} cannot be reached: ${why}`, { cause });
}
