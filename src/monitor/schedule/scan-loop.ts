/** The timers of a worker beside the scans that the queue calls for. */

import { SECOND } from '../../domain/time.ts';
import { monotonicMs } from '../../platform/clock.ts';
import { readTime } from '../../store/database.ts';
import type { Context } from '../context.ts';
import { enqueueDueSearches, scan, type ScanResult } from './scan.ts';

/** The average interval at which a worker checks that scans happen. */
const SCAN_WATCH_MS = SECOND;
/** A slot that comes before the next scan is not left to it. */
const SCAN_INTERVAL_MS = SECOND / 2;
/** Slots that are close to each other are queued together, at most this late. */
const SLOT_PAUSE_MS = SECOND / 10;

export type ScanLoop = {
  /** What the repeatable job calls. */
  scan(): Promise<void>;
  /** Milliseconds since this process last heard of a scan, its own or that of another. */
  silentMs(): number;
  /** Ends the timers and waits for a scan in progress. */
  stop(): Promise<void>;
};

/**
 * A worker's part in scanning. Beside the scans of the repeatable job it runs two timers that no queue can lose: one
 * watches that scans happen, and takes over where they do not; the other queues a slot that comes before the next scan.
 * @returns once somebody has scanned
 */
export async function startScanLoop(ctx: Context): Promise<ScanLoop> {
  let stopped = false;
  let watch: NodeJS.Timeout | undefined;
  let slot: NodeJS.Timeout | undefined;
  let heardAt = monotonicMs();
  let tookOver = false;
  let failing = false;

  const inProgress: { scan?: Promise<void>; slots?: Promise<void> } = {};

  /**
   * One of each at a time in this process: whoever asks meanwhile waits for the same. Slots do not wait for a scan that offers
   * thousands of runs.
   */
  function once(kind: keyof typeof inProgress, work: () => Promise<void>): Promise<void> {
    return (inProgress[kind] ??= attempt(work).finally(() => {
      delete inProgress[kind];
    }));
  }

  /** Scans are attempted twice a second, and an outage is one event. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      if (failing) ctx.log.info('scans work again');
      failing = false;
    } catch (error) {
      if (!failing) ctx.log.warn({ err: error }, 'scan failed; retrying');
      failing = true;
    }
  }

  /** What those who died left behind is offered at once, also where somebody scanned a moment ago. */
  async function start(): Promise<void> {
    if (!(await takeOver({ starting: true }))) await scanForQueue({ starting: true });
  }

  async function scanForQueue({ starting = false } = {}): Promise<void> {
    const scanned = await scan(ctx, { starting });
    heardAt = monotonicMs();
    tookOver = false;
    if (scanned !== null) planSlot(scanned);
  }

  /** @returns whether nobody else had scanned */
  async function takeOver({ starting = false } = {}): Promise<boolean> {
    const scanned = await scan(ctx, { takeOver: true, starting });
    heardAt = monotonicMs();
    if (scanned === null) return false;
    planSlot(scanned);
    if (!tookOver) ctx.log.info('scan taken over from the queue');
    tookOver = true;
    await ctx.queue
      .restartScan()
      .catch((error: unknown) => ctx.log.debug({ err: error }, 'repeatable job not replaced'));
    return true;
  }

  async function queueSlots(): Promise<void> {
    const now = await readTime(ctx.db.pool, ctx.clock);
    planSlot({ now, nextDueAt: await enqueueDueSearches(ctx, now) });
  }

  function planSlot({ now, nextDueAt }: ScanResult): void {
    clearTimeout(slot);
    if (stopped || nextDueAt === null) return;
    const inMs = Number(nextDueAt) - now.getTime();
    if (inMs < SCAN_INTERVAL_MS)
      slot = setTimeout(() => void once('slots', queueSlots), Math.max(inMs, SLOT_PAUSE_MS));
  }

  function planWatch(): void {
    const inMs = SCAN_WATCH_MS * (0.75 + ctx.random() / 2);
    watch = setTimeout(() => {
      void once('scan', async () => void (await takeOver())).finally(() => {
        if (!stopped) planWatch();
      });
    }, inMs);
  }

  await once('scan', start);
  planWatch();
  return {
    scan: () => (stopped ? Promise.resolve() : once('scan', scanForQueue)),
    silentMs: () => monotonicMs() - heardAt,
    stop: async () => {
      stopped = true;
      clearTimeout(watch);
      clearTimeout(slot);
      await Promise.all([inProgress.scan, inProgress.slots]);
    },
  };
}
