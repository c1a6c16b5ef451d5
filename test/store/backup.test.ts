import { createHash } from 'node:crypto';
import { appendFile, cp, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import copyStreams from 'pg-copy-streams';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { fillArchive } from '../../src/store/archive/index-archive.ts';
import { backUp } from '../../src/store/backup/backup.ts';
import type { BackedUpTable, Manifest } from '../../src/store/backup/manifest.ts';
import { restore } from '../../src/store/backup/restore.ts';
import { openDatabase } from '../../src/store/db/database.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import { LAST_SQUASHED, MIGRATIONS_FOLDER, readMigrations } from '../../src/store/db/migrations-folder.ts';
import { ensurePartitions } from '../../src/store/maintenance/partitions.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../database.ts';
import { json, type StubService, startStub, wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';
import { checkSchema } from './check-schema.ts';
import { describeSchema } from './describe-schema.ts';
import { databaseOf0041 } from './old-database.ts';

const log = createLogger('silent');
let stub: StubService;
let world: World;
let folder: string;
/** The one backup that most tests look at, what was loaded from it, and a database that stays empty. */
let whole: string;
let restored: TestDatabase;
let nothing: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'strandline-backup-'));
  stub = await startStub();
  world = await makeWorld({ hosted: stub.url });
  await seed();
  whole = path.join(folder, 'whole');
  await backUp({ url: world.database.url, directory: whole, version: 'test', now: world.clock.now() });
  [restored, nothing] = await Promise.all([emptyDatabase(), emptyDatabase()]);
  await load(restored, whole);
});
afterAll(async () => {
  await Promise.all([restored.drop(), nothing.drop()]);
  await world.close();
  await stub.close();
  await rm(folder, { recursive: true });
});

/** Texts that a careless way out and in would change. */
const ODD = [
  'tab\tline\nreturn\r',
  '\\N',
  '\\.',
  'back\\slash "quoted" \'single\'',
  '{a,"b"}',
  '\u{1f30a} zażółć',
  ' ',
];

/** Of tables before `0003_members`, no list can be unknown. */
const NO_ENTITIES = { hashtags: [], user_mentions: [], urls: [] };

async function seed(): Promise<void> {
  const { ctx } = world;
  const posts = ODD.map((text, n) =>
    wirePost(`20000000${n}`, { text, like_count: n, entities: NO_ENTITIES }),
  );
  stub.answers(json({ miner_tweets: posts }));
  const { firstRunId } = await createSearch(ctx, {
    slug: 'posts',
    operation: 'microblog',
    prompt: ODD.join(' '),
    every: '15m',
  });
  await executeRun(ctx, firstRunId);
  world.clock.advance(40 * 24 * 3_600_000);
  stub.answers(
    json({
      miner_tweets: posts
        .map((post) => ({ ...post, like_count: 99 }))
        .concat({ id: 'x'.repeat(9_000) } as never),
    }),
  );
  const { runId } = await insertManualRun(ctx, 'posts');
  await executeRun(ctx, runId);
  stub.answers(
    json({
      web_search_results: {
        organic_results: [{ title: ODD[3], link: 'https://a.example/1', snippet: ODD[0] }],
      },
      completion_links: ['https://a.example/1'],
      completion: { summary: ODD.join('\n'), key_posts: [{ text: ODD[1], url: 'https://a.example/1' }] },
    }),
  );
  const ai = await createSearch(ctx, { slug: 'ai', operation: 'ai', prompt: 'p', cron: '0 8 * * *' });
  await executeRun(ctx, ai.firstRunId);
  await fillArchive(world.db, { batches: 9 });
  const author = await findAuthor(world.db, 'hosted', '@user_200000006');
  if (author !== undefined) await forgetAuthor(world.ctx, author);
  // A run that is under way, and a worker that lives.
  await insertManualRun(ctx, 'ai');
  await world.db.pool.query(
    `UPDATE strandline.runs SET status = 'running', worker = 'w', started_at = now(), lease_until = now() + interval '1 hour', fence = 1, leases = 1 WHERE status = 'queued'`,
  );
  await world.db.pool.query(
    `INSERT INTO strandline.workers VALUES ('w', '1', 'postgres', 8, 0, now(), now());
     INSERT INTO strandline.facts VALUES ('instance', 'the-old-one', now()) ON CONFLICT DO NOTHING`,
  );
}

