/** The role that reads the SQL contract: prepared after each migration, inspected, and given a new password. */

import { Refused } from '../../domain/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { connect, readAddress, readErrorCode, withDatabase } from '../../platform/postgres/connect.ts';
import {
  closeFunctions,
  ensureReaderRole,
  hasOpenFunctions,
  scramVerifier,
} from '../../platform/postgres/reader-role.ts';
import { QUEUE_SCHEMA } from '../../platform/queue/queue-schema.ts';
import { type Actor, recordAudit } from '../audit-entries.ts';
import { type Database, inTransaction } from '../database.ts';
import { ANALYTICS, SCHEMA } from '../schema-state.ts';
import { randomBytes } from 'node:crypto';
import { type Client, escapeIdentifier, escapeLiteral } from 'pg';

/** The role's name, unless `DATABASE_READER_URL` names another. */
const READER_ROLE = 'strandline_reader';

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
  const { rows } = await client.query<{ self: string; database: string; mayClose: boolean }>(CAN_CLOSE);
  const { self = '', database = '', mayClose = false } = rows[0] ?? {};
  if (name === self)
    return [
      `DATABASE_READER_URL names the role ${name}, which is the program's own: name a role of its own.`,
    ];
  const note = await makeRole(url, name, password);
  if (!(await roleExists(client, name))) return note === undefined ? [] : [note];
  await grantToReader(client, name, database);
  if (mayClose) await closeFunctions(client, appRole === undefined ? [self] : [self, appRole]);
  return [...(note === undefined ? [] : [note]), ...(await inspectReader(client, name, database))];
}

/**
 * Whether a reader could delay the queue by locks or fill the disk, which only the superuser of the server can keep
 * it from; undefined where there is no such role.
 * @returns words for a person
 */
export async function listOpenToReader(
  client: Client,
  readerUrl: string | undefined,
): Promise<string | undefined> {
  const { name } = nameReader(readerUrl);
  if (!(await roleExists(client, name)) || !(await hasOpenFunctions(client, name))) return undefined;
  return (
    `The role ${name} can hold up the queue by advisory locks and fill the disk with large objects: ` +
    'docs/homes.md has what the superuser of this Postgres runs to close that.'
  );
}

/** A superuser in a database that holds nothing but ours closes functions of Postgres; where others live, it does not. */
const CAN_CLOSE = `
SELECT current_user AS self, current_database() AS database,
  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AND NOT EXISTS (
    SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname !~ '^pg_' AND n.nspname <> ALL ('{information_schema,${[SCHEMA, ANALYTICS, QUEUE_SCHEMA].join(',')}}')
  ) AS "mayClose"`;

function nameReader(readerUrl: string | undefined): { name: string; password: string | undefined } {
  if (readerUrl === undefined) return { name: READER_ROLE, password: undefined };
  const { user, password } = readAddress(readerUrl);
  return { name: user || READER_ROLE, password: password || undefined };
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
    if (name !== READER_ROLE && (await roleExists(meeting, name))) return undefined;
    return await ensureReaderRole(meeting, name, password);
  } finally {
    await meeting.end();
  }
}

async function grantToReader(client: Client, name: string, database: string): Promise<void> {
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
      if (readErrorCode(error) !== '42501' && readErrorCode(error) !== '3F000') throw error;
    });
}

/** What the role lacks to read the views, and what it can read beyond them. */
async function inspectReader(client: Client, name: string, database: string): Promise<string[]> {
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

async function roleExists(client: Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
  return rowCount === 1;
}

/**
 * Replaces the reader's password: in the embedded Postgres with its file, in one of your own as far as our role may.
 * @param at.url of our own role in this database
 * @param at.readerUrl of the reader; null where nobody named one: it is the role {@link READER_ROLE} then
 * @param at.embedded undefined where the Postgres is one of your own
 * @returns the reader's new address, with its password
 * @throws Refused `unavailable` where our role may not change the reader's
 */
export async function rotateReader(
  { db, ...by }: { db: Database; clock: Clock; actor: Actor },
  at: { url: string; readerUrl: string | null; embedded: { rotateReader(): Promise<string> } | null },
): Promise<string> {
  const address = new URL(at.readerUrl ?? at.url);
  if (at.readerUrl === null) address.username = READER_ROLE;
  const name = decodeURIComponent(address.username);
  address.password = randomBytes(32).toString('base64url');
  return inTransaction(db, async (tx) => {
    await recordAudit(tx, by, { action: 'reader.rotated', subject: name });
    // Of another database and of files: done last, so that there is no entry where it fails.
    if (at.embedded !== null) return at.embedded.rotateReader();
    const verifier = escapeLiteral(scramVerifier(address.password));
    await tx
      .query(`ALTER ROLE ${escapeIdentifier(name)} PASSWORD ${verifier}`)
      .catch((error: unknown) => Promise.reject(describeRotateFailure(error, name)));
    return address.href;
  });
}

function describeRotateFailure(error: unknown, name: string): unknown {
  const code = readErrorCode(error);
  if (code === '42704')
    return new Refused('not_found', `role ${name} does not exist; run \`strandline migrate\``);
  if (code !== '42501') return error;
  return new Refused(
    'unavailable',
    `this Postgres' role may not change ${name}; whoever administers it can run: ALTER ROLE ${escapeIdentifier(name)} PASSWORD '...'; and then set DATABASE_READER_URL`,
  );
}
