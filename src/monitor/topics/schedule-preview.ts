/** Previews of schedules: the next runs, runs per day, and what they may cost. */

import { readCallsPerDay } from '../../config/config.ts';
import { DAY } from '../../domain/time.ts';
import type { CallCost } from '../../store/queries/call-costs.ts';
import type { Search } from '../../store/searches.ts';
import type { Context } from '../context.ts';
import { FAR_FUTURE, nextSlot, nextSlots, readSchedule, slotsBetween } from '../schedule/cadence.ts';
import { parseSchedule, type Schedule, type WrittenSchedule } from '../schedule/schedule.ts';
import { formatSlot, describeSchedule } from '../schedule/schedule-text.ts';

/** The next runs of a search, and how many calls they may make. */
export type SchedulePreview = {
  words: string;
  next: { at: Date; local: string }[];
  /** In the 24 hours from now. */
  runsPerDay: number;
  /** On the busiest of the seven days that start with its next run; a single day may be a weekend without runs. */
  mostRunsPerDay: number;
  /** Runs on the busiest day times the calls that a run may make. */
  mostCallsPerDay: number;
  /** Limit of its service; null if there is none. */
  callsPerDayLimit: number | null;
};

export function previewSearch(
  ctx: Pick<Context, 'clock' | 'config'>,
  search: Pick<Search, 'slug' | 'cron' | 'every_seconds' | 'tz' | 'service_kind'>,
  count = 5,
): SchedulePreview {
  const schedule = readSchedule(search);
  const now = ctx.clock.now().getTime();
  const runsPerDay = countDaySlots(schedule, now);
  const mostRunsPerDay = countBusiestDay(schedule, now);
  return {
    words: describeSchedule(schedule),
    next: nextSlots(schedule, now, count).map((at) => ({
      at: new Date(at),
      local: formatSlot(at, search.tz),
    })),
    runsPerDay,
    mostRunsPerDay,
    mostCallsPerDay: mostRunsPerDay * ctx.config.maxCallsPerRun,
    callsPerDayLimit: readCallsPerDay(ctx.config, search.service_kind),
  };
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
  { service_kind, ...written }: Omit<WrittenSchedule, 'slug'> & Pick<Search, 'service_kind'>,
  count = 5,
): SchedulePreview {
  const slug = 'preview';
  const schedule = parseSchedule({ ...written, slug });
  const when =
    schedule.kind === 'cron'
      ? { cron: schedule.cron, every_seconds: null, tz: schedule.tz }
      : { cron: null, every_seconds: schedule.seconds, tz: 'UTC' };
  return previewSearch(ctx, { slug, service_kind, ...when }, count);
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
