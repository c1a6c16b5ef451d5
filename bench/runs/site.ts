/** Where runs are measured: Postgres and Redis of the bench's own, an instant service, and worker processes as users start them. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { type Program, openProgram } from '../../src/app/program.ts';
import { checkSearch } from '../../src/monitor/topics/search-definition.ts';
import { enqueueNewRuns } from '../../src/monitor/enqueue.ts';
import { insertCheckedSearch } from '../../src/monitor/topics/save-search.ts';
import { chooseService } from '../../src/monitor/topics/service-choice.ts';
import { type Id, inTransaction } from '../../src/store/db/database.ts';
import { startRedis } from '../../test/redis.ts';
import { openStage } from '../stage.ts';
import { cpuMsOf, parentOf, withChildren } from './processes.ts';

export type Backend = 'postgres' | 'redis';

export type Site = {
  home: Program;
  /** Saves searches whose first runs wait in the queue. */
  addSearches(count: number, everySeconds: number): Promise<void>;
  startWorkers(count: number): Promise<void>;
  /** Ends them as a user does, and waits. */
  stopWorkers(): Promise<void>;
  /** What Postgres would tidy up by itself in the minutes after so many rows. */
  tidy(): Promise<void>;
  workerPids(): number[];
  /** Stops the workers where they stand until the function that it returns is called: meanwhile runs are queued for them. */
  hold(): () => void;
  /** From now on whoever asks again gets the same posts, this share of them with other counters. */
  answerAgain(changing: number): Promise<void>;
  /** What another program needs that runs on the same stores and service, in a database of its own. */
  addNeighbor(): Promise<{ databaseUrl: string; redisUrl: string | undefined; serviceUrl: string }>;
  /** Writes out what is in memory, so that it does not fall into the next measurement. */
  checkpoint(): Promise<void>;
  /** Bytes of write-ahead log so far. */
  wal(): Promise<number>;
  /** CPU milliseconds so far: of the workers, of Postgres, of Redis. */
  cpu(): { workers: number; postgres: number; redis: number };
  rows<T>(sql: string, values?: unknown[]): Promise<T[]>;
  close(): Promise<void>;
};

/** Searches of one topic; as many as people have. */
const PER_TOPIC = 20;
/** That are written in one transaction. */
const AT_ONCE = 200;

/** @param posts of an answer. @throws when Redis is asked for and none is installed */
export async function openSite(kind: Backend, posts: number): Promise<Site> {
  const stage = await openStage(4);
  const directory = await mkdtemp(path.join(tmpdir(), 'strandline-bench-redis-'));
  const redis = kind === 'redis' ? await startRedis(directory) : undefined;
  if (kind === 'redis' && redis === undefined) throw new Error('no redis-server is installed');
  const service = fork(new URL('./instant-service.ts', import.meta.url), [String(posts)], {
    execArgv: ['--import', 'tsx'],
  });
  const [{ url: serviceUrl }] = (await once(service, 'message')) as [{ url: string }]; // what it tells when it is ready
  const { url } = await stage.addDatabase('runs');
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: url,
    SEARCH_API_URL: serviceUrl,
    SEARCH_API_KEY: 'bench',
    CALLS_PER_DAY: '100000000',
    LOG_LEVEL: 'error',
    ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
  };
  const home = await openProgram({ config: readConfig(env), log: createLogger('error'), role: 'guest' });
  const { ctx } = home;
  const workers: ChildProcess[] = [];
  const rows: Site['rows'] = async (sql, values = []) => (await ctx.db.pool.query(sql, values)).rows as never; // as the question asks
  const [backend] = await rows<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const postmaster = parentOf(backend?.pid ?? Number.NaN);
  const redisPid = redis === undefined ? undefined : await pidOfRedis(redis.url);
  let added = 0;

  async function addSearches(count: number, everySeconds: number): Promise<void> {
    const at = await chooseService(ctx, undefined);
    for (let done = 0; done < count; ) {
      const batch = Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, i) =>
        checkSearch({
          slug: `search-${added + i}`,
          operation: 'microblog',
          prompt: `search ${added + i}`,
          every: `${everySeconds / 60}m`,
        }),
      );
      const created = await inTransaction(ctx.db, async (tx) => {
        const firstRuns: Id[] = [];
        for (const checked of batch) {
          const name = `topic-${Math.floor((added + firstRuns.length) / PER_TOPIC)}`;
          const topic = { slug: name, name, sample: false };
          firstRuns.push((await insertCheckedSearch(ctx, tx, { checked, topic, service: at })).firstRunId);
        }
        return firstRuns;
      });
      await enqueueNewRuns(ctx, created, 'first');
      done += batch.length;
      added += batch.length;
    }
  }

  return {
    home,
    addSearches,
    rows,
    startWorkers: async (count) => {
      const before = workers.length;
      for (let i = 0; i < count; i += 1)
        workers.push(
          spawn(process.execPath, ['--import', 'tsx', 'src/main.ts', 'worker'], {
            env,
            stdio: ['ignore', 'ignore', 'inherit'],
          }),
        );
      await untilTrue(async () => {
        const [found] = await rows<{ n: number }>('SELECT count(*)::int AS n FROM strandline.workers');
        return (found?.n ?? 0) >= before + count;
      });
    },
    stopWorkers: async () => {
      await Promise.all(
        workers.splice(0).map(async (child) => {
          const ended = once(child, 'exit');
          child.kill('SIGTERM');
          await ended;
        }),
      );
    },
    tidy: async () => {
      await rows('VACUUM (ANALYZE)');
      await stage.checkpoint();
    },
    workerPids: () => workers.flatMap(({ pid }) => pid ?? []),
    hold: () => {
      for (const child of workers) child.kill('SIGSTOP');
      return () => {
        for (const child of workers) child.kill('SIGCONT');
      };
    },
    answerAgain: async (changing) => {
      const heard = once(service, 'message');
      service.send({ changing });
      await heard;
    },
    addNeighbor: async () => {
      const { url: databaseUrl } = await stage.addDatabase('neighbor');
      return { databaseUrl, redisUrl: redis?.url, serviceUrl };
    },
    checkpoint: () => stage.checkpoint(),
    wal: async () => {
      const [told] = await rows<{ bytes: number }>("SELECT (pg_current_wal_lsn() - '0/0')::float8 AS bytes");
      return told?.bytes ?? Number.NaN;
    },
    cpu: () => ({
      workers: cpuMsOf(workers.flatMap(({ pid }) => pid ?? [])),
      postgres: cpuMsOf(withChildren(postmaster)),
      redis: redisPid === undefined ? 0 : cpuMsOf([redisPid]),
    }),
    close: async () => {
      for (const child of workers) child.kill('SIGKILL');
      await home.close();
      service.disconnect();
      await redis?.stop();
      await stage.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function pidOfRedis(url: string): Promise<number> {
  const client = new Redis(url);
  try {
    return Number(/process_id:(\d+)/.exec(await client.info('server'))?.[1]);
  } finally {
    client.disconnect();
  }
}

const LOOK_EVERY_MS = 100;

/** Asks again until it is so. */
export async function untilTrue(ask: () => Promise<boolean>): Promise<void> {
  while (!(await ask())) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}
