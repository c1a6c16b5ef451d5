/** Roles and database of the embedded Postgres. */

import type { Client } from 'pg';
import { closeFunctions, ensureReaderRole, restoreReader, scramVerifier } from './reader-role.ts';
import { connect } from './connect.ts';
import { type DataDirectory, readSecrets, replaceReaderPassword } from './data-directory.ts';
import { oneAtATime } from './owner-session.ts';

/** Name of the role the program connects as, and of its database. It owns that database, and no more. */
export const APP = 'strandline';
export const READER = 'strandline_reader';

/**
 * Makes the program's role, the reader's role and the database where they are missing, and closes to the reader
 * what Postgres leaves open to everybody. The program's role is no superuser and may not make roles, so the
 * reader's is made, and kept as it should be, here.
 * @param urlOf the address of a database as the superuser
 */
export async function ensureDatabase(
  client: Client,
  home: DataDirectory,
  urlOf: (database: string) => string,
): Promise<void> {
  await oneAtATime(client, async () => {
    // Read in here: what a rotation wrote meanwhile is not undone.
    const secrets = await readSecrets(home);
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
 * Gives the reader's role another password, and ends its sessions. The file comes first: whoever is killed between the two
 * leaves a role that the next command sets to what the file says ({@link restoreReader}).
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
 * Processes meet in the database `postgres` by locks that a reader must not take. That it may not enter there is
 * written last, so that a look at this tells whether all of it was done.
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
