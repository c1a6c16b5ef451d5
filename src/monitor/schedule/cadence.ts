/**
 * When searches are due. Preview, scan and edits all compute slots here.
 *
 * A cron schedule names local times. When clocks go forward, some local times do not exist; when they go back, some exist
 * twice. Two rules, as in Vixie cron:
 * - A *time of day* (numbers, lists and ranges in minutes and hours) runs once per date. If it is skipped, it runs at the first
 *   instant after the gap; if the gap reaches midnight, so that this would be the next day, in the last minute before the gap.
 *   If it exists twice, it runs the first time.
 * - A *rhythm* (`*` or a step in minutes or hours) runs whenever the local time matches: not in a gap, and both times in an
 *   hour that exists twice.
 *
 * Everything here is pure and independent of the process's time zone.
 */

import { DAY, MINUTE, SECOND } from '../../lib/time.ts';
import { type Cron, matchesDay, parseCronCached } from './cron.ts';
import type { ScheduleColumns } from '../../store/topics/search-states.ts';
import { type Schedule, computePhase, parseAdaptive, type SearchSchedule } from './schedule.ts';
import { firstInterval } from './pace-interval.ts';
import { listOffsetSpans } from './time-zone.ts';

/** How far ahead a next slot is searched; 29 February recurs after at most eight years. */
const HORIZON_MS = 30 * 366 * DAY;

/** Represents "never" where a time is required. Small enough for every store. */
export const FAR_FUTURE = Date.UTC(2100, 0, 1);

/**
 * The first slot strictly after an instant, in milliseconds since 1970. Never throws for a parsed schedule. Returns
 * {@link FAR_FUTURE} if there is none within thirty years, and for an invalid instant or one more than 130 years from 1970.
 */
export function nextSlot(schedule: Schedule, after: Date | number): number {
  const start = Number(after);
  if (!(Math.abs(start) < FAR_FUTURE)) return FAR_FUTURE;
  for (const slot of slotsAfter(schedule, start, start + HORIZON_MS)) return slot;
  return FAR_FUTURE;
}

/** The next `n` slots strictly after an instant, ascending. */
export function nextSlots(schedule: Schedule, after: Date | number, n: number): number[] {
  const slots: number[] = [];
  for (let at = Number(after); slots.length < n; slots.push(at)) at = nextSlot(schedule, at);
  return slots;
}

/**
 * The slots of a span, ascending: after `from`, up to and including `to`. Adjacent spans share no slot and miss none; due
 * slots are `slotsBetween(schedule, last, now)`.
 */
export function* slotsBetween(
  schedule: Schedule,
  from: Date | number,
  to: Date | number,
): Generator<number, void> {
  const end = Number(to);
  for (const slot of slotsAfter(schedule, Number(from), end)) {
    if (slot > end) return;
    yield slot;
  }
}

/** Slots strictly after `after`, ascending, at least up to `until`. */
function slotsAfter(schedule: Schedule, after: number, until: number): Generator<number, void> {
  return schedule.kind === 'every'
    ? rhythmicSlots(schedule, after, until)
    : dropRepeated(clockSlots(parseCronCached(schedule.cron), schedule.tz, after, until), after);
}

type IntervalSchedule = Schedule & { kind: 'every' };

function* rhythmicSlots(schedule: IntervalSchedule, after: number, until: number): Generator<number, void> {
  const { every, phase } = toMilliseconds(schedule);
  for (let slot = (countIntervals(schedule, after) + 1) * every + phase; slot <= until; slot += every)
    yield slot;
}

/** The index of the latest slot up to an instant; 0 is the first since 1970. */
function countIntervals(schedule: IntervalSchedule, at: number): number {
  const { every, phase } = toMilliseconds(schedule);
  return Math.floor((at - phase) / every);
}

function toMilliseconds({ seconds, phase }: IntervalSchedule): { every: number; phase: number } {
  return { every: seconds * SECOND, phase: Math.round(phase * SECOND) };
}

/** Walks the offset spans of the zone. Slots can repeat, and some can be before `after`. */
function* clockSlots(cron: Cron, tz: string, after: number, until: number): Generator<number, void> {
  let reached: number | undefined; // the latest local time that the clock has shown
  for (const { from, to, offset } of listOffsetSpans(tz, after, until + DAY)) {
    const shows = { from: from + offset, to: to + offset };
    let start = Math.max(shows.from, after + offset);
    if (!cron.rhythm && reached !== undefined) {
      if (shows.from > reached) yield* skippedSlots(cron, reached, shows.from, from);
      start = Math.max(start, reached);
    }
    for (const local of localTimes(cron, start, shows.to)) yield local - offset;
    reached = Math.max(reached ?? shows.to, shows.to);
  }
}

/**
 * When the clock goes forward at the instant `at`: skipped times of day run on their own date, just after the gap or, if that
 * is a later date, just before it.
 */
function* skippedSlots(cron: Cron, gapFrom: number, gapTo: number, at: number): Generator<number, void> {
  const lastDate = Math.floor((gapFrom - 1) / DAY);
  const nextDate = Math.floor(gapTo / DAY);
  if (lastDate < nextDate && hasAny(localTimes(cron, gapFrom, (lastDate + 1) * DAY))) yield at - MINUTE;
  if (hasAny(localTimes(cron, Math.max(gapFrom, nextDate * DAY), gapTo))) yield at;
}

