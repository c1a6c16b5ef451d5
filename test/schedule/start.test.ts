/** Runs that a dead worker left between the database and the queue are enqueued by the next one to start. */
import { Worker } from 'bullmq';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { QueueBackend } from '../../src/platform/queue/connection.ts';
import { RUNS, type WorkQueue } from '../../src/platform/queue/queue.ts';
import { scan } from '../../src/monitor/schedule/scan.ts';
import { startScanLoop } from '../../src/monitor/schedule/scan-loop.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { accessQueue } from '../../src/app/program.ts';
import { onEachBackend } from '../backends.ts';
import { makeWorld, type World } from '../world.ts';

onEachBackend('a worker that starts', ({ redisUrl }) => {
  let world: World;
  let backend: QueueBackend;
  let queue: WorkQueue;
  beforeAll(async () => {
    world = await makeWorld();
    const { config, db, log } = world.ctx;
    // The queue as every process has it.
    const access = accessQueue({
      config: { ...config, redisUrl: redisUrl ?? undefined },
      databaseUrl: world.database.url,
      db,
      clock: world.clock,
      log,
    });
    backend = await access.backend();
    ({ queue } = access);
  });
  afterAll(async () => {
    await queue.close();
    await world.close();
  });

  test('enqueues slots recorded without a job, and those whose job was taken but not leased', async () => {
    const { search, firstRunId } = await createSearch(world.ctx, {
      slug: 'left-behind',
      operation: 'microblog',
      prompt: 'harbour',
      cron: '*/15 * * * *',
    });
    await world.db.pool.query('DELETE FROM strandline.runs WHERE id = $1', [firstRunId]);
    // Its row is written; it dies before it offers the run.
    const dies = { ...world.ctx, queue: { ...queue, enqueueRuns: () => new Promise<never>(() => {}) } };
    world.clock.advance(15 * 60_000);
    void scan(dies);
    const offered = async () => {
      const { prioritized = 0, active = 0 } = await queue.depth();
      return { prioritized, active };
    };
    await vi.waitFor(
      async () => {
        const { rowCount } = await world.db.pool.query(
          `SELECT FROM strandline.runs WHERE search_id = $1 AND status = 'queued'`,
          [search.id],
        );
        expect(rowCount).toBe(1);
      },
      { timeout: 60_000, interval: 20 },
    );
    expect(await offered()).toEqual({ prioritized: 0, active: 0 });
    const ctx = { ...world.ctx, queue };
    await (await startScanLoop(ctx)).stop();
    expect(await offered(), 'although somebody scanned a moment ago').toEqual({ prioritized: 1, active: 0 });

    // Another takes the job and dies before it leases the run.
    const options = { ...backend.worker, autorun: false, lockDuration: 600_000 };
    const taker =
      backend.factory === undefined
        ? new Worker(RUNS, null, options)
        : new Worker(RUNS, null, options, backend.factory);
    expect(await taker.getNextJob('dead', { block: false })).toBeDefined();
    expect(await offered()).toEqual({ prioritized: 0, active: 1 });
    world.clock.advance(1_000);
    await (await startScanLoop(ctx)).stop();
    expect(await offered(), 'a second job, without waiting for the lock of the first').toEqual({
      prioritized: 1,
      active: 1,
    });
    await taker.close(true);
  });
});
