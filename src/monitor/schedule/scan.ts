/**
 * The scheduler. BullMQ's repeatable job triggers the scan twice a second, Postgres decides what is due, and BullMQ distributes
 * the runs. If the job does not run (the queue was emptied, is unavailable, or a worker's clock confused it), a worker's timer
 * takes over as soon as no scan has happened for a while.
 */
import { MINUTE, SECOND } from '../../lib/time.ts';
import { readCallRoom } from '../../store/runs/call-limits.ts';
import { addCounts } from '../../store/derive/counts.ts';
import { type Id, inTransaction, refusesData, type Transaction } from '../../store/db/database.ts';
import { listLateRuns } from '../../store/runs/responses.ts';
import { extendLeases, OUTAGE_AFTER_MS } from '../../store/runs/run-leases.ts';
import {
  beginScan,
  offerAllAgain,
  type OfferedRun,
  postponeOffers,
  resetSchedules,
  type ScanStart,
  takeOffers,
  takeRecurringWork,
  wasPutBack,
} from '../../store/runs/scanner.ts';
import { readEarliestDue, lockDueSearches, type QueuedSlot } from '../../store/runs/slots.ts';
import { type LockedSearch, lockSearch, setSearchState } from '../../store/topics/search-states.ts';
import { listChannelsDue } from '../../store/alerts/delivery-rows.ts';
import type { Context } from '../context.ts';
import { enqueueRuns } from '../enqueue.ts';
import { recordDueSlots } from './due-slots.ts';
import { planDigests } from './plan-digests.ts';

/** Searches and runs that are handled in one transaction. */
const SCAN_BATCH = 500;
/** Maximum runs that dead workers may have taken from the head of the queue without a lease: as many as a dozen workers take. */
const MAX_TAKEN_ALONG = 100;
/** The reason of a search that is broken because the database refuses its slots. */
const UNRECORDED_REASON = 'due slots could not be recorded; see the log';
/** When runs are offered again for which the minute had no room. */
const FULL_MINUTE_RETRY_MS = 5 * SECOND;
/** When unfinished recurring work is enqueued again. */
const RECURRING_WORK_RETRY_MS = 5 * MINUTE;

export type ScanResult = {
  now: Date;
  /** When the next search is due; null if none is active. */
  nextDueAt: Date | null;
};

/**
 * Performs one scan: enqueues due slots, unleased runs, unread responses, channels with something to send, and recurring work, and
 * plans digests.
 * Scans may overlap: row locks and constraints decide.
 * @param options.takeOver scan only if there was no scan for two seconds; then all queued runs are offered again
 * @param options.starting a worker starts: all queued runs are offered again, those at the head of the queue as new jobs. A dead
 * process may have inserted their rows without offering them, or taken their jobs without leasing them
 * @returns null if another worker scans
 */
export async function scan(
  ctx: Context,
  { takeOver = false, starting = false }: { takeOver?: boolean; starting?: boolean } = {},
): Promise<ScanResult | null> {
  const start = await openScan(ctx, { takeOver, starting });
  if (start === null) return null;
  const now = ctx.clock.statementTime() ?? start.now;
  const nextDueAt = await enqueueDueSearches(ctx, now);
  await offerWaitingRuns(ctx, now, starting ? `start-${start.now.getTime()}` : undefined);
  await offerUnreadResponses(ctx);
  await planDigests(ctx, now);
  await enqueueOtherWork(ctx, now);
  return { now, nextDueAt };
}

/**
 * Creates a run for each due search and offers it to the queue.
 * @returns when the next search is due, in the past if another process has its row lock; null if none is active
 */
export async function enqueueDueSearches(ctx: Context, now: Date): Promise<Date | null> {
  for (;;) {
    const earliest = await readEarliestDue(ctx.db.pool);
    if (earliest === null || earliest > now) return earliest;
    const { due, queued } = await inTransaction(ctx.db, async (tx) => {
      const searches = await lockDueSearches(tx, { now, limit: SCAN_BATCH });
      return { due: searches, queued: await recordDueSlots(ctx, tx, searches, now) };
    }).catch((error: unknown) => recordOneByOne(ctx, now, error));
    const searches = new Map(due.map((search) => [search.id, search]));
    const offers = queued.flatMap(({ id, search_id }): OfferedRun[] => {
      const search = searches.get(search_id);
      return search === undefined ? [] : [{ ...search, id, fence: 0, trigger: 'schedule' }];
    });
    await offerRuns(ctx, offers, now);
    // Other processes have the row locks of the remaining searches.
    if (due.length === 0) return earliest;
  }
}

/** Records slots search by search after a batch failed, so that a search with invalid data stops without blocking others. */
async function recordOneByOne(
  ctx: Context,
  now: Date,
  error: unknown,
): Promise<{ due: LockedSearch[]; queued: QueuedSlot[] }> {
  if (!refusesData(error)) throw error;
  const due = await inTransaction(ctx.db, (tx) => lockDueSearches(tx, { now, limit: SCAN_BATCH }));
  const queued: QueuedSlot[] = [];
  for (const { id, slug } of due) {
    try {
      queued.push(...(await inTransaction(ctx.db, (tx) => recordOne(ctx, tx, id, now))));
    } catch (cause) {
      if (!refusesData(cause)) throw cause;
      ctx.log.error({ err: cause, search: slug }, 'slots not recorded');
      await inTransaction(ctx.db, (tx) => setSearchState(tx, id, 'broken', UNRECORDED_REASON, now));
    }
  }
  return { due, queued };
}