/** The local times that match an expression, from `from` until before `to`, as if they were UTC. */
function* localTimes(cron: Cron, from: number, to: number): Generator<number, void> {
  for (let day = Math.floor(from / DAY); day * DAY < to; day++) {
    if (!matchesDay(cron, day)) continue;
    for (const minutes of cron.times) {
      const local = day * DAY + minutes * MINUTE;
      if (local >= to) return;
      if (local >= from) yield local;
    }
  }
}

/** Drops slots that are not later than all previous ones, so that each runs once. */
function* dropRepeated(slots: Iterable<number>, after: number): Generator<number, void> {
  let last = after;
  for (const slot of slots) {
    if (slot <= last) continue;
    yield slot;
    last = slot;
  }
}

function hasAny(times: Iterable<number>): boolean {
  for (const _ of times) return true;
  return false;
}

/**
 * Slots that became due while no scan ran; the same as those of {@link slotsBetween}. A year of every minute is half a million
 * slots, so they are counted by whole days and only the latest are listed.
 */
export type DueSlots = {
  /** The latest slots one by one, ascending. */
  latest: readonly number[];
  /** All older slots: the first, the last and their number. Null if there are none. */
  older: { first: number; last: number; count: number } | null;
};

/** The slots after `from` and up to `to`, in ms since 1970. @param most maximum number that are listed one by one */
export function listDueSlots(schedule: Schedule, from: number, to: number, most: number): DueSlots {
  const total = countSlots(schedule, from, to);
  if (total <= most) return { latest: [...slotsBetween(schedule, from, to)], older: null };
  // Extends the span backward until it has enough slots and one more: the last of the older slots.
  let begin = to - DAY;
  while (begin > from && countSlots(schedule, begin, to) <= most) begin = to - 2 * (to - begin);
  const [last, ...latest] = [...slotsBetween(schedule, Math.max(begin, from), to)].slice(-most - 1);
  if (last === undefined) throw new Error('slots that were counted are not there');
  return { latest, older: { first: nextSlot(schedule, from), last, count: total - most } };
}

/** The number of slots of {@link slotsBetween}. */
export function countSlots(schedule: Schedule, from: number, to: number): number {
  if (to <= from) return 0;
  if (schedule.kind === 'cron') return countCronSlots(schedule, from, to);
  return countIntervals(schedule, to) - countIntervals(schedule, from);
}

/**
 * From a day after a clock change until the next one, no local time is skipped or repeats, so that slots are counted by dates; the
 * slots of the day after a change are listed.
 */
function countCronSlots(schedule: Schedule & { kind: 'cron' }, from: number, to: number): number {
  const cron = parseCronCached(schedule.cron);
  const listed = (after: number, until: number) => {
    let n = 0;
    for (const _ of slotsBetween(schedule, after, until)) n += 1;
    return n;
  };
  let n = 0;
  let counted = from;
  for (const { offset, ...stretch } of listOffsetSpans(schedule.tz, from, to)) {
    const begins = Math.max(stretch.from + DAY, from);
    // A time that the change skips may run a minute before it.
    const end = Math.min(stretch.to - MINUTE - 1, to);
    if (end <= begins) continue;
    n += listed(counted, begins) + countLocalTimes(cron, begins + offset, end + offset);
    counted = end;
  }
  return n + listed(counted, to);
}

/** The number of local times that match an expression, after `after` and up to and including `until`. */
function countLocalTimes(cron: Cron, after: number, until: number): number {
  let n = 0;
  for (let day = Math.floor(after / DAY); day * DAY <= until; day += 1) {
    if (!matchesDay(cron, day)) continue;
    const isWhole = after < day * DAY && (day + 1) * DAY <= until;
    const isWithin = (minutes: number) =>
      after < day * DAY + minutes * MINUTE && day * DAY + minutes * MINUTE <= until;
    n += isWhole ? cron.times.length : cron.times.filter(isWithin).length;
  }
  return n;
}

/** The members of a stored search that define its schedule. */
export type ScheduleRow = ScheduleColumns & { slug: string };

/** The schedule of a stored search. @throws if the row has no schedule, or one that cannot be read */
export function readSchedule(row: ScheduleRow): SearchSchedule {
  if (row.cron !== null) return { kind: 'cron', cron: row.cron, tz: row.tz };
  if (row.auto !== null) return parseAdaptive(row.auto);
  if (row.every_seconds === null) throw new Error(`search ${row.slug} has no schedule`);
  return { kind: 'every', seconds: row.every_seconds, phase: computePhase(row.slug, row.every_seconds) };
}

/** State reason of a search whose schedule is from an older release or names a time zone that no longer exists. */
export const UNREADABLE_SCHEDULE = 'the schedule is invalid; edit it';

/** The first due time of a new search after a time. That of an adaptive search moves with each response. */
export function firstDue(schedule: SearchSchedule, after: Date | number): number {
  return schedule.kind === 'auto' ? Number(after) + firstInterval(schedule) : nextSlot(schedule, after);
}

/** Reads something from a stored schedule; `null` if the schedule cannot be read, which the scan reports. */
export function tryToRead<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
