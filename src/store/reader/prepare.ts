import { type Client, escapeIdentifier } from 'pg';
import { closeFunctions, hasOpenFunctions } from '../../engine/postgres/closed.ts';
import { codeOf, connect, readAddress, withDatabase } from '../../engine/postgres/connect.ts';
import { ensureReaderRole } from '../../engine/postgres/reader-role.ts';
import { QUEUE_SCHEMA } from '../../engine/queue-schema.ts';
import { ANALYTICS, SCHEMA } from '../schema-state.ts';

/** The role's name, unless `DATABASE_READER_URL` names another. */
export const READER = 'strandline_reader';

/** Serialises the making of roles by all strandlines of a cluster; taken in the database `postgres`. */
const ROLES_LOCK = 0x7374_726f;

/**
 * Lets the reader read the views of this database, and nothing else. Runs after every migration: the views
 * may be new. What is not in our power is told in notes, and is no reason not to go on.
 * @param readerUrl names the role, and the password it gets if it has to be made
 * @param appRole may call what is closed to the reader, as the role that migrates
 */
export async function prepareReader(options: {
  client: Client;
  url: string;
  readerUrl: string | undefined;
  appRole: string | undefined;
}): Promise<string[]> {
  const { client, url, readerUrl, appRole } = options;
  const { name, password } = nameReader(readerUrl);
  const { rows } = await client.query<{ self: string; database: string; mayClose: boolean }>(MAY_CLOSE);
  const { self = '', database = '', mayClose = false } = rows[0] ?? {};
  if (name === self)
    return [
      `DATABASE_READER_URL names the role ${name}, which is the program's own: name a role of its own.`,
    ];
  const note = await makeRole(url, name, password);
  if (!(await isThere(client, name))) return note === undefined ? [] : [note];
  await grant(client, name, database);
  if (mayClose) await closeFunctions(client, appRole === undefined ? [self] : [self, appRole]);
  return [...(note === undefined ? [] : [note]), ...(await inspect(client, name, database))];
}

/**
 * Whether a reader could delay the queue by locks or fill the disk, which only the superuser of the server can keep
 * it from; undefined where there is no such role.
 * @returns words for a person
 */
export async function whatReaderMayHinder(
  client: Client,
  readerUrl: string | undefined,
): Promise<string | undefined> {
  const { name } = nameReader(readerUrl);
  if (!(await isThere(client, name)) || !(await hasOpenFunctions(client, name))) return undefined;
  return (
    `The role ${name} can hold up the queue by advisory locks and fill the disk with large objects: ` +
    'docs/homes.md has what the superuser of this Postgres runs to close that.'
  );
}

/** A superuser in a database that holds nothing but ours closes functions of Postgres; where others live, it does not. */
const MAY_CLOSE = `
SELECT current_user AS self, current_database() AS database,
  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AND NOT EXISTS (
    SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname !~ '^pg_' AND n.nspname <> ALL ('{information_schema,${[SCHEMA, ANALYTICS, QUEUE_SCHEMA].join(',')}}')
  ) AS "mayClose"`;

function nameReader(readerUrl: string | undefined): { name: string; password: string | undefined } {
  if (readerUrl === undefined) return { name: READER, password: undefined };
  const { user, password } = readAddress(readerUrl);
  return { name: user || READER, password: password || undefined };
}

/** Roles belong to the cluster: two databases migrated at once would make the same one. */
async function makeRole(
  url: string,
  name: string,
  password: string | undefined,
): Promise<string | undefined> {
  const meeting = await connect(withDatabase(url, 'postgres'), 'strandline roles').catch(() => undefined);
  if (meeting === undefined)
    return `The database "postgres" of this server cannot be reached: the role ${name} was neither made nor changed.`;
  try {
    await meeting.query(`SELECT pg_advisory_lock(${ROLES_LOCK})`);
    // A role that is there under another name is somebody's: it is granted to, and not changed.
    if (name !== READER && (await isThere(meeting, name))) return undefined;
    return await ensureReaderRole(meeting, name, password);
  } finally {
    await meeting.end();
  }
}

async function grant(client: Client, name: string, database: string): Promise<void> {
  const role = escapeIdentifier(name);
  const statements = [
    `REVOKE TEMPORARY ON DATABASE ${escapeIdentifier(database)} FROM PUBLIC`,
    'REVOKE CREATE ON SCHEMA public FROM PUBLIC',
    `GRANT CONNECT ON DATABASE ${escapeIdentifier(database)} TO ${role}`,
    `GRANT USAGE ON SCHEMA ${ANALYTICS} TO ${role}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${ANALYTICS} TO ${role}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${ANALYTICS} GRANT SELECT ON TABLES TO ${role}`,
  ];
  for (const statement of statements)
    await client.query(statement).catch((error: unknown) => {
      // Not ours to grant (42501), no such schema (3F000); what matters of it is looked at afterwards.
      if (codeOf(error) !== '42501' && codeOf(error) !== '3F000') throw error;
    });
}

/** What the role lacks to read the views, and what it can read beyond them. */
async function inspect(client: Client, name: string, database: string): Promise<string[]> {
  const { rows } = await client.query<{ connects: boolean; reads: boolean | null; beyond: boolean | null }>(
    `SELECT has_database_privilege($1, $2, 'CONNECT') AS connects,
            has_schema_privilege($1, to_regnamespace($3), 'USAGE') AS reads,
            has_schema_privilege($1, to_regnamespace($4), 'USAGE') AS beyond`,
    [name, database, ANALYTICS, SCHEMA],
  );
  const { connects, reads, beyond } = rows[0] ?? {};
  const notes: string[] = [];
  if (connects === false) notes.push(`The role ${name} may not connect to the database ${database}.`);
  if (reads === false) notes.push(`The role ${name} may not read the schema ${ANALYTICS}.`);
  if (beyond === true) notes.push(`The role ${name} can read more than views: also the schema ${SCHEMA}.`);
  return notes;
}

async function isThere(client: Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
  return rowCount === 1;
}
