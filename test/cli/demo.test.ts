import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDerived } from '../derived.ts';
import { DEMO, fillDemo } from '../../src/app/demo.ts';
import { runCli } from '../../src/cli/command-line.ts';
import { createProgress } from '../../src/cli/demo-command.ts';
import type { Io } from '../../src/cli/terminal-io.ts';
import { DAY } from '../../src/lib/time.ts';
import { scan } from '../../src/monitor/schedule/scan.ts';
import { fillArchive } from '../../src/store/archive/index-archive.ts';
import { json, wirePost } from '../stub-service.ts';
import { collector, commandsOf, makeStand, quietCli, type Stand } from './stand.ts';

let stand: Stand;
/** Of the sandbox before anything is in it. */
let empty: Record<string, number>;
beforeAll(async () => {
  stand = await makeStand('sandbox');
  stand.stub.answers(json({ miner_microblog_posts: [wirePost('1'), wirePost('2')] }));
  empty = await amounts();
  await addOwn('ferry');
});
afterAll(() => stand.close());

const rows = async (sql: string, values: unknown[] = []) =>
  (await stand.world.db.pool.query<Record<string, unknown>>(sql, values)).rows;
/** A search of a topic that is not of the demo. */
async function addOwn(slug: string, ...more: string[]): Promise<void> {
  const search = ['--operation', 'microblog', '--prompt', 'p', '--every', '15m', ...more];
  expect(await stand.run(['search', 'add', slug, ...search, '--sandbox'])).toMatchObject({ code: 0 });
}
const demoSearches = () =>
  rows(`SELECT id, slug, state, next_due_at FROM strandline.searches WHERE slug LIKE 'demo-%'`);

