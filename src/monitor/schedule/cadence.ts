/**
 * When a search is due. The one answer to "when next": preview, database and queue all ask here.
 *
 * A cron schedule names local times. Where the clock is put forward some local times do not exist, and
 * where it is put back some exist twice. Two rules, as in Vixie cron:
 * - A *time of day* (numbers, lists and ranges in minutes and hours) runs once on each date. Where it is
 *   skipped it runs at the first instant after the gap; where the gap reaches to midnight, so that this
 *   would be tomorrow, in the last minute before it. Where it comes twice it runs the first time.
 * - A *rhythm* (`*` or a step in minutes or hours) runs at each real time whose local time matches: not
 *   in a gap, whose local times do not exist; in an hour that comes twice, both times.
 *
 * Everything here is pure; the process's own time zone plays no part.
 */
import { DAY, MINUTE, SECOND } from '../../engine/clock.ts';
import { type Cron, cronOf, fallsOn } from './cron.ts';
import type { Schedule } from './schedule.ts';
import { stretches } from './zone.ts';

/** How far ahead a next slot is looked for; 29 February comes again after at most eight years. */
const HORIZON_MS = 30 * 366 * DAY;

/** What stands for "never" where a time must be given: far, and yet small enough for every store. */
export const FAR_FUTURE = Date.UTC(2100, 0, 1);

/**
 * The first slot strictly after an instant, in milliseconds since 1970. Never throws for a schedule that
 * was parsed. Where none comes within thirty years, and for an instant that is none or lies more than
 * 130 years from 1970, the answer is {@link FAR_FUTURE}.
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
 * The slots of a span, ascending: after `from` and up to `to`, `to` included. So spans that follow one
 * another share no slot and miss none, and what is due now is `slotsBetween(schedule, last, now)`.
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
    : rising(clockSlots(cronOf(schedule.cron), schedule.tz, after, until), after);
}

type Interval = Schedule & { kind: 'every' };

function* rhythmicSlots(schedule: Interval, after: number, until: number): Generator<number, void> {
  const { every, phase } = inMs(schedule);
  for (let slot = (passedBy(schedule, after) + 1) * every + phase; slot <= until; slot += every) yield slot;
}

/** The number of an interval's latest slot up to an instant; 0 is the first since 1970 began. */
export function passedBy(schedule: Interval, at: number): number {
  const { every, phase } = inMs(schedule);
  return Math.floor((at - phase) / every);
}

function inMs({ seconds, phase }: Interval): { every: number; phase: number } {
  return { every: seconds * SECOND, phase: Math.round(phase * SECOND) };
}

/** Walks the stretches of the zone's clock. Slots can repeat, and some can lie before `after`. */
function* clockSlots(cron: Cron, tz: string, after: number, until: number): Generator<number, void> {
  let reached: number | undefined; // the latest local time that the clock has shown
  for (const { from, to, offset } of stretches(tz, after, until + DAY)) {
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
 * Where the clock is put forward from one local time to another, at the real time `at`: the times of day
 * in between run on their own date, just after the gap or, where that is a later date, just before it.
 */
function* skippedSlots(cron: Cron, gapFrom: number, gapTo: number, at: number): Generator<number, void> {
  const lastDate = Math.floor((gapFrom - 1) / DAY);
  const nextDate = Math.floor(gapTo / DAY);
  if (lastDate < nextDate && any(localTimes(cron, gapFrom, (lastDate + 1) * DAY))) yield at - MINUTE;
  if (any(localTimes(cron, Math.max(gapFrom, nextDate * DAY), gapTo))) yield at;
}

/** The local times that an expression names, from `from` until before `to`, as if they were UTC. */
function* localTimes(cron: Cron, from: number, to: number): Generator<number, void> {
  for (let day = Math.floor(from / DAY); day * DAY < to; day++) {
    if (!fallsOn(cron, day)) continue;
    for (const minutes of cron.times) {
      const local = day * DAY + minutes * MINUTE;
      if (local >= to) return;
      if (local >= from) yield local;
    }
  }
}

/** Leaves out what does not come after all before it: a slot runs once. */
function* rising(slots: Iterable<number>, after: number): Generator<number, void> {
  let last = after;
  for (const slot of slots) {
    if (slot <= last) continue;
    yield slot;
    last = slot;
  }
}

function any(times: Iterable<number>): boolean {
  for (const _ of times) return true;
  return false;
}
