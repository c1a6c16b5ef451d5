/**
 * Whole runs of strandline and of the typical worker (bench/typical), in turn on the same Postgres, the same queue's store and
 * the same service. While one is measured the other's process is stopped. Whoever went first in one round goes last in the
 * next, and ratios are taken inside a round.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type BackendFactory, createPostgresBackend, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { enqueueNewRuns } from '../../src/monitor/enqueue.ts';
import { type Id, inTransaction } from '../../src/store/db/database.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { CREATE } from '../typical/tables.ts';
import { QUEUE, type TypicalJob } from '../typical/queue.ts';
import { cpuMsOf, residentMbOf } from './processes.ts';
import { type Backend, openSite, type Site, untilTrue } from './site.ts';

export const CASES = ['new', 'same', 'changed'] as const;
export type Case = (typeof CASES)[number];
/** The share of the posts of a `changed` response that has other counters. */
const CHANGED = 0.3;

export type Contestant = {
  name: 'typical' | 'strandline';
  /** New searches, each with a run that waits, or one on a schedule of its own. */
  addSearches(count: number, everySeconds: number | null): Promise<void>;
  /** Queues one more run of each of the searches that were added last. */
  offer(): Promise<void>;
  /** Runs that succeeded so far. @throws where one failed */
  ended(): Promise<number>;
  /** Whether all that follows from these runs is written too. */
  settled(): Promise<boolean>;
  /** When slots were due, started and done, in milliseconds, of slots after a time. */
  timings(since: Date): Promise<{ due: number; started: number; done: number }[]>;
  hold(): () => void;
  pid(): number;
  close(): Promise<void>;
};

export type Figures = {
  perSecond: number;
  /** CPU milliseconds a run, with what is derived from it afterwards. */
  worker: number;
  postgres: number;
  redis: number;
  /** kB of write-ahead log a run. */
  wal: number;
  /** Of the worker, at the end. */
  mb: number;
};
export type Outcome = { round: number; case: Case; name: Contestant['name']; figures: Figures };

/** One burst of each case by both, `rounds` times. */
export async function playContest(options: {
  backend: Backend;
  posts: number;
  runs: number;
  rounds: number;
  concurrency: number;
}): Promise<Outcome[]> {
  const site = await openSite(options.backend, options.posts);
  const opened: Contestant[] = [];
  try {
    const both = [await openTypical(site, options.concurrency), await openStrandline(site)];
    opened.push(...both);
    const outcomes: Outcome[] = [];
    const held = new Map(both.map((one) => [one, one.hold()]));
    for (let round = -1; round < options.rounds; round += 1)
      for (const contestant of round % 2 === 0 ? both : both.toReversed()) {
        for (const name of CASES) {
          await site.answerAgain(name === 'changed' ? CHANGED : 0);
          if (name === 'new') await contestant.addSearches(options.runs, null);
          else await contestant.offer();
          await site.checkpoint();
          const figures = await burst(site, contestant, options.runs, held);
          // The first round prepares statements and fills caches.
          if (round >= 0) outcomes.push({ round, case: name, name: contestant.name, figures });
        }
      }
    for (const release of held.values()) release();
    return outcomes;
  } finally {
    for (const one of opened) await one.close();
    await site.close();
  }
}

async function burst(
  site: Site,
  contestant: Contestant,
  runs: number,
  held: Map<Contestant, () => void>,
): Promise<Figures> {
  const before = await contestant.ended();
  const [cpu, wal, worker] = [site.cpu(), await site.wal(), cpuMsOf([contestant.pid()])];
  const from = performance.now();
  held.get(contestant)?.();
  await untilTrue(async () => (await contestant.ended()) >= before + runs);
  const seconds = (performance.now() - from) / 1_000;
  // What is done behind the runs is paid by them, too.
  await untilTrue(() => contestant.settled());
  held.set(contestant, contestant.hold());
  const used = site.cpu();
  return {
    perSecond: runs / seconds,
    worker: (cpuMsOf([contestant.pid()]) - worker) / runs,
    postgres: (used.postgres - cpu.postgres) / runs,
    redis: (used.redis - cpu.redis) / runs,
    wal: ((await site.wal()) - wal) / runs / 1_024,
    mb: residentMbOf(contestant.pid()),
  };
}

/** Slots that come due so many times a second, 30 % of the posts changed; of either alone. */
export async function playPaced(options: {
  backend: Backend;
  posts: number;
  perSecond: number;
  seconds: number;
  concurrency: number;
  name: Contestant['name'];
}): Promise<{ timings: { due: number; started: number; done: number }[]; figures: Figures }> {
  const site = await openSite(options.backend, options.posts);
  let contestant: Contestant | undefined;
  try {
    contestant =
      options.name === 'typical' ? await openTypical(site, options.concurrency) : await openStrandline(site);
    const each = contestant;
    await site.answerAgain(CHANGED);
    const searches = options.perSecond * EVERY_SECONDS;
    await each.addSearches(searches, EVERY_SECONDS);
    // Each search has run once, and what that held up is behind.
    await untilTrue(async () => (await each.ended()) >= searches);
    await pause(EVERY_SECONDS * 1_000);
    const since = new Date();
    const [cpu, wal, worker, before] = [
      site.cpu(),
      await site.wal(),
      cpuMsOf([each.pid()]),
      await each.ended(),
    ];
    await pause(options.seconds * 1_000);
    const [used, runs] = [site.cpu(), (await each.ended()) - before];
    const figures = {
      perSecond: runs / options.seconds,
      worker: (cpuMsOf([each.pid()]) - worker) / runs,
      postgres: (used.postgres - cpu.postgres) / runs,
      redis: (used.redis - cpu.redis) / runs,
      wal: ((await site.wal()) - wal) / runs / 1_024,
      mb: residentMbOf(each.pid()),
    };
    return { timings: await each.timings(since), figures };
  } finally {
    await contestant?.close();
    await site.close();
  }
}

