/** What the clock of a time zone shows: whether hours are quiet, and where a day begins, also when clocks change. Pure. */
import { DAY } from '../../lib/time.ts';
import { listOffsetSpans, offsetAt } from '../schedule/time-zone.ts';
import type { QuietHours } from './quiet-hours.ts';

/**
 * The first instant from `at` on at which the local clock shows no time of the quiet hours. If the clock skips their end, that is
 * when it is put forward; what it shows twice is quiet twice.
 * @param at milliseconds since 1970
 */
export function findQuietEnd({ from, until }: QuietHours, tz: string, at: number): number {
  const isQuiet = (local: number) => {
    const time = ((local % DAY) + DAY) % DAY;
    return from < until ? time >= from && time < until : time >= from || time < until;
  };
  for (const span of listOffsetSpans(tz, at, at + 4 * DAY)) {
    if (span.to <= at) continue;
    const local = Math.max(at, span.from) + span.offset;
    if (!isQuiet(local)) return local - span.offset;
    const midnight = Math.floor(local / DAY) * DAY;
    const end = midnight + until > local ? midnight + until : midnight + DAY + until;
    if (end - span.offset < span.to) return end - span.offset;
  }
  throw new Error(`quiet hours of ${tz} do not end`);
}

/** The local date of an instant, as a number of days. */
export function readLocalDay(tz: string, at: number): number {
  return Math.floor((at + offsetAt(tz, at)) / DAY);
}

/** The first instant of the next local date. */
export function findNextDay(tz: string, at: number): number {
  const today = readLocalDay(tz, at);
  for (const span of listOffsetSpans(tz, at, at + 4 * DAY)) {
    if (span.to <= at) continue;
    const start = Math.max(at, span.from);
    if (Math.floor((start + span.offset) / DAY) > today) return start;
    const midnight = (today + 1) * DAY - span.offset;
    if (midnight < span.to) return midnight;
  }
  throw new Error(`the day ${today} of ${tz} does not end`);
}