/** The number of rows per table; months are part of theirs. */
async function amounts({ world } = stand): Promise<Record<string, number>> {
  const read = async (sql: string) => (await world.db.pool.query<Record<string, unknown>>(sql)).rows;
  const tables = await read(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = 'strandline' AND table_type = 'BASE TABLE'
       AND table_name !~ '_\\d{4}_\\d\\d$'`,
  );
  const counted: Record<string, number> = {};
  for (const { table_name: table } of tables) {
    const [row] = await read(`SELECT count(*)::int AS n FROM strandline.${String(table)}`);
    counted[String(table)] = Number(row?.['n']);
  }
  return counted;
}

/** May differ after a demo: calls, months of snapshots, a service, counts that never go back, and audit entries. */
const STAYS = new Set(['call_days', 'services', 'facts', 'counts', 'count_increments', 'audit_log']);
const without = (all: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(all).filter(([table]) => !STAYS.has(table) && !/_\d{4}_\d\d$/.test(table)),
  );

test('simulates past days, and leaves other searches alone', async () => {
  const told = stand.world.enqueued.length;
  const { code, stdout, stderr } = await stand.run(['demo', '--days', '1', '--topics', '2', '--json']);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Simulating 1 day of 2 topics')]);
  const done = JSON.parse(stdout) as { runs: number; searches: { search: string; posts: number }[] };
  // Every half hour, every two hours and every six hours, and a first run each.
  expect(done.runs).toBe(48 + 12 + 4 + 3);
  expect(done.searches.map(({ search }) => search)).toEqual([
    'demo-night-trains-ai',
    'demo-night-trains-posts',
    'demo-seed-bank-posts',
  ]);
  expect(done.searches.find(({ search }) => search === 'demo-night-trains-posts')?.posts).toBeGreaterThan(
    200,
  );
  expect(stand.stub.requests).toHaveLength(1);
  expect(await stand.json('posts', 'list', '--search', 'ferry', '--sandbox')).toHaveLength(2);
  expect(stand.world.enqueued).toHaveLength(told);
  const now = stand.world.clock.now();
  const [times] = await rows(
    `SELECT min(started_at) AS first, max(ended_at) AS last, count(*) FILTER (WHERE status <> 'succeeded')::int AS failed
     FROM strandline.runs WHERE search_id IN (SELECT id FROM strandline.searches WHERE slug LIKE 'demo-%')`,
  );
  expect(times).toMatchObject({ first: new Date(now.getTime() - DAY), failed: 0 });
  expect(Number(times?.['last'])).toBeLessThanOrEqual(now.getTime());
});

test('the searches of a demo continue on their schedules', async () => {
  const now = stand.world.clock.now();
  for (const search of await demoSearches()) {
    expect(search).toMatchObject({ state: 'active' });
    expect(Number(search['next_due_at'])).toBeGreaterThan(now.getTime());
  }
});

test('deriving the data again gives the same result', async () => {
  const derived = await readDerived(stand.world);
  expect(derived['volume']?.length).toBeGreaterThan(150);
  const { code, stderr } = await stand.run([
    'trends',
    'rebuild',
    '--sandbox',
    '--topic',
    'demo-night-trains',
  ]);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('demo-night-trains-posts: rebuilt from 49 runs'),
  ]);
  expect(
    await stand.json('trends', 'rebuild', '--sandbox', '--search', 'demo-seed-bank-posts'),
  ).toMatchObject([{ search: 'demo-seed-bank-posts', runs: 13 }]);
  expect(await readDerived(stand.world)).toEqual(derived);
});

test('refuses a second demo', async () => {
  const { code, stderr } = await stand.run(['demo', '--days', '1']);
  expect([code, stderr]).toEqual([
    1,
    'error: a demo already exists (demo-night-trains, demo-seed-bank). Delete it first: strandline demo --remove\n',
  ]);
});

test('--remove empties the sandbox, whatever is in it, and open programs go on', async () => {
  await fillArchive(stand.world.db, { batches: 100, signal: new AbortController().signal });
  expect((await amounts())['archive_documents']).toBeGreaterThan(200);
  const { code, stdout, stderr } = await stand.run(['demo', '--remove', '--json']);
  expect([code, JSON.parse(stdout), stderr]).toEqual([
    0,
    { topics: ['demo-night-trains', 'demo-seed-bank', 'ferry'] },
    'Deleted from the sandbox: demo-night-trains, demo-seed-bank, ferry\n',
  ]);
  expect(await amounts()).toEqual(empty);
  expect((await stand.run(['demo', '--remove'])).stderr).toBe('The sandbox was empty.\n');
  await addOwn('ferry');
  expect(await stand.json('posts', 'list', '--search', 'ferry', '--sandbox')).toHaveLength(2);
  expect(await stand.json('sql', '--sandbox', 'select count(*)::int as n from posts')).toEqual([{ n: 2 }]);
});

test('--remove refuses real data, and deletes nothing', async () => {
  const real = await makeStand();
  try {
    real.stub.answers(json({ miner_tweets: [wirePost('1')] }));
    await real.run(['watch', 'ferry']);
    const before = await amounts(real);
    const words = expect.stringMatching(/^error: The database .* has real data, so it cannot be the sandbox/);
    // Opened as the sandbox, which a program refuses already when it opens.
    const mistaken = { ...real.home, ctx: { ...real.home.ctx, kind: 'sandbox' } } as const;
    expect(await commandsOf(mistaken, {}).run(['demo', '--remove'])).toEqual({
      code: 1,
      stdout: '',
      stderr: words,
    });
    const { url, readerUrl } = real.world.database;
    const opened = collector();
    const env = { DATABASE_URL: url, DATABASE_READER_URL: readerUrl, SANDBOX_DATABASE_URL: url };
    const io = { stdout: collector().stream, stderr: opened.stream, isTTY: false, env };
    expect(await runCli(['demo', '--remove'], io)).not.toBe(0);
    expect(opened.text()).toMatch(/SANDBOX_DATABASE_URL/);
    expect(await amounts(real)).toEqual(before);
  } finally {
    await real.close();
  }
});

test('Ctrl-C discards the demo, and nothing else in the sandbox', async () => {
  const before = await amounts();
  const stderr = collector();
  const write = stderr.stream.write.bind(stderr.stream);
  const io: Partial<Io> = {
    stderr: Object.assign(stderr.stream, {
      write: (text: string) => {
        if (text.startsWith('1 of 2 days')) process.emit('SIGINT');
        return write(text);
      },
    }),
  };
  const { code } = await stand.run(['demo', '--days', '2', '--topics', '1'], io);
  expect([code, stderr.text()]).toEqual([
    0,
    expect.stringMatching(
      /^Simulating 2 days of 1 topic; Ctrl-C discards them\n1 of 2 days, \d+ runs\nStopped\. The demo was discarded\.\n$/,
    ),
  ]);
  expect(without(await amounts())).toEqual(without(before));
  expect(await stand.json('topic', 'list', '--sandbox')).toMatchObject([{ slug: 'ferry' }]);
});

test('workers leave a demo alone while it is simulated; another world is paused afterwards', async () => {
  const { ctx, database, clock } = stand.world;
  const enqueuedBefore = stand.world.enqueued.length;
  let scans = 0;
  await fillDemo(ctx, database.url, {
    days: 0.05,
    topics: 1,
    seed: 'elsewhere',
    to: clock.now(),
    onRun: async () => {
      await scan(ctx);
      scans += 1;
    },
  });
  expect(scans).toBeGreaterThan(2);
  expect(stand.world.enqueued.slice(enqueuedBefore)).toEqual([]);
  for (const search of await demoSearches()) expect(search).toMatchObject({ state: 'active' });
  await stand.run(['demo', '--remove']);
  const { code, stderr } = await stand.run(['demo', '--days', '1', '--topics', '1', '--seed', 'elsewhere']);
  expect([code, stderr.split('\n').slice(0, 2)]).toEqual([
    0,
    ['Simulating 1 day of 1 topic; Ctrl-C discards them', expect.stringMatching(/^1 day, \d+ runs, \d+ s$/)],
  ]);
  for (const search of await demoSearches()) expect(search).toMatchObject({ state: 'paused' });
});

test.each([
  [2, ['1 of 2 days, 5 runs']],
  [40, Array.from({ length: 19 }, (_, i) => `${2 * (i + 1)} of 40 days, ${8 * (i + 1) + 1} runs`)],
])('off a terminal, progress over %i days is a line per day, or at most twenty lines', (days, lines) => {
  const stderr = collector();
  const from = stand.world.clock.now();
  const progress = createProgress(quietCli({ stderr: stderr.stream }), 'them', from, days);
  for (let run = 0; run <= 4 * days; run += 1) progress.step(new Date(from.getTime() + (run / 4) * DAY));
  progress.clear();
  expect(stderr.text().trim().split('\n')).toEqual(['Simulating them; Ctrl-C discards them', ...lines]);
});

test('a topic that is not a demo stays untouched, whatever its name', async () => {
  await stand.run(['demo', '--remove']);
  await addOwn('mine', '--topic', `${DEMO}seed-bank`);
  const { code, stderr } = await stand.run(['demo', '--days', '1', '--topics', '2']);
  expect([code, stderr]).toEqual([1, 'error: demo-seed-bank already exists and is not part of a demo\n']);
  expect(await stand.json('search', 'show', 'mine', '--sandbox')).toMatchObject({
    topic: 'demo-seed-bank',
    state: 'active',
  });
});
