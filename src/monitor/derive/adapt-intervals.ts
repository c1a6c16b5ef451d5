/**
 * Learns the rate of each search from its responses, and sets when searches with an adaptive interval are due next. The rule is
 * `monitor/schedule/pace.ts`. Runs after the derived rows are committed: a plan that is lost in a crash costs nothing, because
 * the scan has set a due time already.
 */
import { DAY, HOUR, SECOND } from '../../lib/time.ts';
import type { Id } from '../../store/db/database.ts';
import type { ObservedRun } from '../../store/derive/derive-coverage.ts';
import type { TakenReading } from '../../store/derive/pending-derivations.ts';
import {
  type IntervalChange,
  type LearnedPace,
  type PaceRow,
  readPaces,
  savePaces,
} from '../../store/runs/pace.ts';
import type { Context } from '../context.ts';
import { readSchedule, tryToRead } from '../schedule/cadence.ts';
import { earliestCall, fitFill, limitCalls } from '../schedule/call-budget.ts';
import { chooseAiInterval, chooseInterval, isChanged } from '../schedule/pace-interval.ts';
import { learn, listExpected, type Pace, type PacedResponse, toPace } from '../schedule/pace.ts';
import type { AdaptiveSchedule } from '../schedule/schedule.ts';
import { readServiceFill } from '../schedule/service-fill.ts';

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

async function adaptOne(
  ctx: AdaptContext,
  row: PaceRow,
  runs: readonly PacedRun[],
): Promise<LearnedPace | null> {
  const last = runs.at(-1);
  if (last === undefined) return null;
  const isNewRequest = row.request_version !== last.requestVersion;
  const known = isNewRequest ? null : row;
  const pace = runs.reduce((before, { response }) => learn(before, response), toPace(known));
  const beforeMs = known?.interval_seconds == null ? null : known.interval_seconds * SECOND;
  const schedule = tryToRead(() => readSchedule(row));
  const chosen =
    schedule?.kind === 'auto' ? await chooseNext(ctx, row, { schedule, pace, last, beforeMs }) : null;
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
    due_at: chosen === null ? null : new Date(Math.round(last.response.at + chosen.ms)),
    change: chosen === null ? null : findChange(row, { pace, last, chosen }),
  };
}

/** The change to record, with the figures it is based on; null if the interval stays within a tenth of the recorded one. */
function findChange(
  row: PaceRow,
  { pace, last, chosen }: Pick<AdaptState, 'pace' | 'last'> & { chosen: ChosenInterval },
): IntervalChange | null {
  const { at, since } = last.response;
  const seconds = chosen.ms / SECOND;
  const seconds_before = row.interval_seconds === null ? null : row.recorded_seconds;
  if (!isChanged(seconds, seconds_before)) return null;
  const [ahead] = row.operation === 'ai' ? [] : listExpected(pace, at, at + HOUR);
  return {
    at: new Date(at),
    seconds_before,
    seconds,
    reason: chosen.reason,
    per_hour: ahead?.perHour ?? null,
    room: row.operation === 'ai' ? null : pace.room,
    new_items: last.newItems,
    waited_seconds: since === null ? null : (at - since) / SECOND,
    calls_per_day: chosen.callsPerDay,
  };
}

type AdaptState = {
  schedule: AdaptiveSchedule;
  pace: Pace;
  last: PacedRun;
  /** The previous interval; null: there was none. */
  beforeMs: number | null;
};

type ChosenInterval = ReturnType<typeof chooseInterval> & {
  /** Of the search; null: none of its own. */
  callsPerDay: number | null;
};

async function chooseNext(
  ctx: AdaptContext,
  row: PaceRow,
  { schedule, pace, last, beforeMs }: AdaptState,
): Promise<ChosenInterval> {
  const { at } = last.response;
  const calls = limitCalls(ctx.config, row, schedule);
  const chosen =
    row.operation === 'ai'
      ? chooseAiInterval(beforeMs, last.newItems, schedule)
      : chooseInterval(pace, at, { ...schedule, fill: await findFill() }, last.response);
  const allowed = earliestCall(row.spent_until?.getTime() ?? null, calls) - at;
  return allowed > chosen.ms
    ? { ms: allowed, reason: 'budget', callsPerDay: calls }
    : { ...chosen, callsPerDay: calls };

  /** Where calls are short, they go where the response will be fullest: among the searches of the service, and among hours. */
  async function findFill(): Promise<number> {
    const ofService = await readServiceFill(ctx, { id: row.service_id, kind: row.service_kind });
    if (calls === null) return ofService;
    return Math.max(ofService, fitFill([{ pace, ...schedule }], { calls, from: at, until: at + DAY }));
  }
}
