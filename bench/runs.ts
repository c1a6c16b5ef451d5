/**
 * Whole runs: scheduled, leased, asked of a service that answers at once, read, saved, compared, finished, by worker
 * processes as users start them, on either back end. docs/internals/performance.md says what came out. It prints and fails on nothing.
 *
 *   npm run -s bench:runs -- burst  [--searches 3000] [--workers 1,2,4]   how many runs a second
 *   npm run -s bench:runs -- steady [--searches 10000] [--every 5] [--minutes 3]   how late, and what it takes of the machine
 *   npm run -s bench:runs -- idle   [--searches 10000] [--minutes 1]
 *   npm run -s bench:runs -- memory [--runs 100000]
 *   npm run -s bench:runs -- --against typical [--rounds 3] [--runs 600] [--concurrency 8] [--rates 10,30]
 *                                    the same runs by the worker of bench/typical, in turn with ours; with PREPARE=no it
 *                                    inserts as Drizzle's documentation does
 *   all of them with [--backend postgres,redis] [--posts 20]
 */
import { parseArgs } from 'node:util';
import { MINUTE, SECOND } from '../src/lib/time.ts';
import { median, quantile } from './measure.ts';
import { aligned } from './report.ts';
import { CASES, type Figures, type Outcome, playContest, playPaced } from './runs/contest.ts';
import { residentMbOf } from './runs/processes.ts';
import { type Backend, openSite, type Site, untilTrue } from './runs/site.ts';

/** From the design's performance page; runs a second, milliseconds at the 99th percentile, share of a core, MB. */
const TARGETS = {
  perSecond: { redis: 250, postgres: 100 },
  latenessMs: { redis: 250, postgres: 750 },
  halfIdle: 1,
  idleShare: 0.05,
  idleMb: 300,
} as const;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    backend: { type: 'string', default: 'redis,postgres' },
    workers: { type: 'string', default: '1,2,4' },
    posts: { type: 'string' },
    searches: { type: 'string' },
    every: { type: 'string', default: '5' },
    minutes: { type: 'string' },
    runs: { type: 'string' },
    against: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '8' },
    rates: { type: 'string', default: '10,30' },
  },
});
const backends = values.backend.split(',').map((one): Backend => {
  if (one !== 'postgres' && one !== 'redis') throw new Error('--backend is postgres, redis, or both');
  return one;
});
const posts = Number(values.posts ?? 20);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const measures: Readonly<Record<string, () => Promise<void>>> = { burst, steady, idle, memory };
if (values.against !== undefined && values.against !== 'typical') throw new Error('--against is typical');
if (values.against === 'typical') await against();
const chosen = positionals.length > 0 || values.against !== undefined ? positionals : Object.keys(measures);
for (const name of chosen) {
  const measure = measures[name];
  if (measure === undefined) throw new Error(`measured are ${Object.keys(measures).join(', ')}: not ${name}`);
  await measure();
}

/** First looks that wait when the workers start: nothing but the machine holds them up. */
async function burst(): Promise<void> {
  const searches = Number(values.searches ?? 3_000);
  const lines = [
    ['back end', 'workers', 'runs/s', 'target', '', 'CPU ms a run: workers', 'Postgres', 'Redis'],
  ];
  for (const backend of backends)
    for (const count of values.workers.split(',').map(Number))
      await onSite(backend, async (site) => {
        await site.addSearches(searches, HOUR_SECONDS);
        await site.startWorkers(count);
        await ended(site, 50); // starting is not counted
        const [from, cpu, before] = [performance.now(), site.cpu(), await countEnded(site)];
        await ended(site, searches);
        const runs = searches - before;
        const perSecond = (runs / (performance.now() - from)) * 1_000;
        const used = site.cpu();
        const each = (part: keyof typeof used) => ((used[part] - cpu[part]) / runs).toFixed(1);
        const target = TARGETS.perSecond[backend];
        lines.push([
          backend,
          String(count),
          perSecond.toFixed(0),
          count === 1 ? String(target) : '',
          count === 1 ? (perSecond >= target ? '✓' : '✗') : '',
          each('workers'),
          each('postgres'),
          each('redis'),
        ]);
      });
  print(`${searches} first looks of ${posts} posts each that wait\n${aligned(lines)}\n`);
}