const load = (database: TestDatabase, directory: string, more = {}) =>
  restore({ url: database.url, readerUrl: database.readerUrl, directory, log, ...more });

/** A copy of the whole backup, to be damaged. */
async function copyOf(name: string): Promise<string> {
  const directory = path.join(folder, name);
  await cp(whole, directory, { recursive: true });
  return directory;
}

async function rowsOf(url: string, text: string, values: unknown[] = []) {
  const client = await connect(url, 'test');
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** What an analyst exports: every view, in CSV, byte for byte. */
async function exported(url: string): Promise<Record<string, string>> {
  const client = await connect(url, 'test');
  const digests: Record<string, string> = {};
  try {
    await client.query(`SET timezone = 'UTC'`);
    const { rows } = await client.query<{ name: string; columns: number }>(
      `SELECT c.relname AS name, count(*)::int AS columns FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
       WHERE c.relnamespace = 'strandline_analytics'::regnamespace GROUP BY 1 ORDER BY 1`,
    );
    for (const { name } of rows) {
      const hash = createHash('sha256');
      let bytes = 0;
      const stream = client.query(
        copyStreams.to(
          `COPY (SELECT * FROM strandline_analytics.${name} v ORDER BY v::text) TO STDOUT (FORMAT csv, HEADER)`,
        ),
      );
      for await (const chunk of stream) {
        hash.update(chunk as Buffer); // a stream of bytes
        bytes += (chunk as Buffer).length;
      }
      digests[name] = `${bytes} ${hash.digest('hex')}`;
    }
  } finally {
    await client.end();
  }
  return digests;
}

/** Tables of a backup, decompressed. */
async function contentOf(directory: string): Promise<Record<string, string>> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.gz')).sort();
  const entries = await Promise.all(
    files.map(async (name) => [
      name,
      gunzipSync(await readFile(path.join(directory, name))).toString('utf8'),
    ]),
  );
  return Object.fromEntries(entries);
}

test('export, wipe, restore, export: the files are identical', async () => {
  // The lease and the instance are the database's own and in no view but one; a run under way has no more to say.
  const before = await exported(world.database.url);
  expect(Object.keys(before).length).toBeGreaterThan(15);
  expect(await exported(restored.url)).toEqual(before);
  expect(await checkSchema(restored.url)).toBe('current');
});

test('every table has the same rows: a backup of a restored database is identical, except for data of the instance', async () => {
  const again = path.join(folder, 'again');
  await backUp({ url: restored.url, directory: again, version: 'test', now: world.clock.now() });
  const [one, two] = [await contentOf(whole), await contentOf(again)];
  expect(Object.keys(two)).toEqual(Object.keys(one));
  const filled = Object.values(one).filter((text) => text !== '').length;
  expect(filled).toBeGreaterThan(22);
  const differing = Object.keys(one).filter((name) => one[name] !== two[name]);
  expect(differing.sort()).toEqual(['facts.copy.gz', 'runs.copy.gz', 'workers.copy.gz']);
  expect(await rowsOf(restored.url, `SELECT name FROM strandline.facts WHERE name = 'instance'`)).toEqual([]);
  expect(await rowsOf(restored.url, 'SELECT FROM strandline.workers')).toEqual([]);
  expect(
    await rowsOf(
      restored.url,
      `SELECT lease_until <= clock_timestamp() AS over FROM strandline.runs WHERE status = 'running'`,
    ),
  ).toEqual([{ over: true }]);
  const manifests = await Promise.all(
    [whole, again].map((dir) => readFile(path.join(dir, 'manifest.json'), 'utf8')),
  );
  const [next, nextAgain] = manifests.map((text) => JSON.parse(text).next);
  expect(nextAgain).toEqual(next);
});

