/** A worker's timers, which back up the scans triggered by the queue. */

import { SECOND } from '../../lib/time.ts';
import { monotonicMs } from '../../platform/clock.ts';
import { readTime } from '../../store/db/database.ts';
import type { Context } from '../context.ts';
import { enqueueDueSearches, scan, type ScanResult } from './scan.ts';

/** The average interval at which a worker checks that scans happen. */
const SCAN_WATCH_MS = SECOND;
/** Slots due sooner than the next scan are queued by a timer. */
const SCAN_INTERVAL_MS = SECOND / 2;
/** Slots close to each other are queued together, with at most this delay. */
const SLOT_PAUSE_MS = SECOND / 10;

export type ScanLoop = {
  /** Called by the repeatable job. */
  scan(): Promise<void>;
  /** Milliseconds since this process last saw a scan, its own or another process's. */
  sinceScanMs(): number;
  /** Ends the timers and waits for a scan in progress. */
  stop(): Promise<void>;
};

/**
 * Starts scanning. In addition to the scans of the repeatable job, two timers run that no queue can lose: one checks that scans
 * happen and takes over if not; the other queues slots that are due before the next scan.
 * @returns after a first scan
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
   * One of each kind at a time in this process; concurrent callers share it. Slots do not wait for a scan that offers thousands
   * of runs.
   */
  function once(kind: keyof typeof inProgress, work: () => Promise<void>): Promise<void> {
    return (inProgress[kind] ??= attempt(work).finally(() => {
      delete inProgress[kind];
    }));
  }

  /** Scans run twice a second, so an outage is logged once. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      if (failing) ctx.log.info('scans recovered');
      failing = false;
    } catch (error) {
      if (!failing) ctx.log.warn({ err: error }, 'scan failed; retrying');
      failing = true;
    }
  }

  /** Offers work left behind by dead workers immediately, even if another process has just scanned. */
  async function start(): Promise<void> {
    if (!(await takeOver({ starting: true }))) await scanForQueue({ starting: true });
  }

  async function scanForQueue({ starting = false } = {}): Promise<void> {
    const scanned = await scan(ctx, { starting });
    heardAt = monotonicMs();
    tookOver = false;
    if (scanned !== null) planSlot(scanned);
  }

  /** @returns whether this process scanned because no other had */
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
    sinceScanMs: () => monotonicMs() - heardAt,
    stop: async () => {
      stopped = true;
      clearTimeout(watch);
      clearTimeout(slot);
      await Promise.all([inProgress.scan, inProgress.slots]);
    },
  };
}
