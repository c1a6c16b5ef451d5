/** What the reader may do in the embedded Postgres, on a bare connection with every session limit off. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readErrorCode } from '../../src/model/errors.ts';
import { connect, withDatabase } from '../../src/platform/postgres/connect.ts';
import { type EmbeddedPostgres, openEmbedded } from '../../src/platform/postgres/embedded-postgres.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { query, silent, readyStage } from '../engine/stage.ts';
import { makeDirectory } from '../temporary.ts';

const directory = await makeDirectory();
let postgres: EmbeddedPostgres;
let reader: Client;
beforeAll(async () => {
  const dataDir = path.join(directory, 'data');
  const sharedDirectory = path.join(directory, 'shared');
  postgres = await openEmbedded({
    dataDir,
    sharedDirectory,
    role: 'owner',
    log: silent,
    settings: { fsync: 'off' },
  });
  await migrate({ url: postgres.url, readerUrl: postgres.readerUrl, log: silent });
  reader = await connect(postgres.readerUrl, 'test');
  await reader.query('SET default_transaction_read_only = off; SET statement_timeout = 0');
});
afterAll(async () => {
  await reader.end();
  await postgres.close();
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
});

describe('the reader may not', () => {
  test.each([
    ['take a lock that saves use', `SELECT pg_advisory_lock(hashtext('strandline.discoveries'))`],
    ['take a lock of the queue', `SELECT pg_advisory_xact_lock(hashtext('bullmq:finalization'))`],
    ['take a shared lock', 'SELECT pg_try_advisory_lock_shared(1, 2)'],
    ['fill the disk with a large object', `SELECT lo_from_bytea(0, repeat('x', 1000)::bytea)`],
    ['create an empty large object', 'SELECT lo_create(0)'],
    ['import a file as a large object', `SELECT lo_import('/etc/passwd')`],
    ['export a large object to a file', `SELECT lo_export(1, '/tmp/strandline-leak')`],
    ['fill the write-ahead log', `SELECT pg_logical_emit_message(false, 'x', repeat('x', 1000))`],
    ['create an extension', 'CREATE EXTENSION dblink'],
    ['connect to another server', 'CREATE FOREIGN DATA WRAPPER away'],
    ['create a function', `CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS 'SELECT 1'`],
    ['load a library', `LOAD 'auto_explain'`],
    ['reset statistics', 'SELECT pg_stat_reset()'],
    ['lift its limit of temporary files', 'SET temp_file_limit = -1'],
    ['raise its own privileges', 'ALTER ROLE CURRENT_USER SUPERUSER'],
    ['raise its connection limit', 'ALTER ROLE CURRENT_USER CONNECTION LIMIT 1000'],
    ['change settings of the server', `ALTER SYSTEM SET log_statement = 'all'`],
    ['change settings of the program role', `ALTER ROLE strandline SET statement_timeout = '1ms'`],
    ['lock a table', 'DO $$ BEGIN LOCK TABLE strandline_analytics.posts IN SHARE MODE; END $$'],
    ['lock rows', 'SELECT * FROM strandline_analytics.searches FOR UPDATE'],
    [
      'terminate other sessions',
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'strandline_owner'`,
    ],
  ])('%s', async (_, sql) => {
    await expect(reader.query(sql)).rejects.toMatchObject({
      // Not allowed; not there; or, for rows, not to be locked through a view that groups.
      code: expect.stringMatching(/^(42501|0A000)$/),
    });
  });

  test.each(['postgres', 'template1'])('connect to the database %s', async (database) => {
    await expect(connect(withDatabase(postgres.readerUrl, database), 'test')).rejects.toMatchObject({
      code: '42501',
    });
  });

  test('receive notifications or see queries of others', async () => {
    const other = await connect(postgres.url, 'test');
    await other.query(`SELECT 'between us'`);
    const { rows } = await reader.query<{ query: string }>(
      `SELECT query FROM pg_stat_activity WHERE usename = 'strandline'`,
    );
    await other.end();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain('between us');
  });

  test('exhaust the connections of the program', async () => {
    const taken: Client[] = [];
    try {
      await expect(
        (async () => {
          for (let n = 0; n < 100; n++) taken.push(await connect(postgres.readerUrl, 'test'));
        })(),
      ).rejects.toMatchObject({ code: '53300', message: expect.stringContaining('role') });
      expect(taken.length).toBeLessThanOrEqual(5);
    } finally {
      await Promise.all(taken.map((client) => client.end()));
    }
  });
});

test('the program can use the functions that are closed to others', async () => {
  const [locked] = await query(postgres.url, 'SELECT pg_try_advisory_xact_lock(1) AS got');
  expect(locked).toEqual({ got: true });
});

test('the reader can send notifications over a bare connection', async () => {
  const listener = await connect(postgres.url, 'test');
  await listener.query('LISTEN bullmq_jobs');
  const heard = once(listener, 'notification');
  await reader.query(`NOTIFY bullmq_jobs, 'forged'`);
  expect((await heard)[0]).toMatchObject({ payload: 'forged' });
  await listener.end();
});

test('changes of the reader to its own role are reset at the next start: password and settings', async () => {
  const { open } = await readyStage();
  const first = await open('owner');
  const before = await connect(first.readerUrl, 'test');
  await before.query('SET default_transaction_read_only = off');
  await before.query(`ALTER ROLE CURRENT_USER PASSWORD 'mine'`);
  await before.query('ALTER ROLE CURRENT_USER SET default_transaction_read_only = off');
  await before.query(`ALTER ROLE CURRENT_USER SET search_path = 'nowhere'`);
  await before.query('ALTER ROLE CURRENT_USER IN DATABASE strandline SET statement_timeout = 0');
  await before.query(`ALTER ROLE CURRENT_USER SET work_mem = '1GB'`);
  await before.end();
  await expect(connect(first.readerUrl, 'test')).rejects.toMatchObject({ code: '28P01' });
  await first.close();

  const second = await open('guest');
  // As an analyst connects.
  const analyst = new Client({ connectionString: second.readerUrl });
  await analyst.connect();
  const { rows } = await analyst.query(
    `SELECT current_setting('default_transaction_read_only') AS readonly, current_setting('search_path') AS path,
            current_setting('statement_timeout') AS statement, current_setting('work_mem') AS memory,
            current_setting('temp_file_limit') AS files`,
  );
  await analyst.end();
  expect(rows).toEqual([
    { readonly: 'on', path: 'strandline_analytics', statement: '30s', memory: '32MB', files: '256MB' },
  ]);
  const forged = new URL(second.readerUrl);
  forged.password = 'mine';
  await expect(connect(forged.href, 'test').catch((error: unknown) => readErrorCode(error))).resolves.toBe(
    '28P01',
  );
});