test('a restored database continues: known posts are not new, ids go on, and forgotten authors stay forgotten', async () => {
  const db = openDatabase(restored.url, { log });
  try {
    const ctx = { ...world.ctx, db };
    const posts = ODD.map((text, n) => wirePost(`20000000${n}`, { text, like_count: 100 + n }));
    stub.answers(json({ miner_tweets: [...posts, wirePost('299999999')] }));
    const { runId } = await insertManualRun(ctx, 'posts');
    const report = await executeRun(ctx, runId);
    expect(report).toMatchObject({ status: 'succeeded' });
    const { rows } = await db.pool.query(
      `SELECT p.external_id FROM strandline.discoveries d JOIN strandline.posts p ON p.id = d.thing WHERE d.run_id = $1`,
      [runId],
    );
    expect(rows).toEqual([{ external_id: '299999999' }]);
    const most = await rowsOf(world.database.url, 'SELECT max(id) AS id FROM strandline.discoveries');
    const now = await rowsOf(restored.url, 'SELECT max(id) AS id FROM strandline.discoveries');
    expect(BigInt(now[0].id)).toBeGreaterThan(BigInt(most[0].id));
  } finally {
    await db.close();
  }
});

test('a backup is one snapshot: concurrent saves are not in it, and no month is dropped meanwhile', async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const db = openDatabase(database.url, { log });
  onTestFinished(() => db.close());
  await ensurePartitions(db, new Date('2026-01-15'));
  await db.pool.query(
    `INSERT INTO strandline.post_snapshots (post_id, observed_at, like_count) VALUES (1, '2026-01-15', 5)`,
  );
  const directory = path.join(folder, 'moment');
  let asked = false;
  const failed: unknown[] = [];
  const manifest = await backUp({
    url: database.url,
    directory,
    version: 'test',
    now: new Date(0),
    onTable: () => {
      if (asked) return;
      asked = true;
      void db.pool
        .query(`SET lock_timeout = '10ms'; DROP TABLE strandline.post_snapshots_2026_01`)
        .catch((error: unknown) => failed.push(error));
      void db.pool.query(
        `INSERT INTO strandline.topics (slug, name, created_at) VALUES ('late', 'late', now())`,
      );
    },
  });
  expect(manifest.tables.find(({ name }) => name === 'post_snapshots')?.rows).toBe(1);
  await expect.poll(() => failed).toEqual([expect.objectContaining({ code: '55P03' })]);
  expect(manifest.tables.find(({ name }) => name === 'topics')?.rows).toBe(0);
  await expect
    .poll(() => rowsOf(database.url, 'SELECT slug FROM strandline.topics'))
    .toEqual([{ slug: 'late' }]);
});

test('only the owner can read a backup, and an existing folder stays untouched', async () => {
  expect((await stat(whole)).mode & 0o777).toBe(0o700);
  for (const name of await readdir(whole))
    expect((await stat(path.join(whole, name))).mode & 0o777, name).toBe(0o600);
  await expect(
    backUp({ url: world.database.url, directory: whole, version: 'test', now: new Date(0) }),
  ).rejects.toThrow(/already exists/);
  await expect(
    backUp({
      url: world.database.url,
      directory: path.join(folder, 'no', 'such'),
      version: 'test',
      now: new Date(0),
    }),
  ).rejects.toThrow(/the folder .* does not exist/);
});

test('an interrupted backup leaves no file or folder', async () => {
  const stop = new AbortController();
  const directory = path.join(folder, 'stopped');
  let tables = 0;
  const stopped = backUp({
    url: world.database.url,
    directory,
    version: 'test',
    now: new Date(0),
    signal: stop.signal,
    onTable: () => {
      tables += 1;
      if (tables === 3) stop.abort();
    },
  });
  await expect(stopped).rejects.toThrow();
  expect((await readdir(folder)).filter((name) => name.startsWith('stopped'))).toEqual([]);
});

test('an interrupted restore leaves the database empty', async () => {
  const stop = new AbortController();
  let tables = 0;
  const stopped = load(nothing, whole, {
    signal: stop.signal,
    onTable: () => {
      tables += 1;
      if (tables === 10) stop.abort();
    },
  });
  await expect(stopped).rejects.toThrow();
  expect(tables).toBe(10);
  expect(await checkSchema(nothing.url)).toBe('empty');
});

test.each([
  ['an extra byte', (file: string) => appendFile(file, 'x'), /damaged: .*posts\.copy\.gz does not match/],
  ['a missing file', (file: string) => rm(file), /incomplete: cannot read .*posts\.copy\.gz \(ENOENT\)/],
  [
    'a missing manifest',
    (file: string) => rm(path.join(path.dirname(file), 'manifest.json')),
    /is not a backup: cannot read its manifest\.json \(ENOENT\)/,
  ],
  [
    'an invalid manifest',
    (file: string) => writeFile(path.join(path.dirname(file), 'manifest.json'), '{"format": "tar"}'),
    /is not a valid manifest: format/,
  ],
])('%s: refused before any row is loaded', async (name, damage, words) => {
  const directory = await copyOf(`damaged ${name}`);
  await damage(path.join(directory, 'posts.copy.gz'));
  await expect(load(nothing, directory)).rejects.toThrow(words);
  expect(await checkSchema(nothing.url)).toBe('empty');
});

