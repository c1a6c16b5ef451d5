import type { Client } from 'pg';
import { ANALYTICS, type DatabaseKind, DATABASE_KINDS } from '../../model/database-kind.ts';
import { QUEUE_SCHEMA, queueState } from '../../platform/queue/queue-schema.ts';
import { readErrorCode, Refused } from '../../model/errors.ts';
import { LAST_SQUASHED, type Migration, type Views } from './migrations-folder.ts';
import { execute, rowsOf, statement } from './statement.ts';

/** The schema of our tables, and the table that identifies this schema. The schema of the views is in `model/database-kind.ts`. */
export const SCHEMA = 'strandline';
export const MIGRATIONS_TABLE = 'migrations';

/**
 * - `empty`: none of our schemas contains anything
 * - `behind`: migrations are pending; `adopts`: its tables equal `0000_tables`, but were created by the migrations that it
 *   replaced
 * - `outdated`: it stopped at an older migration that `0000_tables` replaced
 * - `newer`: a newer strandline migrated it
 * - `foreign`: a schema with our name contains foreign objects
 */
type SchemaState =
  | { state: 'current' | 'empty' }
  | { state: 'behind'; pending: readonly Migration[]; adopts: boolean }
  | { state: 'outdated' }
  | { state: 'newer'; unknown: number; newest: string }
  | { state: 'foreign'; schema: string };

/** What differs from the schema that this program needs. */
type Difference = Exclude<SchemaState['state'], 'current'>;

/** The schema of a database has another version than this program needs. */
export class SchemaMismatch extends Refused {
  readonly difference: Difference;
  /** The message in parts: the database, what differs, and what to do. */
  readonly where: string;
  readonly problem: string;
  readonly advice: string;

  constructor(where: string, difference: Difference, problem: string, advice: string) {
    super('conflict', `The database ${where} ${problem}. ${advice}`);
    this.difference = difference;
    this.where = where;
    this.problem = problem;
    this.advice = advice;
  }
}

/** This program's schema. */
export type Wanted = { known: readonly Migration[]; views: Views | undefined };

/**
 * Compares tables, views and queue with what this program needs.
 * @param where names the database in the message
 * @returns undefined if it has all of it
 */
export async function findMismatch(
  client: Client,
  wanted: Wanted,
  where: string,
): Promise<SchemaMismatch | undefined> {
  try {
    return (await findTableMismatch(client, wanted, where)) ?? (await findQueueMismatch(client, where));
  } catch (error) {
    // The role has no grants yet.
    if (readErrorCode(error) !== '42501') throw error;
    return createMigrationRefusal(where);
  }
}

const MIGRATE = 'To update it, run: strandline migrate';

/** {@link findMismatch} without the queue. */
export async function findTableMismatch(
  client: Client,
  { known, views }: Wanted,
  where: string,
): Promise<SchemaMismatch | undefined> {
  const schema = await readState(client, known);
  const other = describeOther(schema, where);
  if (other !== undefined) return other;
  if (schema.state !== 'behind' && !(await areViewsBehind(client, views))) return undefined;
  const versions = await describeVersions(client, { known, views });
  return new SchemaMismatch(
    where,
    'behind',
    `has an older schema than this strandline: ${versions}`,
    MIGRATE,
  );
}

async function findQueueMismatch(client: Client, where: string): Promise<SchemaMismatch | undefined> {
  const state = await queueState(client);
  if (state === 'current') return undefined;
  if (state === 'newer') {
    const problem = `has a schema "${QUEUE_SCHEMA}" that a newer BullMQ created`;
    return new SchemaMismatch(where, 'newer', problem, 'Upgrade strandline.');
  }
  const problem = `has ${state === 'behind' ? 'an older' : 'no'} queue (schema "${QUEUE_SCHEMA}")`;
  return new SchemaMismatch(where, 'behind', problem, MIGRATE);
}

/** For a role that may not migrate. */
export function createMigrationRefusal(where: string): SchemaMismatch {
  return new SchemaMismatch(
    where,
    'behind',
    'must be migrated, but this role may not do it',
    'Run strandline migrate as the role that owns the tables (DATABASE_URL), and set DATABASE_APP_ROLE to this role.',
  );
}

/** States that no migration of this program ends; and `empty`. */
export function describeOther(schema: SchemaState, where: string): SchemaMismatch | undefined {
  const describe = (difference: Difference, problem: string, advice: string) =>
    new SchemaMismatch(where, difference, problem, advice);
  switch (schema.state) {
    case 'empty':
      return describe('empty', 'is empty', 'To create its tables, run: strandline migrate');
    case 'outdated':
      return describe(
        'outdated',
        'is too old for this strandline to migrate',
        `Install the last release whose newest migration is ${LAST_SQUASHED.name}, run strandline migrate with it, ` +
          'then upgrade again.',
      );
    case 'newer':
      return describe(
        'newer',
        `was migrated by a newer strandline (migrations that this version does not know: ${schema.unknown}; its own newest is ${schema.newest})`,
        'Use the newer version, or restore an earlier backup.',
      );
    case 'foreign':
      return describe(
        'foreign',
        `has a schema "${schema.schema}" that strandline did not create`,
        'Set another database in DATABASE_URL.',
      );
    case 'current':
    case 'behind':
    default:
      return undefined;
  }
}