/** As saved searches are: each on its own schedule. */
async function steady(): Promise<void> {
  const searches = Number(values.searches ?? 10_000);
  const every = Number(values.every);
  const minutes = Number(values.minutes ?? 3);
  const lines = [
    [
      'back end',
      'runs/s',
      'due/s',
      'skipped',
      'late p50 ms',
      'p99 ms',
      'most ms',
      'target',
      '',
      'cores',
      '',
      'MB',
    ],
  ];
  for (const backend of backends)
    await onSite(backend, async (site) => {
      await site.addSearches(searches, every * 60);
      await site.startWorkers(1);
      await ended(site, searches);
      await caughtUp(site);
      const [{ at }] = (await site.rows<{ at: Date }>('SELECT clock_timestamp() AS at')) as [{ at: Date }]; // one row
      const cpu = site.cpu();
      await pause(minutes * MINUTE);
      const used = site.cpu();
      const cores =
        (used.workers + used.postgres + used.redis - cpu.workers - cpu.postgres - cpu.redis) /
        (minutes * MINUTE);
      const [told] = await site.rows<Record<'ended' | 'skipped' | 'p50' | 'p99' | 'most', number>>(
        `SELECT count(*) FILTER (WHERE status = 'succeeded')::int AS ended, count(*) FILTER (WHERE status = 'skipped')::int AS skipped,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY late) AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY late) AS p99, max(late) AS most
         FROM (
           SELECT status, extract(epoch FROM started_at - slot_at)::float8 * 1000 AS late FROM strandline.runs
           WHERE trigger = 'schedule' AND slot_at >= $1 AND slot_at < clock_timestamp() - interval '5 seconds'
         ) r`,
        [at],
      );
      if (told === undefined) throw new Error('an aggregate has one row');
      const target = TARGETS.latenessMs[backend];
      const mb = Math.max(...site.workerPids().map(residentMbOf));
      lines.push([
        backend,
        (told.ended / (minutes * 60)).toFixed(1),
        (searches / (every * 60)).toFixed(1),
        String(told.skipped),
        told.p50.toFixed(0),
        told.p99.toFixed(0),
        told.most.toFixed(0),
        String(target),
        told.p99 <= target ? '✓' : '✗',
        cores.toFixed(2),
        cores <= TARGETS.halfIdle ? '✓' : '✗',
        mb.toFixed(0),
      ]);
    });
  print(
    `${searches} searches every ${every} minutes, ${minutes} minutes of it, one worker\n${aligned(lines)}\n`,
  );
}

/** Searches whose slots are far away. */
async function idle(): Promise<void> {
  const searches = Number(values.searches ?? 10_000);
  const minutes = Number(values.minutes ?? 1);
  const lines = [
    [
      'back end',
      'share of a core: worker',
      'with Postgres and Redis',
      'MB',
      `under ${TARGETS.idleShare}, ${TARGETS.idleMb} MB`,
    ],
  ];
  for (const backend of backends)
    await onSite(backend, async (site) => {
      await site.addSearches(searches, DAY_SECONDS);
      await site.startWorkers(1);
      await ended(site, searches);
      await site.stopWorkers();
      await site.tidy();
      await site.startWorkers(1);
      await pause(10 * SECOND); // what starting does is not idling
      const cpu = site.cpu();
      await pause(minutes * MINUTE);
      const used = site.cpu();
      const worker = (used.workers - cpu.workers) / (minutes * MINUTE);
      const all = worker + (used.postgres + used.redis - cpu.postgres - cpu.redis) / (minutes * MINUTE);
      const mb = Math.max(...site.workerPids().map(residentMbOf));
      lines.push([
        backend,
        worker.toFixed(3),
        all.toFixed(3),
        mb.toFixed(0),
        all < TARGETS.idleShare && mb < TARGETS.idleMb ? '✓' : '✗',
      ]);
    });
  print(`${searches} searches, none due\n${aligned(lines)}\n`);
}

/** One worker through very many runs: what it holds after each tenth of them. */
async function memory(): Promise<void> {
  const runs = Number(values.runs ?? 100_000);
  const every = Math.ceil(runs / 10);
  for (const backend of backends)
    await onSite(backend, async (site) => {
      await site.startWorkers(1);
      const [pid] = site.workerPids();
      if (pid === undefined) throw new Error('there is one worker');
      const lines = [['runs', 'MB', 'runs/s']];
      for (let done = 0; done < runs; done += every) {
        const from = performance.now();
        await site.addSearches(every, DAY_SECONDS / 2);
        await ended(site, done + every);
        lines.push([
          String(done + every),
          residentMbOf(pid).toFixed(0),
          ((every / (performance.now() - from)) * 1_000).toFixed(0),
        ]);
      }
      print(`${backend}: one worker through ${runs} first looks\n${aligned(lines)}\n`);
    });
}

