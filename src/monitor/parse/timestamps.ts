/**
 * Parses wire times to ISO text in UTC with milliseconds, or null. Does not use `Date.parse`, which reads `"0"` as the
 * year 2000, rolls over 30 February, and treats times without a zone as local.
 */

import { DAY, HOUR, MINUTE, SECOND, type TimePrecision } from '../../lib/time.ts';

const YEAR_10000_MS = 253_402_300_800_000;
/** Smaller numbers are no epoch time: 1973 in seconds, and again in milliseconds. */
const MIN_EPOCH_SECONDS = 100_000_000;
const MIN_EPOCH_MS = 100_000_000_000;

/** ISO text of a time between 1970 and 9999 in any observed format; otherwise null. */
export function readTime(value: unknown): string | null {
  if (typeof value === 'number') return readEpoch(value);
  if (typeof value !== 'string' || value.length > 64) return null;
  const text = value.trim();
  return readIso(text) ?? readOldStyle(text) ?? (/^\d{9,15}$/.test(text) ? readEpoch(Number(text)) : null);
}

/** No network of posts is older: an earlier time is a placeholder, such as the beginning of 1970 or 1980. */
const FIRST_NETWORK_TIME = '2000-01-01T00:00:00.000Z';

/** Like {@link readTime}, for a post or an account; null before the year 2000. The raw response keeps the original. */
export function readNetworkTime(value: unknown): string | null {
  const at = readTime(value);
  return at !== null && at >= FIRST_NETWORK_TIME ? at : null;
}

/** Seconds or milliseconds since 1970, by magnitude. Zero is a placeholder, not a time. */
function readEpoch(n: number): string | null {
  if (!(n >= MIN_EPOCH_SECONDS)) return null;
  return toIsoText(Math.floor(n < MIN_EPOCH_MS ? n * 1_000 : n));
}

function toIsoText(ms: number): string | null {
  return ms >= 0 && ms < YEAR_10000_MS ? new Date(ms).toISOString() : null;
}

const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*([Zz]|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/;

/** `2025-06-11T23:41:09.000Z`, with an offset, a blank instead of the T, no zone (UTC), or a date only. */
function readIso(text: string): string | null {
  const match = ISO.exec(text);
  if (!match) return null;
  const [, date = '', minute = '00:00', second = '00', fraction = '', zone = 'Z'] = match;
  return toUtc(date, `${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`, zone);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const OLD_STYLE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) (\d{1,2}) (\d\d:\d\d:\d\d) ([+-]\d{4}) (\d{4})$/;

/** `Wed Oct 10 20:19:24 +0000 2018`, in English. */
function readOldStyle(text: string): string | null {
  const match = OLD_STYLE.exec(text);
  if (!match) return null;
  const [, name = '', day = '', time = '', zone = '', year = ''] = match;
  const month = String(MONTHS.indexOf(name) + 1).padStart(2, '0');
  return toUtc(`${year}-${month}-${day.padStart(2, '0')}`, `${time}.000`, zone);
}

/** Null for invalid dates and times: 30 February, 25:00, a leap second. */
function toUtc(date: string, time: string, zone: string): string | null {
  const offset = readOffsetMs(zone);
  if (offset === null || !isDate(date) || !TIME.test(time)) return null;
  const text = `${date}T${time}Z`;
  // Formatting takes three times as long as parsing, and this text is already formatted.
  return offset === 0 && date > '1970' ? text : toIsoText(Date.parse(text) - offset);
}

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\./;
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/;

function isDate(date: string): boolean {
  return DATE.test(date) || new Date(Date.parse(date)).getUTCDate() === Number(date.slice(8));
}

function readOffsetMs(zone: string): number | null {
  if (!/^[+-]/.test(zone)) return 0;
  const digits = zone.replace(':', '').padEnd(5, '0');
  const hours = Number(digits.slice(1, 3));
  const minutes = Number(digits.slice(3, 5));
  if (hours > 23 || minutes > 59) return null;
  const ms = (hours * 60 + minutes) * 60_000;
  return zone.startsWith('-') ? -ms : ms;
}

/** Milliseconds of a unit, and the precision of a time that is given in it. Months and years are 30 and 365 days. */
const UNITS: Record<string, readonly [ms: number, precision: TimePrecision]> = {
  s: [SECOND, 'minute'],
  m: [MINUTE, 'minute'],
  h: [HOUR, 'hour'],
  d: [DAY, 'day'],
  w: [7 * DAY, 'week'],
  mo: [30 * DAY, 'month'],
  y: [365 * DAY, 'year'],
};
const RELATIVE =
  /^(an?|\d{1,4}) ?(?:(s)(?:ec(?:ond)?s?)?|(m)(?:in(?:ute)?s?)?|(h)(?:ou)?r?s?|(d)(?:ay)?s?|(w)(?:ee)?k?s?|(mo)(?:nth)?s?|(y)(?:ea)?r?s?) ago$/i;

export type DatedTime = { at: string; precision: TimePrecision };

/**
 * A time in any format of {@link readTime}, or relative to when the response was received: `17 hours ago`, `an hour
 * ago`, `3d ago`, `yesterday`, `just now`. A relative time is the latest possible one, since services round down.
 */
export function readTimeOrAge(value: unknown, receivedAt: Date | undefined): DatedTime | null {
  const at = readTime(value);
  if (at !== null) return { at, precision: 'exact' };
  if (typeof value !== 'string' || value.length > 64 || receivedAt === undefined) return null;
  const text = value.trim().toLowerCase();
  const [, count = '', ...units] = RELATIVE.exec(WORDS.get(text) ?? text) ?? [];
  const [ms, precision] = UNITS[units.find((unit) => unit !== undefined) ?? ''] ?? [];
  if (ms === undefined || precision === undefined) return null;
  const past = toIsoText(receivedAt.getTime() - ms * (count.startsWith('a') ? 1 : Number(count)));
  return past === null ? null : { at: past, precision };
}

const WORDS = new Map([
  ['just now', '0 s ago'],
  ['now', '0 s ago'],
  ['yesterday', '1 d ago'],
]);
