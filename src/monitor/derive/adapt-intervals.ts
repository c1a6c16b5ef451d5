/**
 * Learns the rate of each search from its responses, and sets when searches with an adaptive interval are due next. The rule is
 * `monitor/schedule/pace.ts`. Runs after the derived rows are committed: a plan that is lost in a crash costs nothing, because
 * the scan has set a due time already.
 */
import { readCallsPerDay } from '../../config/config.ts';
import { DAY, MINUTE, SECOND } from '../../domain/time.ts';
import { readCallRoom } from '../../store/call-limits.ts';
import { type Database, type Id, readTime } from '../../store/database.ts';
import type { ObservedRun } from '../../store/derive/derive-coverage.ts';
import type { TakenReading } from '../../store/derive/pending-derivations.ts';
import { type LearnedPace, type PaceRow, readActivePaces, readPaces, savePaces } from '../../store/pace.ts';
import type { Context } from '../context.ts';
import { countSlots, readSchedule } from '../schedule/cadence.ts';
import { chooseAiInterval, chooseInterval, USUAL_FILL } from '../schedule/pace-interval.ts';
import { earliestCall, fitFill, limitCalls, spreadBudget } from '../schedule/call-budget.ts';
import { learn, type PacedResponse, toPace } from '../schedule/pace.ts';
import type { AdaptiveSchedule } from '../schedule/schedule.ts';

type AdaptContext = Pick<Context, 'db' | 'clock' | 'log' | 'config'>;

/** The result of a run, as far as it concerns the pace of its search. */
export type PacedRun = { searchId: Id; requestVersion: number; newItems: number; response: PacedResponse };

/** The results among the readings of a batch, in order. Late and repeated ones are left out. */
export function listPacedRuns(taken: readonly TakenReading[], coverage: readonly ObservedRun[]): PacedRun[] {
  const observed = new Map(coverage.map((run) => [run.runId, run]));
  return taken.flatMap(({ run_id, search_id, at, notify, request_version, new_posts, new_links }) => {
    if (!notify) return [];
    const seen = observed.get(run_id);
    const response = {
      at: at.getTime(),
      since: seen?.lastUntil ?? null,
      newPosts: new_posts,
      times: seen?.times ?? null,
    };
    return [
      { searchId: search_id, requestVersion: request_version, newItems: new_posts + new_links, response },
    ];
  });
}

export async function adaptIntervals(ctx: AdaptContext, runs: readonly PacedRun[]): Promise<void> {
  if (runs.length === 0) return;
  const rows = await readPaces(ctx.db, [...new Set(runs.map(({ searchId }) => searchId))]);
  const learned: LearnedPace[] = [];
  for (const row of rows) {
    const its = runs.filter(
      ({ searchId, requestVersion, response }) =>
        searchId === row.search_id &&
        requestVersion === row.current_request_version &&
        response.at > (row.learned_at?.getTime() ?? Number.NEGATIVE_INFINITY),
    );
    const pace = its.length === 0 ? null : await adaptOne(ctx, row, its);
    if (pace !== null) learned.push(pace);
  }
  await savePaces(ctx.db, learned, ctx.clock.statementTime());
}

/** @returns null if the schedule cannot be read; the scan reports that */
async function adaptOne(
  ctx: AdaptContext,
  row: PaceRow,
  runs: readonly PacedRun[],
): Promise<LearnedPace | null> {
  const last = runs.at(-1);
  if (last === undefined) return null;
  const isNewRequest = row.request_version !== last.requestVersion;
  const pace = runs.reduce(
    (before, { response }) => learn(before, response),
    toPace(isNewRequest ? null : row),
  );
  const schedule = readAdaptive(row);
  const chosen =
    schedule === null ? null : await chooseNext(ctx, row, { schedule, pace, last, isNewRequest });
  return {
    search_id: row.search_id,
    request_version: last.requestVersion,
    learned_before: row.learned_at,
    learned_at: new Date(last.response.at),
    rate: pace.rate,
    room: pace.room,
    hour_posts: pace.hourPosts,
    hour_spans: pace.hourSpans,
    seen: pace.seen,
    missed: pace.missed,
    interval_seconds: chosen === null ? null : chosen.ms / SECOND,
    reason: chosen?.reason ?? null,
    due_at: chosen === null ? null : new Date(Math.round(last.response.at + chosen.ms)),
  };
}

