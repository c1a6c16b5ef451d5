import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BULLMQ_MAJOR_VERSION, LATEST_SCHEMA_VERSION } from 'bullmq';
import { onTestFinished, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { QUEUE_CLIENT, QUEUE_VERSION } from '../../src/platform/queue/queue-schema.ts';
import { describeDatabase, migrate } from '../../src/store/db/migrate.ts';
import { LAST_SQUASHED, MIGRATIONS_FOLDER, readMigrations } from '../../src/store/db/migrations-folder.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../database.ts';
import { REPOSITORY } from '../house/sources.ts';
import { programOf } from '../programs.ts';
import { checkSchema } from './check-schema.ts';
import { describeSchema } from './describe-schema.ts';
import { migrationsFolder } from './folders.ts';
import { databaseOf0041 } from './old-database.ts';

const log = createLogger('silent');

const TWO_STEPS = {
  '0000_first': ['CREATE TABLE strandline.one (n int)', 'INSERT INTO strandline.one VALUES (1)'],
  '0001_second': ['CREATE TABLE strandline.two (n int)', 'INSERT INTO strandline.two VALUES (2)'],
};

async function newDatabase(): Promise<TestDatabase> {
  const database = await emptyDatabase();
  onTestFinished(() => database.drop());
  return database;
}

/** As the program's own migrations and BullMQ's leave it. */
async function migratedDatabase(): Promise<TestDatabase> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  return database;
}

