/** Poolers: session mode works as Postgres itself does; transaction and statement mode are refused in words. */
import { Client, type QueryResult } from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { openDatabase } from '../../src/store/db/database.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { checkExternalDatabase } from '../../src/cli/system-checks.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../database.ts';
import { hasPgbouncer, type PoolMode, type Pooler, startPgbouncer } from '../pgbouncer.ts';
import { live } from './life.ts';

const present = await hasPgbouncer();
if (!present)
  process.stderr.write('No pgbouncer was found: its tests are left out, and counted as skipped below.\n');

const log = createLogger('silent');
const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function pool(
  database: TestDatabase,
  pool_mode: PoolMode,
  settings: Readonly<Record<string, string>> = {},
): Promise<Pooler> {
  const pooler = await startPgbouncer([database.url, database.readerUrl], { pool_mode, ...settings });
  opened.push(() => pooler.close());
  return pooler;
}

/** The same database through a pooler. */
function behind(database: TestDatabase, { through }: Pooler): TestDatabase {
  return { ...database, url: through(database.url), readerUrl: through(database.readerUrl) };
}

describe.skipIf(!present)('pgbouncer', () => {
  test('in session mode with stock settings: a database is migrated, and a whole life is the same as without', async () => {
    const [direct, empty] = [await freshDatabase(), await emptyDatabase()];
    const pooler = await pool(empty, 'session');
    const pooled = behind(empty, pooler);
    await migrate({ url: pooled.url, readerUrl: pooled.readerUrl, log });
    expect(await live(pooled)).toEqual(await live(direct));
    expect(await checkExternalDatabase(pooled.url, log)).toMatchObject({ state: 'ok' });
    await opened.pop()?.();
    await direct.drop();
    await empty.drop();
  });

  test('in session mode, what another client left in a session changes nothing, even if nothing resets it', async () => {
    const database = await freshDatabase();
    const pooler = await pool(database, 'session', {
      server_reset_query: '',
      default_pool_size: '1',
      server_lifetime: '3600',
    });
    // A pool of one connection is too small to tell session mode from the others, and full for who comes second.
    const both = await Promise.all(
      [1, 2].map(async () => connect(pooler.through(database.url), 'test').then(() => 'connected', String)),
    );
    const words = (which: string) =>
      expect.stringMatching(`gave ${which} to Postgres within 10 s .*Raise its pool size`) as unknown;
    expect(both.toSorted()).toEqual([words('no connection'), words('no second connection')]);
    const [first, second] = [1, 2].map(() => openDatabase(pooler.through(database.url), { max: 1, log }));
    const pid = async (db = first) => (await db?.pool.query('SELECT pg_backend_pid() AS pid'))?.rows[0]?.pid;
    const before = await pid();
    await first?.pool.query({ name: 'left', text: 'SELECT 1 AS one' });
    await first?.pool.query(
      `SET datestyle = 'German'; SET search_path = nowhere; LISTEN left_behind; CREATE TEMP TABLE left_table ()`,
    );
    await first?.close();
    expect(await pid(second), 'the same session of Postgres').toBe(before);
    const rows = await second?.pool.query({
      name: 'left',
      text: `SELECT timestamptz '2026-02-01 12:00+00' AS at, current_setting('search_path') AS path`,
    });
    expect(rows?.rows).toEqual([{ at: new Date('2026-02-01T12:00:00Z'), path: 'pg_catalog, pg_temp' }]);
    expect((await second?.pool.query('SELECT pg_listening_channels()'))?.rows).toEqual([]);
    await second?.close();
    await opened.pop()?.();
    await database.drop();
  });

  test.each([
    ['transaction', {}],
    ['transaction', { default_pool_size: '1' }],
    ['transaction', { server_round_robin: '1' }],
    ['statement', {}],
    // The usual advice, with which the start-up parameters of other programs are accepted.
    ['transaction', { ignore_startup_parameters: 'statement_timeout,lock_timeout,options' }],
  ] as const)(
    'in %s mode %o: refused by name at the start and by doctor, idle and under load',
    async (mode, settings) => {
      const database = await freshDatabase();
      const pooler = await pool(database, mode, settings);
      const url = pooler.through(database.url);
      const words = /in transaction or statement mode.*pool_mode = session/;
      await expect(migrate({ url, log })).rejects.toThrow(words);
      expect(await checkExternalDatabase(url, log)).toMatchObject({
        state: 'failed',
        facts: expect.stringMatching(words),
      });
      // Others take and return backends meanwhile.
      const refused = new AbortController();
      const load = Array.from({ length: 4 }, async () => {
        while (!refused.signal.aborted) await queryPlainly(url, 'SELECT 1');
      });
      for (let attempt = 0; attempt < 20; attempt += 1)
        await expect(connect(url, 'test'), `attempt ${attempt}`).rejects.toThrow(words);
      refused.abort();
      await Promise.all(load);
      // Nothing of the program is left in the sessions that other clients share.
      const { rows } = await queryPlainly(url, 'SHOW search_path');
      expect(rows).toEqual([{ search_path: '"$user", public' }]);
      await opened.pop()?.();
      await database.drop();
    },
  );

  test('in session mode, no start is refused by mistake, however many there are at once', async () => {
    const database = await freshDatabase();
    const pooler = await pool(database, 'session', { default_pool_size: '40', max_client_conn: '200' });
    const url = pooler.through(database.url);
    for (let round = 0; round < 5; round += 1) {
      const clients = await Promise.all(Array.from({ length: 12 }, () => connect(url, 'test')));
      await Promise.all(clients.map((client) => client.end()));
    }
    await opened.pop()?.();
    await database.drop();
  });
});

test('without a pooler, a connection costs no second one', async () => {
  const database = await freshDatabase();
  const client = await connect(database.url, 'test');
  const { rows } = await client.query(
    'SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()',
  );
  expect(rows).toEqual([{ n: 1 }]);
  await client.end();
  await database.drop();
});

/** As another program would, without settings. */
async function queryPlainly(url: string, text: string): Promise<QueryResult> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}
