/** Previews of schedules: the next runs, runs per day, and what they may cost. */

import { readCallsPerDay } from '../../config/config.ts';
import { DAY, SECOND } from '../../domain/time.ts';
import type { CallCost } from '../../store/queries/call-costs.ts';
import type { Search } from '../../store/searches.ts';
import type { Context } from '../context.ts';
import { FAR_FUTURE, nextSlot, nextSlots, readSchedule, slotsBetween } from '../schedule/cadence.ts';
import {
  forecastAdaptive,
  forecastFixed,
  limitCalls,
  NEW_PACE,
  type Pace,
  type PaceForecast,
  USUAL_FILL,
} from '../schedule/pace.ts';
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
  const { next, ...runs } = plan;
  return {
    words: describeSchedule(schedule),
    next: next.map((at) => ({ at: new Date(at), local: formatSlot(at, search.tz) })),
    ...runs,
    mostCallsPerDay: plan.mostRunsPerDay * ctx.config.maxCallsPerRun,
    callsPerDayLimit: readCallsPerDay(ctx.config, search.service_kind),
  };
}

type RunPlan = Pick<SchedulePreview, 'runsPerDay' | 'mostRunsPerDay' | 'expected'> & { next: number[] };

function planFixed(schedule: Schedule, now: number, pace: Pace, count: number): RunPlan {
  const runsPerDay = countDaySlots(schedule, now);
  return {
    next: nextSlots(schedule, now, count),
    runsPerDay,
    mostRunsPerDay: countBusiestDay(schedule, now),
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
  return {
    next: search.next_due_at == null ? [] : [search.next_due_at.getTime()],
    runsPerDay: expected === null ? mostRunsPerDay : Math.ceil(expected.callsPerDay),
    mostRunsPerDay,
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
  let n = 0;
  for (const _ of slotsBetween(schedule, after, after + DAY)) n += 1;
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

/** What a search may cost on a day, in US dollars. */
export type DayCost = {
  /** One call per run of the busiest day, at the median recent cost. */
  usual_usd: number;
  /** As many calls as its runs may make, at the highest recent cost. */
  most_usd: number;
};

/** @param cost recent cost of its calls; null if never reported, and then the result is null */
export function estimateDayCost(
  { mostRunsPerDay, mostCallsPerDay, callsPerDayLimit }: SchedulePreview,
  cost: CallCost | null,
): DayCost | null {
  if (cost === null) return null;
  const atMost = (calls: number) => Math.min(calls, callsPerDayLimit ?? calls);
  return {
    usual_usd: atMost(mostRunsPerDay) * cost.median_usd,
    most_usd: atMost(mostCallsPerDay) * cost.most_usd,
  };
}
