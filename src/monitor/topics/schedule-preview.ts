/** What a schedule will do: the next runs, how many a day, and what they may cost. */

import { readCallsPerDay } from '../../config/config.ts';
import { DAY } from '../../domain/time.ts';
import type { CallCost } from '../../store/queries/call-costs.ts';
import type { Search } from '../../store/searches.ts';
import type { Context } from '../context.ts';
import { FAR_FUTURE, nextSlot, nextSlots, readSchedule, slotsBetween } from '../schedule/cadence.ts';
import { parseSchedule, type Schedule, type WrittenSchedule } from '../schedule/schedule.ts';
import { formatSlot, describeSchedule } from '../schedule/schedule-text.ts';

/** What a search will do: its next runs, and what they may cost in calls. */
export type SchedulePreview = {
  words: string;
  next: { at: Date; local: string }[];
  /** In the 24 hours from now. */
  runsPerDay: number;
  /** On the busiest of the seven days that begin with its next run: what runs on weekdays rests on a Saturday. */
  mostRunsPerDay: number;
  /** Those times the calls that a run may make. */
  mostCallsPerDay: number;
  /** Of its whole service; null where there is none. */
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
  // A day begins just before its first run, which is one of it.
  const first = nextSlot(schedule, now) - 1;
  if (first + 1 >= FAR_FUTURE) return 0;
  return Math.max(
    ...Array.from({ length: DAYS_IN_WEEK }, (_, day) => countDaySlots(schedule, first + day * DAY)),
  );
}

/** How many there are in the 24 hours after an instant. */
function countDaySlots(schedule: Schedule, after: number): number {
  let n = 0;
  for (const _ of slotsBetween(schedule, after, after + DAY)) n += 1;
  return n;
}

/** The same for a schedule that no search has yet. @throws InvalidInput with all that is wrong with it */
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
  /** One call per run of a busy day, at what is usual of late. */
  usual_usd: number;
  /** As many calls as its runs may make, each at the most that one has cost of late. */
  most_usd: number;
};

/** @param cost what its calls cost of late; null where that was never told, and then nothing is known */
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
