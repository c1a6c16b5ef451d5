/**
 * Values for people: counts, shares, money, sizes, and times in a time zone. Each format is made once, because making one
 * takes many times as long as using it.
 */

import { DAY, HOUR, MINUTE, SECOND } from './time.ts';

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** `1,235` */
export function formatWhole(value: number): string {
  return WHOLE.format(value);
}

/** `1,234.5`, `12` */
export function formatTenths(value: number): string {
  return TENTHS.format(value);
}

/** `1,234 posts`, `1 post` */
export function formatCount(n: number, singular: string, plural = `${singular}s`): string {
  const shown = formatTenths(n);
  return `${shown} ${shown === '1' ? singular : plural}`;
}

/** `12 %`; below ten percent with a decimal, so that a small share is not shown as zero: `0.4 %`, `< 0.1 %`. */
export function formatPercent(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.05) return '< 0.1 %';
  return `${percent > 0 && percent < 9.95 ? percent.toFixed(1) : Math.round(percent)} %`;
}

const USD = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });

/** `$12.50`; with four decimals where cents would say less: `$0.0125`. */
export function formatUsd(usd: number): string {
  return USD.format(usd);
}

/** `812 B`, `14 kB`, `2.1 MB`, `3.4 GB`. */
export function formatBytes(n: number): string {
  if (n < 1_000) return `${Math.round(n)} B`;
  if (n < 1_000_000) return `${Math.round(n / 1_000)} kB`;
  if (n < 1_000_000_000) return `${(n / 1_000_000).toFixed(1)} MB`;
  return `${(n / 1_000_000_000).toFixed(1)} GB`;
}