const EVERY_SECONDS = 60;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function openStrandline(site: Site): Promise<Contestant> {
  await site.startWorkers(1);
  const { ctx } = site.home;
  let newest: Id[] = [];
  return {
    name: 'strandline',
    addSearches: async (count, everySeconds) => {
      const [last] = await site.rows<{ id: Id }>(
        'SELECT coalesce(max(id), 0) AS id FROM strandline.searches',
      );
      await site.addSearches(count, everySeconds ?? DAY_SECONDS);
      const added = await site.rows<{ id: Id }>('SELECT id FROM strandline.searches WHERE id > $1', [
        last?.id,
      ]);
      newest = added.map(({ id }) => id);
    },
    offer: async () => {
      const runs = await inTransaction(ctx.db, async (tx) => {
        const ids: Id[] = [];
        for (const searchId of newest)
          ids.push(await insertRun(tx, { searchId, trigger: 'manual', now: null }));
        return ids;
      });
      await enqueueNewRuns(ctx, runs, 'manual');
    },
    ended: async () => {
      const [told] = await site.rows<{ n: number; failed: number }>(
        `SELECT count(*) FILTER (WHERE status = 'succeeded')::int AS n,
                count(*) FILTER (WHERE status = 'failed')::int AS failed FROM strandline.runs`,
      );
      if (told === undefined || told.failed > 0) throw new Error('runs failed: see the log of the worker');
      return told.n;
    },
    // Figures, stories and the text archive.
    settled: async () => {
      const [left] = await site.rows<{ some: boolean }>(
        `SELECT EXISTS (SELECT FROM strandline.pending_derivations)
           OR EXISTS (SELECT FROM strandline.discoveries WHERE id > least(
             (SELECT discovery_id FROM strandline.archive_progress), (SELECT value::bigint FROM strandline.facts WHERE name = 'stories'))) AS some`,
      );
      return left?.some === false;
    },
    timings: (since) =>
      site.rows(
        `SELECT ${MS('slot_at')} AS due, ${MS('started_at')} AS started, ${MS('ended_at')} AS done
         FROM strandline.runs WHERE status = 'succeeded' AND trigger = 'schedule' AND slot_at >= $1`,
        [since],
      ),
    hold: () => site.hold(),
    pid: () => site.workerPids()[0] ?? Number.NaN,
    close: () => site.stopWorkers(),
  };
}

async function openTypical(site: Site, concurrency: number): Promise<Contestant> {
  const { databaseUrl, redisUrl, serviceUrl } = await site.addNeighbor();
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(CREATE);
  const child: ChildProcess = fork(new URL('../typical/worker.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
    env: {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: databaseUrl,
      SEARCH_URL: serviceUrl,
      CONCURRENCY: String(concurrency),
      PREPARE: process.env['PREPARE'] ?? 'yes',
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    },
  });
  await once(child, 'message');
  const pid = child.pid ?? Number.NaN;
  const redis = redisUrl === undefined ? undefined : new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue =
    redis === undefined
      ? new Queue(
          QUEUE,
          { connection: { connectionString: databaseUrl, max: 2 } },
          createPostgresBackend as unknown as BackendFactory, // its types know only Redis
        )
      : new Queue(QUEUE, { connection: redis });
  let added = 0;
  let newest: TypicalJob[] = [];
  const offer = async () => {
    await queue.addBulk(newest.map((data) => ({ name: 'run', data })));
  };
  return {
    name: 'typical',
    addSearches: async (count, everySeconds) => {
      newest = Array.from({ length: count }, (_, i) => {
        const search = `typical ${added + i}`;
        return { search, prompt: search, count: 100 };
      });
      added += count;
      await offer();
      if (everySeconds === null) return;
      const every = everySeconds * 1_000;
      const begin = Date.now() + every;
      for (const [i, data] of newest.entries())
        await queue.upsertJobScheduler(
          data.search,
          { every, startDate: begin + Math.floor((i * every) / count) },
          { name: 'run', data, opts: { removeOnComplete: true } },
        );
    },
    offer,
    ended: async () => {
      const { rows } = await client.query<{ n: number }>(
        `SELECT count(*) FILTER (WHERE status = 'succeeded')::int AS n FROM typical.runs`,
      );
      return rows[0]?.n ?? 0;
    },
    settled: () => Promise.resolve(true),
    timings: async (since) => {
      const { rows } = await client.query<{ due: number; started: number; done: number }>(
        `SELECT ${MS('slot_at')} AS due, ${MS('started_at')} AS started, ${MS('ended_at')} AS done
         FROM typical.runs WHERE status = 'succeeded' AND slot_at >= $1`,
        [since],
      );
      return rows;
    },
    hold: () => {
      child.kill('SIGSTOP');
      return () => child.kill('SIGCONT');
    },
    pid: () => pid,
    close: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGCONT');
      child.disconnect();
      await ended;
      await queue.close();
      redis?.disconnect();
      await client.end();
    },
  };
}

const DAY_SECONDS = 24 * 3_600;
const MS = (column: string) => `extract(epoch FROM ${column})::float8 * 1000`;