async function recordOne(ctx: Context, tx: Transaction, searchId: Id, now: Date): Promise<QueuedSlot[]> {
  const search = await lockSearch(tx, searchId);
  return search === null ? [] : recordDueSlots(ctx, tx, [search], now);
}

/**
 * Offers waiting runs: due retries, and runs that the queue lost or a worker abandoned.
 * @param again creates new jobs for those at the head of the queue
 */
async function offerWaitingRuns(ctx: Context, now: Date, again?: string): Promise<void> {
  for (let mark = again; ; mark = undefined) {
    const limit = mark === undefined ? SCAN_BATCH : MAX_TAKEN_ALONG;
    const offers = await takeOffers(ctx.db.pool, { now, limit });
    const taken = await offerRuns(ctx, offers, now, mark);
    if (!taken || offers.length < limit) return;
  }
}

/**
 * Offers runs to the queue, for each service as many as its minute has room for; the rest later. This only avoids useless
 * leases: the ledger enforces the limit.
 * @returns whether the queue accepted all of them
 */
async function offerRuns(
  ctx: Context,
  runs: readonly OfferedRun[],
  now: Date,
  again?: string,
): Promise<boolean> {
  const within: OfferedRun[] = [];
  const beyond: Id[] = [];
  const room = await readMinuteRoom(ctx, runs);
  for (const run of runs) {
    const left = room.get(run.service_id) ?? Number.POSITIVE_INFINITY;
    room.set(run.service_id, left - 1);
    if (left > 0) within.push(run);
    else beyond.push(run.id);
  }
  if (beyond.length > 0)
    await postponeOffers(ctx.db.pool, beyond, new Date(now.getTime() + FULL_MINUTE_RETRY_MS));
  const taken = await enqueueRuns(
    ctx,
    within.map(({ id, fence, trigger }) => ({ runId: id, fence, trigger })),
    again,
  );
  return taken && beyond.length === 0;
}

async function readMinuteRoom(ctx: Context, runs: readonly OfferedRun[]): Promise<Map<Id, number>> {
  if (ctx.config.callsPerMinute === undefined || runs.length === 0) return new Map();
  const rooms = await readCallRoom(ctx.db.pool, ctx.config, {
    services: runs.map(({ service_id, service_kind }) => ({ id: service_id, kind: service_kind })),
    clock: ctx.clock,
  });
  return new Map([...rooms].map(([id, { minute }]) => [id, minute]));
}

/** Offers ended runs with an unread response. */
async function offerUnreadResponses(ctx: Context): Promise<void> {
  const late = await listLateRuns(ctx.db.pool, ctx.clock, SCAN_BATCH);
  await enqueueRuns(
    ctx,
    late.map(({ id, fence }) => ({ runId: id, fence, trigger: 'late' })),
  );
}

async function enqueueOtherWork(ctx: Context, now: Date): Promise<void> {
  const channels = await listChannelsDue(ctx.db.pool, now);
  const work = await takeRecurringWork(ctx.db.pool, { now, againMs: RECURRING_WORK_RETRY_MS });
  try {
    await ctx.queue.enqueueChannels(channels);
    await ctx.queue.enqueueWork(work);
  } catch (error) {
    ctx.log.debug(
      { err: error, channels: channels.length, work },
      'channels and recurring work not enqueued',
    );
  }
}

/** Records the scan, and repairs the effects of an outage or a database clock that was set back. */
async function openScan(
  ctx: Context,
  { takeOver, starting }: { takeOver: boolean; starting: boolean },
): Promise<ScanStart | null> {
  const { leaseMs } = ctx.config;
  const { start, extended, setback } = await inTransaction(ctx.db, async (tx) => {
    const begun = await beginScan(tx, takeOver);
    if (begun === null) return { start: null, extended: 0, setback: null };
    const reset = wasPutBack(begun) ? await resetSchedules(tx, begun) : null;
    const outage = begun.sinceLastMs > OUTAGE_AFTER_MS;
    if (takeOver || starting || reset !== null)
      await offerAllAgain(tx, ctx.clock.statementTime() ?? begun.now);
    return {
      start: begun,
      extended: outage || reset !== null ? await extendLeases(tx, leaseMs) : 0,
      setback: reset,
    };
  });
  if (setback !== null && start !== null)
    ctx.log.error({ by_ms: -start.sinceLastMs, ...setback }, 'database clock went back');
  if (extended > 0) ctx.log.info({ runs: extended }, 'leases extended after an outage');
  await addCounts(ctx.db, [
    { name: 'repairs', labels: ['lease_extended'], n: extended },
    { name: 'repairs', labels: ['clock_went_back'], n: setback === null ? 0 : 1 },
    { name: 'repairs', labels: ['scan_taken_over'], n: start !== null && takeOver ? 1 : 0 },
  ]);
  return start;
}
