/** Roles and database of the embedded Postgres. */

import type { Client } from 'pg';
import { closeFunctions, ensureReaderRole, restoreReader, scramVerifier } from './reader-role.ts';
import { connect } from './connect.ts';
import { type DataDirectory, readSecrets, replaceReaderPassword } from './data-directory.ts';
import { oneAtATime } from './owner-session.ts';

/** Name of the program's role and of its database. The role owns only that database. */
export const APP = 'strandline';
export const READER = 'strandline_reader';

/**
 * Creates missing roles and the database, and revokes public functions from the reader. The program's role is not a
 * superuser and cannot create roles, so the reader role is created and corrected here.
 * @param urlOf URL of a database as the superuser
 */
export async function ensureDatabase(
  client: Client,
  home: DataDirectory,
  urlOf: (database: string) => string,
): Promise<void> {
  await oneAtATime(client, async () => {
    // Read inside the lock, so that a concurrent rotation is not undone.
    const secrets = readSecrets(home);
    if (!(await exists(client, 'SELECT 1 FROM pg_roles WHERE rolname = $1', APP)))
      await client.query(`CREATE ROLE ${APP} LOGIN PASSWORD '${scramVerifier(secrets.app)}'`);
    await ensureReaderRole(client, READER, secrets.reader);
    await restoreReader(client, READER, secrets.reader);
    if (!(await exists(client, 'SELECT 1 FROM pg_database WHERE datname = $1', APP)))
      await client.query(`CREATE DATABASE ${APP} OWNER ${APP}`);
    await closeDatabases(client, urlOf);
  });
}

/**
 * Replaces the reader's password and ends its sessions. The file is written first: if the process is killed in between, the
 * next command applies the file's password ({@link restoreReader}).
 * @returns the new password
 */
export async function rotateReader(client: Client, home: DataDirectory): Promise<string> {
  return oneAtATime(client, async () => {
    const { reader } = await replaceReaderPassword(home);
    await restoreReader(client, READER, reader);
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [READER]);
    return reader;
  });
}

/**
 * The database `postgres` holds locks that the reader must not take. CONNECT on it is revoked last, so that this one check
 * shows whether all steps are done.
 */
async function closeDatabases(client: Client, urlOf: (database: string) => string): Promise<void> {
  const open = `SELECT 1 WHERE has_database_privilege($1, 'postgres', 'CONNECT')`;
  if (!(await exists(client, open, READER))) return;
  const inside = await connect(urlOf(APP), 'strandline set-up');
  try {
    await closeFunctions(inside, [APP]);
  } finally {
    await inside.end();
  }
  await client.query('REVOKE CONNECT ON DATABASE template1 FROM PUBLIC');
  await client.query(
    `GRANT CONNECT ON DATABASE postgres TO ${APP}; REVOKE CONNECT ON DATABASE postgres FROM PUBLIC`,
  );
}

async function exists(client: Client, query: string, name: string): Promise<boolean> {
  const { rowCount } = await client.query(query, [name]);
  return rowCount === 1;
}
