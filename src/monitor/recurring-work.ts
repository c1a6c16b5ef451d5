/** Recurring work. The scan finds what is due; any worker executes it. To add work, add a line here. */
import { HOUR, MINUTE, SECOND } from '../lib/time.ts';
import { monotonicMs } from '../platform/clock.ts';
import { fillArchive } from '../store/archive/index-archive.ts';
import { addCounts, foldCounts } from '../store/derive/counts.ts';
import { deleteIdempotencyKeys } from '../store/access/idempotency.ts';
import { fillTopicItems } from '../store/maintenance/fill-topic-items.ts';
import { followStories } from '../store/stories/follow-stories.ts';
import { ensurePartitions } from '../store/maintenance/partitions.ts';
import { continuePurges } from '../store/erase/purge.ts';
import { recordFact } from '../store/db/facts.ts';
import { applyRetention, retentionLimitsAt } from '../store/erase/retention.ts';
import { endRecurringWork } from '../store/runs/scanner.ts';
import { markUnknownTrials } from '../store/runs/trials.ts';
import type { Context } from './context.ts';
import { composeDigests } from './alerts/compose-digests.ts';
import { evaluateRules } from './alerts/rule-evaluation.ts';
import { DIGEST_WORK } from './schedule/plan-digests.ts';
import { checkSystem } from './system-events/check-system.ts';

/** @returns false if something is left to do: it is due again at once */
type Work = (ctx: Context, stopping: AbortSignal) => Promise<boolean>;

const RECURRING: Readonly<Record<string, { everyMs: number; work: Work }>> = {
  archive: { everyMs: 15 * SECOND, work: fillArchiveBatches },
  counts: { everyMs: 30 * SECOND, work: inOneGo(({ db }) => foldCounts(db)) },
  partitions: { everyMs: HOUR, work: inOneGo(({ db, clock }) => ensurePartitions(db, clock.now())) },
  retention: { everyMs: HOUR, work: applyRetentionBriefly },
  rules: { everyMs: 15 * SECOND, work: inOneGo(evaluateRules) },
  // A digest that is due makes it due at once.
  [DIGEST_WORK]: { everyMs: 15 * SECOND, work: inOneGo(composeDigests) },
  items: {
    everyMs: HOUR,
    work: ({ db, config }, stopping) => fillTopicItems(db, config.linkRules, MAX_ITEM_BATCHES, stopping),
  },
  // A request makes it due at once; an interrupted purge continues.
  purges: { everyMs: MINUTE, work: continuePurgesBriefly },
  idempotency: { everyMs: HOUR, work: inOneGo(({ db, clock }) => deleteIdempotencyKeys(db, clock)) },
  stories: {
    everyMs: 5 * SECOND,
    work: ({ db }, signal) => followStories(db, { batches: MAX_STORY_BATCHES, signal }),
  },
  system: { everyMs: MINUTE, work: inOneGo(checkSystem) },
  trials: { everyMs: MINUTE, work: inOneGo(({ db, clock }) => markUnknownTrials(db, clock.now())) },
};

export const RECURRING_WORK = Object.keys(RECURRING);

/** Batches of a thousand posts or discoveries from before there were keys, a tenth of a second each. */
const MAX_ITEM_BATCHES = 50;
/** Batches of a thousand items that are indexed in one go, a third of a second each. */
const MAX_ARCHIVE_BATCHES = 5;

/** Batches of a thousand items whose stories are decided in one go. */
const MAX_STORY_BATCHES = 5;

/** Maximum duration per pass; the next one continues. */
const MAX_PURGE_MS = 5 * SECOND;
const MAX_RETENTION_MS = 5 * SECOND;

/** Does one kind of work and records when it is due again. Ignores names that only a newer release knows. */
export async function runRecurringWork(ctx: Context, name: string, stopping: AbortSignal): Promise<void> {
  const recurring = RECURRING[name];
  if (recurring === undefined) return;
  const isDone = await recurring.work(ctx, stopping);
  await endRecurringWork(ctx.db.pool, name, isDone ? recurring.everyMs : 0);
}

/** Work that is done in one pass. It must not return a boolean, which would be ignored. */
function inOneGo(work: (ctx: Context) => Promise<void> | Promise<number>): Work {
  return async (ctx) => {
    await work(ctx);
    return true;
  };
}

function fillArchiveBatches({ db }: Context, stopping: AbortSignal): Promise<boolean> {
  return fillArchive(db, { batches: MAX_ARCHIVE_BATCHES, signal: stopping });
}

async function continuePurgesBriefly({ db }: Context, stopping: AbortSignal): Promise<boolean> {
  const began = monotonicMs();
  return continuePurges(db, () => !stopping.aborted && monotonicMs() - began < MAX_PURGE_MS);
}

/** Runs one short pass, and records when nothing is left. */
async function applyRetentionBriefly({ db, config, clock }: Context): Promise<boolean> {
  const began = monotonicMs();
  const now = clock.now();
  const expired = await applyRetention(
    db,
    retentionLimitsAt(now, config),
    () => monotonicMs() - began < MAX_RETENTION_MS,
  );
  if (expired.done) await recordFact(db.pool, 'retention', now);
  const { answers, rejects, messages, audit, months } = expired;
  await addCounts(db, [
    { name: 'repairs', labels: ['expired'], n: answers + rejects + messages + audit },
    { name: 'repairs', labels: ['dropped'], n: months.length },
  ]);
  return expired.done;
}
