/** A short life of a database: searches are saved, scanned, run and saved, and everything is read in every way. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Context } from '../../src/monitor/context.ts';
import { openBackend } from '../../src/platform/queue/connection.ts';
import { startWorkers } from '../../src/platform/queue/queue-workers.ts';
import { openQueue } from '../../src/platform/queue/queue.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { backUp } from '../../src/store/backup/backup.ts';
import { readerQuery } from '../../src/store/reader/reader-query.ts';
import type { TestDatabase } from '../database.ts';
import { until } from '../processes.ts';
import { commandsOf, homeOf } from '../cli/stand.ts';
import { json, startStub, wirePost } from '../stub-service.ts';
import { makeWorld } from '../world.ts';

/** Texts that settings of a server could read or write in another way. */
const TEXTS = [
  'back\\slash, \'quoted\' and "doubled" {NULL,null} \\x00ff',
  'Straße, Ünïcödé, 日本語, 🚲 — night trains from Vienna',
  '01/02/2026 12:00 PST, 3 days 04:05:06, infinity, 1e-300',
];

/** What people read, in the words of each command. */
const COMMANDS = [
  'topic list --json',
  'search list --json',
  'runs list --json',
  'posts list --json',
  'posts top --json',
  'links list --json',
  'new --json',
  'find trains --json',
  'trends --json',
  'status --json',
  'audit --json',
  'export posts --format ndjson',
  'export discoveries --format csv',
];

const SQL = [
  'select * from strandline_analytics.posts order by id',
  'select * from runs order by id',
  `select 0.1::float8 + 0.2 as sum, array['a', null, 'NULL'] as words, '\\x00ff'::bytea as bytes, interval '90 minutes' as span,
     timestamptz '2026-02-01 12:00+00' as at, null = null as nothing, 'a\\b' as text, 1.5::real / 7 as small`,
];

/** Everything that was read, by its command; times of the machine and ids of processes are left out. */
export type Life = Readonly<Record<string, unknown>>;

export async function live(database: TestDatabase): Promise<Life> {
  const stub = await startStub();
  const world = await makeWorld({ hosted: stub.url, database });
  const folder = await mkdtemp(path.join(tmpdir(), 'strandline-life-'));
  const found: Record<string, unknown> = {};
  try {
    const { ctx, clock } = world;
    let round = 0;
    stub.answers((request, response) => {
      round += 1;
      const posts = TEXTS.map((text, i) =>
        wirePost(`${i + 1}${round > 1 ? round : ''}`, {
          text,
          like_count: 1_000_000_007 * round,
          view_count: round,
          created_at: `2026-11-21T1${i}:59:59.999Z`,
          entities: { urls: [{ expanded_url: `https://example.org/${i}?a=%5C&b='` }] },
        }),
      );
      return json({ miner_tweets: posts })(request, response);
    });
    await createSearch(ctx, { slug: 'life', operation: 'microblog', prompt: TEXTS[0] ?? '', every: '15m' });
    for (let run = 0; run < 3; run += 1) {
      for (const id of await world.scan()) found[`run ${run}`] = (await executeRun(ctx, id))?.status;
      await world.derive();
      clock.set(new Date(clock.now().getTime() + 15 * 60_000).toISOString());
    }
    const env = { DATABASE_URL: database.url, DATABASE_READER_URL: database.readerUrl };
    const { run } = commandsOf(homeOf(world), env);
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await run(command.split(' '));
      if (code !== 0) throw new Error(`${command}: ${stderr}`);
      found[command] = steady(stdout);
    }
    for (const sql of SQL)
      found[sql] = steady(JSON.stringify((await readerQuery({ url: database.readerUrl, sql })).rows));
    found['queue'] = await passThroughQueue(ctx, database.url);
    const backup = path.join(folder, 'backup');
    await backUp({ url: database.url, directory: backup, version: 'test', now: clock.now() });
    for (const file of (await readdir(backup)).filter((name) => name.endsWith('.gz')))
      found[`backup ${file}`] = steadyTable(
        file,
        gunzipSync(await readFile(path.join(backup, file))).toString('utf8'),
      );
    return found;
  } finally {
    await world.db.close();
    await stub.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Sends ids through the queue in Postgres, together and alone. @returns those that came out */
async function passThroughQueue({ log }: Context, url: string): Promise<string[]> {
  const backend = openBackend({ kind: 'postgres', url }, 'life', log);
  const queue = openQueue(backend, log);
  const came = new Set<string>();
  const idle = () => Promise.resolve();
  const workers = startWorkers(backend, {
    concurrency: 2,
    onScan: idle,
    onRun: async (id) => void came.add(String(id)),
    onChannel: idle,
    onWork: idle,
    log,
  });
  const sent = (ids: readonly number[]) =>
    queue.enqueueRuns(ids.map((id) => ({ runId: BigInt(id), fence: 1, trigger: 'manual' as const })));
  try {
    await sent(Array.from({ length: 20 }, (_, i) => i));
    await until('all came out of the queue', () => Promise.resolve(came.size === 20));
    // The workers wait now: what comes next wakes them by a notification.
    await sent([20]);
    await until('one more came', () => Promise.resolve(came.size === 21));
  } finally {
    await workers.close();
    await queue.close();
    await backend.close();
  }
  return [...came].toSorted((a, b) => Number(a) - Number(b));
}

/** Without what differs from one life to the next: the time of the machine, durations, ports and names of databases. */
function steady(text: string): string {
  return text
    .replaceAll(/test_[0-9a-f]{16}/g, 'DATABASE')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HERE')
    .replaceAll(/"(age_seconds|latency_ms)":[\d.]+/g, '"$1":0')
    .replaceAll(/last ran [\d.]+ \w+ ago/g, 'last ran AGO')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00)?/g, (time) =>
      time.startsWith('2026-11-21') || time.startsWith('2026-02-01') ? time : 'NOW',
    );
}

/** A table of a backup without measured durations. */
function steadyTable(name: string, copied: string): string {
  const lines = steady(copied).split('\n');
  // The ninth column is the latency.
  if (name.startsWith('calls'))
    return lines.map((line) => line.split('\t').toSpliced(8, 1).join('\t')).join('\n');
  return lines.filter((line) => !/^(?:save|save_sum|run_lateness|run_lateness_sum)\t/.test(line)).join('\n');
}
