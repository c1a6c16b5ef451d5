/** Everything a row runs on: servers, wires to them, workers, and functions to set it up and to query the results. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { inject } from 'vitest';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { openBackend, type QueueBackend } from '../../src/platform/queue/connection.ts';
import { openQueue, SCANS } from '../../src/platform/queue/queue.ts';
import type { ActingContext } from '../../src/monitor/context.ts';
import { enqueueNewRuns } from '../../src/monitor/enqueue.ts';
import { createChannel } from '../../src/monitor/alerts/manage-channels.ts';
import { createRule } from '../../src/monitor/alerts/manage-rules.ts';
import { createSearch, type NewSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { type Id, inTransaction } from '../../src/store/db/database.ts';
import { withDatabase } from '../../src/platform/postgres/connect.ts';
import { readInstanceName } from '../../src/store/db/facts.ts';
import type { TestBackend } from '../backends.ts';
import { type ProcessOptions, startProcess, until, type WorkerProcess } from '../processes.ts';
import { type Receiver, startReceiver } from '../tell/receiver.ts';
import { makeDirectory } from '../temporary.ts';
import { makeWorld, type World } from '../world.ts';
import { writeHistory } from './history.ts';
import { moveDatabaseTime, prepareTime } from './moved-time.ts';
import { type OwnPostgres, openOwnPostgres } from './own-postgres.ts';
import { type OwnRedis, openOwnRedis } from './own-redis.ts';
import type { CheckId } from './checks.ts';
import type { BackendName, Row } from './row.ts';
import { type ScriptedService, startService } from './service.ts';
import { judge, type Verdict } from './verdict.ts';
import { openWire, type Wire } from './wire.ts';

export type ScanQueue = Pick<
  Queue,
  'getJobScheduler' | 'removeJobScheduler' | 'upsertJobScheduler' | 'pause'
>;

export type Stage = Readonly<{
  backend: BackendName;
  /** As a command has it, with connections of its own past all wires: for the monitor's verbs. */
  ctx: ActingContext;
  service: ScriptedService;
  receiver: Receiver;
  /** What workers reach their servers by. `queue` leads to Redis; on the Postgres back end it is the wire to Postgres. */
  wires: Readonly<{ postgres: Wire; queue: Wire; service: Wire }>;
  /** Of rows that request one; others fail here. */
  postgres: OwnPostgres;
  redis: OwnRedis;
  /** A directory of the row: data of workers, files. */
  directory: string;
  /** What a worker is given; to start a program of another kind in the same world. */
  env: Readonly<Record<string, string>>;
  /**
   * Starts a worker whose leases and heartbeats take a second. It is ready for work when this resolves.
   * @param options where it dies or waits, how its clock goes
   */
  start(env?: Record<string, string>, options?: ProcessOptions): Promise<WorkerProcess>;
  /** All that were started and live. */
  workers(): WorkerProcess[];
  /** Saves a microblog search whose prompt is its number; due once an hour unless said. @returns its first run */
  add(prompt: number, more?: Partial<NewSearch>): Promise<{ searchId: Id; runId: Id }>;
  /** A run by hand of the search with this prompt; the queue is told. */
  again(prompt: number): Promise<Id>;
  /** A channel at a path of the receiver, and a rule that tells it of all new posts. */
  alert(slug: string): Promise<void>;
  /** Rows of an ad hoc query; the row knows what they hold. Tables are in `strandline`. */
  rows: (sql: string, values?: unknown[]) => Promise<ReturnType<typeof JSON.parse>[]>;
  /** Waits for the end of a run. */
  ended(runId: Id): Promise<{ status: string; code: string | null; reason: string | null; fence: number }>;
  /** Waits until nothing is left to do: no run open, no message due, no search overdue. */
  settled(seconds?: number): Promise<void>;
  /** Waits until nothing that is left to do is older than this, while new work may go on coming. */
  caughtUp(olderMs: number, seconds: number): Promise<void>;
  /** Something to be told when the row fails: a seed, what was done and when. */
  note(words: string): void;
  /** States of the calls of a run, in order. */
  calls(runId: Id): Promise<string[]>;
  /** The queue of the repeatable job that calls the scan, as BullMQ has it. */
  scans: ScanQueue;
  /** Empties the queue store of the row, and nobody else's. */
  emptyQueue(): Promise<void>;
  /** Moves the clocks of all workers, of `ctx` and of the database. @param ms ahead of the machine's */
  moveTime(ms: number): Promise<void>;
  /** Moves the clocks of the database and of `ctx`; those of workers stay right. @param ms ahead of the machine's */
  moveDatabaseTime(ms: number): Promise<void>;
  until: typeof until;
  /** Waits until a call is under way. */
  called(): Promise<void>;
}>;