async function describeVersions(client: Client, { known, views }: Wanted): Promise<string> {
  const applied = await readApplied(client);
  // An adopted database has the tables of the oldest.
  const has = known.findLast(({ when }) => applied.has(when))?.name ?? LAST_SQUASHED.name;
  const version = (await readViewVersion(client)) ?? 'none';
  return `it has ${has} and views ${version}; needed are ${known.at(-1)?.name} and views ${views?.version.join('.') ?? 'none'}`;
}

/** Compares our tables with this program's migrations. */
export async function readState(client: Client, known: readonly Migration[]): Promise<SchemaState> {
  const holding = await schemasHolding(client);
  const ledger = await hasTable(client, SCHEMA, MIGRATIONS_TABLE, ['id', 'hash', 'created_at']);
  if (!ledger && holding.has(SCHEMA)) return { state: 'foreign', schema: SCHEMA };
  if (!ledger && holding.has(ANALYTICS)) return { state: 'foreign', schema: ANALYTICS };
  // Next to our tables, it is our queue, however damaged.
  if (!ledger && holding.has(QUEUE_SCHEMA) && !(await hasQueue(client)))
    return { state: 'foreign', schema: QUEUE_SCHEMA };

  const applied = ledger ? await readApplied(client) : new Set<number>();
  const unknown = [...applied].filter((when) => !known.some((migration) => migration.when === when));
  const newer = unknown.filter((when) => when > LAST_SQUASHED.when);
  if (newer.length > 0)
    return { state: 'newer', unknown: newer.length, newest: known.at(-1)?.name ?? 'none' };
  if (applied.size === 0) return { state: 'empty' };
  const adopts = unknown.length > 0;
  if (adopts && !applied.has(LAST_SQUASHED.when)) return { state: 'outdated' };
  // An adopted database already has the oldest, `0000_tables`.
  const pending = known.slice(adopts ? 1 : 0).filter((migration) => !applied.has(migration.when));
  return adopts || pending.length > 0 ? { state: 'behind', pending, adopts } : { state: 'current' };
}

/** Whether the database has an older contract version than this program, or none. */
export async function areViewsBehind(client: Client, views: Views | undefined): Promise<boolean> {
  if (views === undefined) return false;
  const [ourMajor, ourMinor] = views.version;
  const [major = 0, minor = 0] = ((await readViewVersion(client)) ?? '').split('.').map(Number);
  return ourMajor > major || (ourMajor === major && ourMinor > minor);
}

/** The contract version of the views; null: none. */
async function readViewVersion(client: Client): Promise<string | null> {
  const [views] = await rowsOf<{ version: string | null }>(
    client,
    statement`SELECT substring(obj_description(to_regnamespace(${ANALYTICS}), 'pg_namespace') from '\\d+\\.\\d+$') AS version`,
  );
  return views?.version ?? null;
}

/** Which schemas with our names contain any objects. */
async function schemasHolding(client: Client): Promise<Set<string>> {
  const rows = await rowsOf<{ schema: string }>(
    client,
    statement`SELECT DISTINCT n.nspname AS schema FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ANY (${[SCHEMA, ANALYTICS, QUEUE_SCHEMA]})`,
  );
  return new Set(rows.map((row) => row.schema));
}

async function hasTable(
  client: Client,
  schema: string,
  table: string,
  columns: readonly string[],
): Promise<boolean> {
  const rows = await rowsOf<{ name: string }>(
    client,
    statement`SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass(${`${schema}.${table}`}) AND attnum > 0`,
  );
  return columns.every((column) => rows.some((row) => row.name === column));
}

async function hasQueue(client: Client): Promise<boolean> {
  if (!(await hasTable(client, QUEUE_SCHEMA, 'migration', ['version', 'name']))) return false;
  return (await queueState(client)) !== 'absent';
}

async function readApplied(client: Client): Promise<Set<number>> {
  const { rows } = await client.query<{ when: string }>(
    `SELECT created_at AS when FROM ${SCHEMA}.${MIGRATIONS_TABLE}`,
  );
  return new Set(rows.map((row) => Number(row.when)));
}

// The kind: a fact that the first migration of a database writes.

/** A database without this fact is older than kinds, and real. @returns null for a database without our tables */
async function readKind(client: Client): Promise<DatabaseKind | null> {
  if (!(await hasTable(client, SCHEMA, 'facts', ['name', 'value']))) return null;
  const { rows } = await client.query<{ value: string }>(
    `SELECT value FROM ${SCHEMA}.facts WHERE name = 'kind'`,
  );
  const written = rows[0]?.value ?? 'real';
  return DATABASE_KINDS.find((kind) => kind === written) ?? 'real';
}

const WORDS: Readonly<Record<DatabaseKind, string>> = {
  real: 'has real data, so it cannot be the sandbox. Set SANDBOX_DATABASE_URL to a database of its own, or unset it.',
  sandbox: 'is the sandbox, whose data is simulated. Set DATABASE_URL to another database.',
};

/** @param where names the database in the message @throws Refused `conflict` for a database of the other kind */
export async function assertKind(client: Client, kind: DatabaseKind, where: string): Promise<void> {
  const marked = await readKind(client);
  if (marked !== null && marked !== kind)
    throw new Refused('conflict', `The database ${where} ${WORDS[marked]}`);
}

/** Which kind a new database becomes: for its migration, which marks it, in the same transaction. */
export async function announceKind(client: Client, kind: DatabaseKind): Promise<void> {
  await execute(client, statement`SELECT set_config('strandline.kind', ${kind}, true)`);
}