async function withManifest(
  name: string,
  change: (manifest: Manifest, directory: string) => void | Promise<void>,
): Promise<string> {
  const directory = await copyOf(name);
  const file = path.join(directory, 'manifest.json');
  const manifest = JSON.parse(await readFile(file, 'utf8')) as Manifest; // ours, just written
  await change(manifest, directory);
  await writeFile(file, JSON.stringify(manifest));
  return directory;
}

test('a table that is missing, one that is named to do harm, and one with other rows are refused', async () => {
  const lacking = await withManifest('lacking', (manifest) => {
    manifest.tables.pop();
  });
  await expect(load(nothing, lacking)).rejects.toThrow(/incomplete: it lacks a table: \w+/);
  const harmful = await withManifest('harmful', (manifest) => {
    manifest.tables = manifest.tables.map((table, n) =>
      n > 0 ? table : { ...table, name: 'posts; drop table x' },
    );
  });
  await expect(load(nothing, harmful)).rejects.toThrow(/not a valid manifest: tables\.0\.name/);
  const fewer = await withManifest('fewer', (manifest) => {
    for (const table of manifest.tables) if (table.name === 'posts') table.rows += 1;
  });
  await expect(load(nothing, fewer)).rejects.toThrow(/damaged: .*posts\.copy\.gz contains \d+ of \d+ rows/);
  expect(await checkSchema(nothing.url)).toBe('empty');
});

test('refuses a database that is not empty, unchanged, and says what to do', async () => {
  const searches = () => rowsOf(restored.url, 'SELECT slug FROM strandline.searches ORDER BY 1');
  await expect(load(restored, whole)).rejects.toThrow(/is not empty.*STRANDLINE_DATA_DIR.*DATABASE_URL/);
  expect(await searches()).toEqual([{ slug: 'ai' }, { slug: 'posts' }]);
  await expect(
    backUp({ url: nothing.url, directory: path.join(folder, 'nothing'), version: 'test', now: new Date(0) }),
  ).rejects.toThrow(/nothing to back up/);
});

test('refuses a backup of a newer strandline, and migrates one of an older', async () => {
  const newer = await withManifest('newer', (manifest) => {
    manifest.migration = { name: '9999_later', when: 9_999_999_999_999 };
  });
  await expect(load(nothing, newer)).rejects.toThrow(
    /created by a newer strandline \(test, migration 9999_later\)/,
  );
  const migrations = path.join(folder, 'migrations');
  await cp(MIGRATIONS_FOLDER, migrations, { recursive: true });
  const journal = path.join(migrations, 'meta', '_journal.json');
  const { entries } = JSON.parse(await readFile(journal, 'utf8'));
  await writeFile(
    journal,
    JSON.stringify({ entries: [...entries, { when: 9_999_999_999_999, tag: '9999_later' }] }),
  );
  const sql = 'ALTER TABLE strandline.posts ADD COLUMN later integer NOT NULL DEFAULT 7';
  await writeFile(path.join(migrations, '9999_later.sql'), sql);
  await load(nothing, whole, { folder: migrations });
  expect(await checkSchema(nothing.url, migrations)).toBe('current');
  expect(await rowsOf(nothing.url, 'SELECT DISTINCT later FROM strandline.posts')).toEqual([{ later: 7 }]);
});

/** Tables that `0001_table_names` named anew, and what they were called before. */
const FORMER_NAMES = new Map([
  ['latest_results', 'looks'],
  ['dropped_posts', 'unseen'],
  ['responses', 'answers'],
  ['post_counters_at_age', 'post_ages'],
  ['source_pacing', 'source_turns'],
  ['tombstones', 'forgotten'],
  ['count_increments', 'count_steps'],
]);

/** Channels as they were before `0002_channel_settings`: a webhook, and one that was removed. */
const FORMER_CHANNELS = {
  columns: 'slug kind address secrets state state_since cursor created_at archived_at id'.split(' '),
  rows: [
    'ops webhook https://hooks.example:8443/secret {} active 2026-01-01 0 2026-01-01 \\N 7',
    'old webhook https://old.example {} active 2026-01-01 0 2026-01-01 2026-01-02 8',
  ],
};

