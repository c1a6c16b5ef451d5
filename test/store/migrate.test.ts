import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BULLMQ_MAJOR_VERSION, LATEST_SCHEMA_VERSION } from 'bullmq';
import { onTestFinished, expect, test } from 'vitest';
import { createLogger } from '../../src/engine/logger.ts';
import { connect } from '../../src/engine/postgres/connect.ts';
import { QUEUE_CLIENT, QUEUE_PARTS, QUEUE_VERSION } from '../../src/engine/queue-parts.ts';
import { readParts } from '../../src/engine/queue-schema.ts';
import { describeDatabase, migrate } from '../../src/store/migrate.ts';
import { readMigrations } from '../../src/store/migrations-folder.ts';
import { checkSchema } from '../../src/store/schema-state.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../database.ts';
import { programOf } from '../programs.ts';
import { migrationsFolder, migrationsUpTo } from './folders.ts';

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

async function rowsOf(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = await connect(url, 'test');
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

test('an empty database gets every migration, the queue, and once only', async () => {
  const { url, readerUrl } = await newDatabase();
  expect(await checkSchema(url)).toBe('empty');
  const known = await readMigrations();
  const first = await migrate({ url, readerUrl, log });
  expect(first).toEqual({ applied: [...known.map((one) => one.name), 'bullmq'], notes: [] });
  expect(await checkSchema(url)).toBe('current');
  expect(await migrate({ url, readerUrl, log })).toEqual({ applied: [], notes: [] });
});

test('a database from the template is current', async () => {
  const database = await freshDatabase();
  expect(await checkSchema(database.url)).toBe('current');
  await database.drop();
});

test('of two migrators at once one does the work and the other waits for it', async () => {
  const { url } = await newDatabase();
  const results = await Promise.all([migrate({ url, log }), migrate({ url, log }), migrate({ url, log })]);
  expect(results.filter((one) => one.applied.length > 0)).toHaveLength(1);
  expect(await checkSchema(url)).toBe('current');
});

test('new migrations are applied to what is there, and only they', async () => {
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

test('a migration that fails leaves nothing of itself, and those before it stand', async () => {
  const { url } = await newDatabase();
  const broken = { ...TWO_STEPS, '0001_second': [...TWO_STEPS['0001_second'], 'SELECT 1 / 0'] };
  const folder = await migrationsFolder(broken);
  await expect(migrate({ url, log, folder })).rejects.toThrow(/division by zero/);
  expect(await rowsOf(url, `SELECT to_regclass('strandline.two') AS two`)).toEqual([{ two: null }]);
  expect(await checkSchema(url, folder)).toBe('behind');
  expect((await migrate({ url, log, folder: await migrationsFolder(TWO_STEPS) })).applied).toContain(
    '0001_second',
  );
});

test('a migrator killed half-way leaves whole migrations only, and the next one goes on', async () => {
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
  await expect.poll(() => rowsOf(url, waiting), { timeout: 20_000 }).toHaveLength(1);
  child.kill('SIGKILL');
  await exited;
  await gate.end();

  const tables = `SELECT to_regclass('strandline.one') IS NOT NULL AS one, to_regclass('strandline.two') AS two`;
  expect(await rowsOf(url, tables)).toEqual([{ one: true, two: null }]);
  expect((await migrate({ url, log, folder })).applied).toEqual(['0001_second', 'bullmq']);
  expect(await rowsOf(url, 'SELECT n FROM strandline.two')).toEqual([{ n: 2 }]);
});

test('counters from before stand in their own tables, and the views show what they showed', async () => {
  const { url } = await newDatabase();
  await migrate({ url, log, folder: await migrationsUpTo('0039_derivations') });
  await rowsOf(
    url,
    `INSERT INTO strandline.services (name, kind, dialect, created_at) VALUES ('hosted', 'hosted', 'named', now());
     INSERT INTO strandline.authors (service_id, external_id, first_seen_at, observed_at, followers_count, media_count)
     SELECT id, '9', '2026-11-01Z', '2026-11-02Z', 7, 0 FROM strandline.services;
     INSERT INTO strandline.posts (service_id, author_id, external_id, text, first_seen_at, observed_at, like_count, view_count,
       hashtags, mentions, urls, media, entities)
     SELECT service_id, id, n, 'text', first_seen_at, observed_at + n * interval '1 hour', nullif(n, 2), 2 ^ 53, '{}', '{}', '{}', '[]', '{}'
     FROM strandline.authors, generate_series(1, 3) n`,
  );
  const shown = async () => [
    await rowsOf(url, 'SELECT * FROM strandline_analytics.posts ORDER BY id'),
    await rowsOf(url, 'SELECT * FROM strandline_analytics.authors'),
    await rowsOf(url, 'SELECT * FROM strandline_analytics.post_growth ORDER BY post_id'),
  ];
  const before = await shown();
  expect(before[0]).toMatchObject([{ like_count: '1' }, { like_count: null }, { like_count: '3' }]);
  await migrate({ url, log });
  expect(await shown()).toEqual(before);
  const counters = await rowsOf(url, 'SELECT * FROM strandline.post_counters ORDER BY post_id');
  expect(counters).toHaveLength(3);
  expect(counters[2]).toMatchObject({ like_count: '3', observed_at: new Date('2026-11-02T03:00:00Z') });
});

test('a database that a newer strandline migrated is refused and left as it is', async () => {
  const { url } = await newDatabase();
  await migrate({ url, log, folder: await migrationsFolder(TWO_STEPS) });
  const older = await migrationsFolder({ '0000_first': TWO_STEPS['0000_first'] });
  expect(await checkSchema(url, older)).toBe('newer');
  await expect(migrate({ url, log, folder: older })).rejects.toMatchObject({
    name: 'Refused',
    message: expect.stringMatching(/newer strandline \(1 migrations that this one does not know\)/),
  });
});

test.each([
  ['strandline', 'CREATE SCHEMA strandline CREATE TABLE letters (n int)'],
  ['strandline', 'CREATE SCHEMA strandline CREATE TABLE migrations (id int, name text)'],
  ['strandline_analytics', 'CREATE SCHEMA strandline_analytics CREATE VIEW posts AS SELECT 1 AS n'],
  ['bullmq', 'CREATE SCHEMA bullmq CREATE TABLE job (n int)'],
])('a schema %s that is not ours is refused: %s', async (schema, statement) => {
  const { url } = await newDatabase();
  await rowsOf(url, statement);
  expect(await checkSchema(url)).toBe('foreign');
  await expect(migrate({ url, log })).rejects.toThrow(
    `has a schema "${schema}" that strandline did not make`,
  );
});

test('tables of somebody else in other schemas are no hindrance', async () => {
  const { url } = await newDatabase();
  await rowsOf(url, 'CREATE SCHEMA theirs CREATE TABLE letters (n int)');
  expect((await migrate({ url, log })).applied).toContain('bullmq');
});

test('a queue that a newer BullMQ made is refused', async () => {
  const { url } = await newDatabase();
  await migrate({ url, log });
  await rowsOf(url, 'UPDATE bullmq.migration SET min_client_version = 1000');
  expect(await checkSchema(url)).toBe('newer');
  await expect(migrate({ url, log })).rejects.toThrow(/made by a newer BullMQ/);
});

test.each([
  [
    'every table of the queue was truncated, its list of migrations too',
    'missing or different: rows of the table migration.',
    `DO $$ DECLARE t text; BEGIN
       FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'bullmq' LOOP EXECUTE format('TRUNCATE bullmq.%I CASCADE', t); END LOOP;
     END $$`,
  ],
  [
    'the queue lost its list of migrations',
    /: column migration[.]applied_at, .*index migration_pkey[.]$/,
    'DROP TABLE bullmq.migration',
  ],
  ['the schema of the queue was dropped', undefined, 'DROP SCHEMA bullmq CASCADE'],
  [
    'one table of the queue was dropped',
    /: column job[.]\w+, .* and \d+ more[.]$/,
    'DROP TABLE bullmq.job CASCADE',
  ],
  [
    'one column of the queue was dropped',
    /: column job[.]priority, index job_ready_idx[.]$/,
    'ALTER TABLE bullmq.job DROP COLUMN priority CASCADE',
  ],
  [
    'the queue was restored with its tables and without its functions',
    /: function add_flow.1, .* and \d+ more[.]$/,
    `DO $$ DECLARE f regprocedure; BEGIN
       FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'bullmq'::regnamespace LOOP EXECUTE 'DROP FUNCTION ' || f || ' CASCADE'; END LOOP;
     END $$`,
  ],
  [
    'a function of the queue has another body',
    'missing or different: function next_delay/1.',
    'ALTER FUNCTION bullmq.next_delay RENAME TO kept; CREATE FUNCTION bullmq.next_delay(n int) RETURNS int LANGUAGE sql AS $$SELECT n$$',
  ],
])('%s: migrate creates the queue again, and names what was missing', async (_what, named, statement) => {
  const { url } = await newDatabase();
  await migrate({ url, log });
  await rowsOf(url, statement);
  expect(await checkSchema(url)).toBe('behind');
  const lines: string[] = [];
  const warnings = createLogger('warn', [], { write: (line) => lines.push(line) });
  const { applied, notes } = await migrate({ url, log: warnings });
  expect(applied).toEqual(['bullmq']);
  const damaged = notes.filter((note) => note.includes('The schema "bullmq" was damaged'));
  if (named === undefined) expect([damaged, lines]).toEqual([[], []]);
  else {
    expect(damaged).toEqual([
      named instanceof RegExp ? expect.stringMatching(named) : expect.stringContaining(named),
    ]);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'queue schema damaged, creating it again' });
  }
  expect(await checkSchema(url)).toBe('current');
  expect((await migrate({ url, log })).applied).toEqual([]);
});

test.each([
  ['an index', 'CREATE INDEX of_a_dba ON bullmq.job (name)'],
  ['a function', 'CREATE FUNCTION bullmq.of_a_dba() RETURNS int LANGUAGE sql AS $$SELECT 1$$'],
  ['a column', 'ALTER TABLE bullmq.job ADD COLUMN of_a_dba text'],
  [
    'a trigger and a table',
    `CREATE TABLE bullmq.of_a_dba (n int);
     CREATE FUNCTION bullmq.of_a_dba() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NEW; END$$;
     CREATE TRIGGER of_a_dba BEFORE INSERT ON bullmq.job FOR EACH ROW EXECUTE FUNCTION bullmq.of_a_dba()`,
  ],
])('%s that somebody added to the queue is no damage: what is in it stays', async (_what, statement) => {
  const { url } = await newDatabase();
  await migrate({ url, log });
  await rowsOf(
    url,
    `${statement}; INSERT INTO bullmq.meta (queue, field, value) VALUES ('q', 'kept', 'yes')`,
  );
  expect(await checkSchema(url)).toBe('current');
  expect(await migrate({ url, log })).toEqual({ applied: [], notes: [] });
  expect(await rowsOf(url, `SELECT value FROM bullmq.meta WHERE queue = 'q'`)).toEqual([{ value: 'yes' }]);
});

test('the versions and the parts that a queue is judged by are the ones that this BullMQ makes', async () => {
  const { url } = await newDatabase();
  await migrate({ url, log });
  const client = await connect(url, 'strandline test');
  expect([...(await readParts(client))].sort()).toEqual([...QUEUE_PARTS].sort());
  expect([QUEUE_CLIENT, QUEUE_VERSION]).toEqual([BULLMQ_MAJOR_VERSION, LATEST_SCHEMA_VERSION]);
  await client.end();
});

test('an empty list of migrations beside tables of somebody else is no queue of ours', async () => {
  const { url } = await newDatabase();
  await rowsOf(
    url,
    'CREATE SCHEMA bullmq CREATE TABLE migration (version int, name text) CREATE TABLE job (n int)',
  );
  expect(await checkSchema(url)).toBe('foreign');
});

test('which database it is, is said before it is touched, and never with its password', async () => {
  const { url, name } = await newDatabase();
  const lines: string[] = [];
  await migrate({ url, log: createLogger('info', [], { write: (line) => lines.push(line) }) });
  const { port, password } = new URL(url);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    msg: 'database to migrate',
    database: `${name} at 127.0.0.1:${port} as strandline`,
  });
  expect(lines.join()).not.toContain(password);
  expect(describeDatabase('postgres://user:p%40ss@db.host/name')).toBe('name at db.host:5432 as user');
});

test('a database that cannot be reached is said in words, without the password', async () => {
  await expect(migrate({ url: 'postgres://u:secret-word@127.0.0.1:1/x', log })).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.not.stringContaining('secret-word'),
  });
});
