import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { inject } from 'vitest';
import { closeFunctions } from '../src/platform/postgres/reader-role.ts';
import { readErrorCode } from '../src/model/errors.ts';
import { connect, withDatabase } from '../src/platform/postgres/connect.ts';

/** A migrated, empty database for one test file. */
export type TestDatabase = Readonly<{
  /** As the role of the program, which owns it. */
  url: string;
  /** As the role that can only read the views of `strandline_analytics`. */
  readerUrl: string;
  name: string;
  /** Drops it. Fails afterwards if a connection is still open: a pool was leaked. */
  drop(): Promise<void>;
}>;

/**
 * Creates a database from the migrated template, in about a tenth of a second:
 * `const database = await freshDatabase()` at the top, `afterAll(() => database.drop())` at the end.
 */
export async function freshDatabase(): Promise<TestDatabase> {
  return makeDatabase(new URL(inject('appUrl')).pathname.slice(1));
}

/**
 * A completely empty database, for tests of migration itself.
 * @param options.closed false: like a foreign Postgres, with all functions open to everybody
 */
export async function emptyDatabase({ closed = true } = {}): Promise<TestDatabase> {
  const database = await makeDatabase('template0');
  if (!closed) return database;
  const inside = await connect(withDatabase(inject('superuserUrl'), database.name), 'strandline test');
  await closeFunctions(inside, [new URL(database.url).username]);
  await inside.end();
  return database;
}

/**
 * A database that several files of this run fill in the same way: the first file fills one, all get copies.
 * @param fill keeps no connection to it
 */
export async function filledDatabase(
  name: string,
  fill: (database: TestDatabase) => Promise<void>,
): Promise<TestDatabase> {
  const filled = `filled_${name}`;
  await asSuperuser(async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [filled]);
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [filled]);
    if (rowCount === 1) return;
    const database = await freshDatabase();
    await fill(database);
    await client.query(`ALTER DATABASE ${database.name} RENAME TO ${filled}`);
  });
  return makeDatabase(filled);
}

async function makeDatabase(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = withDatabase(inject('appUrl'), name);
  const { username: owner } = new URL(url);
  // Copied files take half the space of logged pages, and no memory of the server.
  const copied = `TEMPLATE ${template} STRATEGY file_copy OWNER ${owner}`;
  await asSuperuser(async (client) => {
    await client.query(`CREATE DATABASE ${name} ${copied}`);
    // A template does not pass on rights on the database itself. The reader may not create tables.
    await client.query(`REVOKE TEMPORARY ON DATABASE ${name} FROM PUBLIC`);
  });
  return {
    name,
    url,
    readerUrl: withDatabase(inject('readerUrl'), name),
    drop: () => asSuperuser((client) => drop(client, name)),
  };
}

async function drop(client: Client, name: string): Promise<void> {
  try {
    // Postgres itself waits some seconds for sessions that are ending.
    await client.query(`DROP DATABASE ${name}`);
  } catch (error) {
    if (readErrorCode(error) !== '55006') throw error;
    const { rows } = await client.query<{ who: string }>(
      `SELECT format('%s (%s, %s: %s)', coalesce(nullif(application_name, ''), 'unnamed'), usename, state,
                     left(query, 200)) AS who
         FROM pg_stat_activity WHERE datname = $1`,
      [name],
    );
    await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    throw new Error(`still connected at the end of the test file: ${rows.map((row) => row.who).join('; ')}`, {
      cause: error,
    });
  }
}

async function asSuperuser<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(inject('superuserUrl'), 'strandline test');
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
