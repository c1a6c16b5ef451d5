/**
 * The follower: derives volume, coverage, growth, tallies, rising items, spikes and states from saved runs, in batches. Every worker has
 * one; only one works at a time. It can be killed at any moment, because a batch is one transaction.
 */
import { SECOND } from '../../lib/time.ts';
import { countItems, countWaitingNames, type Recount } from '../../store/derive/count-items.ts';
import { countSaved } from '../../store/derive/counts.ts';
import {
  type Database,
  type Id,
  inTransaction,
  isDatabaseError,
  KEEP_PLANS,
  readSqlState,
  refusesData,
  type Transaction,
} from '../../store/db/database.ts';
import { checkReadings, rebuildSearch } from '../../store/derive/derive-again.ts';
import { findCoverage, type ObservedRun, saveCoverage } from '../../store/derive/derive-coverage.ts';
import { followGrowth } from '../../store/derive/derive-growth.ts';
import {
  lockFollowing,
  noteReadings,
  removeReadings,
  listSearchesToRetry,
  moveAside,
  type TakenReading,
  takeReadings,
  waitForFollower,
  type WaitingFigures,
} from '../../store/derive/pending-derivations.ts';
import { readAnswersAgain, readAnswersOfRuns } from '../../store/derive/read-answer-names.ts';
import { deriveRising } from '../../store/derive/derive-rising.ts';
import { sumGainsOfSearch } from '../../store/derive/post-gains.ts';
import { listSnapshotMonths } from '../../store/maintenance/partitions.ts';
import { insertReports } from '../../store/derive/trend-reports.ts';
import type { Context } from '../context.ts';
import { adaptIntervals, listPacedRuns, type PacedRun } from './adapt-intervals.ts';
import { findGrowth } from './find-growth.ts';
import { findNameChanges } from './find-name-changes.ts';
import { findSpikes } from './find-spikes.ts';
import { findStates } from './find-states.ts';

/** Readings per transaction, which takes a few tenths of a second. */
const BATCH_SIZE = 200;
/** How long a reading waits for earlier responses that are still being saved. */
const SETTLE_MS = 2 * SECOND;
export const FOLLOWER_INTERVAL_MS = 2 * SECOND;

type FollowerContext = Pick<Context, 'db' | 'clock' | 'log' | 'config'>;

type FollowerOptions = {
  /** Readings per batch. */
  limit?: number;
  /** Minimum age of a reading; null if nobody else saves. */
  settleMs?: number | null;
  /** Which figures that may wait are computed. Default: those that are due; all if nobody else saves. */
  figures?: WaitingFigures['which'];
  /** Whether to stop after this batch. */
  isOver?: () => boolean;
};

/**
 * Derives until nothing is left, or another follower is active. A failing batch is halved down to the reading that fails alone:
 * that one is set aside, and its search waits for it. Waiting searches are retried last, one reading at a time.
 * @returns the number of derived readings
 * @throws temporary errors, such as a database outage
 */
export async function derivePending(ctx: FollowerContext, options: FollowerOptions = {}): Promise<number> {
  const { limit: most = BATCH_SIZE, isOver = () => false } = options;
  let derived = 0;
  let limit = most;
  let isWhole = true;
  while (!isOver()) {
    const batch = await deriveOrSetAside(ctx, { ...options, limit, isWhole });
    derived += batch.derived;
    if (batch.isDone) break;
    limit = batch.failed > 0 ? Math.max(1, Math.min(limit, batch.failed) >> 1) : Math.min(most, limit * 2);
    isWhole = batch.failed === 0 && limit === most;
  }
  let isAnyRetried = false;
  for (const search of await listSearchesToRetry(ctx.db, ctx.clock.statementTime())) {
    if (isOver()) break;
    const batch = await deriveOrSetAside(ctx, { ...options, limit: 1, search });
    derived += batch.derived;
    isAnyRetried ||= batch.failed === 0 && !batch.isDone;
  }
  while (!isOver() && (await readBatchAgain(ctx)));
  // Readings that waited for a retried one can now be derived.
  return isAnyRetried ? derived + (await derivePending(ctx, options)) : derived;
}