/** The same runs by a typical worker, in turn with ours: bursts of each case, then slots that come due at a steady rate. */
async function against(): Promise<void> {
  const runs = Number(values.runs ?? 600);
  const rounds = Number(values.rounds);
  const concurrency = Number(values.concurrency);
  const two = (of: (figures: Figures) => number, results: readonly Outcome[], digits = 1) =>
    (['typical', 'strandline'] as const)
      .map((name) =>
        median(results.filter((one) => one.name === name).map(({ figures }) => of(figures))).toFixed(digits),
      )
      .join(' / ');
  const lines = [
    [
      'back end',
      'posts',
      'case',
      'runs/s typical / ours',
      'ratio',
      'CPU ms a run: worker',
      'Postgres',
      'Redis',
      'WAL kB',
      'MB',
    ],
  ];
  for (const backend of backends)
    for (const count of (values.posts ?? '20,40,100').split(',').map(Number)) {
      const outcomes = await playContest({ backend, posts: count, runs, rounds, concurrency });
      for (const name of CASES) {
        const results = outcomes.filter((one) => one.case === name);
        const speed = (round: number, of: string) =>
          results.find((one) => one.round === round && one.name === of)?.figures.perSecond ?? Number.NaN;
        const ratios = Array.from({ length: rounds }, (_, i) => speed(i, 'strandline') / speed(i, 'typical'));
        lines.push([
          backend,
          String(count),
          name,
          two((f) => f.perSecond, results, 0),
          `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
          two((f) => f.worker, results),
          two((f) => f.postgres, results),
          two((f) => f.redis, results),
          two((f) => f.wal, results, 0),
          two((f) => f.mb, results, 0),
        ]);
      }
    }
  print(`bursts of ${runs} runs, median of ${rounds} rounds (ratio: least to most)\n${aligned(lines)}\n`);
  const paced = [
    [
      'back end',
      'slots/s',
      'worker',
      'runs/s',
      'slot to start p50',
      'p99 ms',
      'start to done p50',
      'p99 ms',
      'CPU ms a run: worker',
      'Postgres',
      'Redis',
      'MB',
    ],
  ];
  for (const backend of backends)
    for (const perSecond of values.rates.split(',').filter(Boolean).map(Number))
      for (const name of ['typical', 'strandline'] as const) {
        const { timings, figures } = await playPaced({
          backend,
          posts,
          perSecond,
          seconds: 30,
          concurrency,
          name,
        });
        const waits = timings.map(({ due, started }) => started - due);
        const takes = timings.map(({ started, done }) => done - started);
        paced.push([
          backend,
          String(perSecond),
          name,
          figures.perSecond.toFixed(1),
          quantile(waits, 0.5).toFixed(0),
          quantile(waits, 0.99).toFixed(0),
          quantile(takes, 0.5).toFixed(0),
          quantile(takes, 0.99).toFixed(0),
          figures.worker.toFixed(1),
          figures.postgres.toFixed(1),
          figures.redis.toFixed(1),
          figures.mb.toFixed(0),
        ]);
      }
  if (paced.length > 1)
    print(`slots at a steady rate for 30 s, ${posts} posts, 30 % of them changed\n${aligned(paced)}\n`);
}

async function onSite(backend: Backend, measured: (site: Site) => Promise<void>): Promise<void> {
  const site = await openSite(backend, posts);
  try {
    await measured(site);
  } finally {
    await site.close();
  }
}

async function ended(site: Site, runs: number): Promise<void> {
  await untilTrue(async () => (await countEnded(site)) >= runs);
}

/** Slots that came while the first looks held everything up are behind: they are not what is measured. */
async function caughtUp(site: Site): Promise<void> {
  await untilTrue(async () => {
    const [told] = await site.rows<{ late: number }>(
      `SELECT count(*)::int AS late FROM strandline.runs WHERE status IN ('queued', 'running') AND slot_at < clock_timestamp() - interval '250 milliseconds'`,
    );
    return told?.late === 0;
  });
}

/** @throws where one failed: then it is not speed that is measured */
async function countEnded(site: Site): Promise<number> {
  const [told] = await site.rows<{ n: number; failed: number }>(
    `SELECT count(*) FILTER (WHERE status = 'succeeded')::int AS n, count(*) FILTER (WHERE status = 'failed')::int AS failed FROM strandline.runs WHERE trigger = 'first'`,
  );
  if (told === undefined || told.failed > 0) throw new Error('runs failed: see the log of the worker');
  return told.n;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
