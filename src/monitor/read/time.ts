/**
 * Points in time as they stand on the wire, to ISO text in UTC with milliseconds, or null. Written by
 * hand: `Date.parse` reads `"0"` as the year 2000, rolls 30 February over, and takes a time without a zone
 * to be local.
 */
const YEAR_10000_MS = 253_402_300_800_000;
/** A number below this is no epoch time; from 1973 on in seconds, and the same again in milliseconds. */
const SECONDS_MIN = 100_000_000;
const MILLISECONDS_MIN = 100_000_000_000;

/** ISO text of a time between 1970 and 9999, in any of the forms that were seen; otherwise null. */
export function readTime(value: unknown): string | null {
  const ms = milliseconds(value);
  return ms === null || !(ms >= 0 && ms < YEAR_10000_MS) ? null : new Date(ms).toISOString();
}

function milliseconds(value: unknown): number | null {
  if (typeof value === 'number') return fromEpoch(value);
  if (typeof value !== 'string' || value.length > 64) return null;
  const text = value.trim();
  return fromIso(text) ?? fromOldStyle(text) ?? (/^\d{9,15}$/.test(text) ? fromEpoch(Number(text)) : null);
}

/** Seconds or milliseconds since 1970; the size says which. Zero is a placeholder, not a time. */
function fromEpoch(n: number): number | null {
  if (!(n >= SECONDS_MIN)) return null;
  return Math.floor(n < MILLISECONDS_MIN ? n * 1_000 : n);
}

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*([Zz]|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/;

/** `2025-06-11T23:41:09.000Z`, with an offset, with a blank for the T, without a zone (then UTC), or a day. */
function fromIso(text: string): number | null {
  const match = ISO.exec(text);
  if (!match) return null;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match;
  const whole = utc(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour ?? 0),
    Number(minute ?? 0),
    Number(second ?? 0),
  );
  const offset = offsetMs(zone);
  if (whole === null || offset === null) return null;
  return whole + Number(fraction.slice(0, 3).padEnd(3, '0')) - offset;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const OLD_STYLE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) (\d{1,2}) (\d\d):(\d\d):(\d\d) ([+-]\d{4}) (\d{4})$/;

/** `Wed Oct 10 20:19:24 +0000 2018`, in English. */
function fromOldStyle(text: string): number | null {
  const match = OLD_STYLE.exec(text);
  if (!match) return null;
  const [, month = '', day, hour, minute, second, zone = '', year] = match;
  const whole = utc(
    Number(year),
    MONTHS.indexOf(month),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  const offset = offsetMs(zone);
  return whole === null || offset === null ? null : whole - offset;
}

/** Milliseconds of a date and time that exist; null for 30 February, 25:00 and a leap second. */
function utc(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number | null {
  if (year < 1969 || month < 0 || month > 11 || day < 1 || hour > 23 || minute > 59 || second > 59)
    return null;
  const ms = Date.UTC(year, month, day, hour, minute, second);
  return day <= 28 || new Date(ms).getUTCDate() === day ? ms : null;
}

function offsetMs(zone: string): number | null {
  if (!/^[+-]/.test(zone)) return 0;
  const digits = zone.replace(':', '').padEnd(5, '0');
  const hours = Number(digits.slice(1, 3));
  const minutes = Number(digits.slice(3, 5));
  if (hours > 23 || minutes > 59) return null;
  const ms = (hours * 60 + minutes) * 60_000;
  return zone.startsWith('-') ? -ms : ms;
}
