/** Local times of day: quiet hours, and where a day begins, also when clocks change. Pure. */
import { InvalidInput } from '../../domain/errors.ts';
import { DAY, MINUTE } from '../../domain/time.ts';
import { listOffsetSpans, offsetAt } from '../schedule/time-zone.ts';

/** Milliseconds after local midnight. If `until` is not after `from`, it is on the next day. */
export type QuietHours = { readonly from: number; readonly until: number };

const WRITTEN = /^([01]?\d|2[0-3]):([0-5]\d)\s*[-–]\s*([01]?\d|2[0-3]):([0-5]\d)$/;

/** Parses `22:00-07:00`. @throws InvalidInput also if both times are the same */
export function parseQuietHours(given: string): QuietHours {
  const [, ...parts] = WRITTEN.exec(given.trim()) ?? [];
  const [fromHour = Number.NaN, fromMinute = 0, untilHour = 0, untilMinute = 0] = parts.map(Number);
  const [from, until] = [fromHour * 60 + fromMinute, untilHour * 60 + untilMinute];
  if (Number.isNaN(from) || from === until)
    throw new InvalidInput([
      { path: 'quiet_hours', given, expected: 'two different times of day such as 22:00-07:00' },
    ]);
  return { from: from * MINUTE, until: until * MINUTE };
}

/** As stored and shown: `22:00-07:00`. */
export function writeQuietHours({ from, until }: QuietHours): string {
  const write = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  return `${write(from)}-${write(until)}`;
}

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
