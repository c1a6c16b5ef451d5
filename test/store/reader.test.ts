import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { hasOpenFunctions } from '../../src/platform/postgres/reader-role.ts';
import { connect, withDatabase } from '../../src/platform/postgres/connect.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { readerQuery } from '../../src/store/reader/reader-query.ts';
import { emptyDatabase, freshDatabase } from '../database.ts';

const database = await freshDatabase();
const log = createLogger('silent');

beforeAll(async () => {
  await asApp('CREATE VIEW strandline_analytics.later AS SELECT 1 AS n');
});
afterAll(() => database.drop());

async function asApp(sql: string): Promise<void> {
  const client = await connect(database.url, 'test');
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function read(sql: string, params: readonly unknown[] = []) {
  return readerQuery({ url: database.readerUrl, sql, params });
}

describe('the reader', () => {
  test('can read the views, including those created after the grants', async () => {
    expect((await read('SELECT count(*) AS n FROM strandline_analytics.posts')).rows).toEqual([[0]]);
    expect((await read('SELECT n FROM later')).rows).toEqual([[1]]);
  });

  test('has its limits from the start of a session', async () => {
    // As an analyst connects.
    const client = new Client({ connectionString: database.readerUrl });
    await client.connect();
    const { rows } = await client.query(
      `SELECT current_setting('default_transaction_read_only') AS readonly,
              current_setting('statement_timeout') AS statement,
              current_setting('idle_in_transaction_session_timeout') AS idle`,
    );
    await client.end();
    expect(rows).toEqual([{ readonly: 'on', statement: '30s', idle: '1min' }]);
  });

  // By readerQuery, and on a bare connection with every limit switched off: what holds must be the grants.
  const forbidden: [string, RegExp][] = [
    ['SELECT * FROM strandline.posts', /permission denied for schema strandline/],
    ['SELECT * FROM strandline.migrations', /permission denied for schema strandline/],
    ['SELECT * FROM bullmq.job', /permission denied for schema bullmq/],
    ['UPDATE strandline_analytics.posts SET text = null', /permission denied|cannot update/],
    ['DELETE FROM strandline_analytics.later', /permission denied|cannot delete/],
    ['SET ROLE strandline', /permission denied to set role/],
    ['SET SESSION AUTHORIZATION strandline', /permission denied to set session authorization/],
    [`SELECT pg_read_file('/etc/passwd')`, /permission denied for function pg_read_file/],
    [`SELECT pg_ls_dir('.')`, /permission denied for function pg_ls_dir/],
    [`COPY (SELECT 1) TO PROGRAM 'id'`, /permission denied to COPY to or from an external program/],
    [`COPY (SELECT 1) TO '/tmp/strandline-leak'`, /permission denied to COPY to a file/],
    ['SELECT rolpassword FROM pg_authid', /permission denied for table pg_authid/],
    ['CREATE TABLE public.mine (n int)', /permission denied for schema public/],
    ['CREATE TEMP TABLE mine (n int)', /permission denied to create temporary tables/],
    ['CREATE SCHEMA mine', /permission denied for database/],
    ['CREATE ROLE mine', /permission denied to create role/],
    ['DROP VIEW strandline_analytics.later', /must be owner of view later/],
  ];
  test.each(forbidden)('may not run %s', async (sql, why) => {
    await expect(read(sql)).rejects.toThrow(new RegExp(`${why.source}|in a read-only transaction`));
    const client = await connect(database.readerUrl, 'test');
    try {
      await client.query('SET default_transaction_read_only = off; SET statement_timeout = 0');
      await expect(client.query(sql)).rejects.toThrow(why);
    } finally {
      await client.end();
    }
  });

  test.each(['commit; drop view strandline_analytics.later', 'select 1; select 2'])(
    'can send only one statement: %s',
    async (sql) => {
      await expect(read(sql)).rejects.toThrow(/cannot insert multiple commands into a prepared statement/);
      expect((await read('SELECT n FROM strandline_analytics.later')).rows).toEqual([[1]]);
    },
  );

  test.each([
    `SELECT set_config('statement_timeout', '0', false), pg_sleep(20)`,
    `WITH off AS MATERIALIZED (SELECT set_config('statement_timeout', '0', true)) SELECT pg_sleep(20) FROM off`,
    `DO $$ BEGIN SET LOCAL statement_timeout = 0; PERFORM pg_sleep(20); END $$`,
    `DO $$ BEGIN LOOP BEGIN PERFORM pg_sleep(20); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$`,
  ])('cannot lift the time limit of the running statement: %s', async (sql) => {
    await expect(readerQuery({ url: database.readerUrl, sql, timeoutMs: 50 })).rejects.toThrow(
      /canceling statement due to statement timeout|Query read timeout/,
    );
    // Nor does it go on behind our back.
    const client = await connect(database.readerUrl, 'test');
    const left = `SELECT FROM pg_stat_activity WHERE application_name = 'strandline sql' AND state = 'active' AND usename = current_user AND datname = current_database()`;
    await vi.waitFor(async () => expect((await client.query(left)).rowCount).toBe(0), { timeout: 60_000 });
    await client.end();
  });

  test('notifications of a statement are not delivered', async () => {
    const listener = await connect(database.url, 'test');
    await listener.query('LISTEN bullmq_jobs');
    const heard: unknown[] = [];
    listener.on('notification', (message) => heard.push(message));
    await read(`SELECT pg_notify('bullmq_jobs', 'forged')`);
    await listener.query(`NOTIFY bullmq_jobs, 'last'`);
    await vi.waitFor(() => expect(heard).toMatchObject([{ payload: 'last' }]), { timeout: 60_000 });
    await listener.end();
  });

  test('is stopped after the time limit of a statement', async () => {
    const sql = 'SELECT pg_sleep(20)';
    await expect(readerQuery({ url: database.readerUrl, sql, timeoutMs: 50 })).rejects.toMatchObject({
      code: '57014',
    });
  });
});

describe('values', () => {
  test.each([
    ['1::bigint AS n', 'bigint', 1],
    ['9007199254740993::bigint AS n', 'bigint', '9007199254740993'],
    ['1::bigint AS id', 'bigint', '1'],
    ['1::bigint AS search_id', 'bigint', '1'],
    ['ARRAY[1, 2]::bigint[] AS post_ids', 'bigint[]', ['1', '2']],
    ['ARRAY[1, null]::bigint[] AS counts', 'bigint[]', [1, null]],
    ['ARRAY[ARRAY[1.5], ARRAY[2]] AS n', 'numeric[]', [[1.5], [2]]],
    ['0.10::numeric AS cost', 'numeric', 0.1],
    ['100::numeric AS cost', 'numeric', 100],
    ['0.1234567890123456789::numeric AS n', 'numeric', '0.1234567890123456789'],
    [`'NaN'::float8 AS n`, 'double precision', 'NaN'],
    ['1.5::float4 AS n', 'real', 1.5],
    ['true AS t', 'boolean', true],
    ['null::text AS t', 'text', null],
    [`timestamptz '2026-11-21 10:04:00.5+01' AS at`, 'timestamp with time zone', '2026-11-21T09:04:00.500Z'],
    [`timestamptz 'infinity' AS at`, 'timestamp with time zone', 'infinity'],
    [`date '2026-11-21' AS day`, 'date', '2026-11-21'],
    [`interval '90 minutes' AS i`, 'interval', 'PT1H30M'],
    [`'{"a": [1, null]}'::jsonb AS j`, 'jsonb', { a: [1, null] }],
    [`ARRAY['a,b', 'NULL', null, '"'] AS words`, 'text[]', ['a,b', 'NULL', null, '"']],
    [`'\\x00ff'::bytea AS b`, 'bytea', '\\x00ff'],
  ])('%s', async (expression, type, value) => {
    const { columns, rows } = await read(`SELECT ${expression}`);
    expect(columns[0]?.type).toBe(type);
    expect(rows).toEqual([[value]]);
  });

  test('all columns with the same name are returned, and parameters are parameters', async () => {
    const { columns, rows } = await read('SELECT $1::text AS a, $2::int AS a', [`'; drop`, 7]);
    expect(columns).toEqual([
      { name: 'a', type: 'text' },
      { name: 'a', type: 'integer' },
    ]);
    expect(rows).toEqual([[`'; drop`, 7]]);
  });
});

test('a reader address with the role of the program is reported, and nothing is changed', async () => {
  const { notes } = await migrate({ url: database.url, readerUrl: database.url, log });
  expect(notes.join()).toMatch(/uses the program's own role/);
  const client = await connect(database.url, 'test');
  const { rows } = await client.query('SELECT rolconfig FROM pg_roles WHERE rolname = current_user');
  await client.end();
  expect(rows).toEqual([{ rolconfig: null }]);
});

test('without permission to create the role, migrate reports that and succeeds', async () => {
  const readerUrl = new URL(database.readerUrl);
  readerUrl.username = 'nobody_has_made_this';
  const { notes } = await migrate({ url: database.url, readerUrl: readerUrl.href, log });
  expect(notes.join()).toMatch(/Could not create or change the role nobody_has_made_this: .*CREATEROLE/);
});

test('migrate reports what only a superuser can restrict for the reader, and restricts it as a superuser', async () => {
  const open = await emptyDatabase({ closed: false });
  const said = /block the queue with advisory locks and fill the disk/;
  expect((await migrate({ url: open.url, readerUrl: open.readerUrl, log })).notes.join()).toMatch(said);
  expect((await migrate({ url: open.url, readerUrl: open.readerUrl, log })).notes).toEqual([]);
  const locks = () => readerQuery({ url: open.readerUrl, sql: 'SELECT pg_try_advisory_xact_lock(1) AS got' });
  expect((await locks()).rows).toEqual([[true]]);

  const superuser = withDatabase(inject('superuserUrl'), open.name);
  const visitor = await connect(superuser, 'test');
  await visitor.query('CREATE TABLE public.of_another_program (n int)');
  expect((await migrate({ url: superuser, readerUrl: open.readerUrl, log })).notes).toEqual([]);
  expect((await locks()).rows).toEqual([[true]]);
  await visitor.query('DROP TABLE public.of_another_program');
  await visitor.end();
  await migrate({ url: superuser, readerUrl: open.readerUrl, log });
  await expect(locks()).rejects.toThrow(/permission denied for function pg_try_advisory_xact_lock/);
  await open.drop();
});

test('the commands for a superuser in docs/reference/databases.md restrict it', async () => {
  const open = await emptyDatabase({ closed: false });
  await migrate({ url: open.url, readerUrl: open.readerUrl, log });
  const [, sql = ''] =
    /```sql\n(DO[^`]+)```/.exec(await readFile('docs/reference/databases.md', 'utf8')) ?? [];
  const superuser = await connect(withDatabase(inject('superuserUrl'), open.name), 'test');
  // The role belongs to all files that run now: what is set for it is taken back.
  await superuser.query('BEGIN');
  await superuser.query(sql);
  expect(await hasOpenFunctions(superuser, 'strandline_reader')).toBe(false);
  expect(await hasOpenFunctions(superuser, 'strandline')).toBe(true);
  await superuser.query('ROLLBACK');
  await superuser.end();
  await open.drop();
});

test('with permission, migrate creates the role with the password of the address, and it can log in', async () => {
  const other = await emptyDatabase();
  const superuser = withDatabase(inject('superuserUrl'), other.name);
  const name = `reader_${other.name}`;
  const readerUrl = new URL(other.readerUrl);
  readerUrl.username = name;
  readerUrl.password = encodeURIComponent('p@ss:wörd/%');
  expect((await migrate({ url: superuser, readerUrl: readerUrl.href, log })).notes).toEqual([]);
  const sql = 'SELECT current_user::text, count(*) FROM strandline_analytics.posts';
  expect((await readerQuery({ url: readerUrl.href, sql })).rows).toEqual([[name, 0]]);
  await other.drop();
  const client = await connect(inject('superuserUrl'), 'test');
  await client.query(`DROP ROLE ${name}`);
  await client.end();
});
