import type { Config } from '../config.ts';
import type { ServiceKind } from '../store/services.ts';
import type { Database, Id } from '../store/database.ts';
import type { Clock } from '../engine/clock.ts';
import type { Logger } from '../engine/logger.ts';
import type { WaitingRun, WorkQueue } from '../engine/queue/queue.ts';

/** Where a service is called and with which key; in which words stands with the service in the database. */
export type Endpoint = { baseUrl: string; prefix: string | undefined; key: string | undefined };

/**
 * How it stands with the public sources of one's own service: one of them answers, none does just now, or
 * there are none (`SERVICE_SOURCES=sandbox`).
 */
export type OwnSources = 'answering' | 'silent' | 'none';

/** Everything a verb of the monitor stands on. Handed in, never imported, so that a test can stand on something else. */
export type Context = {
  config: Config;
  clock: Clock;
  log: Logger;
  db: Database;
  queue: WorkQueue;
  /** Name of this process among the workers. */
  worker: string;
  /** @throws RunError where this process does not know how to reach the service */
  endpoint: (kind: ServiceKind) => Promise<Endpoint>;
  ownSources: () => Promise<OwnSources>;
  /** From 0 to below 1; spreads retries. */
  random: () => number;
};

/**
 * Tells the queue about runs that wait. Their rows are committed already: where the queue cannot be
 * reached this is only noted, and the reconciler tells it again.
 */
export async function wake(ctx: Pick<Context, 'queue' | 'log'>, runs: readonly WaitingRun[]): Promise<void> {
  try {
    await ctx.queue.enqueue(runs);
  } catch (error) {
    ctx.log.warn({ err: error, runs: runs.length }, 'the queue could not be told; the reconciler will');
  }
}

/** The same for runs that were just made: nobody has claimed them. */
export async function wakeNew(ctx: Pick<Context, 'queue' | 'log'>, runIds: readonly Id[]): Promise<void> {
  await wake(
    ctx,
    runIds.map((runId) => ({ runId, fence: 0 })),
  );
}

/**
 * Tells the queue when a search is due, or with `null` that it no longer is. The search's row is committed
 * already: what the queue misses, the reconciler tells it.
 */
export async function tellSchedule(
  ctx: Pick<Context, 'queue' | 'log'>,
  search: { id: Id; slug: string },
  pattern: string | null,
): Promise<void> {
  try {
    await (pattern === null ? ctx.queue.unschedule(search.id) : ctx.queue.schedule(search.id, pattern));
  } catch (error) {
    ctx.log.warn({ err: error, search: search.slug }, 'schedule not told; the reconciler will');
  }
}
