/** Export, wipe, restore, export again: the same bytes in every format, whatever was dropped or forgotten before. */
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { exportFiles } from '../../src/monitor/export/export-files.ts';
import { openTarget } from '../../src/monitor/export/export-target.ts';
import { type Format, FORMATS } from '../../src/monitor/export/row-encoders.ts';
import { derivePending } from '../../src/monitor/derive/follower.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { backUp } from '../../src/store/backup/backup.ts';
import { restore } from '../../src/store/backup/restore.ts';
import { type Database, openDatabase } from '../../src/store/db/database.ts';
import { RESOURCES } from '../../src/store/export/export-resources.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import { listSnapshotMonths } from '../../src/store/maintenance/partitions.ts';
import { applyRetention } from '../../src/store/erase/retention.ts';
import { emptyDatabase } from '../database.ts';
import { json, type StubService, startStub, wirePost } from '../stub-service.ts';
import { makeDirectory } from '../temporary.ts';
import { makeWorld, type World } from '../world.ts';
import { decode } from './decode.ts';
import { makeHistory } from './history.ts';

const log = createLogger('silent');
const DAYS = 24 * 3_600_000;
let stub: StubService;
let world: World;
let home: string;
beforeAll(async () => {
  stub = await startStub();
  world = await makeWorld({ hosted: stub.url });
  home = await makeDirectory();
  await makeHistory(world);
  await findInTwoMonths();
});
afterAll(async () => {
  await world.close();
  await stub.close();
  await rm(home, { recursive: true });
});

/** Posts of three authors, in November and again in January, when they have more likes. */
async function findInTwoMonths(): Promise<void> {
  const found = (likes: number) =>
    json({ miner_tweets: [1, 2, 3].map((n) => wirePost(`40000000${n}`, { like_count: likes + n })) });
  stub.answers(found(10));
  const { firstRunId } = await createSearch(world.ctx, {
    slug: 'lived',
    operation: 'microblog',
    prompt: 'lived',
    every: '15m',
  });
  await executeRun(world.ctx, firstRunId);
  await derivePending(world.ctx, { settleMs: null });
  world.clock.advance(60 * DAYS);
  stub.answers(found(20));
  const { runId } = await insertManualRun(world.ctx, 'lived');
  await executeRun(world.ctx, runId);
  await derivePending(world.ctx, { settleMs: null });
}

/** Every file of an export of everything, by name. */
async function filesOf(db: Database, format: Format, name: string): Promise<Record<string, Buffer>> {
  const folder = path.join(home, `${name}-${format}`);
  await exportFiles(
    { db, clock: world.clock, kind: 'real' },
    {
      resources: RESOURCES,
      filter: {},
      encoding: { format },
      target: await openTarget(folder, true),
    },
  );
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (file) => [file, await readFile(path.join(folder, file))])),
  );
}

/** Another server's database, with nothing in it but what a backup of this moment brought. */
async function restoredInto(name: string): Promise<Database> {
  const directory = path.join(home, name);
  await backUp({ url: world.database.url, directory, version: 'test', now: world.clock.now() });
  const target = await emptyDatabase();
  onTestFinished(() => target.drop());
  await restore({ url: target.url, readerUrl: target.readerUrl, directory, log });
  const db = openDatabase(target.url, { log });
  onTestFinished(() => db.close());
  return db;
}

/** A cursor is of the time of its export. */
const withoutCursor = (file: string, bytes: Buffer = Buffer.of()) =>
  file.endsWith('.json') ? Buffer.from(bytes.toString().replace(/"cursor": "[^"]+"/, '')) : bytes;

/** @returns what was exported before, file by file */
async function expectTheSame(name: string, formats: readonly Format[]): Promise<Record<string, Buffer>> {
  const db = await restoredInto(`backup-${name}`);
  const all: Record<string, Buffer> = {};
  for (const format of formats) {
    const before = await filesOf(world.db, format, `${name}-before`);
    const after = await filesOf(db, format, `${name}-after`);
    expect(Object.keys(before)).toHaveLength(RESOURCES.length + 1);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    for (const [file, bytes] of Object.entries(before))
      expect(withoutCursor(file, after[file])?.equals(withoutCursor(file, bytes)), `${name}: ${file}`).toBe(
        true,
      );
    Object.assign(all, before);
  }
  return all;
}

/** Posts, and months that they have snapshots of, as an export's own file says. */
async function held(files: Record<string, Buffer>) {
  const rowsOf = (file: string) => decode('ndjson', files[file] ?? Buffer.of());
  return {
    posts: (await rowsOf('posts.ndjson')).map(({ external_id: id }) => String(id)),
    months: [
      ...new Set((await rowsOf('engagement.ndjson')).map(({ observed_at: at }) => String(at).slice(0, 7))),
    ].sort(),
  };
}

it('everything found', async () => {
  const { posts, months } = await held(await expectTheSame('whole', FORMATS));
  expect(posts).toEqual(expect.arrayContaining(['400000001', '400000002', '400000003']));
  expect(months).toEqual(['2026-11', '2027-01']);
});

it('without a dropped month of snapshots and a forgotten author', async () => {
  const { months: dropped } = await applyRetention(
    world.db,
    {
      responses: new Date(0),
      rejects: new Date(0),
      messages: new Date(0),
      audit: new Date(0),
      snapshots: new Date('2026-12-15'),
    },
    () => true,
  );
  expect(dropped).toContain('post_snapshots_2026_11');
  const author = await findAuthor(world.db, 'hosted', '@user_400000002');
  if (author === undefined) throw new Error('the author is not there');
  await forgetAuthor(world.ctx, author);
  const { posts, months } = await held(await expectTheSame('less', ['ndjson']));
  expect(posts).toEqual(expect.arrayContaining(['400000001', '400000003']));
  expect(posts).not.toContain('400000002');
  expect(months).toEqual(['2027-01']);
  const names = (await listSnapshotMonths(world.db)).map(({ name }) => name);
  expect(names).not.toContain('post_snapshots_2026_11');
});