async function deriveOrSetAside(
  ctx: FollowerContext,
  options: BatchOptions,
): Promise<{ derived: number; isDone: boolean; failed: number }> {
  try {
    return { ...(await deriveBatch(ctx, options)), failed: 0 };
  } catch (error) {
    if (!(error instanceof BatchFailed) || !isPermanent(error.cause)) throw error;
    const { readings, cause } = error;
    const [first] = readings;
    if (first === undefined) throw error;
    if (readings.length === 1) await setReadingAside(ctx, first, cause);
    return { derived: 0, isDone: false, failed: readings.length };
  }
}

async function setReadingAside({ db, clock, log }: FollowerContext, id: Id, cause: unknown): Promise<void> {
  const code = readSqlState(cause) || (cause instanceof Error ? cause.name : 'unknown');
  const aside = await moveAside(db, { id, code, now: clock.statementTime() });
  if (aside?.attempts !== 1) return;
  const { search, run_id: run, retry_at } = aside;
  log.error({ err: cause, search, run: String(run), code, retry_at }, 'response set aside');
}

/** Whether the same readings would fail again: the database refuses the data, they take too long, or there is a bug. */
function isPermanent(cause: unknown): boolean {
  return refusesData(cause) || readSqlState(cause) === QUERY_CANCELED || !isDatabaseError(cause);
}

/** SQLSTATE of a cancelled statement, such as one that reached its time limit. */
const QUERY_CANCELED = '57014';

/** A batch that was rolled back, with its readings. */
class BatchFailed extends Error {
  readonly readings: readonly Id[];
  constructor(readings: readonly Id[], cause: unknown) {
    super('derivation failed', { cause });
    this.name = 'BatchFailed';
    this.readings = readings;
  }
}

type BatchOptions = Omit<FollowerOptions, 'isOver'> & {
  /** Only this search, which has a reading that was set aside. */
  search?: Id;
  /** Whether to check all new readings, however many; otherwise only as many as are derived. */
  isWhole?: boolean;
};

/**
 * Derives one batch in one transaction with one snapshot.
 * @returns the number of derived readings, and whether none is left
 * @throws BatchFailed
 */
export async function deriveBatch(
  ctx: FollowerContext,
  {
    limit = BATCH_SIZE,
    settleMs = SETTLE_MS,
    figures = settleMs === null ? 'all' : 'due',
    search,
    isWhole = search === undefined,
  }: BatchOptions = {},
): Promise<{ derived: number; isDone: boolean }> {
  const { db, clock } = ctx;
  let concerned: readonly Id[] = [];
  try {
    const { paced, ...batch } = await inSnapshot(db, async (tx) => {
      if (!(await lockFollowing(tx))) return { derived: 0, isDone: true, paced: [] };
      const ofSearch = search ?? null;
      const { uncounted, unchecked } = await noteReadings(tx, {
        limit: isWhole ? null : limit,
        search: ofSearch,
      });
      await countSaved(tx, uncounted);
      concerned = unchecked;
      const again = await checkReadings(tx, unchecked);
      const isUndone = again !== null;
      // One reading at a time: undoing one must not fail together with deriving another.
      const isAlone = limit === 1 && isUndone;
      const which = {
        limit,
        settleMs,
        search: ofSearch,
        now: clock.statementTime(),
      };
      const taken = isAlone ? [] : await takeReadings(tx, which);
      const ids = taken.map(({ id }) => id);
      concerned = isUndone ? [...new Set([...unchecked, ...ids])] : ids;
      const waiting: WaitingFigures = { which: figures, now: which.now };
      const coverage = await deriveReadings(tx, taken, { again, waiting });
      // Newer readings wait for the next round: a small batch costs nearly as much as a large one.
      const isDone = !isUndone && taken.length < limit;
      return { derived: taken.length, isDone, paced: listPacedRuns(taken, coverage) };
    });
    await adaptOrLog(ctx, paced);
    return batch;
  } catch (error) {
    throw new BatchFailed(concerned, error);
  }
}

/** Reads answers again for names that changed. @returns whether there may be more */
function readBatchAgain({ db }: FollowerContext): Promise<boolean> {
  return inTransaction(db, async (tx) => (await lockFollowing(tx)) && readAnswersAgain(tx));
}

/** The derived rows are committed: a plan that is not made now is made after the next response. */
async function adaptOrLog(ctx: FollowerContext, runs: readonly PacedRun[]): Promise<void> {
  try {
    await adaptIntervals(ctx, runs);
  } catch (error) {
    ctx.log.warn({ err: error }, 'intervals not adapted');
  }
}

