/** Previews of schedules: the next runs, runs per day, and what they may cost. */

import { readCallsPerDay } from '../../config/config.ts';
import { DAY, SECOND } from '../../domain/time.ts';
import type { MissingTool } from '../../domain/tool-coverage.ts';
import type { CallCost } from '../../store/queries/call-costs.ts';
import type { Search } from '../../store/searches.ts';
import type { Context } from '../context.ts';
import { FAR_FUTURE, nextSlot, nextSlots, readSchedule, slotsBetween } from '../schedule/cadence.ts';
import { forecastAdaptive, forecastFixed, type PaceForecast } from '../schedule/pace-forecast.ts';
import { limitCalls } from '../schedule/call-budget.ts';
import { NEW_PACE, type Pace } from '../schedule/pace.ts';
import { USUAL_FILL } from '../schedule/pace-interval.ts';
import {
  type AdaptiveSchedule,
  parseSearchSchedule,
  type Schedule,
  toScheduleColumns,
  type WrittenSchedule,
} from '../schedule/schedule.ts';
import { formatSlot, describeSchedule } from '../schedule/schedule-text.ts';

/** The next runs of a search, and how many calls they may make. */
export type SchedulePreview = {
  words: string;
  next: { at: Date; local: string }[];
  /** In the 24 hours from now; of an adaptive interval, the expected number, or the most while the rate is unknown. */
  runsPerDay: number;
  /** On the busiest of the seven days that start with its next run; a single day may be a weekend without runs. */
  mostRunsPerDay: number;
  /** Runs on the busiest day times the calls that a run may make. */
  mostCallsPerDay: number;
  /** In the 30 days from now; of frequent schedules, by the rate of the first seven. */
  runsPerMonth: number;
  /** Times the calls that a run may make. */
  mostCallsPerMonth: number;
  /** Limit of its service; null if there is none. */
  callsPerDayLimit: number | null;
  /** By the measured rate of its posts: calls per day, and the share of posts found; null if it is unknown. */
  expected: PaceForecast | null;
};

type PreviewedSearch = Pick<
  Search,
  'slug' | 'cron' | 'every_seconds' | 'auto' | 'tz' | 'service_kind' | 'operation'
>;

/** @param pace what its responses have shown; undefined for a search that is not saved */
export function previewSearch(
  ctx: Pick<Context, 'clock' | 'config'>,
  search: PreviewedSearch & { next_due_at?: Date | null },
  { count = 5, pace = NEW_PACE }: { count?: number; pace?: Pace | undefined } = {},
): SchedulePreview {
  const schedule = readSchedule(search);
  const now = ctx.clock.now().getTime();
  const plan =
    schedule.kind === 'auto'
      ? planAdaptive(ctx, search, schedule, pace)
      : planFixed(schedule, now, search.operation === 'ai' ? NEW_PACE : pace, count);
  const { next, mostRunsPerMonth, ...runs } = plan;
  return {
    words: describeSchedule(schedule),
    next: next.map((at) => ({ at: new Date(at), local: formatSlot(at, search.tz) })),
    ...runs,
    mostCallsPerDay: plan.mostRunsPerDay * ctx.config.maxCallsPerRun,
    mostCallsPerMonth: mostRunsPerMonth * ctx.config.maxCallsPerRun,
    callsPerDayLimit: readCallsPerDay(ctx.config, search.service_kind),
  };
}

type RunPlan = Pick<SchedulePreview, 'runsPerDay' | 'mostRunsPerDay' | 'runsPerMonth' | 'expected'> & {
  mostRunsPerMonth: number;
  next: number[];
};

function planFixed(schedule: Schedule, now: number, pace: Pace, count: number): RunPlan {
  const runsPerMonth = countMonth(schedule, now);
  return {
    next: nextSlots(schedule, now, count),
    runsPerDay: countDaySlots(schedule, now),
    mostRunsPerDay: countBusiestDay(schedule, now),
    runsPerMonth,
    mostRunsPerMonth: runsPerMonth,
    expected: schedule.kind === 'every' ? forecastFixed(pace, schedule.seconds * SECOND) : null,
  };
}

function planAdaptive(
  { config }: Pick<Context, 'config'>,
  search: PreviewedSearch & { next_due_at?: Date | null },
  schedule: AdaptiveSchedule,
  pace: Pace,
): RunPlan {
  const byInterval = Math.floor(DAY / schedule.leastMs);
  const mostRunsPerDay = Math.min(limitCalls(config, search, schedule) ?? byInterval, byInterval);
  const free = search.operation === 'ai' ? null : forecastAdaptive(pace, { ...schedule, fill: USUAL_FILL });
  // Above the limit, intervals are even, and each response holds what it can.
  const expected =
    free === null || free.callsPerDay <= mostRunsPerDay ? free : forecastFixed(pace, DAY / mostRunsPerDay);
  const runsPerDay = expected === null ? mostRunsPerDay : Math.ceil(expected.callsPerDay);
  return {
    next: search.next_due_at == null ? [] : [search.next_due_at.getTime()],
    runsPerDay,
    mostRunsPerDay,
    runsPerMonth: runsPerDay * DAYS_IN_MONTH,
    mostRunsPerMonth: mostRunsPerDay * DAYS_IN_MONTH,
    expected,
  };
}

