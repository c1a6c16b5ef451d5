/** Worker processes on one database, one queue and one stub of the hosted service. */
import { systemClock } from '../src/platform/clock.ts';
import { openBackend } from '../src/platform/queue/connection.ts';
import { openQueue } from '../src/platform/queue/queue.ts';
import type { ActingContext } from '../src/monitor/context.ts';
import type { TestDatabase } from './database.ts';
import { createSearch } from '../src/monitor/topics/save-search.ts';
import { readInstanceName } from '../src/store/db/facts.ts';
import { type ProcessOptions, startProcess, until, type WorkerProcess } from './processes.ts';
import { type StubService, startStub } from './stub-service.ts';
import { makeWorld } from './world.ts';

export type Fleet = {
  /** As a command has it: the real queue, no worker. */
  ctx: ActingContext;
  stub: StubService;
  // Rows of ad hoc queries: the test knows what they hold.
  rows: (sql: string, values?: unknown[]) => Promise<ReturnType<typeof JSON.parse>[]>;
  start(env?: Record<string, string>, options?: ProcessOptions): Promise<WorkerProcess>;
  /** Saves a microblog search that is due once an hour. @returns its first run */
  add(slug: string, prompt?: string): Promise<bigint>;
  ended(runId: bigint): Promise<{ status: string; code: string | null; fence: number }>;
  /** Stops all workers and removes the searches, for the next test. */
  clear(): Promise<void>;
  close(): Promise<void>;
};

/**
 * @param redisUrl null: the queue is in Postgres
 * @param database where it is to stand; a fresh one otherwise
 */
export async function openFleet(redisUrl: string | null, database?: TestDatabase): Promise<Fleet> {
  const stub = await startStub();
  const world = await makeWorld({
    hosted: stub.url,
    clock: systemClock,
    ...(database !== undefined && { database }),
  });
  const { url } = world.database;
  const instance = await readInstanceName(world.db, 'fleet', systemClock.now());
  const backend = openBackend(
    redisUrl === null ? { kind: 'postgres', url } : { kind: 'redis', url: redisUrl },
    instance,
    world.ctx.log,
  );
  const ctx = { ...world.ctx, queue: openQueue(backend, world.ctx.log) };
  const workers: WorkerProcess[] = [];
  const rows: Fleet['rows'] = async (sql, values = []) => (await world.db.pool.query(sql, values)).rows;

  async function clear(): Promise<void> {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await rows('UPDATE strandline.searches SET archived_at = now(), next_due_at = NULL');
    stub.requests.length = 0;
  }

  return {
    ctx,
    stub,
    rows,
    start: async (env = {}, options = {}) => {
      const given = {
        DATABASE_URL: url,
        REDIS_URL: redisUrl ?? undefined,
        SEARCH_API_URL: stub.url,
        SEARCH_API_KEY: 'key',
        LOG_LEVEL: 'silent',
        RUN_LEASE_SECONDS: '1',
        RECONCILE_SECONDS: '1',
        ...env,
      };
      const worker = await startProcess(given, options);
      workers.push(worker);
      return worker;
    },
    // The longest interval there is: no slot comes up by chance.
    add: async (slug, prompt = slug) =>
      (await createSearch(ctx, { slug, operation: 'microblog', prompt, every: '366d' })).firstRunId,
    ended: (runId) =>
      until(`run ${runId} ends`, async () => {
        const [run] = await rows('SELECT status, code, fence FROM strandline.runs WHERE id = $1', [runId]);
        return run.status === 'queued' || run.status === 'running' ? false : run;
      }),
    clear,
    close: async () => {
      await clear();
      await ctx.queue.close();
      await backend.close();
      await world.close();
      await stub.close();
    },
  };
}
