import type { Client } from 'pg';
import { connect } from '../engine/postgres/connect.ts';
import { QUEUE_SCHEMA, queueState } from '../engine/queue-schema.ts';
import { type Migration, readMigrations } from './migrations-folder.ts';

/** Our schemas, and the table in each that says that it is ours. */
export const SCHEMA = 'strandline';
export const ANALYTICS = 'strandline_analytics';
export const MIGRATIONS_TABLE = 'migrations';

/**
 * - `empty`: nothing of ours, and nothing in our place
 * - `behind`: `migrate` has something to do
 * - `newer`: a newer strandline migrated it
 * - `foreign`: a schema of our name holds what is not ours
 */
export type SchemaState =
  | { state: 'current' | 'empty' }
  | { state: 'behind'; pending: readonly Migration[] }
  | { state: 'newer'; unknown: number }
  | { state: 'foreign'; schema: string };

/** For commands that do not migrate: in what state the database is. */
export async function checkSchema(url: string, folder?: string): Promise<SchemaState['state']> {
  const client = await connect(url, 'strandline check');
  try {
    const { state } = await readState(client, await readMigrations(folder));
    if (state !== 'current') return state;
    const queue = await queueState(client);
    return queue === 'absent' ? 'behind' : queue;
  } finally {
    await client.end();
  }
}

/** The state of our tables against the migrations that this program knows. */
export async function readState(client: Client, known: readonly Migration[]): Promise<SchemaState> {
  const holding = await schemasHolding(client);
  const ledger = await hasTable(client, SCHEMA, MIGRATIONS_TABLE, ['id', 'hash', 'created_at']);
  if (!ledger && holding.has(SCHEMA)) return { state: 'foreign', schema: SCHEMA };
  if (!ledger && holding.has(ANALYTICS)) return { state: 'foreign', schema: ANALYTICS };
  // Beside our own tables it is our queue, however little is left of it.
  if (!ledger && holding.has(QUEUE_SCHEMA) && !(await hasQueue(client)))
    return { state: 'foreign', schema: QUEUE_SCHEMA };

  const applied = ledger ? await readApplied(client) : new Set<number>();
  const unknown = [...applied].filter((when) => !known.some((one) => one.when === when));
  if (unknown.length > 0) return { state: 'newer', unknown: unknown.length };
  const pending = known.filter((one) => !applied.has(one.when));
  if (applied.size === 0) return { state: 'empty' };
  return pending.length > 0 ? { state: 'behind', pending } : { state: 'current' };
}

/** Which of the schemas of our names hold anything at all. */
async function schemasHolding(client: Client): Promise<Set<string>> {
  const { rows } = await client.query<{ schema: string }>(
    `SELECT DISTINCT n.nspname AS schema FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ANY ($1)`,
    [[SCHEMA, ANALYTICS, QUEUE_SCHEMA]],
  );
  return new Set(rows.map((row) => row.schema));
}

async function hasTable(
  client: Client,
  schema: string,
  table: string,
  columns: readonly string[],
): Promise<boolean> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0`,
    [`${schema}.${table}`],
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
