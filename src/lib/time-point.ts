/** Times as people write them: ISO 8601, an age such as `7d`, `today`, `yesterday`. */

import { readExactOffset } from './display-format.ts';
import { DAY, HOUR, MINUTE, SECOND } from './time.ts';

/** `ago`: milliseconds before now. `daysBack`: midnight of today (0) or yesterday (1). `date`: a day without a time. */
export type TimePoint = { ago: number } | { daysBack: 0 | 1 } | { at: Date; date: boolean };

/**
 * The time. As an end, a whole day is included: its end is returned.
 * @param as whether it starts or ends a range
 * @param zone in which `today` and `yesterday` begin; a date without a time begins at midnight UTC
 */
export function resolveTimePoint(point: TimePoint, now: Date, as: 'start' | 'end', zone = 'UTC'): Date {
  if ('ago' in point) return new Date(now.getTime() - point.ago);
  const at = 'at' in point ? point.at : findDayStart(now, zone, point.daysBack);
  const isDay = 'at' in point ? point.date : true;
  return as === 'end' && isDay ? new Date(at.getTime() + DAY) : at;
}

/** Midnight at the beginning of the day of `at`, or of the day before it, in a zone. */
function findDayStart(at: Date, zone: string, daysBack: 0 | 1 = 0): Date {
  const offset = (time: number) => readExactOffset(new Date(time), zone)?.ms ?? 0;
  const local = at.getTime() + offset(at.getTime());
  const midnight = Math.floor(local / DAY) * DAY;
  // The clock may have changed since midnight.
  const start = midnight - offset(midnight - offset(at.getTime()));
  return daysBack === 0 ? new Date(start) : findDayStart(new Date(start - 1), zone);
}

const UNIT_MS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };
const MAX_AGE_MS = 3_660 * DAY;
/** What {@link parseTimePoint} accepts, for messages. */
export const TIME_POINT_EXPECTED =
  'a time such as 2026-11-21 or 2026-11-21T14:05Z (UTC by default), an age of at most ' +
  '3660d such as 90s, 15m, 1h, 2d or 1w, today, or yesterday';

/** Undefined for anything else, and for days that do not exist. */
export function parseTimePoint(input: string): TimePoint | undefined {
  const text = input.trim().toLowerCase();
  if (text === 'today') return { daysBack: 0 };
  if (text === 'yesterday') return { daysBack: 1 };
  const ago = parseSpan(text);
  if (ago !== undefined) return { ago };
  const at = parseIsoInstant(input.trim());
  return at === undefined ? undefined : { at, date: /^\d{4}-\d\d-\d\d$/.test(text) };
}

/** Parses `90s`, `15m`, `1h`, `2d` or `1w`, at most 3,660 days, into milliseconds. */
export function parseSpan(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text.trim().toLowerCase()) ?? [];
  const span = Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
  return span <= MAX_AGE_MS ? span : undefined;
}

const ISO_INSTANT = /^(\d{4}-\d\d-\d\d)(?:[t ](\d\d:\d\d)(?::(\d\d)(\.\d{1,9})?)?\s?(z|[+-]\d\d:?\d\d)?)?$/i;

/** UTC by default. */
export function parseIsoInstant(text: string): Date | undefined {
  const [whole, day, time = '00:00', seconds = '00', fraction = '', zone = 'Z'] =
    ISO_INSTANT.exec(text) ?? [];
  if (whole === undefined || day === undefined) return undefined;
  const asUtc = new Date(`${day}T${time}:${seconds}Z`);
  // The runtime reads 30 February as 2 March.
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString().slice(0, 10) !== day) return undefined;
  const at = new Date(`${day}T${time}:${seconds}${fraction}${normalizeOffset(zone)}`);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

function normalizeOffset(zone: string): string {
  if (zone.toLowerCase() === 'z') return 'Z';
  return zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
}