export type Played = Stage & {
  /** Ends the row in order, and asks what holds. */
  verdict(): Promise<Verdict>;
  close(): Promise<void>;
  /** The last log lines of workers, for debugging. */
  lastWords(): string;
};

/** Ends what never settles once the fault is over; a busy machine takes several times as long as an idle one. */
const REST_SECONDS = 180;

export async function openStage(
  row: Pick<Row, 'postgres' | 'redis' | 'movesTime' | 'env' | 'restMs' | 'except'>,
  { name: backend, redisUrl }: TestBackend,
): Promise<Played> {
  const opened: (() => Promise<void>)[] = [];
  const keep = <T extends { close(): Promise<void> }>(one: T): T => {
    opened.push(() => one.close());
    return one;
  };
  const close = async () => {
    for (const shut of opened.splice(0).toReversed()) await shut();
  };
  try {
    return await open();
  } catch (error) {
    await close();
    throw error;
  }

  async function open(): Promise<Played> {
    const directory = await makeDirectory();
    opened.push(() => rm(directory, { recursive: true, force: true }));
    const service = keep(await startService());
    const receiver = keep(await startReceiver());
    const ownPostgres = row.postgres === undefined ? undefined : keep(await openOwnPostgres(row.postgres));
    const ownRedis =
      row.redis === undefined || redisUrl === null ? undefined : keep(await openOwnRedis(row.redis));
    const redisAt = ownRedis?.url() ?? redisUrl;

    let shift = 0;
    let workerShift = 0;
    const clock: Clock = {
      now: () => new Date(systemClock.now().getTime() + shift),
      statementTime: () => null,
    };
    const env = { MASTER_KEY: 'one key for all processes of a row', WEBHOOK_ALLOW: '127.0.0.1', ...row.env };
    const world: World = keep(
      await makeWorld({
        hosted: 'http://127.0.0.1:1',
        clock,
        env,
        ...(ownPostgres && { database: ownPostgres.database }),
      }),
    );
    if (row.movesTime === true) {
      const server = ownPostgres?.superuserUrl ?? inject('superuserUrl');
      await prepareTime(world.db.pool, withDatabase(server, world.database.name));
    }
    const { url } = world.database;
    const wires = {
      postgres: keep(await wireTo(url)),
      redis: redisAt === null ? undefined : keep(await wireTo(redisAt)),
      service: keep(await wireTo(service.url)),
    };
    if (wires.redis !== undefined) ownRedis?.lead(wires.redis);

    const instance = await readInstanceName(world.db, `faults-${world.database.name}`, systemClock.now());
    // A Redis that may come back at another port is only found by its wire.
    const found = ownRedis === undefined ? redisAt : (wires.redis?.address(ownRedis.url()) ?? null);
    const backEnd = keep(
      openBackend(
        found === null ? { kind: 'postgres', url } : { kind: 'redis', url: found },
        instance,
        world.ctx.log,
      ),
    );
    const queue = keep(openQueue(backEnd, world.ctx.log));
    const ctx: ActingContext = { ...world.ctx, queue };
    const scans = keep(openScanQueue(backEnd));

    const given: Record<string, string> = {
      DATABASE_URL: wires.postgres.address(url),
      ...(redisAt !== null && wires.redis !== undefined && { REDIS_URL: wires.redis.address(redisAt) }),
      SEARCH_API_URL: wires.service.address(service.url),
      SEARCH_API_KEY: 'the-key-of-the-row',
      STRANDLINE_DATA_DIR: path.join(directory, 'data'),
      LOG_LEVEL: 'info',
      RUN_LEASE_SECONDS: '1',
      RECONCILE_SECONDS: '1',
      ...env,
    };
    const workers: WorkerProcess[] = [];
    opened.push(async () => {
      // A row that failed may have left them in any state.
      for (const worker of workers) if (worker.lives()) worker.child.kill('SIGKILL');
      await Promise.all(workers.map((worker) => worker.stop()));
    });
    const rows: Stage['rows'] = async (sql, values = []) => (await world.db.pool.query(sql, values)).rows;
    const alive = () => workers.filter((worker) => worker.lives());
    const own = <T>(server: T | undefined, which: string): T => {
      if (server === undefined) throw new Error(`a row that does things to ${which} asks for one of its own`);
      return server;
    };

    const caughtUp = async (olderMs: number, seconds: number) => {
      let remaining = '';
      try {
        await until(
          'everything comes to rest',
          async () => {
            remaining = await left(world, { now: clock.now(), olderMs });
            return remaining === '';
          },
          seconds * 1_000,
        );
      } catch (error) {
        throw new Error(`not at rest after ${seconds} s: ${remaining}`, { cause: error });
      }
    };
    const settled = (seconds = REST_SECONDS) => caughtUp(0, seconds);
    const notes: string[] = [];
    const moveTime = async (ms: number) => {
      shift = ms;
      await moveDatabaseTime(world.db.pool, ms);
    };

    const stage: Stage = {
      settled,
      caughtUp,
      note: (words) => void notes.push(`${new Date().toISOString()} ${words}`),
      backend,
      ctx,
      scans,
      service,
      receiver,
      wires: { postgres: wires.postgres, queue: wires.redis ?? wires.postgres, service: wires.service },
      get postgres() {
        return own(ownPostgres, 'Postgres');
      },
      get redis() {
        return own(ownRedis, 'Redis');
      },
      directory,
      env: given,
      start: async (more = {}, options = {}) => {
        const worker = await startProcess({ ...given, ...more }, { clockMs: workerShift, ...options });
        workers.push(worker);
        return worker;
      },
      workers: alive,
      add: async (prompt, more = {}) => {
        const { search, firstRunId } = await createSearch(ctx, {
          slug: `search-${prompt}`,
          operation: 'microblog',
          prompt: String(prompt),
          // The longest interval there is: no slot comes up by chance while a row plays.
          ...(more.cron === undefined && { every: '366d' }),
          ...more,
        });
        return { searchId: search.id, runId: firstRunId };
      },
      again: async (prompt) => {
        const { runId } = await insertManualRun(ctx, `search-${prompt}`);
        await enqueueNewRuns(ctx, [runId], 'manual');
        return runId;
      },
      alert: async (slug) => {
        await createChannel(ctx, { slug, webhook: `${receiver.url}/${slug}` });
        await createRule(ctx, { slug, on: ['post'], cooldown: 0, channels: [slug] });
      },
      rows,
      ended: (runId) =>
        until(
          `run ${runId} ends`,
          async () => {
            const [run] = await rows(
              'SELECT status, code, reason, fence FROM strandline.runs WHERE id = $1',
              [runId],
            );
            return run.status === 'queued' || run.status === 'running' ? false : run;
          },
          REST_SECONDS * 1_000,
        ),
      calls: async (runId) =>
        (await rows('SELECT state FROM strandline.calls WHERE run_id = $1 ORDER BY n', [runId])).map(
          ({ state }) => state,
        ),
      emptyQueue: async () => {
        // Tried again after a deadlock with a worker, which holds a job and wants the other table.
        if (redisAt === null)
          return void (await inTransaction(world.db, (tx) =>
            tx.query('TRUNCATE bullmq.job, bullmq.scheduler CASCADE'),
          ));
        const redis = new Redis(ownRedis?.url() ?? redisAt);
        await redis.flushdb();
        await redis.quit();
      },
      moveTime: async (ms) => {
        await moveTime(ms);
        workerShift = ms;
        for (const worker of alive()) worker.moveClock(ms);
      },
      moveDatabaseTime: moveTime,
      until,
      called: async () => {
        await until('a call is under way', () => Promise.resolve(service.asked.length > 0));
      },
    };

    /**
     * Heals what was done to the wires, sees to it that somebody works, and waits until nothing is left to do.
     * @returns when that was
     */
    async function rest(): Promise<Date> {
      for (const wire of [wires.postgres, wires.redis, wires.service]) {
        wire?.watch(undefined);
        wire?.pass();
      }
      if (alive().length === 0) await stage.start();
      // What does not come to rest is what the checks tell.
      await caughtUp(row.restMs ?? 0, REST_SECONDS).catch(() => {});
      const restedAt = clock.now();
      await Promise.all(alive().map((worker) => worker.stop()));
      return restedAt;
    }

    return Object.assign(stage, {
      verdict: async () => {
        const now = await rest();
        await writeHistory(world.db.pool, service, receiver);
        const maxCalls = Number(given['MAX_CALLS_PER_RUN'] ?? ctx.config.maxCallsPerRun);
        const except = Object.keys(row.except ?? {}) as CheckId[]; // the keys of that very type
        const verdict = await judge(world.db.pool, {
          now,
          maxCalls,
          restMs: row.restMs ?? 0,
          except,
        });
        const fallen = workers.map((worker) => worker.fell()).filter((words) => words !== null);
        return { ...verdict, broken: [...fallen, ...verdict.broken] };
      },
      lastWords: () =>
        [
          ...notes,
          ...workers.slice(-6).map(({ child, log }) => `worker ${child.pid}:\n${log.slice(-25).join('\n')}`),
        ].join('\n'),
      close,
    });
  }
}

