/** Times to come as people write them: a duration, a time of day, a weekday, a date. */

import { readExactOffset } from './display-format.ts';
import { parseSpan, parseTimePoint } from './time-point.ts';
import { DAY, HOUR, MINUTE } from './time.ts';

/** A time that may depend on the present. */
export type FutureTime = {
  /** As written. */
  input: string;
  resolve: (now: Date) => Date;
};

/** What {@link parseFutureTime} accepts, for messages. */
export const FUTURE_TIME_EXPECTED =
  'a duration of at most 3660d such as 90m, 2h or 3d, a time such as 9:00, tomorrow 9:00, friday or fri 9:00, ' +
  'or a date such as 2026-11-30 or 2026-11-30T09:00Z (UTC by default)';

/** Sunday is 0. */
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const WORDED = /^(?:(today|tomorrow|[a-z]{3,9})(?:\s+(?:at\s+)?|$))?(?:([01]?\d|2[0-3]):([0-5]\d))?$/;

/**
 * Words and times of day are of the zone; a day without a time is its midnight. A time of day is the next such time, and a weekday
 * the next such day, today only if its time is still to come.
 * @returns undefined for anything else, and for days that do not exist
 */
export function parseFutureTime(input: string, zone: string): FutureTime | undefined {
  const text = input.trim().toLowerCase();
  const span = parseSpan(text);
  if (span !== undefined) return { input, resolve: (now) => new Date(now.getTime() + span) };
  const point = parseTimePoint(input);
  if (point !== undefined && 'at' in point) return { input, resolve: () => point.at };
  const [whole, day, hours = '0', minutes = '0'] = WORDED.exec(text) ?? [];
  if (whole === undefined || whole === '') return undefined;
  const timeOfDay = Number(hours) * HOUR + Number(minutes) * MINUTE;
  const weekday = day === undefined ? -1 : findWeekday(day);
  if (day !== undefined && weekday === -1 && day !== 'today' && day !== 'tomorrow') return undefined;
  return { input, resolve: (now) => resolveWords(now, zone, { day, weekday, timeOfDay }) };
}

function findWeekday(word: string): number {
  return word.length < 3 ? -1 : WEEKDAYS.findIndex((name) => name === word || name.slice(0, 3) === word);
}

function resolveWords(
  now: Date,
  zone: string,
  { day, weekday, timeOfDay }: { day: string | undefined; weekday: number; timeOfDay: number },
): Date {
  const local = now.getTime() + readOffset(now, zone);
  const midnight = local - (((local % DAY) + DAY) % DAY);
  const inDays = (days: number) => toInstant(midnight + days * DAY + timeOfDay, zone);
  if (day === 'today') return inDays(0);
  if (day === 'tomorrow') return inDays(1);
  const ahead = day === undefined ? 0 : (weekday - new Date(midnight).getUTCDay() + 7) % 7;
  const next = inDays(ahead);
  return next > now ? next : inDays(ahead + (day === undefined ? 1 : 7));
}

/**
 * Converts a local time, given in milliseconds as if it were UTC. A local time that is skipped when clocks go forward becomes later
 * by the time that was skipped.
 */
function toInstant(local: number, zone: string): Date {
  const guess = new Date(local - readOffset(new Date(local), zone));
  return new Date(local - readOffset(guess, zone));
}

/** Milliseconds ahead of UTC. */
function readOffset(at: Date, zone: string): number {
  return readExactOffset(at, zone)?.ms ?? 0;
}