/** In the largest unit: `12 s`, `3 min`, `5 h`, `2 days`. */
export function formatDuration(ms: number): string {
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`;
  return `${Math.round(ms / DAY)} days`;
}

/**
 * Who reads a date: the time zone, and the present. A date shows its year unless that is the present one, in this zone. Text that
 * is stored or sent is read at any time: its present is null, and each of its dates has a year.
 */
export type DateReader = { zone: string; now: Date | null };

type ZoneFormats = Record<
  | 'minute'
  | 'minuteOfYear'
  | 'hour'
  | 'second'
  | 'weekday'
  | 'shortWeekday'
  | 'day'
  | 'dayOfYear'
  | 'year'
  | 'full'
  | 'offset'
  | 'exactOffset',
  Intl.DateTimeFormat
>;

/** By canonical zone name. Intl knows some six hundred, which bounds the map. */
const formatsByZone = new Map<string, ZoneFormats>();

/** The canonical zone name, or UTC if invalid. */
export function resolveZone(name: string | undefined): string {
  if (name === undefined || name.length > 64) return 'UTC';
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return 'UTC'; // cookies are untrusted
  }
}

const formatAs = (name: keyof ZoneFormats) => (at: Date, zone: string) => getFormats(zone)[name].format(at);

/** `14:05` */
export const formatTimeOfDay = formatAs('hour');
/** `14:05:09` */
export const formatTimeToSecond = formatAs('second');
/** `Saturday` */
export const formatWeekday = formatAs('weekday');
/** `Sat, 21 Nov 2026, 14:05:09 CET` */
export const formatFullTime = formatAs('full');

/** `21 Nov`; `20 Mar 2012` if that is not the present year. */
export function formatDay(at: Date, reader: DateReader): string {
  const formats = getFormats(reader.zone);
  return formats[isPresentYear(at, reader) ? 'dayOfYear' : 'day'].format(at);
}

/** `21 Nov, 14:05`; `20 Mar 2012, 05:44` if that is not the present year. */
export function formatMinute(at: Date, reader: DateReader): string {
  const formats = getFormats(reader.zone);
  return formats[isPresentYear(at, reader) ? 'minuteOfYear' : 'minute'].format(at);
}

/** `14:05`, or on another day `21 Nov, 14:05`. */
export function formatClock(at: Date, reader: DateReader): string {
  const minute = formatMinute(at, reader);
  const isToday = reader.now !== null && formatDay(at, reader) === formatDay(reader.now, reader);
  return isToday ? minute.slice(-5) : minute;
}

/** The minute with its weekday, or for whole days the day: `Sat, 21 Nov, 14:05`, `Sat, 21 Nov`. */
export function formatWithWeekday(at: Date, reader: DateReader, isDay: boolean): string {
  const date = isDay ? formatDay(at, reader) : formatMinute(at, reader);
  return `${getFormats(reader.zone).shortWeekday.format(at)}, ${date}`;
}

/** Whether readers know the year of a date that is shown without it. */
export function isPresentYear(at: Date, { zone, now }: DateReader): boolean {
  return now !== null && readYear(at, zone) === readYear(now, zone);
}

/** The year in a zone. Most times are more than a day from a new year, and in the same year everywhere. */
function readYear(at: Date, zone: string): number {
  const year = new Date(at.getTime() - DAY).getUTCFullYear();
  if (new Date(at.getTime() + DAY).getUTCFullYear() === year) return year;
  return Number(getFormats(zone).year.format(at));
}

/** `UTC`, `Europe/Berlin time`: sentences name their zone, because alerts, SQL and pages show them without context. */
export function nameZone(zone: string): string {
  return zone === 'UTC' ? zone : `${zone} time`;
}

/** Says what a day of UTC is to a reader: `Days are UTC; the current one began on 21 Nov, 01:00.` */
export function describeUtcDays(reader: { zone: string; now: Date }): string {
  return reader.zone === 'UTC'
    ? 'Days are UTC.'
    : `Days are UTC; the current one began on ${formatUtcMidnight(reader)}.`;
}

/** When the current day of UTC began: `21 Nov, 01:00`. */
export function formatUtcMidnight(reader: { zone: string; now: Date }): string {
  return formatMinute(new Date(Math.floor(reader.now.getTime() / DAY) * DAY), reader);
}

const formatOffsetAs = (name: 'offset' | 'exactOffset') => (at: Date, zone: string) => {
  const parts = getFormats(zone)[name].formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
};

/** `GMT+2`, to distinguish the two hours when the clock goes back. */
export const formatOffset = formatOffsetAs('offset');
const formatExactOffset = formatOffsetAs('exactOffset');

/** How far local time is ahead of UTC: as text (`+02:00`) and in milliseconds. Null where it is UTC. */
export function readExactOffset(at: Date, zone: string): { text: string; ms: number } | null {
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(formatExactOffset(at, zone)) ?? [];
  if (sign === undefined) return null;
  const ms = (Number(hours) * HOUR + Number(minutes) * MINUTE) * (sign === '-' ? -1 : 1);
  return { text: `${sign}${hours}:${minutes}`, ms };
}

function getFormats(zone: string): ZoneFormats {
  const known = formatsByZone.get(zone);
  if (known !== undefined) return known;
  const of = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options });
  const formats: ZoneFormats = {
    hour: of({ hour: '2-digit', minute: '2-digit' }),
    second: of({ hour: '2-digit', minute: '2-digit', second: '2-digit' }),
    weekday: of({ weekday: 'long' }),
    shortWeekday: of({ weekday: 'short' }),
    day: of({ day: 'numeric', month: 'short', year: 'numeric' }),
    dayOfYear: of({ day: 'numeric', month: 'short' }),
    year: of({ year: 'numeric' }),
    minute: of({ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' }),
    minuteOfYear: of({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }),
    full: of({
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'short',
    }),
    offset: of({ timeZoneName: 'shortOffset' }),
    exactOffset: of({ timeZoneName: 'longOffset' }),
  };
  formatsByZone.set(zone, formats);
  return formats;
}

/** `×27, 3 authors`; null for what has no copies. `authors` is null if none is known. */
export function formatCopies(item: {
  copies: number;
  authors: number | null;
  copies_at_least: boolean;
}): string | null {
  const { copies, authors, copies_at_least } = item;
  if (copies < 2) return null;
  const by = authors === null ? '' : `, ${formatCount(authors, 'author')}`;
  return `${copies_at_least ? 'at least ' : ''}×${formatWhole(copies)}${by}`;
}
