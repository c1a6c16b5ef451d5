/** Work that comes again by itself. The scan finds what is due; any worker does it. One entry is one line here. */
import { HOUR, MINUTE, SECOND } from '../engine/clock.ts';
import { fillArchive } from '../store/archive/index-archive.ts';
import { addCounts, foldCounts } from '../store/counts.ts';
import { forgetIdempotencyKeys } from '../store/idempotency.ts';
import { ensurePartitions } from '../store/partitions.ts';
import { retainWithin } from '../store/retention/retain.ts';
import { endRecurringWork } from '../store/scanner.ts';
import { markUnknownTrials } from '../store/trials.ts';
import type { Context } from './context.ts';
import { tellNew } from './tell/match.ts';

/** @returns whether nothing is left to do; what is left is done next */
type Work = (ctx: Context, stopping: AbortSignal) => Promise<boolean>;

/** What is done, and how often. */
const RECURRING: Readonly<Record<string, { everyMs: number; work: Work }>> = {
  archive: { everyMs: 15 * SECOND, work: fillSome },
  counts: { everyMs: 30 * SECOND, work: async ({ db }) => done(await foldCounts(db)) },
  partitions: { everyMs: HOUR, work: async ({ db, clock }) => done(await ensurePartitions(db, clock.now())) },
  retention: { everyMs: HOUR, work: retain },
  rules: { everyMs: 15 * SECOND, work: async (ctx) => done(await tellNew(ctx)) },
  idempotency: { everyMs: HOUR, work: async ({ db, clock }) => done(await forgetIdempotencyKeys(db, clock)) },
  trials: { everyMs: MINUTE, work: async ({ db, clock }) => done(await markUnknownTrials(db, clock.now())) },
};

export const RECURRING_WORK = Object.keys(RECURRING);

/** Thousands of findings that are made searchable in one go, a third of a second each. */
const ARCHIVE_BATCHES = 5;

/** Does one kind of work and notes when it is due again. A name that only a newer release knows is left to its workers. */
export async function doRecurringWork(ctx: Context, name: string, stopping: AbortSignal): Promise<void> {
  const recurring = RECURRING[name];
  if (recurring === undefined) return;
  const isDone = await recurring.work(ctx, stopping);
  await endRecurringWork(ctx.db.pool, name, isDone ? recurring.everyMs : 0);
}

async function fillSome({ db }: Context, stopping: AbortSignal): Promise<boolean> {
  await fillArchive(db, { batches: ARCHIVE_BATCHES, signal: stopping });
  return true;
}

async function retain({ db, config, clock }: Context): Promise<boolean> {
  const {
    answers,
    rejects,
    messages,
    audit,
    months,
    done: isDone,
  } = await retainWithin(db, config, clock.now());
  await addCounts(db, [
    { name: 'repairs', labels: ['expired'], n: answers + rejects + messages + audit },
    { name: 'repairs', labels: ['dropped'], n: months.length },
  ]);
  return isDone;
}

function done(_result: unknown): true {
  return true;
}
