/** How `migrate` creates the views of the SQL contract in a database. */
import { onTestFinished, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { readViews } from '../../src/store/db/migrations-folder.ts';
import { applyViews } from '../../src/store/db/views.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../database.ts';
import { checkSchema } from './check-schema.ts';
import { describeSchema } from './describe-schema.ts';
import { migrationsFolder } from './folders.ts';

const log = createLogger('silent');

const TABLES = {
  '0000_tables': [
    'CREATE SCHEMA strandline_analytics',
    'CREATE TABLE strandline.letters (n int, word text)',
    `INSERT INTO strandline.letters VALUES (1, 'a')`,
  ],
};
const LETTERS = 'select n, word from strandline.letters';
/** In the alphabet it stands before what it reads. */
const COUNTED = 'select count(*) as letters from strandline_analytics.letters';
const NARROW = 'select word from strandline.letters';

/** A release with two views: one reads the other. */
const release = (version: string, letters: string, tables: Record<string, string[]> = TABLES) =>
  migrationsFolder(tables, { version, select: { counted: COUNTED, letters } });

async function newDatabase(make = emptyDatabase): Promise<TestDatabase> {
  const database = await make();
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

const columnsOf = async (url: string, view: string) =>
  (
    await rowsOf(
      url,
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'strandline_analytics.${view}'::regclass AND attnum > 0 ORDER BY attnum`,
    )
  ).map(({ name }) => name);
const oidsOf = (url: string) =>
  rowsOf(
    url,
    `SELECT relname, oid FROM pg_class WHERE relnamespace = 'strandline_analytics'::regnamespace ORDER BY 1`,
  );
const grantsOf = (url: string) =>
  rowsOf(
    url,
    `SELECT relname, array(SELECT acl::text FROM unnest(relacl) acl ORDER BY 1) AS acl,
       array(SELECT attname || ': ' || attacl::text FROM pg_attribute WHERE attrelid = c.oid AND attacl IS NOT NULL) AS columns
     FROM pg_class c WHERE relnamespace = 'strandline_analytics'::regnamespace ORDER BY 1`,
  );

test('creates views after the ones they read, and replaces those with a higher version', async () => {
  const { url } = await newDatabase();
  expect((await migrate({ url, log, folder: await release('1.9', LETTERS) })).applied).toEqual([
    '0000_tables',
    'views',
    'bullmq',
  ]);
  const before = await oidsOf(url);
  const next = await release('1.10', `${LETTERS} where n > 1`);
  expect(await checkSchema(url, next)).toBe('behind');
  expect((await migrate({ url, log, folder: next })).applied).toEqual(['views']);
  expect(await rowsOf(url, 'SELECT * FROM strandline_analytics.counted')).toEqual([{ letters: '0' }]);
  // Replaced, so that whatever depends on them stays.
  expect(await oidsOf(url)).toEqual(before);
  expect(await checkSchema(url, next)).toBe('current');
});

test('a program with the same or an older contract leaves views unchanged, so that two versions do not alternate', async () => {
  const { url } = await newDatabase();
  const [older, newer] = [await release('1.9', LETTERS), await release('1.10', `${LETTERS} where n > 1`)];
  await migrate({ url, log, folder: newer });
  const after = await describeSchema(url);
  for (const folder of [older, newer, older, await release('1.10', LETTERS)]) {
    expect(await checkSchema(url, folder)).toBe('current');
    expect((await migrate({ url, log, folder })).applied).toEqual([]);
  }
  expect(await describeSchema(url)).toEqual(after);
  expect((await migrate({ url, log, folder: await release('2.0', LETTERS) })).applied).toEqual(['views']);
});

test('a view that cannot be replaced is dropped with our dependent views, and all grants are restored', async () => {
  const { url, readerUrl } = await newDatabase();
  const reader = new URL(readerUrl).username;
  await migrate({ url, readerUrl, log, folder: await release('1.0', LETTERS) });
  await rowsOf(
    url,
    `GRANT SELECT ON strandline_analytics.letters TO PUBLIC;
     GRANT SELECT (letters) ON strandline_analytics.counted TO ${reader} WITH GRANT OPTION;
     GRANT SELECT (n), REFERENCES (word) ON strandline_analytics.letters TO ${reader};
     REVOKE SELECT ON strandline_analytics.counted FROM ${reader};
     GRANT SELECT (letters) ON strandline_analytics.counted TO ${reader} WITH GRANT OPTION`,
  );
  const [oids, grants] = [await oidsOf(url), await grantsOf(url)];
  // Applied alone: afterwards, migrate grants the views to its reader again.
  const views = await readViews(await release('2.0', NARROW));
  if (views === undefined) throw new Error('no views');
  const client = await connect(url, 'test');
  await client.query('BEGIN');
  await applyViews(client, views, 'real', log);
  await client.query('COMMIT');
  await client.end();
  expect(await columnsOf(url, 'letters')).toEqual(['word']);
  expect((await oidsOf(url)).some((one) => oids.some(({ oid }) => oid === one['oid']))).toBe(false);
  // A column that is gone takes its grants along.
  const [counted, letters] = grants;
  expect(await grantsOf(url)).toEqual([
    counted,
    { ...letters, columns: [expect.stringMatching(/^word: .*=x\//)] },
  ]);
});

test.each([
  [
    'a view over it',
    'CREATE VIEW theirs.mine AS SELECT n FROM strandline_analytics.letters',
    'view theirs.mine',
  ],
  [
    'a view over another of our views',
    'CREATE VIEW theirs.mine AS SELECT * FROM strandline_analytics.counted',
    'view theirs.mine',
  ],
  [
    'a function over its rows',
    'CREATE FUNCTION theirs.mine(strandline_analytics.letters) RETURNS int LANGUAGE sql AS $$SELECT 1$$',
    'function theirs.mine',
  ],
  [
    'a view in our schema',
    'CREATE VIEW strandline_analytics.mine AS SELECT n FROM strandline_analytics.letters',
    'view strandline_analytics.mine',
  ],
])(
  '%s created by someone else stops migrate, which names it and changes nothing',
  async (_what, statement, named) => {
    const { url } = await newDatabase();
    await migrate({ url, log, folder: await release('1.0', LETTERS) });
    await rowsOf(url, `CREATE SCHEMA theirs; ${statement}`);
    const before = [await describeSchema(url), await oidsOf(url)];
    const folder = await release('2.0', NARROW, {
      ...TABLES,
      '0001_more': ['CREATE TABLE strandline.more (n int)'],
    });
    await expect(migrate({ url, log, folder })).rejects.toMatchObject({
      name: 'Refused',
      kind: 'conflict',
      message: expect.stringContaining(named),
    });
    expect([await describeSchema(url), await oidsOf(url)]).toEqual(before);
    expect(await checkSchema(url, folder)).toBe('behind');
    // What does not have to be dropped is replaced under it.
    const wider = await release('1.1', 'select n, word, n + 1 as next from strandline.letters');
    expect((await migrate({ url, log, folder: wider })).applied).toEqual(['views']);
    expect(await columnsOf(url, 'letters')).toEqual(['n', 'word', 'next']);
  },
);

test('a failed view leaves all views unchanged, and the tables of the same migration', async () => {
  const { url } = await newDatabase();
  await migrate({ url, log, folder: await release('1.0', LETTERS) });
  const before = await describeSchema(url);
  const folder = await release('1.1', `${LETTERS} where nothing`, {
    ...TABLES,
    '0001_more': ['CREATE TABLE strandline.more (n int)'],
  });
  await expect(migrate({ url, log, folder })).rejects.toThrow(/column "nothing" does not exist/);
  expect(await describeSchema(url)).toEqual(before);
});

test('a view in use is retried; if it stays in use, it is left unchanged and its readers are named', async () => {
  const { url } = await newDatabase();
  await migrate({ url, log, folder: await release('1.0', LETTERS) });
  const before = await describeSchema(url);
  const views = await readViews(await release('1.1', `${LETTERS} where n > 1`));
  if (views === undefined) throw new Error('no views');
  const reader = await connect(url, 'a long question');
  await reader.query('BEGIN; SELECT * FROM strandline_analytics.letters');
  const client = await connect(url, 'test');
  const locks = { timeoutMs: 20, attempts: 3, pauseMs: 1 };
  await client.query('BEGIN');
  await expect(applyViews(client, views, 'real', log, locks)).rejects.toMatchObject({
    name: 'Refused',
    kind: 'unavailable',
    message: expect.stringMatching(/in use by a long question \(\w+, pid \d+\)\. Nothing was changed/),
  });
  await client.query('COMMIT');
  expect(await describeSchema(url)).toEqual(before);

  // The reader ends once it has been waited for in vain.
  const warned: string[] = [];
  let ended: Promise<unknown> | undefined;
  const telling = createLogger('warn', [], {
    write: (line) => {
      warned.push(line);
      ended ??= reader.query('COMMIT');
    },
  });
  await client.query('BEGIN');
  await applyViews(client, views, 'real', telling, { ...locks, attempts: 1_000 });
  await client.query('COMMIT');
  await ended;
  expect(JSON.parse(warned[0] ?? '')).toMatchObject({ msg: 'views in use; retrying', attempt: 1 });
  expect(await rowsOf(url, 'SELECT * FROM strandline_analytics.counted')).toEqual([{ letters: '0' }]);
  await client.end();
  await reader.end();
});

test('restores the views of the program after changed columns, changed comments and a lower version', async () => {
  const database = await newDatabase(freshDatabase);
  const { url, readerUrl } = database;
  const before = await describeSchema(url);
  const [{ text } = { text: '' }] = await rowsOf(
    url,
    `SELECT rtrim(pg_get_viewdef('strandline_analytics.discoveries'::regclass), ';') AS text`,
  );
  await rowsOf(
    url,
    `DROP VIEW strandline_analytics.runs;
     CREATE OR REPLACE VIEW strandline_analytics.discoveries AS SELECT d.*, 1 AS more FROM (${String(text)}) d;
     COMMENT ON COLUMN strandline_analytics.posts.id IS 'another';
     COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.0'`,
  );
  expect(await checkSchema(url)).toBe('behind');
  expect((await migrate({ url, readerUrl, log })).applied).toEqual(['views']);
  expect(await describeSchema(url)).toEqual(before);
});

test.each([
  [
    'two views that depend on each other',
    { a: 'select * from strandline_analytics.b', b: 'select * from strandline_analytics.a' },
    /circular views: a, b/,
  ],
  [
    'a file without its view',
    { a: 'select 1;\nCREATE VIEW strandline_analytics.b AS select 2' },
    /views\/a.sql creates .*a, .*b, not a/,
  ],
])('%s is an error before anything is changed', async (_what, select, said) => {
  const { url } = await newDatabase();
  const folder = await migrationsFolder(TABLES, { version: '1.0', select });
  await expect(migrate({ url, log, folder })).rejects.toThrow(said);
  expect(await rowsOf(url, `SELECT to_regnamespace('strandline') AS ours`)).toEqual([{ ours: null }]);
});
