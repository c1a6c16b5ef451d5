/** One measurement: batches stored by one way, some at a time, with what it cost. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Database } from '../src/store/db/database.ts';
import type { Batch, Way } from './ways/way.ts';

export type Figures = {
  postsPerSecond: number;
  /** Of this process. */
  cpuMicrosPerPost: number;
  walBytesPerPost: number;
  /** The longest time for which the event loop did not turn. */
  blockMs: number;
};

/** The clock of the event loop looks this often: what it says is never less. */
const RESOLUTION_MS = 1;

/** @param expected new posts in each batch; undefined where the way cannot know */
export async function measure(
  db: Database,
  way: Way,
  batches: readonly Batch[],
  options: { concurrency: number; expected: number | undefined },
): Promise<Figures> {
  const work: (() => Promise<number>)[] = [];
  for (const batch of batches) work.push(await way.prepare(batch));
  const posts = batches.reduce((sum, batch) => sum + batch.findings.posts.length, 0);
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const walBefore = await walPosition(db);

  loop.enable();
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  const found = await inLanes(work, options.concurrency);
  const seconds = (performance.now() - before) / 1_000;
  const cpu = process.cpuUsage(cpuBefore);
  loop.disable();

  const wal = (await walPosition(db)) - walBefore;
  for (const fresh of found) {
    if (options.expected !== undefined && fresh !== options.expected)
      throw new Error(`${way.name} found ${fresh} new posts where ${options.expected} are new`);
  }
  return {
    postsPerSecond: posts / seconds,
    cpuMicrosPerPost: (cpu.user + cpu.system) / posts,
    walBytesPerPost: wal / posts,
    blockMs: Math.max(0, loop.max / 1e6 - RESOLUTION_MS),
  };
}

async function inLanes(work: readonly (() => Promise<number>)[], lanes: number): Promise<number[]> {
  const waiting = [...work];
  const found: number[] = [];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) found.push(await next());
    }),
  );
  return found;
}

async function walPosition(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ bytes: number }>(
    `SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS bytes`,
  );
  return rows[0]?.bytes ?? Number.NaN;
}

/** Of several measurements the middle one of each figure: a noisy neighbour spoils some rounds, not half of them. */
export function middle(all: readonly Figures[]): Figures {
  const of = (pick: (figures: Figures) => number) => median(all.map(pick));
  return {
    postsPerSecond: of((figures) => figures.postsPerSecond),
    cpuMicrosPerPost: of((figures) => figures.cpuMicrosPerPost),
    walBytesPerPost: of((figures) => figures.walBytesPerPost),
    blockMs: of((figures) => figures.blockMs),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The value below which this share of all lies; not a number where there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