/** What is left to do and is older than this, in words: how many of each kind. Empty where nothing is. */
async function left({ db }: World, { now, olderMs }: { now: Date; olderMs: number }): Promise<string> {
  const { rows } = await db.pool.query<{ what: string; n: number }>(
    `SELECT what, n FROM (
       SELECT 'runs queued' AS what, count(*)::int AS n FROM strandline.runs
       WHERE status = 'queued' AND coalesce(not_before <= $1, true) AND ($2 OR created_at <= $1)
       UNION ALL SELECT 'runs running', count(*)::int FROM strandline.runs WHERE status = 'running' AND ($2 OR started_at <= $1)
       UNION ALL SELECT 'responses unread', count(*)::int FROM strandline.responses
       WHERE read_at IS NULL AND ($2 OR received_at <= $1)
       UNION ALL SELECT 'searches due', count(*)::int FROM strandline.searches WHERE next_due_at <= $1
       UNION ALL SELECT 'adaptive searches due', count(*)::int FROM strandline.search_pace WHERE due_at <= $1
       UNION ALL SELECT 'messages due', count(*)::int FROM strandline.deliveries d JOIN strandline.channels c ON c.id = d.channel_id
       WHERE d.next_attempt_at <= $1 AND c.state = 'active' AND coalesce(c.resting_until <= $1, true)
       UNION ALL SELECT 'discoveries to deliver', count(*)::int FROM strandline.channels c
       WHERE c.state = 'active' AND c.archived_at IS NULL
         AND EXISTS (SELECT FROM strandline.discoveries d WHERE d.id > c.cursor AND ($2 OR d.at <= $1))
     ) open WHERE n > 0`,
    [new Date(now.getTime() - olderMs), olderMs === 0],
  );
  return rows.map(({ what, n }) => `${n} ${what}`).join(', ');
}

function openScanQueue({ queue: options, factory }: QueueBackend): ScanQueue & { close(): Promise<void> } {
  const queue = factory === undefined ? new Queue(SCANS, options) : new Queue(SCANS, options, factory);
  queue.on('error', () => {}); // while its server is away; whoever asks it then gets the error
  return queue;
}

async function wireTo(url: string): Promise<Wire> {
  const { hostname: host, port } = new URL(url);
  return openWire({ host, port: Number(port) });
}
