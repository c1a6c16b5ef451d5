import type { Client } from 'pg';
import type { Secrets } from './files.ts';
import { ensureReaderRole } from './reader-role.ts';
import { scramVerifier } from './scram.ts';
import { oneAtATime } from './session.ts';

/** Name of the role the program connects as, and of its database. It owns that database, and no more. */
export const APP = 'strandline';
export const READER = 'strandline_reader';

/**
 * Makes the program's role, the reader's role and the database where they are missing. The program's role
 * is no superuser and may not make roles, so the reader's is made, and kept as it should be, here.
 */
export async function ensureDatabase(client: Client, secrets: Secrets): Promise<void> {
  await oneAtATime(client, async () => {
    if (!(await exists(client, 'SELECT 1 FROM pg_roles WHERE rolname = $1', APP)))
      await client.query(`CREATE ROLE ${APP} LOGIN PASSWORD '${scramVerifier(secrets.app)}'`);
    await ensureReaderRole(client, READER, secrets.reader);
    if (!(await exists(client, 'SELECT 1 FROM pg_database WHERE datname = $1', APP)))
      await client.query(`CREATE DATABASE ${APP} OWNER ${APP}`);
  });
}

async function exists(client: Client, query: string, name: string): Promise<boolean> {
  const { rowCount } = await client.query(query, [name]);
  return rowCount === 1;
}