async function rowsOf(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = await connect(url, 'test');
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

test('an empty database gets every migration and the queue, once', async () => {
  const { url, readerUrl } = await newDatabase();
  expect(await checkSchema(url)).toBe('empty');
  const known = await readMigrations();
  const first = await migrate({ url, readerUrl, log });
  expect(first).toEqual({ applied: [...known.map((one) => one.name), 'views', 'bullmq'], notes: [] });
  expect(await checkSchema(url)).toBe('current');
  expect(await migrate({ url, readerUrl, log })).toEqual({ applied: [], notes: [] });
});

test('a database from the template is current', async () => {
  const database = await freshDatabase();
  expect(await checkSchema(database.url)).toBe('current');
  await database.drop();
});

test('of two concurrent migrations one does the work and the other waits', async () => {
  const { url } = await newDatabase();
  const folder = await migrationsFolder(TWO_STEPS);
  const results = await Promise.all([1, 2, 3].map(() => migrate({ url, log, folder })));
  expect(results.filter((one) => one.applied.length > 0)).toHaveLength(1);
  expect(await checkSchema(url, folder)).toBe('current');
});

test('only new migrations are applied to an existing database', async () => {
  const { url } = await newDatabase();
  const before = await migrationsFolder({ '0000_first': TWO_STEPS['0000_first'] });
  const after = await migrationsFolder(TWO_STEPS);
  await migrate({ url, log, folder: before });
  expect(await checkSchema(url, after)).toBe('behind');
  expect((await migrate({ url, log, folder: after })).applied).toEqual(['0001_second']);
  expect(await rowsOf(url, 'SELECT n FROM strandline.one UNION ALL SELECT n FROM strandline.two')).toEqual([
    { n: 1 },
    { n: 2 },
  ]);
});

test('a failed migration leaves no changes, nor do the ones before it', async () => {
  const { url } = await newDatabase();
  const broken = { ...TWO_STEPS, '0001_second': [...TWO_STEPS['0001_second'], 'SELECT 1 / 0'] };
  const folder = await migrationsFolder(broken);
  await expect(migrate({ url, log, folder })).rejects.toThrow(/division by zero/);
  expect(await rowsOf(url, `SELECT to_regnamespace('strandline') AS ours`)).toEqual([{ ours: null }]);
  expect(await checkSchema(url, folder)).toBe('empty');
  expect((await migrate({ url, log, folder: await migrationsFolder(TWO_STEPS) })).applied).toEqual([
    '0000_first',
    '0001_second',
    'bullmq',
  ]);
});

test('a migration killed midway leaves the database unchanged, and the next one completes', async () => {
  const { url } = await newDatabase();
  // The second migration stops in its middle, at a lock that we hold, so that the kill hits just there.
  const gate = await connect(url, 'gate');
  await gate.query('SELECT pg_advisory_lock(77)');
  const [create, insert] = TWO_STEPS['0001_second'];
  const folder = await migrationsFolder({
    ...TWO_STEPS,
    '0001_second': [create ?? '', `SELECT pg_advisory_xact_lock(77)`, insert ?? ''],
  });
  const child = spawn(process.execPath, [programOf('test/store/migrator.ts'), url, folder], {
    stdio: 'inherit',
  });
  const exited = once(child, 'exit');
  const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND NOT granted`;
  await expect.poll(() => rowsOf(url, waiting), { timeout: 60_000 }).toHaveLength(1);
  child.kill('SIGKILL');
  await exited;
  await gate.end();

  expect(await rowsOf(url, `SELECT to_regnamespace('strandline') AS ours`)).toEqual([{ ours: null }]);
  expect((await migrate({ url, log, folder })).applied).toEqual(['0000_first', '0001_second', 'bullmq']);
  expect(await rowsOf(url, 'SELECT n FROM strandline.two')).toEqual([{ n: 2 }]);
});

/** The program's migrations as they were when `0000_tables` was the only one, and no views. */
async function tablesOnly(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strandline-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const file of ['meta/_journal.json', '0000_tables.sql'])
    await cp(path.join(MIGRATIONS_FOLDER, file), path.join(folder, file));
  const file = path.join(folder, 'meta', '_journal.json');
  const journal: { entries: unknown[] } = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, 1) }));
  return folder;
}

const LEDGER = 'SELECT hash, created_at::float8 AS when FROM strandline.migrations ORDER BY created_at';

test('a database at the last migration before 0000_tables is adopted: its migration rows become one, and nothing else changes', async () => {
  const { url } = await databaseOf0041();
  const folder = await tablesOnly();
  const oids = `SELECT oid, relname FROM pg_class WHERE relnamespace IN ('strandline'::regnamespace, 'strandline_analytics'::regnamespace) ORDER BY oid`;
  const before = [await describeSchema(url), await rowsOf(url, oids)];
  const rows = await rowsOf(url, 'SELECT * FROM strandline.scanner');
  expect(await rowsOf(url, LEDGER)).toHaveLength(42);
  expect(await checkSchema(url, folder)).toBe('behind');
  // No reader: what it is granted is not the migration's.
  expect((await migrate({ url, log, folder, readerUrl: url })).applied).toEqual([
    '0000_tables (adopted)',
    'bullmq',
  ]);
  expect([await describeSchema(url), await rowsOf(url, oids)]).toEqual(before);
  expect(await rowsOf(url, 'SELECT * FROM strandline.scanner')).toEqual(rows);
  const [{ hash, when } = { hash: '', when: 0 }] = await readMigrations(folder);
  expect(await rowsOf(url, LEDGER)).toEqual([{ hash, when }]);
  expect(await checkSchema(url, folder)).toBe('current');
});

test('an adopted database keeps grants and dependent objects, and otherwise equals a new one: tables, functions, triggers, views, comments and grants', async () => {
  const [{ url, readerUrl }, fresh] = [await databaseOf0041(), await migratedDatabase()];
  await rowsOf(url, 'GRANT SELECT ON strandline_analytics.channels TO PUBLIC');
  await rowsOf(url, 'CREATE VIEW public.my_channels AS SELECT slug, host FROM strandline_analytics.channels');
  await migrate({ url, readerUrl, log });
  expect(await checkSchema(url)).toBe('current');
  expect(await rowsOf(url, 'SELECT * FROM public.my_channels')).toEqual([]);
  const granted = `SELECT FROM information_schema.role_table_grants WHERE table_name = 'channels' AND grantee = 'PUBLIC'`;
  expect(await rowsOf(url, granted)).toHaveLength(1);

  await rowsOf(url, 'DROP VIEW public.my_channels');
  await rowsOf(url, 'REVOKE SELECT ON strandline_analytics.channels FROM PUBLIC');
  expect(await describeSchema(url)).toEqual(await describeSchema(fresh.url));
  expect(await rowsOf(url, LEDGER)).toEqual(await rowsOf(fresh.url, LEDGER));
});

test('an older database is refused with what to do, and stays unchanged', async () => {
  const { url } = await databaseOf0041();
  await rowsOf(url, `DELETE FROM strandline.migrations WHERE created_at = ${LAST_SQUASHED.when}`);
  const before = [await describeSchema(url), await rowsOf(url, LEDGER)];
  expect(await checkSchema(url)).toBe('outdated');
  await expect(migrate({ url, log })).rejects.toMatchObject({
    name: 'Refused',
    message: expect.stringMatching(
      /too old .* Install the last release whose newest migration is 0041_derivations_set_aside, run strandline migrate with it, then/,
    ),
  });
  expect([await describeSchema(url), await rowsOf(url, LEDGER)]).toEqual(before);
});

test('a database migrated by a newer strandline is refused and stays unchanged', async () => {
  const { url } = await newDatabase();
  await migrate({ url, log, folder: await migrationsFolder(TWO_STEPS) });
  const older = await migrationsFolder({ '0000_first': TWO_STEPS['0000_first'] });
  expect(await checkSchema(url, older)).toBe('newer');
  await expect(migrate({ url, log, folder: older })).rejects.toMatchObject({
    name: 'Refused',
    message: expect.stringMatching(
      /newer strandline \(migrations that this version does not know: 1; its own newest is 0000_first\)/,
    ),
  });
});

test.each([
  ['strandline', 'CREATE SCHEMA strandline CREATE TABLE letters (n int)'],
  ['strandline', 'CREATE SCHEMA strandline CREATE TABLE migrations (id int, name text)'],
  ['strandline_analytics', 'CREATE SCHEMA strandline_analytics CREATE VIEW posts AS SELECT 1 AS n'],
  ['bullmq', 'CREATE SCHEMA bullmq CREATE TABLE job (n int)'],
])('a foreign schema %s is refused: %s', async (schema, statement) => {
  const { url } = await newDatabase();
  await rowsOf(url, statement);
  expect(await checkSchema(url)).toBe('foreign');
  await expect(migrate({ url, log })).rejects.toThrow(
    `has a schema "${schema}" that strandline did not create`,
  );
});

test('foreign tables in other schemas do not matter', async () => {
  const { url } = await newDatabase();
  await rowsOf(url, 'CREATE SCHEMA theirs CREATE TABLE letters (n int)');
  const folder = await migrationsFolder(TWO_STEPS);
  expect((await migrate({ url, log, folder })).applied).toContain('bullmq');
});

test('a queue created by a newer BullMQ is refused', async () => {
  const { url } = await migratedDatabase();
  await rowsOf(url, 'UPDATE bullmq.migration SET min_client_version = 1000');
  expect(await checkSchema(url)).toBe('newer');
  await expect(migrate({ url, log })).rejects.toThrow(/created by a newer BullMQ/);
});

test.each([
  [
    'every table of the queue was truncated, including its list of migrations',
    `DO $$ DECLARE t text; BEGIN
       FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'bullmq' LOOP EXECUTE format('TRUNCATE bullmq.%I CASCADE', t); END LOOP;
     END $$`,
  ],
  ['the queue lost its list of migrations', 'DROP TABLE bullmq.migration'],
  ['the schema of the queue was dropped', 'DROP SCHEMA bullmq CASCADE'],
])('%s: migrate creates the queue again', async (_what, statement) => {
  const { url } = await migratedDatabase();
  await rowsOf(url, statement);
  expect(await checkSchema(url)).toBe('behind');
  expect((await migrate({ url, log })).applied).toEqual(['bullmq']);
  expect(await checkSchema(url)).toBe('current');
  expect((await migrate({ url, log })).applied).toEqual([]);
});

type BullmqMigration = { version: number; name: string; load: () => string };

test('an older queue gets what is missing, and keeps its jobs', async () => {
  const { url } = await migratedDatabase();
  // As the BullMQ before left it: its migrations, one by one, but the last.
  const file = path.join(REPOSITORY, 'node_modules/bullmq/dist/cjs/postgres/migrations/index.js');
  const { MIGRATIONS } = (await import(file)) as { MIGRATIONS: BullmqMigration[] }; // has no types
  const client = await connect(url, 'test');
  try {
    await client.query('DROP SCHEMA bullmq CASCADE; CREATE SCHEMA bullmq; SET search_path TO bullmq');
    await client.query('CREATE TABLE migration (version int PRIMARY KEY, name text, min_client_version int)');
    for (const { version, name, load } of MIGRATIONS.slice(0, -1)) {
      await client.query(load());
      await client.query('INSERT INTO migration VALUES ($1, $2, $3)', [version, name, QUEUE_CLIENT]);
    }
    await client.query(`INSERT INTO meta (queue, field, value) VALUES ('q', 'kept', 'yes')`);
  } finally {
    await client.end();
  }
  expect(await checkSchema(url)).toBe('behind');
  expect(await migrate({ url, log })).toEqual({ applied: ['bullmq'], notes: [] });
  expect(await migrate({ url, log })).toEqual({ applied: [], notes: [] });
  expect(await rowsOf(url, `SELECT value FROM bullmq.meta WHERE queue = 'q'`)).toEqual([{ value: 'yes' }]);
});

test('the versions of the queue are those that this BullMQ creates', () => {
  expect([QUEUE_CLIENT, QUEUE_VERSION]).toEqual([BULLMQ_MAJOR_VERSION, LATEST_SCHEMA_VERSION]);
});

test('an empty list of migrations next to foreign tables is not our queue', async () => {
  const { url } = await newDatabase();
  await rowsOf(
    url,
    'CREATE SCHEMA bullmq CREATE TABLE migration (version int, name text) CREATE TABLE job (n int)',
  );
  expect(await checkSchema(url)).toBe('foreign');
});

test('names the database before any change, without its password', async () => {
  const { url, name } = await newDatabase();
  const lines: string[] = [];
  const noted = createLogger('info', [], { write: (line) => lines.push(line) });
  await migrate({ url, log: noted, folder: await migrationsFolder(TWO_STEPS) });
  const { port, password } = new URL(url);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    msg: 'migrating database',
    database: `${name} at 127.0.0.1:${port} as strandline`,
  });
  expect(lines.join()).not.toContain(password);
  expect(describeDatabase('postgres://user:p%40ss@db.host/name')).toBe('name at db.host:5432 as user');
});

test('explains an unreachable database, without the password', async () => {
  await expect(migrate({ url: 'postgres://u:secret-word@127.0.0.1:1/x', log })).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.not.stringContaining('secret-word'),
  });
});
