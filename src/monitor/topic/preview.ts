import { callsPerDayOf } from '../../config.ts';
import { DAY } from '../../engine/clock.ts';
import type { Search } from '../../store/searches.ts';
import type { Context } from '../context.ts';
import { nextSlots, slotsBetween } from '../schedule/cadence.ts';
import { scheduleOf } from '../schedule/schedule-of.ts';
import { formatSlot, inWords } from '../schedule/words.ts';

/** What a search will do: its next runs, and what they may cost in calls. */
export type Preview = {
  words: string;
  next: { at: Date; local: string }[];
  runsPerDay: number;
  /** Runs of a day times the calls that a run may make. */
  mostCallsPerDay: number;
  /** Of its whole service; null where there is none. */
  callsPerDayLimit: number | null;
};

export function previewSearch(
  ctx: Pick<Context, 'clock' | 'config'>,
  search: Pick<Search, 'slug' | 'cron' | 'every_seconds' | 'tz' | 'service_kind'>,
  count = 5,
): Preview {
  const schedule = scheduleOf(search);
  const now = ctx.clock.now().getTime();
  const runsPerDay = [...slotsBetween(schedule, now, now + DAY)].length;
  return {
    words: inWords(schedule),
    next: nextSlots(schedule, now, count).map((at) => ({
      at: new Date(at),
      local: formatSlot(at, search.tz),
    })),
    runsPerDay,
    mostCallsPerDay: runsPerDay * ctx.config.maxCallsPerRun,
    callsPerDayLimit: callsPerDayOf(ctx.config, search.service_kind),
  };
}