/** @returns what the runs observed */
async function deriveReadings(
  tx: Transaction,
  taken: readonly TakenReading[],
  { again, waiting }: { again: Recount | null; waiting: WaitingFigures },
): Promise<ObservedRun[]> {
  const readings = taken.map(({ id }) => id);
  if (taken.length === 0 && again === null) {
    await countWaitingNames(tx, waiting);
    await deriveRising(tx, { searches: [], readings: [] }, waiting);
    return [];
  }
  const coverage = await findCoverage(tx, readings);
  await saveCoverage(tx, coverage);
  await countItems(tx, { readings, coverage, again: again ?? { days: [], observed: [] } }, waiting);
  await followGrowth(tx, readings);
  await deriveRising(tx, { searches: groupBySearch(taken), readings }, waiting);
  const runs = findRunsToNotify(taken);
  const isAnyRead =
    (await readAnswersOfRuns(
      tx,
      taken.map(({ run_id }) => run_id),
    )) > 0;
  const reports = {
    spikes: await findSpikes(tx, runs),
    states: await findStates(tx, runs),
    names: isAnyRead
      ? await findNameChanges(
          tx,
          taken.filter(({ notify, baseline }) => notify && !baseline),
        )
      : [],
    growth: await findGrowth(
      tx,
      taken.filter(({ notify, baseline }) => notify && !baseline),
    ),
  };
  await removeReadings(tx, readings);
  await insertReports(tx, reports);
  return coverage;
}

/** Each search, with the time of its oldest reading. */
function groupBySearch(taken: readonly TakenReading[]): { searchId: Id; since: Date }[] {
  const since = new Map<Id, Date>();
  for (const { search_id: searchId, at } of taken) if (!since.has(searchId)) since.set(searchId, at);
  return [...since].map(([searchId, at]) => ({ searchId, since: at }));
}

/** The newest run of each search after which something is reported, and its oldest reading. A baseline is never a spike. */
function findRunsToNotify(taken: readonly TakenReading[]): (TakenReading & { oldest: Date })[] {
  const last = new Map<Id, TakenReading>();
  for (const run of taken) if (run.notify && !run.baseline) last.set(run.search_id, run);
  const oldest = new Map(groupBySearch(taken).map(({ searchId, since }) => [searchId, since]));
  return [...last.values()].map((run) => ({ ...run, oldest: oldest.get(run.search_id) ?? run.at }));
}

/** `runs`: runs derived again. `posts`: posts whose gains were recomputed from snapshots. */
export type RebuildCounts = { runs: number; posts: number };

/**
 * Rebuilds everything derived from the runs of a search, as far back as snapshots are kept. Can be interrupted and repeated.
 */
export async function rebuildTrends(ctx: FollowerContext, searchId: Id): Promise<RebuildCounts> {
  const { db } = ctx;
  const [oldest] = await listSnapshotMonths(db);
  const posts = await sumGainsOfSearch(db, searchId, oldest?.from ?? null);
  const runs = await inSnapshot(db, async (tx) => {
    await waitForFollower(tx);
    const { uncounted } = await noteReadings(tx, { limit: 0, search: null });
    await countSaved(tx, uncounted);
    const { again, runs: logged } = await rebuildSearch(tx, searchId, oldest?.from ?? null);
    await deriveReadings(tx, [], { again, waiting: { which: 'all', now: ctx.clock.statementTime() } });
    return logged;
  });
  await derivePending(ctx, { settleMs: null });
  return { runs, posts };
}

function inSnapshot<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await tx.query(KEEP_PLANS);
    return work(tx);
  });
}

/** @returns a function that stops the follower after its batch */
export function startFollower(ctx: Context): () => Promise<void> {
  let stopped = false;
  let failing = false;
  let working: Promise<void> | undefined;
  /** A failure is retried at the next interval, by this or another worker, so an outage is logged once. */
  const attempt = async () => {
    try {
      await derivePending(ctx, { isOver: () => stopped });
      if (failing) ctx.log.info('derivation recovered');
      failing = false;
    } catch (error) {
      if (!failing) ctx.log.error({ err: error }, 'derivation failed; retrying');
      failing = true;
    }
  };
  const timer = setInterval(() => {
    if (stopped) return;
    working ??= attempt().finally(() => {
      working = undefined;
    });
  }, FOLLOWER_INTERVAL_MS);
  return async () => {
    stopped = true;
    clearInterval(timer);
    await working;
  };
}
