/** Exports of what was first seen since another: no row is lost, however its writers overlap with the exports. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { LOCK_FEED } from '../../src/store/save/save-sql.ts';
import { makeStand, type Stand } from '../cli/stand.ts';
import { until } from '../processes.ts';
import { gated, json, wirePost } from '../stub-service.ts';
import { makeDirectory } from '../temporary.ts';
import { decode, type Row } from './decode.ts';
import { BIG, makeHistory, TEXTS } from './history.ts';
import { readPackage } from './table-schema.ts';

let stand: Stand;
let home: string;
beforeAll(async () => {
  stand = await makeStand();
  await makeHistory(stand.world);
  // The library that reads packages reads an integer as a number.
  await query('UPDATE strandline.post_counters SET like_count = 1 WHERE like_count > 1');
});
afterAll(() => stand.close());
beforeEach(async () => {
  home = await makeDirectory();
  onTestFinished(() => rm(home, { recursive: true }));
  stand.world.clock.advance(3 * HOUR);
});

const query = async (sql: string, values: unknown[] = []) =>
  (await stand.world.db.pool.query<Row>(sql, values)).rows;
const at = (name: string) => path.join(home, name);
/** Exports into a folder. @param argv FOLDER/ is one of these folders */
const exported = async (folder: string, ...argv: string[]) => {
  const named = argv.map((word) => (word.endsWith('/') ? at(word) : word));
  const { code, stderr } = await stand.run(['export', ...named, '--out', `${at(folder)}/`]);
  expect(code, stderr).toBe(0);
};
const rowsIn = async (file: string) => decode('csv', await readFile(at(file)));
const textsIn = async (file: string) => (await rowsIn(file)).map(({ text }) => text);
const manifestIn = async (folder: string) =>
  JSON.parse(await readFile(at(`${folder}/datapackage.json`), 'utf8')) as {
    resources: { name: string; strandline: { contents: string } }[];
    strandline: { cursor: string; range: { first_seen_since: string | null } };
  };
const runNow = async (search: string) => (await insertManualRun(stand.world.ctx, search)).runId;
const run = async (search: string, ...posts: object[]) => {
  stand.stub.answers(json({ miner_tweets: posts }));
  await executeRun(stand.world.ctx, await runNow(search));
};

it('writes what was first seen since an export, changes by their own time, and derived rows whole', async () => {
  await run('ferry', wirePost('801', { text: 'before' }));
  stand.world.clock.advance(HOUR);
  await exported('one', 'all');
  expect(await textsIn('one/posts.csv')).toContain('before');
  stand.world.clock.advance(HOUR);
  await run('ferry', wirePost('801', { text: 'before', like_count: 7 }), wirePost('802', { text: 'after' }));
  await exported('two', 'all', '--since', 'one/');

  expect(await textsIn('two/posts.csv')).toEqual(['after']);
  const [before] = await query(`SELECT id::text FROM strandline.posts WHERE external_id = '801'`);
  const counted = (await rowsIn('two/engagement.csv')).filter(({ post_id }) => post_id === before?.['id']);
  expect(counted.map(({ like_count }) => like_count)).toEqual(['7']);
  expect((await rowsIn('two/post_sightings.csv')).length).toBe(1);
  const whole = await rowsIn('two/post_growth.csv');
  expect(whole.length).toBeGreaterThanOrEqual((await rowsIn('one/post_growth.csv')).length);

  const [one, two] = [await manifestIn('one'), await manifestIn('two')];
  expect([one, two].map(({ strandline }) => strandline.range.first_seen_since)).toEqual([
    null,
    one.strandline.cursor,
  ]);
  const contents = (of: typeof one) =>
    Object.fromEntries(of.resources.map(({ name, strandline }) => [name, strandline.contents]));
  expect(new Set(Object.values(contents(one)))).toEqual(new Set(['all']));
  expect(contents(two)).toMatchObject({ posts: 'new', engagement: 'new', post_growth: 'all', runs: 'all' });
  const resources = await readPackage(at('two'));
  for (const { name, rows, cast } of resources) expect(cast, name).toHaveLength(rows);

  await exported('three', 'posts', '--since', 'two/');
  expect(await textsIn('three/posts.csv'), 'what is less than a minute old comes twice').toEqual(['after']);
});