function readAdaptive(row: PaceRow): AdaptiveSchedule | null {
  try {
    const schedule = readSchedule(row);
    return schedule.kind === 'auto' ? schedule : null;
  } catch {
    return null;
  }
}

async function chooseNext(
  ctx: AdaptContext,
  row: PaceRow,
  state: {
    schedule: AdaptiveSchedule;
    pace: ReturnType<typeof learn>;
    last: PacedRun;
    isNewRequest: boolean;
  },
): Promise<ReturnType<typeof chooseInterval>> {
  const { schedule, pace, last, isNewRequest } = state;
  const { at } = last.response;
  const beforeMs = row.interval_seconds === null || isNewRequest ? null : row.interval_seconds * SECOND;
  const chosen =
    row.operation === 'ai'
      ? chooseAiInterval(beforeMs, last.newItems, schedule)
      : chooseInterval(pace, at, { ...schedule, fill: await findFill(ctx, row) }, last.response);
  const most = limitCalls(ctx.config, row, schedule);
  const allowed = most === null ? 0 : earliestCall(row.spent_until?.getTime() ?? null, most) - at;
  return allowed > chosen.ms ? { ms: allowed, reason: 'budget' } : chosen;
}

/** How long the fill of a service stays as it is. */
const FILL_MS = 15 * MINUTE;

/** By database and service. */
const fills = new WeakMap<Database, Map<Id, { fill: number; until: number }>>();

/** How much of a response may fill up, so that the searches of a service stay within its calls per day. */
async function findFill(ctx: AdaptContext, { service_id: id, service_kind: kind }: PaceRow): Promise<number> {
  const callsPerDay = readCallsPerDay(ctx.config, kind);
  if (callsPerDay === null) return USUAL_FILL;
  const now = await readTime(ctx.db.pool, ctx.clock);
  const known = fills.get(ctx.db) ?? new Map<Id, { fill: number; until: number }>();
  fills.set(ctx.db, known);
  const last = known.get(id);
  if (last !== undefined && now.getTime() < last.until && now.getTime() > last.until - FILL_MS)
    return last.fill;
  const rooms = await readCallRoom(ctx.db.pool, ctx.config, { services: [{ id, kind }], clock: ctx.clock });
  const left = rooms.get(id)?.day ?? callsPerDay;
  const rows = await readActivePaces(ctx.db, { service: id });
  const free = spreadBudget(callsPerDay, left, now.getTime()) - countOtherCalls(rows, now);
  const fill = fitFill(
    rows.flatMap((row) => {
      const schedule = row.operation === 'microblog' ? readAdaptive(row) : null;
      return schedule === null ? [] : [{ pace: toPace(row), ...schedule }];
    }),
    Math.max(free, 1),
  );
  known.set(id, { fill, until: now.getTime() + FILL_MS });
  return fill;
}

/** Calls of the next 24 hours whose number does not depend on the rate of posts. */
function countOtherCalls(rows: readonly PaceRow[], now: Date): number {
  return rows.reduce((calls, row) => {
    try {
      const schedule = readSchedule(row);
      if (schedule.kind !== 'auto') return calls + countSlots(schedule, now.getTime(), now.getTime() + DAY);
      return row.operation === 'ai' ? calls + DAY / SECOND / (row.interval_seconds ?? DAY / SECOND) : calls;
    } catch {
      return calls; // a schedule that cannot be read: the scan reports it
    }
  }, 0);
}
