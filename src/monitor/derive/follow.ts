/**
 * The follower: derives volume, coverage, growth, tallies, what rises, and spikes from what runs saved, in batches. Every worker
 * has one; one at a time works. It may be killed at any moment: a batch is one transaction.
 */
import { SECOND } from '../../engine/clock.ts';
import { type Database, type Id, inTransaction, KEEP_PLANS, type Transaction } from '../../store/database.ts';
import { checkReadings, type Leftover, rebuildSearch } from '../../store/derive/again.ts';
import { findCoverage, rollUp } from '../../store/derive/coverage.ts';
import { followGrowth } from '../../store/derive/growth.ts';
import { lockFollowing, removeReadings, type Taken, takeReadings } from '../../store/derive/pending.ts';
import { keepRising } from '../../store/derive/rising.ts';
import { tally } from '../../store/derive/tallies.ts';
import { snapshotMonths } from '../../store/retention/months.ts';
import { appendSpikes } from '../../store/spikes.ts';
import { keepGains } from '../../store/volume/gains.ts';
import type { Context } from '../context.ts';
import { findSpikes } from './spikes.ts';

/** Readings of one transaction: some tenths of a second. */
const BATCH = 200;
/** A reading waits so long for others whose responses came before it and that are still being saved. */
const SETTLE_MS = 2 * SECOND;
const FOLLOW_EVERY_MS = 2 * SECOND;

type Parts = Pick<Context, 'db' | 'simulation'>;

export type FollowOptions = {
  /** Readings of one batch. */
  limit?: number;
  /** How old a reading must be; null where nobody else saves. */
  settleMs?: number | null;
};

/**
 * Derives until nothing waits, or another follower is at it.
 * @returns how many readings were derived
 */
export async function follow(ctx: Parts, options: FollowOptions = {}): Promise<number> {
  let derived = 0;
  for (;;) {
    const taken = await followBatch(ctx, options);
    derived += taken;
    if (taken === 0) return derived;
  }
}

/** One batch, in one transaction that sees one state of what was saved. @returns how many readings it derived */
export async function followBatch(
  { db, simulation }: Parts,
  { limit = BATCH, settleMs = SETTLE_MS }: FollowOptions = {},
): Promise<number> {
  return inSnapshot(db, async (tx) => {
    if (!(await lockFollowing(tx))) return 0;
    const left = await checkReadings(tx);
    const which = { limit, settleMs, simulated: simulation !== null };
    return derive(tx, await takeReadings(tx, which), left);
  });
}

async function derive(tx: Transaction, taken: readonly Taken[], left: Leftover): Promise<number> {
  const ids = taken.map(({ id }) => id);
  if (taken.length === 0 && left.days.length === 0) return 0;
  const coverage = await findCoverage(tx, ids);
  const days = await rollUp(tx, ids, coverage, { recounted: left.posts, seenAgain: left.seen });
  await followGrowth(tx, ids);
  await tally(tx, ids, { posts: left.posts, links: left.links, days: [...days, ...left.days] });
  await keepGains(tx, ids);
  await keepRising(tx, searchesOf(taken));
  const spikes = await findSpikes(tx, lastToNotify(taken));
  await removeReadings(tx, ids);
  await appendSpikes(tx, spikes);
  return taken.length;
}

/** Each search, and when the oldest of its readings came. */
function searchesOf(taken: readonly Taken[]): { searchId: Id; since: Date }[] {
  const since = new Map<Id, Date>();
  for (const { search_id: searchId, at } of taken) if (!since.has(searchId)) since.set(searchId, at);
  return [...since].map(([searchId, at]) => ({ searchId, since: at }));
}

/** Of each search the newest run that spikes are looked for at. What a first run finds is no more than usual, however much it is. */
function lastToNotify(taken: readonly Taken[]): Taken[] {
  const last = new Map<Id, Taken>();
  for (const run of taken) if (run.notify && !run.baseline) last.set(run.search_id, run);
  return [...last.values()];
}

/** `runs`: derived again. `posts`: whose gains were made from their snapshots. */
export type Rebuilt = { runs: number; posts: number };

/**
 * All that is derived from the runs of a search, again: as far back as snapshots are kept. It can be interrupted and done again.
 */
export async function rebuildTrends(ctx: Parts, searchId: Id): Promise<Rebuilt> {
  const { db } = ctx;
  const [oldest] = await snapshotMonths(db);
  const rebuilt = await inSnapshot(db, async (tx) => {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtext('strandline.derive'))`);
    const { left, runs, posts } = await rebuildSearch(tx, searchId, oldest?.from ?? null);
    await derive(tx, [], left);
    return { runs, posts };
  });
  await follow(ctx, { settleMs: null });
  return rebuilt;
}

function inSnapshot<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await tx.query(KEEP_PLANS);
    return work(tx);
  });
}

/** @returns stops it, when its batch has ended */
export function startFollowing(ctx: Context): () => Promise<void> {
  let stopped = false;
  let working: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (stopped) return;
    working ??= followSome(ctx, () => stopped).finally(() => {
      working = undefined;
    });
  }, FOLLOW_EVERY_MS);
  return async () => {
    stopped = true;
    clearInterval(timer);
    await working;
  };
}

/** What fails is tried again by whoever is next. */
async function followSome(ctx: Context, isOver: () => boolean): Promise<void> {
  try {
    while (!isOver() && (await followBatch(ctx)) > 0);
  } catch (error) {
    ctx.log.error({ err: error }, 'derivation failed; trying again');
  }
}
