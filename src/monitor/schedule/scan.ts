/**
 * The scheduler. BullMQ's repeatable job calls the scan twice a second, Postgres decides what is due, and BullMQ
 * distributes the runs. Where the job does not come, because the queue was emptied, is away, or some worker's clock
 * confused it, a worker's timer takes over: the only evidence is that no scan happened.
 */
import { MINUTE, SECOND } from '../../domain/time.ts';
import { readCallRoom } from '../../store/call-limits.ts';
import { addCounts } from '../../store/counts.ts';
import { type Id, inTransaction, refusesData, type Transaction } from '../../store/database.ts';
import { listLateRuns } from '../../store/responses.ts';
import { extendLeases, MAX_SCAN_SILENCE_MS } from '../../store/run-claims.ts';
import {
  beginScan,
  finishSetback,
  offerAllAgain,
  type OfferedRun,
  postponeOffers,
  type ScanStart,
  takeOffers,
  takeRecurringWork,
  wasPutBack,
} from '../../store/scanner.ts';
import {
  readEarliestDue,
  lockDueSearches,
  type LockedSearch,
  lockSearch,
  type QueuedSlot,
  setState,
} from '../../store/slots.ts';
import { listChannelsDue } from '../../store/alerts/delivery-rows.ts';
import type { Context } from '../context.ts';
import { enqueueRuns } from '../enqueue.ts';
import { recordDueSlots } from './due-slots.ts';

/** Searches and runs that are handled in one transaction. */
const SCAN_BATCH = 500;
/** Runs that workers who died can have taken from the head of the queue and not claimed: those of a dozen workers. */
const MAX_TAKEN_ALONG = 100;
/** The reason of a search that is broken because the database refuses its slots. */
const UNRECORDED_REASON = 'its due slots cannot be recorded; see the log';
/** Runs for which the minute has no room are looked at again after this long. */
const FULL_MINUTE_RETRY_MS = 5 * SECOND;
/** Recurring work that nobody finished is found again after this long. */
const RECURRING_WORK_RETRY_MS = 5 * MINUTE;

export type ScanResult = {
  now: Date;
  /** When the next search is due; null where none is active. */
  nextDueAt: Date | null;
};

/**
 * One scan: runs of due slots, runs that nobody claimed, responses that nobody read, channels with something to send,
 * recurring work. Scans may overlap: row locks and constraints decide.
 * @param options.takeOver scan only if nobody has for two seconds; then all queued runs are offered once more
 * @param options.starting a worker starts: all queued runs are offered once more, those at the head of the queue as new jobs.
 * Whoever died before may have written their rows and not offered them, or have taken their jobs and not claimed them
 * @returns null where another worker scans
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
  await enqueueOtherWork(ctx, now);
  return { now, nextDueAt };
}

/**
 * Queues a run for each search that is due and offers it.
 * @returns when the next search is due, in the past where somebody else holds its row; null where none is active
 */
export async function enqueueDueSearches(ctx: Context, now: Date): Promise<Date | null> {
  const { simulation } = ctx;
  for (;;) {
    const earliest = await readEarliestDue(ctx.db.pool, simulation);
    if (earliest === null || earliest > now) return earliest;
    const { due, queued } = await inTransaction(ctx.db, async (tx) => {
      const searches = await lockDueSearches(tx, { now, simulation, limit: SCAN_BATCH });
      return { due: searches, queued: await recordDueSlots(ctx, tx, searches, now) };
    }).catch((error: unknown) => recordOneByOne(ctx, now, error));
    const searches = new Map(due.map((search) => [search.id, search]));
    const offers = queued.flatMap(({ id, search_id }): OfferedRun[] => {
      const search = searches.get(search_id);
      return search === undefined ? [] : [{ ...search, id, fence: 0, trigger: 'schedule' }];
    });
    await offerRuns(ctx, offers, now);
    // Others hold the rows of those that are left.
    if (due.length === 0) return earliest;
  }
}

/** One search whose slots the database does not take must not keep the others from running: it stops alone. */
async function recordOneByOne(
  ctx: Context,
  now: Date,
  error: unknown,
): Promise<{ due: LockedSearch[]; queued: QueuedSlot[] }> {
  if (!refusesData(error)) throw error;
  const { simulation } = ctx;
  const due = await inTransaction(ctx.db, (tx) =>
    lockDueSearches(tx, { now, simulation, limit: SCAN_BATCH }),
  );
  const queued: QueuedSlot[] = [];
  for (const { id, slug } of due) {
    try {
      queued.push(...(await inTransaction(ctx.db, (tx) => recordOne(ctx, tx, id, now))));
    } catch (cause) {
      if (!refusesData(cause)) throw cause;
      ctx.log.error({ err: cause, search: slug }, 'slots not recorded');
      await inTransaction(ctx.db, (tx) => setState(tx, id, 'broken', UNRECORDED_REASON, now));
    }
  }
  return { due, queued };
}

async function recordOne(ctx: Context, tx: Transaction, searchId: Id, now: Date): Promise<QueuedSlot[]> {
  const search = await lockSearch(tx, searchId);
  return search === null ? [] : recordDueSlots(ctx, tx, [search], now);
}

/**
 * Offers runs that wait: retries whose time has come, and what the queue lost or a worker abandoned.
 * @param again makes new jobs of those that stand at the head of the queue
 */
export async function offerWaitingRuns(ctx: Context, now: Date, again?: string): Promise<void> {
  for (let mark = again; ; mark = undefined) {
    const limit = mark === undefined ? SCAN_BATCH : MAX_TAKEN_ALONG;
    const offers = await takeOffers(ctx.db.pool, { now, simulation: ctx.simulation, limit });
    const taken = await offerRuns(ctx, offers, now, mark);
    if (!taken || offers.length < limit) return;
  }
}

/**
 * Offers runs to the queue, of each service as many as its minute has room for; the others come a little later. The ledger
 * remains the judge: this only saves runs from being claimed in vain.
 * @returns whether the queue took all of them
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

/** Offers runs that have ended and have a response that nobody has read. */
async function offerUnreadResponses(ctx: Context): Promise<void> {
  const late = await listLateRuns(ctx.db.pool, ctx.clock, SCAN_BATCH, ctx.simulation);
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

/** Notes the scan, and repairs what an outage or a clock that was put back left behind. */
async function openScan(
  ctx: Context,
  { takeOver, starting }: { takeOver: boolean; starting: boolean },
): Promise<ScanStart | null> {
  const { leaseMs } = ctx.config;
  const { start, extended, setback } = await inTransaction(ctx.db, async (tx) => {
    const begun = await beginScan(tx, takeOver);
    if (begun === null) return { start: null, extended: 0, setback: null };
    const put = wasPutBack(begun) ? await finishSetback(tx, { now: begun.now, leaseMs }) : null;
    const outage = begun.sinceLastMs > MAX_SCAN_SILENCE_MS;
    if (takeOver || starting) await offerAllAgain(tx, ctx.clock.statementTime() ?? begun.now);
    return { start: begun, extended: outage ? await extendLeases(tx, leaseMs) : 0, setback: put };
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
