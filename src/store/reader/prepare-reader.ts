/** The reader role of the SQL contract: prepares it after each migration, checks it, and rotates its password. */

import { readErrorCode, Refused } from '../../model/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { connect, readAddress, withDatabase } from '../../platform/postgres/connect.ts';
import {
  closeFunctions,
  ensureReaderRole,
  hasOpenFunctions,
  scramVerifier,
} from '../../platform/postgres/reader-role.ts';
import { QUEUE_SCHEMA } from '../../platform/queue/queue-schema.ts';
import { type Actor, recordAudit } from '../access/audit-entries.ts';
import { type Database, inTransaction, onlyRow } from '../db/database.ts';
import { ANALYTICS } from '../../model/database-kind.ts';
import { SCHEMA } from '../db/schema-state.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';
import { randomBytes } from 'node:crypto';
import { type Client, escapeIdentifier, escapeLiteral } from 'pg';

/** The role's name, unless `DATABASE_READER_URL` has another. */
const READER_ROLE = 'strandline_reader';

/** Serializes role creation by all strandlines of a cluster; taken in the database `postgres`. */
const ROLES_LOCK = 0x7374_726f;

/**
 * Grants the reader the views of this database, and nothing else. Runs after every migration, because views may be new.
 * Problems that we cannot fix are returned as notes.
 * @param readerUrl has the role's name, and its password if it must be created
 * @param appRole may call the functions revoked from the reader, like the migrating role
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
  const { self, database, mayClose } = onlyRow(rows);
  if (name === self) return [`DATABASE_READER_URL uses the program's own role ${name}. Use a separate role.`];
  const note = await makeRole(url, name, password);
  if (!(await roleExists(client, name))) return note === undefined ? [] : [note];
  await grantToReader(client, name, database);
  if (mayClose) await closeFunctions(client, appRole === undefined ? [self] : [self, appRole]);
  return [...(note === undefined ? [] : [note]), ...(await inspectReader(client, name, database))];
}

/**
 * Whether the reader can block the queue with locks or fill the disk, which only a superuser can prevent; undefined if not,
 * or if there is no such role.
 * @returns a note for a person
 */
export async function listOpenToReader(
  client: Client,
  readerUrl: string | undefined,
): Promise<string | undefined> {
  const { name } = nameReader(readerUrl);
  if (!(await roleExists(client, name)) || !(await hasOpenFunctions(client, name))) return undefined;
  return (
    `The role ${name} can block the queue with advisory locks and fill the disk with large objects. ` +
    'To prevent that, run the statements in docs/reference/databases.md as a superuser.'
  );
}

/** Functions are revoked only by a superuser, and only in a database without foreign objects. */
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

/** Roles belong to the cluster: two concurrent migrations would create the same one. */
async function makeRole(
  url: string,
  name: string,
  password: string | undefined,
): Promise<string | undefined> {
  const meeting = await connect(withDatabase(url, 'postgres'), 'strandline roles').catch(() => undefined);
  if (meeting === undefined)
    return `Could not connect to the database "postgres": the role ${name} was not created or changed.`;
  try {
    await meeting.query(`SELECT pg_advisory_lock(${ROLES_LOCK})`);
    // An existing role with another name is managed by the user: grant to it, but do not change it.
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
  for (const text of statements)
    await client.query(text).catch((error: unknown) => {
      // Ignore missing privileges (42501) and schemas (3F000); inspectReader reports what matters.
      if (readErrorCode(error) !== '42501' && readErrorCode(error) !== '3F000') throw error;
    });
}

/** Missing and excess privileges of the role. */
async function inspectReader(client: Client, name: string, database: string): Promise<string[]> {
  const rows = await rowsOf<{ connects: boolean; reads: boolean | null; beyond: boolean | null }>(
    client,
    statement`SELECT has_database_privilege(${name}::name, ${database}, 'CONNECT') AS connects,
      has_schema_privilege(${name}::name, to_regnamespace(${ANALYTICS}), 'USAGE') AS reads,
      has_schema_privilege(${name}::name, to_regnamespace(${SCHEMA}), 'USAGE') AS beyond`,
  );
  const { connects, reads, beyond } = onlyRow(rows);
  const notes: string[] = [];
  if (!connects) notes.push(`The role ${name} cannot connect to the database ${database}.`);
  if (reads === false) notes.push(`The role ${name} cannot read the schema ${ANALYTICS}.`);
  if (beyond === true)
    notes.push(`The role ${name} can also read the schema ${SCHEMA}, which it should not.`);
  return notes;
}

async function roleExists(client: Client, name: string): Promise<boolean> {
  const { rowCount } = await execute(client, statement`SELECT 1 FROM pg_roles WHERE rolname = ${name}`);
  return rowCount === 1;
}

/**
 * Rotates the reader's password: in the embedded Postgres including its file, in an external one if our role may.
 * @param at.url URL of our own role in this database
 * @param at.readerUrl URL of the reader; null if not configured: the role is then {@link READER_ROLE}
 * @param at.embedded null for an external Postgres
 * @returns the reader's new URL, with its password
 * @throws Refused `unavailable` if our role may not change the reader
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
    // Outside of this transaction, so done last: if it fails, there is no audit entry.
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
    return new Refused('not_found', `role ${name} does not exist. Run: strandline migrate`);
  if (code !== '42501') return error;
  return new Refused(
    'unavailable',
    `the role of DATABASE_URL may not change ${name}. As an administrator, run: ALTER ROLE ${escapeIdentifier(name)} PASSWORD '...'; then set DATABASE_READER_URL`,
  );
}
