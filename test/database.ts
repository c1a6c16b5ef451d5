import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { inject } from 'vitest';
import { closeFunctions } from '../src/platform/postgres/reader-role.ts';
import { readErrorCode, connect, withDatabase } from '../src/platform/postgres/connect.ts';

/** A database of a test file's own, migrated, with nothing in it. */
export type TestDatabase = Readonly<{
  /** As the program's role, which owns it. */
  url: string;
  /** As the role that may read the views of `strandline_analytics` and nothing else. */
  readerUrl: string;
  name: string;
  /** Removes it. Fails, after removing it, if somebody is still connected: a pool was leaked. */
  drop(): Promise<void>;
}>;

/**
 * Makes a database from the migrated template, in about a tenth of a second:
 * `const database = await freshDatabase()` at the top, `afterAll(() => database.drop())` at the end.
 */
export async function freshDatabase(): Promise<TestDatabase> {
  return makeDatabase(new URL(inject('appUrl')).pathname.slice(1));
}

/**
 * A database with nothing in it at all, for tests of migration itself.
 * @param options.closed false: as a Postgres of somebody else has it, with all its functions open to everybody
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
 * A database like others of this run that are filled in the same way: the first file that asks fills one, all get copies.
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
  // Files that are copied take half of what pages take that are logged, and fill no memory of the server's.
  const copied = `TEMPLATE ${template} STRATEGY file_copy OWNER ${owner}`;
  await asSuperuser(async (client) => {
    await client.query(`CREATE DATABASE ${name} ${copied}`);
    // What a template cannot pass on: rights on the database itself. The reader may make no tables.
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
    // Postgres waits some seconds by itself for sessions that are just ending.
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
