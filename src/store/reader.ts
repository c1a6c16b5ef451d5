import pg from 'pg';
import { codeOf, connect, withDatabase } from '../engine/postgres/connect.ts';
import { ensureReaderRole } from '../engine/postgres/reader-role.ts';
import { ANALYTICS } from './schema-state.ts';

/** The role's name, unless `DATABASE_READER_URL` names another. */
export const READER = 'strandline_reader';

/** Serialises the making of roles by all strandlines of a cluster; taken in the database `postgres`. */
const ROLES_LOCK = 0x7374_726f;

/**
 * Lets the reader read the views of this database, and nothing else. Runs after every migration: the views
 * may be new. What is not in our power is told in notes, and is no reason not to go on.
 * @param readerUrl names the role, and the password it gets if it has to be made
 */
export async function prepareReader(options: {
  client: pg.Client;
  url: string;
  readerUrl: string | undefined;
}): Promise<string[]> {
  const { client, url, readerUrl } = options;
  const { name, password } = nameReader(readerUrl);
  const notes: string[] = [];
  const note = await makeRole(url, name, password);
  if (note !== undefined) notes.push(note);
  if (await isThere(client, 'SELECT 1 FROM pg_roles WHERE rolname = $1', name))
    notes.push(...(await grant(client, name)));
  return notes;
}

function nameReader(readerUrl: string | undefined): { name: string; password: string | undefined } {
  if (readerUrl === undefined) return { name: READER, password: undefined };
  const { username, password } = new URL(readerUrl);
  return {
    name: decodeURIComponent(username) || READER,
    password: password === '' ? undefined : decodeURIComponent(password),
  };
}

/** Roles belong to the cluster: two databases migrated at once would make the same one. */
async function makeRole(
  url: string,
  name: string,
  password: string | undefined,
): Promise<string | undefined> {
  const meeting = await connect(withDatabase(url, 'postgres'), 'strandline roles').catch(() => undefined);
  if (meeting === undefined)
    return `The database "postgres" of this server cannot be reached: the role ${name} was neither made nor checked.`;
  try {
    await meeting.query(`SELECT pg_advisory_lock(${ROLES_LOCK})`);
    return await ensureReaderRole(meeting, name, password);
  } finally {
    await meeting.end();
  }
}

async function grant(client: pg.Client, name: string): Promise<string[]> {
  const role = pg.escapeIdentifier(name);
  const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
  const database = pg.escapeIdentifier(rows[0]?.name ?? '');
  const statements = [
    `REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`,
    'REVOKE CREATE ON SCHEMA public FROM PUBLIC',
    `GRANT CONNECT ON DATABASE ${database} TO ${role}`,
  ];
  if (await isThere(client, 'SELECT 1 FROM pg_namespace WHERE nspname = $1', ANALYTICS))
    statements.push(
      `GRANT USAGE ON SCHEMA ${ANALYTICS} TO ${role}`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA ${ANALYTICS} TO ${role}`,
      `ALTER DEFAULT PRIVILEGES IN SCHEMA ${ANALYTICS} GRANT SELECT ON TABLES TO ${role}`,
    );
  const notes: string[] = [];
  for (const statement of statements)
    await client.query(statement).catch((error: unknown) => {
      // No right to it (42501), or no schema "public" (3F000): said, and the others still count.
      if (codeOf(error) !== '42501' && codeOf(error) !== '3F000') throw error;
      if (codeOf(error) === '42501') notes.push(`This Postgres' role may not: ${statement}`);
    });
  return notes;
}

async function isThere(client: pg.Client, query: string, name: string): Promise<boolean> {
  const { rowCount } = await client.query(query, [name]);
  return rowCount === 1;
}
