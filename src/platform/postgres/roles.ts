/** Roles and databases of the embedded Postgres. */

import type { DatabaseKind } from '../../model/database-kind.ts';
import type { Client } from 'pg';
import { closeFunctions, ensureReaderRole, restoreReader, scramVerifier } from './reader-role.ts';
import { connect } from './connect.ts';
import {
  completeSecrets,
  type DataDirectory,
  readSecrets,
  replaceReaderPassword,
  type Secrets,
} from './data-directory.ts';
import { oneAtATime } from './owner-session.ts';

type Named = Readonly<{
  /** Of the database, and of the role that owns it and nothing else. */
  name: string;
  reader: string;
  /** Where the passwords of the two roles are in the file. */
  secrets: Readonly<{ owner: keyof Secrets; reader: 'reader' | 'sandboxReader' }>;
}>;

export const DATABASES: Readonly<Record<DatabaseKind, Named>> = {
  real: { name: 'strandline', reader: 'strandline_reader', secrets: { owner: 'app', reader: 'reader' } },
  sandbox: {
    name: 'strandline_sandbox',
    reader: 'strandline_sandbox_reader',
    secrets: { owner: 'sandbox', reader: 'sandboxReader' },
  },
};

/**
 * Creates missing roles and databases, and closes each database to the roles of the other. The owners are not superusers and
 * cannot create roles, so the readers are created and corrected here.
 * @param urlOf URL of a database as the superuser
 */
export async function ensureDatabases(
  client: Client,
  home: DataDirectory,
  urlOf: (database: string) => string,
): Promise<void> {
  await oneAtATime(client, async () => {
    // Read inside the lock, so that a concurrent rotation is not undone.
    const passwords = await completeSecrets(home);
    for (const { name, reader, secrets } of Object.values(DATABASES)) {
      if (!(await exists(client, 'SELECT 1 FROM pg_roles WHERE rolname = $1', name)))
        await client.query(`CREATE ROLE ${name} LOGIN PASSWORD '${scramVerifier(passwords[secrets.owner])}'`);
      await ensureReaderRole(client, reader, passwords[secrets.reader]);
      await restoreReader(client, reader, passwords[secrets.reader]);
    }
    // Copying a template takes a tenth to a third of a second.
    await inParallel(Object.values(DATABASES), async ({ name }) => createDatabase(client, name, urlOf));
    await closeDatabases(client, urlOf);
  });
}

async function createDatabase(
  client: Client,
  name: string,
  urlOf: (database: string) => string,
): Promise<void> {
  if (await exists(client, 'SELECT 1 FROM pg_database WHERE datname = $1', name)) return;
  const own = await connect(urlOf('postgres'), 'strandline set-up');
  try {
    await own.query(`CREATE DATABASE ${name} OWNER ${name}`);
  } finally {
    await own.end();
  }
}

/** @throws the first error, once all have ended: what still runs would find the server gone */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(items.map(work));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/**
 * Replaces a reader's password and ends its sessions. The file is written first: if the process is killed in between, the
 * next command applies the file's password ({@link restoreReader}).
 * @returns the new password
 */
export async function rotateReader(client: Client, home: DataDirectory, kind: DatabaseKind): Promise<string> {
  const { reader, secrets } = DATABASES[kind];
  return oneAtATime(client, async () => {
    const password = await replaceReaderPassword(home, secrets.reader);
    await restoreReader(client, reader, password);
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [reader]);
    return password;
  });
}

/** The password of a role, as it is now. */
export function readPassword(home: DataDirectory, kind: DatabaseKind, role: 'owner' | 'reader'): string {
  return readSecrets(home)[DATABASES[kind].secrets[role]];
}

/** The database `postgres` has locks that readers must not take. */
async function closeDatabases(client: Client, urlOf: (database: string) => string): Promise<void> {
  const { real, sandbox } = DATABASES;
  await inParallel([real, sandbox], async (database) => {
    if (await mayConnect(client, database === real ? sandbox.reader : real.reader, database.name))
      await closeDatabase(client, database, urlOf);
  });
  if (!(await mayConnect(client, real.reader, 'postgres'))) return;
  await client.query(
    `REVOKE CONNECT ON DATABASE template1 FROM PUBLIC;
     GRANT CONNECT ON DATABASE postgres TO ${real.name}, ${sandbox.name};
     REVOKE CONNECT ON DATABASE postgres FROM PUBLIC`,
  );
}

/** CONNECT is revoked last, so that it shows whether all steps are done. */
async function closeDatabase(
  client: Client,
  { name, reader }: Named,
  urlOf: (database: string) => string,
): Promise<void> {
  const inside = await connect(urlOf(name), 'strandline set-up');
  try {
    await closeFunctions(inside, [name]);
  } finally {
    await inside.end();
  }
  await client.query(
    `GRANT CONNECT ON DATABASE postgres TO ${name};
     GRANT CONNECT ON DATABASE ${name} TO ${reader};
     REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`,
  );
}

async function mayConnect(client: Client, role: string, database: string): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT has_database_privilege($1, $2, 'CONNECT') AS may`,
    [role, database],
  );
  return rows[0]?.may === true;
}

async function exists(client: Client, query: string, name: string): Promise<boolean> {
  const { rowCount } = await client.query(query, [name]);
  return rowCount === 1;
}