it('loses no row of a transaction that is open while an export reads', async () => {
  const blocker = await stand.world.db.pool.connect();
  onTestFinished(() => blocker.release());
  await blocker.query('BEGIN');
  await blocker.query(LOCK_FEED);
  const saving = run('ferry', wirePost('811', { text: 'saved late' }));
  await until('the save has written its rows and waits', async () => {
    const [waiting] = await query(
      `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (
         SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return waiting?.['n'] === 1;
  });
  // The response is hours old when its rows become visible.
  stand.world.clock.advance(5 * HOUR);
  await exported('one', 'posts');
  expect(await textsIn('one/posts.csv')).not.toContain('saved late');
  await blocker.query('COMMIT');
  await saving;
  stand.world.clock.advance(HOUR);
  await exported('two', 'posts', '--since', 'one/');
  expect(await textsIn('two/posts.csv')).toContain('saved late');
  stand.world.clock.advance(HOUR);
  await exported('three', 'posts', '--since', 'two/');
  expect(await textsIn('three/posts.csv')).toEqual([]);
});

it('loses no row of a call that is open, or of a response that is read after the end of its run', async () => {
  const gate = gated(json({ miner_tweets: [wirePost('821', { text: 'of an open call' })] }));
  stand.stub.answers(gate.answer);
  const running = executeRun(stand.world.ctx, await runNow('ferry'));
  await until('the call is made', async () => {
    const [call] = await query(`SELECT count(*)::int AS n FROM strandline.calls WHERE state = 'sent'`);
    return call?.['n'] === 1;
  });
  const sentAt = stand.world.clock.now();
  stand.world.clock.advance(2 * MINUTE);
  await exported('one', 'posts');
  gate.open();
  await running;
  await exported('two', 'posts', '--since', 'one/');
  expect(await textsIn('two/posts.csv')).toContain('of an open call');
  expect(Date.parse((await manifestIn('one')).strandline.cursor)).toBeLessThanOrEqual(sentAt.getTime());

  const unread = (state: string) =>
    query(
      `UPDATE strandline.responses SET read_at = ${state} WHERE run_id = (SELECT max(run_id) FROM strandline.responses)`,
    );
  await unread('NULL');
  stand.world.clock.advance(DAY);
  await exported('three', 'posts');
  await unread('received_at');
  const { strandline } = await manifestIn('three');
  expect(Date.parse(strandline.cursor)).toBeLessThanOrEqual(sentAt.getTime() + 2 * MINUTE);
});

it('has what a search found anew though another had it before; the filter is given again', async () => {
  await exported('one', 'posts', '--search', 'ferry');
  const ferry = TEXTS.findIndex((_text, n) => n % 2 === 1);
  await query(
    `INSERT INTO strandline.post_sightings (search_id, post_id, first_run_id, first_seen_at)
     SELECT id, $1, 1, $2 FROM strandline.searches WHERE slug = 'ferry'`,
    [BIG + BigInt(ferry), stand.world.clock.now()],
  );
  await exported('two', 'posts', '--search', 'ferry', '--since', 'one/');
  expect((await rowsIn('two/posts.csv')).map(({ id }) => id)).toEqual([String(BIG + BigInt(ferry))]);
});

it('goes to stdout, too, and continues an export of one file', async () => {
  const file = at('one.csv');
  expect((await stand.run(['export', 'posts', '--out', file])).code).toBe(0);
  stand.world.clock.advance(HOUR);
  await run('ferry', wirePost('831', { text: 'on stdout' }));
  const { stdout, code } = await stand.run([
    'export',
    'posts',
    '--format',
    'ndjson',
    '--since',
    `${file}.datapackage.json`,
  ]);
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).text),
  ).toEqual(['on stdout']);
});

it.each([
  ['no export', 'none/', 'a time, or the manifest of an earlier export or its folder'],
  ['something else', 'else/', 'a time, or the manifest of an earlier export or its folder'],
  ['an export of other data', 'other/', 'that one has simulated data'],
  ['the export that it would replace', 'one/', 'in another folder than --out'],
])('refuses %s', async (_name, folder, words) => {
  await exported('one', 'posts');
  const text = await readFile(at('one/datapackage.json'), 'utf8');
  await exported('else', 'posts');
  await exported('other', 'posts');
  await writeFile(
    at('else/datapackage.json'),
    '{"resources":[],"strandline":{"cursor":"1.2.3","data":"real"}}',
  );
  await writeFile(at('other/datapackage.json'), text.replace('"data": "real"', '"data": "simulated"'));
  const before = await readdir(at('one'));
  const argv = ['export', 'posts', '--since', at(folder), '--out', `${at('one')}/`];
  const { code, stderr } = await stand.run(argv);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  expect(await readdir(at('one'))).toEqual(before);
  expect(await readFile(at('one/datapackage.json'), 'utf8')).toBe(text);
});
