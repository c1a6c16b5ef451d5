import type { Client } from 'pg';
import { connect, describeServer, readAddress } from '../../platform/postgres/connect.ts';
import type { Logger } from '../../platform/logger.ts';
import { findObstacles, type Obstacle } from '../../platform/postgres/server-state.ts';
import { migrateQueue, QUEUE_SCHEMA } from '../../platform/queue/queue-schema.ts';
import type { DatabaseKind } from '../../model/database-kind.ts';
import { readErrorCode, Refused } from '../../model/errors.ts';
import { grantToApp, mayMigrate } from './app-role.ts';
import {
  joinStatements,
  LAST_SQUASHED,
  type Migration,
  readMigrations,
  readViews,
  type Views,
} from './migrations-folder.ts';
import { prepareReader, listOpenToReader } from '../reader/prepare-reader.ts';
import {
  announceKind,
  areViewsBehind,
  assertKind,
  createMigrationRefusal,
  describeOther,
  findMismatch,
  MIGRATIONS_TABLE,
  readState,
  SCHEMA,
  type Wanted,
} from './schema-state.ts';
import { execute, statement, verbatim } from './statement.ts';
import { applyViews } from './views.ts';

/** Held during a whole migration of this database. */
const LOCK = 0x7374_7264;
const OLDEST_SERVER = 150_000;

/** What was done: names of migrations, `views`, the queue's schema; and notes about problems, for display. */
type Migrated = { applied: string[]; notes: string[] };

type MigrateOptions = {
  url: string;
  log: Logger;
  kind?: DatabaseKind | undefined;
  readerUrl?: string | undefined;
  appRole?: string | undefined;
  folder?: string | undefined;
  signal?: AbortSignal | undefined;
};

/**
 * Brings a database to the state this program expects: tables, views, the queue's tables, and the reader of the
 * views. The files and the table of migrations are Drizzle's, whose own migrator takes no lock. Migrations and views
 * are one transaction: a failed, killed or refused migration leaves our schemas unchanged. A role without DDL
 * privileges only checks that nothing is pending.
 * @param kind of a new database; an existing database must have this kind (default: real)
 * @param appRole is granted the tables, if it is not the migrating role
 * @param readerUrl names the reader's role, with the password to create it
 * @param signal aborts connecting; a started migration is completed
 * @throws Refused for an old server; a database that is newer, older than `0000_tables`, or not ours; a pending
 *   migration without privileges; a foreign object that depends on a view to drop
 */
export async function migrate(options: MigrateOptions): Promise<Migrated> {
  const { url, log, kind = 'real', readerUrl, appRole, folder, signal } = options;
  const known = await readMigrations(folder);
  const views = await readViews(folder);
  const where = describeDatabase(url);
  const client = await connectTo(url, where, signal);
  try {
    await assertServer(client);
    await lockMigrations(client, log);
    await assertKind(client, kind, where);
    if (!(await mayMigrate(client))) {
      await assertCurrent(client, { known, views }, where);
      return { applied: [], notes: [] };
    }
    const work = await findWork(client, known, views, where);
    const applied = namesOf(known, work);
    if (applied.length > 0) {
      // Log the database before changing it.
      log.info({ database: where, migrations: work.pending.length }, 'migrating database');
      await apply(client, known, work, kind, log);
    }
    for (const migration of applied) log.info({ migration }, 'migration applied');
    if (await migrateQueue(client)) applied.push(QUEUE_SCHEMA);
    if (appRole !== undefined) await grantToApp(client, appRole);
    const notes = await prepareReader({ client, url, readerUrl, appRole });
    // Reported once, and by `doctor`: only an administrator can fix it.
    const hindrance = applied.length > 0 ? await listOpenToReader(client, readerUrl) : undefined;
    if (hindrance !== undefined) notes.push(hindrance);
    return { applied, notes };
  } finally {
    await client.end();
  }
}

async function connectTo(url: string, where: string, signal: AbortSignal | undefined): Promise<Client> {
  return connect(url, 'strandline migrate', { signal }).catch((cause: unknown) => {
    throw cause instanceof Refused ? cause : unreachable(where, cause);
  });
}

/** Host, port, name and user of a database; never its password. */
export function describeDatabase(url: string): string {
  const { database, user } = readAddress(url);
  return `${database || user || 'a database'} at ${describeServer(url)}${user === '' ? '' : ` as ${user}`}`;
}

/** @throws Refused if the server is too old, or if nothing can be written to it: names the setting and the command to change it */
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
  const [obstacle] = await findObstacles(client);
  if (obstacle !== undefined)
    throw new Refused(
      'unavailable',
      `The database cannot be written to: ${obstacle.problem}; ${obstacle.advice}`,
    );
}

/** What makes writing to a database impossible, for commands that do not migrate; undefined if nothing. */
export async function findObstacle(url: string): Promise<Obstacle | undefined> {
  const client = await connect(url, 'strandline check');
  try {
    return (await findObstacles(client))[0];
  } finally {
    await client.end();
  }
}