/** `about 24 calls a day; finds about 98 % of posts`, or that the rate is not known yet. */
export function describeExpected({ expected }: Pick<SchedulePreview, 'expected'>): string {
  if (expected === null) return 'unknown until responses show how often something is posted';
  const calls = Math.ceil(expected.callsPerDay);
  const share = Math.floor(Math.min(expected.caught, 0.99) * 100);
  return `about ${calls} ${calls === 1 ? 'call' : 'calls'} a day; finds about ${share} % of posts`;
}

const DAYS_IN_WEEK = 7;
export const DAYS_IN_MONTH = 30;

function countBusiestDay(schedule: Schedule, now: number): number {
  // The day starts just before its first run, so that it includes that run.
  const first = nextSlot(schedule, now) - 1;
  if (first + 1 >= FAR_FUTURE) return 0;
  return Math.max(
    ...Array.from({ length: DAYS_IN_WEEK }, (_, day) => countDaySlots(schedule, first + day * DAY)),
  );
}

/** Number of slots in the 24 hours after a time. */
function countDaySlots(schedule: Schedule, after: number): number {
  return countSlots(schedule, after, DAY);
}

/** Slots of a week that take no notable time to count; a cron expression of every minute has five times as many. */
const MANY_SLOTS = 2_000;

function countMonth(schedule: Schedule, now: number): number {
  const inWeek = countSlots(schedule, now, DAYS_IN_WEEK * DAY);
  return inWeek > MANY_SLOTS
    ? Math.round((inWeek * DAYS_IN_MONTH) / DAYS_IN_WEEK)
    : countSlots(schedule, now, DAYS_IN_MONTH * DAY);
}

/** Number of slots after a time, for so many milliseconds. */
function countSlots(schedule: Schedule, after: number, span: number): number {
  let n = 0;
  for (const _ of slotsBetween(schedule, after, after + span)) n += 1;
  return n;
}

/** Previews a schedule that is not saved. @throws InvalidInput with all problems */
export function previewWrittenSchedule(
  ctx: Pick<Context, 'clock' | 'config'>,
  {
    service_kind,
    operation,
    ...written
  }: Omit<WrittenSchedule, 'slug'> & Pick<Search, 'service_kind' | 'operation'>,
  options: { count?: number; pace?: Pace | undefined } = {},
): SchedulePreview {
  const slug = 'preview';
  const columns = toScheduleColumns(parseSearchSchedule({ ...written, slug }));
  return previewSearch(ctx, { slug, service_kind, operation, ...columns }, options);
}

/** A preview as JSON. @param missing_tools tools without a source */
export function toPreviewJson(
  preview: SchedulePreview,
  cost: { day: Cost; month: Cost } | null,
  missing_tools: MissingTool[],
) {
  return {
    words: preview.words,
    next: preview.next.filter(({ at }) => at.getTime() < FAR_FUTURE),
    runs_per_day: preview.runsPerDay,
    most_runs_per_day: preview.mostRunsPerDay,
    most_calls_per_day: preview.mostCallsPerDay,
    calls_per_day_limit: preview.callsPerDayLimit,
    expected_calls_per_day: preview.expected?.callsPerDay ?? null,
    expected_share_found: preview.expected?.caught ?? null,
    calls_per_month: preview.runsPerMonth,
    most_calls_per_month: preview.mostCallsPerMonth,
    cost_per_day: cost?.day ?? null,
    cost_per_month: cost?.month ?? null,
    missing_tools,
  };
}

/** What a search may cost, in US dollars. */
export type Cost = {
  /** One call per run, at the median recent cost. */
  usual_usd: number;
  /** As many calls as its runs may make, at the highest recent cost. */
  most_usd: number;
};

/**
 * The cost of a busy day, and of 30 days.
 * @param cost recent cost of its calls; null if never reported, and then the result is null
 */
export function estimateCost(
  preview: SchedulePreview,
  cost: CallCost | null,
): { day: Cost; month: Cost } | null {
  if (cost === null) return null;
  const { callsPerDayLimit: limit } = preview;
  const price = (days: number, runs: number, mostCalls: number): Cost => ({
    usual_usd: Math.min(runs, (limit ?? runs) * days) * cost.median_usd,
    most_usd: Math.min(mostCalls, (limit ?? mostCalls) * days) * cost.most_usd,
  });
  return {
    day: price(1, preview.mostRunsPerDay, preview.mostCallsPerDay),
    month: price(DAYS_IN_MONTH, preview.runsPerMonth, preview.mostCallsPerMonth),
  };
}
