import type { Client } from 'pg';
import { ANALYTICS } from '../domain/data.ts';
import { connect } from '../platform/postgres/connect.ts';
import { QUEUE_SCHEMA, queueState } from '../platform/queue/queue-schema.ts';
import { LAST_SQUASHED, type Migration, readMigrations, readViews, type Views } from './migrations-folder.ts';

/** The schema of our tables, and the table that identifies it; those of the views are in `domain/data.ts`. */
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
  | { state: 'newer'; unknown: number }
  | { state: 'foreign'; schema: string };

/** State of the database, for commands that do not migrate. */
export async function checkSchema(url: string, folder?: string): Promise<SchemaState['state']> {
  const client = await connect(url, 'strandline check');
  try {
    const { state } = await readState(client, await readMigrations(folder));
    if (state !== 'current') return state;
    if (await areViewsBehind(client, await readViews(folder))) return 'behind';
    const queue = await queueState(client);
    return queue === 'absent' ? 'behind' : queue;
  } finally {
    await client.end();
  }
}

/** Compares our tables with this program's migrations. */
export async function readState(client: Client, known: readonly Migration[]): Promise<SchemaState> {
  const holding = await schemasHolding(client);
  const ledger = await hasTable(client, SCHEMA, MIGRATIONS_TABLE, ['id', 'hash', 'created_at']);
  if (!ledger && holding.has(SCHEMA)) return { state: 'foreign', schema: SCHEMA };
  const views = Object.values(ANALYTICS).find((schema) => holding.has(schema));
  if (!ledger && views !== undefined) return { state: 'foreign', schema: views };
  // Next to our tables, it is our queue, however damaged.
  if (!ledger && holding.has(QUEUE_SCHEMA) && !(await hasQueue(client)))
    return { state: 'foreign', schema: QUEUE_SCHEMA };

  const applied = ledger ? await readApplied(client) : new Set<number>();
  const unknown = [...applied].filter((when) => !known.some((migration) => migration.when === when));
  const newer = unknown.filter((when) => when > LAST_SQUASHED.when);
  if (newer.length > 0) return { state: 'newer', unknown: newer.length };
  if (applied.size === 0) return { state: 'empty' };
  const adopts = unknown.length > 0;
  if (adopts && !applied.has(LAST_SQUASHED.when)) return { state: 'outdated' };
  // An adopted database already has the oldest, `0000_tables`.
  const pending = known.slice(adopts ? 1 : 0).filter((migration) => !applied.has(migration.when));
  return adopts || pending.length > 0 ? { state: 'behind', pending, adopts } : { state: 'current' };
}

/** Whether a schema of the database has an older contract version than this program, or none. */
export async function areViewsBehind(client: Client, views: Views | undefined): Promise<boolean> {
  if (views === undefined) return false;
  const { rows } = await client.query<{ version: string | null }>(
    `SELECT substring(obj_description(to_regnamespace(u.schema), 'pg_namespace') from '\\d+\\.\\d+$') AS version
     FROM unnest($1::text[]) u(schema)`,
    [Object.values(ANALYTICS)],
  );
  const [ourMajor, ourMinor] = views.version;
  return rows.some(({ version }) => {
    const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
    return ourMajor > major || (ourMajor === major && ourMinor > minor);
  });
}

/** Which schemas with our names contain any objects. */
async function schemasHolding(client: Client): Promise<Set<string>> {
  const { rows } = await client.query<{ schema: string }>(
    `SELECT DISTINCT n.nspname AS schema FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ANY ($1)`,
    [[SCHEMA, ...Object.values(ANALYTICS), QUEUE_SCHEMA]],
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