/**
 * Waits for other migrations; the lock ends with the session.
 * @param mode `shared`: for who only needs that no migration is in progress
 */
export async function lockMigrations(
  client: Client,
  log: Logger,
  mode: 'exclusive' | 'shared' = 'exclusive',
): Promise<void> {
  const suffix = mode === 'shared' ? '_shared' : '';
  const { rows } = await client.query<{ got: boolean }>(
    `SELECT pg_try_advisory_lock${suffix}(${LOCK}) AS got`,
  );
  if (rows[0]?.got === true) return;
  log.info('waiting for another migration');
  await client.query(`SELECT pg_advisory_lock${suffix}(${LOCK})`);
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
  const schema = await readState(client, known);
  if (schema.state === 'empty') return { pending: known, adopts: false };
  const other = describeOther(schema, where);
  if (other !== undefined) throw other;
  return schema.state === 'behind' ? schema : { pending: [], adopts: false };
}

/** @throws SchemaMismatch if the database needs a migration and this role may not migrate */
async function assertCurrent(client: Client, wanted: Wanted, where: string): Promise<void> {
  const mismatch = await findMismatch(client, wanted, where);
  if (mismatch === undefined) return;
  const { difference } = mismatch;
  throw difference === 'behind' || difference === 'empty' ? createMigrationRefusal(where) : mismatch;
}

/**
 * Checks that the schema is the one that this program needs, for processes that do not migrate. Waits for a migration that is in
 * progress. Changes nothing.
 * @param signal aborts connecting
 * @throws SchemaMismatch, and Refused for a database of the other kind
 */
export async function assertSchema({
  url,
  log,
  signal,
  folder,
  kind = 'real',
}: Pick<MigrateOptions, 'url' | 'log' | 'kind' | 'signal' | 'folder'>): Promise<void> {
  const where = describeDatabase(url);
  const client = await connectTo(url, where, signal);
  try {
    await lockMigrations(client, log, 'shared');
    await assertKind(client, kind, where);
    const wanted = { known: await readMigrations(folder), views: await readViews(folder) };
    if (!(await mayMigrate(client))) return await assertCurrent(client, wanted, where);
    const mismatch = await findMismatch(client, wanted, where);
    if (mismatch !== undefined) throw mismatch;
  } finally {
    await client.end();
  }
}

async function apply(
  client: Client,
  [tables]: readonly Migration[],
  { pending, adopts, views }: Work,
  kind: DatabaseKind,
  log: Logger,
): Promise<void> {
  await client.query('BEGIN');
  try {
    if (adopts && tables !== undefined) await adopt(client, tables);
    await announceKind(client, kind);
    await applyMigrations(client, pending, async () => {
      if (views !== undefined) await applyViews(client, views, kind, log);
    });
    await client.query('COMMIT');
  } catch (error) {
    // If the connection is lost, the server rolls back; the first error is reported.
    await client.query('ROLLBACK').catch(() => {});
    if (error instanceof Error && readErrorCode(error) === RAISED)
      throw new Refused('conflict', error.message, { cause: error });
    throw error;
  }
}

/** A migration refuses, in words. */
const RAISED = 'P0001';

const LEDGER = verbatim(`${SCHEMA}.${MIGRATIONS_TABLE}`);

/** Records `0000_tables` in place of the squashed migrations that created the existing tables. */
async function adopt(client: Client, { when, hash }: Migration): Promise<void> {
  await execute(client, statement`DELETE FROM ${LEDGER} WHERE created_at <= ${LAST_SQUASHED.when}`);
  await execute(client, statement`INSERT INTO ${LEDGER} (hash, created_at) VALUES (${hash}, ${when})`);
}

/** Applies migrations and records them, inside the caller's transaction. @param applyTheViews of an existing database, which read its columns */
export async function applyMigrations(
  client: Client,
  migrations: readonly Migration[],
  applyTheViews: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  for (const migration of migrations) await applyMigration(client, migration);
  await applyTheViews();
  for (const { afterViews } of migrations)
    if (afterViews.length > 0) await client.query(joinStatements(afterViews));
}

/** Statements are sent at once, since a new database has hundreds of them. */
async function applyMigration(client: Client, { when, hash, statements }: Migration): Promise<void> {
  const ledger = [
    `CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`,
    `CREATE TABLE IF NOT EXISTS ${SCHEMA}.${MIGRATIONS_TABLE} (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`,
  ];
  await client.query(joinStatements([...ledger, ...statements]));
  await execute(client, statement`INSERT INTO ${LEDGER} (hash, created_at) VALUES (${hash}, ${when})`);
}

function unreachable(where: string, cause: unknown): Refused {
  const why = cause instanceof Error ? cause.message || String('code' in cause && cause.code) : String(cause);
  return new Refused('unavailable', `The database ${where} cannot be reached: ${why}`, { cause });
}
