/**
 * What became due while nobody looked. A year of every minute is half a million slots: they are counted by
 * whole days, and only those that are asked for are listed. Pure, and the same slots as {@link slotsBetween} has.
 */
import { DAY } from '../../engine/clock.ts';
import { nextSlot, passedBy, slotsBetween } from './cadence.ts';
import { cronOf, fallsOn } from './cron.ts';
import type { Schedule } from './schedule.ts';
import { stretches } from './zone.ts';

export type Due = {
  /** The latest slots one by one, ascending. */
  latest: readonly number[];
  /** All before them in one: their first, their last and their number. Null where there are none. */
  older: { first: number; last: number; count: number } | null;
};

/**
 * The slots after `from` and up to `to`, both in milliseconds since 1970.
 * @param most how many are listed one by one
 */
export function dueBetween(schedule: Schedule, from: number, to: number, most: number): Due {
  const total = countBetween(schedule, from, to);
  if (total <= most) return { latest: [...slotsBetween(schedule, from, to)], older: null };
  // From ever further back, until there are enough of them; one more tells where the older ones end.
  let begin = to - DAY;
  while (begin > from && countBetween(schedule, begin, to) <= most) begin = to - 2 * (to - begin);
  const [last, ...latest] = [...slotsBetween(schedule, Math.max(begin, from), to)].slice(-most - 1);
  if (last === undefined) throw new Error('slots that were counted are not there');
  return { latest, older: { first: nextSlot(schedule, from), last, count: total - most } };
}

/** How many slots {@link slotsBetween} has. */
export function countBetween(schedule: Schedule, from: number, to: number): number {
  if (to <= from) return 0;
  if (schedule.kind === 'cron') return countTimes(schedule, from, to);
  return passedBy(schedule, to) - passedBy(schedule, from);
}

/**
 * Where the local clock stays at one offset, each date has every time of day of the expression, or none. That holds from a
 * day after a change of the clock on, behind which no local time comes a second time; what is left is listed.
 */
function countTimes(schedule: Schedule & { kind: 'cron' }, from: number, to: number): number {
  const cron = cronOf(schedule.cron);
  const listed = (after: number, until: number) => {
    let n = 0;
    for (const _ of slotsBetween(schedule, after, until)) n += 1;
    return n;
  };
  let n = 0;
  let counted = from;
  for (const { offset, ...stretch } of stretches(schedule.tz, from, to)) {
    const begins = Math.max(stretch.from + DAY, from) + offset;
    const first = Math.ceil(begins / DAY);
    const end = Math.floor((Math.min(stretch.to, to) + offset) / DAY);
    if (end <= first) continue;
    n += listed(counted, first * DAY - offset - 1);
    for (let day = first; day < end; day += 1) if (fallsOn(cron, day)) n += cron.times.length;
    counted = end * DAY - offset - 1;
  }
  return n + listed(counted, to);
}