/** Tables and columns that later migrations add. */
async function readAdded(): Promise<{ tables: Set<string>; columns: Map<string, Set<string>> }> {
  const names = (await readdir(MIGRATIONS_FOLDER)).filter(
    (name) => /^\d{4}_.*\.sql$/.test(name) && name > '0003',
  );
  const added = { tables: new Set<string>(), columns: new Map<string, Set<string>>() };
  for (const name of names)
    for (const statement of (await readFile(path.join(MIGRATIONS_FOLDER, name), 'utf8')).split(';')) {
      const created = /CREATE TABLE "?strandline"?\."?(\w+)/.exec(statement)?.[1];
      if (created !== undefined) added.tables.add(created);
      const altered = /ALTER TABLE "?strandline"?\."?(\w+)/.exec(statement)?.[1] ?? '';
      for (const [, column = ''] of statement.matchAll(/ADD COLUMN "?(\w+)/g))
        added.columns.set(altered, (added.columns.get(altered) ?? new Set()).add(column));
    }
  return added;
}

/** Columns that were named anew since, and what they were called before. */
const FORMER_COLUMNS = new Map([['runs.leases', 'claims']]);

/** Columns that were dropped since, with a value. */
const DROPPED_COLUMNS: ReadonlyMap<string, readonly (readonly [string, string])[]> = new Map([
  [
    'archive_documents',
    [
      ['sandbox', 'f'],
      ['words', '0'],
    ],
  ],
  // No minute was observed: nothing was derived, but days were counted again when an author was forgotten.
  ['volume', [['minutes', '0'.repeat(15)]]],
  ['search_days', [['minutes', '0']]],
]);

/** Tables that were dropped since, with their columns. */
const DROPPED_TABLES: ReadonlyMap<string, readonly string[]> = new Map([
  ['archive_corpora', ['sandbox', 'documents', 'words', 'config']],
  ['archive_lexemes', ['lexeme', 'sandbox', 'documents', 'newest_at']],
  // No counter had changed.
  ['post_gains', ['post_id']],
  // No run was compared with the one before.
  ['run_gains', ['run_id']],
]);

/** Takes the added columns out of a backed-up table, and puts those in that are gone since. */
async function withoutAdded(
  directory: string,
  table: BackedUpTable,
  added: ReadonlySet<string>,
): Promise<BackedUpTable> {
  const kept = (_: unknown, n: number) => !added.has(table.columns[n] ?? '');
  const file = path.join(directory, `${table.name}.copy.gz`);
  const all = gunzipSync(await readFile(file))
    .toString()
    .split('\n');
  // Databases had no kind, and no rule about problems of strandline itself.
  const isLater = (line: string) =>
    (table.name === 'facts' && line.split('\t').includes('kind')) ||
    (table.name === 'rules' && line.includes('{system}'));
  const lines = all.filter((line) => !isLater(line));
  const dropped = DROPPED_COLUMNS.get(table.name) ?? [];
  const former = (line: string) =>
    [...line.split('\t').filter(kept), ...dropped.map(([, value]) => value)].join('\t');
  const packed = gzipSync(lines.map((line) => (line === '' ? line : former(line))).join('\n'));
  await writeFile(file, packed);
  const keptColumns = table.columns.filter(kept);
  const formerColumns = keptColumns.map((name) => FORMER_COLUMNS.get(`${table.name}.${name}`) ?? name);
  const columns = [...formerColumns, ...dropped.map(([column]) => column)];
  return { ...table, columns, rows: table.rows - (all.length - lines.length), ...digestOf(packed) };
}

const digestOf = (file: Buffer) => ({
  bytes: file.length,
  sha256: createHash('sha256').update(file).digest('hex'),
});

test('a backup from before tables were named anew, and channels had settings, is restored with all their rows', async () => {
  const [tables] = await readMigrations();
  if (tables === undefined) throw new Error('no migrations');
  const packed = gzipSync(FORMER_CHANNELS.rows.map((row) => `${row.replaceAll(' ', '\t')}\n`).join(''));
  const channels = {
    columns: FORMER_CHANNELS.columns,
    rows: FORMER_CHANNELS.rows.length,
    ...digestOf(packed),
  };
  const empty = gzipSync('');
  const added = await readAdded();
  const directory = await withManifest('former names', async (manifest, copy) => {
    manifest.migration = { name: tables.name, when: tables.when };
    manifest.next = Object.fromEntries(
      Object.entries(manifest.next).filter(([column]) => !added.tables.has(column.split('.')[0] ?? '')),
    );
    const stayed = manifest.tables.filter(({ name }) => !added.tables.has(name));
    const former = await Promise.all(
      stayed.map((table) => withoutAdded(copy, table, added.columns.get(table.name) ?? new Set())),
    );
    manifest.tables = former.map((table) => ({
      ...table,
      name: FORMER_NAMES.get(table.name) ?? table.name,
      ...(table.name === 'channels' ? channels : {}),
    }));
    for (const [name, columns] of DROPPED_TABLES) {
      await writeFile(path.join(copy, `${name}.copy.gz`), empty);
      manifest.tables.push({ name, columns: [...columns], rows: 0, ...digestOf(empty) });
    }
  });
  // Tables that are not backed up have no file.
  for (const name of added.tables) await rm(path.join(directory, `${name}.copy.gz`), { force: true });
  await writeFile(path.join(directory, 'channels.copy.gz'), packed);
  for (const [name, formerName] of FORMER_NAMES)
    await rename(path.join(directory, `${name}.copy.gz`), path.join(directory, `${formerName}.copy.gz`));
  const database = await emptyDatabase();
  onTestFinished(() => database.drop());
  await load(database, directory);
  expect(await checkSchema(database.url)).toBe('current');
  // What older versions stored otherwise, or not at all: settings of channels, the run that showed a post or an author,
  // which responses knew a counter, and which tools a run asked. A migration counts all days, of which only those of the forgotten
  // author were counted here.
  const differing = new Set([
    'channels',
    'rules',
    'post_versions',
    'author_versions',
    'post_growth',
    'run_tools',
    'runs',
    'share_of_voice',
    'volume_daily',
    'volume_hourly',
  ]);
  const same = async (url: string) =>
    Object.fromEntries(Object.entries(await exported(url)).filter(([view]) => !differing.has(view)));
  expect(await same(database.url)).toEqual(await same(world.database.url));
  const moved = 'SELECT slug, kind, settings, sealed_settings, target FROM strandline.channels ORDER BY id';
  expect(await rowsOf(database.url, moved)).toEqual([
    {
      slug: 'ops',
      kind: 'webhook',
      settings: { webhook: 'https://hooks.example:8443/secret' },
      sealed_settings: null,
      target: 'hooks.example:8443',
    },
    { slug: 'old', kind: 'webhook', settings: {}, sealed_settings: null, target: 'old.example' },
  ]);
  const again = path.join(folder, 'named-anew');
  await backUp({ url: database.url, directory: again, version: 'test', now: world.clock.now() });
  const [before, after] = [await contentOf(whole), await contentOf(again)];
  for (const name of FORMER_NAMES.keys())
    expect(after[`${name}.copy.gz`], name).toBe(before[`${name}.copy.gz`]);
  for (const name of ['responses', 'tombstones', 'count_increments'])
    expect(after[`${name}.copy.gz`], name).not.toBe('');
});

test('a backup from before 0000_tables is restored like a current one; an even older one is refused', async () => {
  const old = await databaseOf0041();
  const [restoredTo, fresh] = [await emptyDatabase(), await freshDatabase()];
  onTestFinished(() => restoredTo.drop());
  onTestFinished(() => fresh.drop());
  const directory = path.join(folder, 'of-0041');
  await backUp({ url: old.url, directory, version: 'test', now: new Date(0) });
  await load(restoredTo, directory);
  expect(await checkSchema(restoredTo.url)).toBe('current');
  expect(await describeSchema(restoredTo.url)).toEqual(await describeSchema(fresh.url));

  const older = await withManifest('older', (manifest) => {
    manifest.migration = { name: '0040_narrow_counters', when: LAST_SQUASHED.when - 1 };
  });
  await expect(load(restoredTo, older)).rejects.toThrow(
    /too old for this strandline \(migration 0040_narrow_counters\)\. Restore it with the last release whose newest migration is 0041_derivations_set_aside, then run/,
  );
});
