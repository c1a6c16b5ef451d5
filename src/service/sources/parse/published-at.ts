/**
 * Parses the publication times of sources, as lenient readers do: ISO 8601 and RFC 822 with their common mistakes, dates
 * of `asctime`, of other languages and of 12-hour clocks. What is ambiguous (`05/06/2026`) or incomplete (`2026-11`) is
 * unknown, since a wrong time is worse than none.
 */
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { findMonth, findZoneOffsetMs, foldWord } from './date-names.ts';

/** Longer texts are no dates. */
const MAX_LENGTH = 120;
/** `(UTC)`, `(Coordinated Universal Time)`, `[Europe/Berlin]`. */
const COMMENT = /\([^()]{0,60}\)|\[[^[\]]{0,60}\]/g;
/** Seconds or milliseconds since 1970: nine to ten digits reach from 1973 to 2286. */
const SINCE_1970 = /^(\d{9,10})(\d{3})?$/;

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?=$|[T\s_,])|^(\d{4})(\d\d)(\d\d)(?=$|[T\s_])/i;
const EAST_ASIAN = /^(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]/;
/** `21.11.2026`; with other marks, only if one of the numbers cannot be a month. */
const YEAR_LAST = /(?:^|[\s,])(\d{1,2})([-/.])\s?(\d{1,2})\2\s?(\d{4})(?=$|[\s,])/;
const CLOCK = /(?:^|[T\s,_])(\d{1,2})[:h](\d\d)(?::(\d\d)(?:[.,](\d{1,20}))?)?(?=$|[^\d:])/i;
const COMPACT_CLOCK = /^T(\d\d)(\d\d)(\d\d)?(?:[.,](\d{1,20}))?(?=$|[^\d:])/i;
const HOUR_ALONE = /(?:^|[T\s,])(\d{1,2})()()()(?=\s?(?:[ap]\.?m\b|uhr|z$))/i;
/** Words between the parts of a date: `21 de noviembre de 2026 a las 10:00`, `21. November 2026, 10:00 Uhr`. */
const FILLERS = new Set(
  'at of on the de del den der die le el il o om um kl klo uhr a as às à las h г года р'.split(' '),
);

/** The parts of a date so far, and the text that is left to read. */
type Read = { year: number; month: number; day: number; rest: string };

/**
 * The time that a text names, without the weekday, which is not checked. A time without a zone is UTC; a date is its
 * midnight; two-digit years are 1970 to 2069. Undefined for what is no date, and for days that do not exist.
 */
export function parsePublishedAt(text: string | undefined): Date | undefined {
  if (text === undefined || text.length > MAX_LENGTH) return undefined;
  const line = text
    .normalize('NFKC')
    .replace(COMMENT, ' ')
    .replace(/[\s\u200e\u200f]+/g, ' ')
    .trim();
  const [, seconds, milliseconds = '0'] = SINCE_1970.exec(line) ?? [];
  if (seconds !== undefined) return toDate(Number(seconds) * SECOND + Number(milliseconds));
  const date = readNumericDate(line) ?? readNamedDate(line);
  return date && toInstant(date);
}

function readNumericDate(line: string): Read | undefined {
  const first = EAST_ASIAN.exec(line) ?? YEAR_FIRST.exec(line);
  if (first !== null) {
    const [whole, ...parts] = first;
    const numbers = parts.filter((part) => /^\d+$/.test(part ?? '')).map(Number);
    const [year = 0, month = 0, day = 0] = numbers;
    return { year, month, day, rest: line.slice(whole.length) };
  }
  const last = YEAR_LAST.exec(line);
  if (last === null) return undefined;
  const [whole, a = '', mark, b = '', year] = last;
  const isDayFirst = mark === '.' || Number(a) > 12;
  if (!isDayFirst && Number(b) <= 12) return undefined;
  const [day, month] = isDayFirst ? [a, b] : [b, a];
  const around = `${line.slice(0, last.index)} ${line.slice(last.index + whole.length)}`;
  return { year: Number(year), month: Number(month), day: Number(day), rest: around };
}

/** `Sat, 21 Nov 2026 10:00`, `Nov 21, 2026`, `Sat Nov 21 10:00:00 2026`, `21-Nov-26`: the clock is left to read. */
function readNamedDate(line: string): Read | undefined {
  const clock = CLOCK.exec(line);
  const before = clock === null ? line : line.slice(0, clock.index);
  const behind = clock === null ? '' : line.slice(clock.index + clock[0].length);
  const words = [...before.split(SEPARATORS), MARK, ...behind.split(SEPARATORS)].filter(
    (word) => word !== '',
  );
  // The last: in several languages, a weekday is abbreviated like a month.
  const place = words.findLastIndex((word) => findMonth(foldWord(word)) !== undefined);
  if (place === -1) return undefined;
  const numbers = words.flatMap((word, i) => {
    const digits = /^'?(\d{1,4})(?:st|nd|rd|th|er|º|ª|o|\.)?$/i.exec(word)?.[1];
    return digits === undefined ? [] : [{ i, digits }];
  });
  const [first, second] = numbers;
  if (first === undefined || second === undefined) return undefined;
  const isYearFirst = first.digits.length === 4;
  const [day, year] = isYearFirst ? [second, first] : [first, second];
  if (day.digits.length > 2 || year.digits.length === 1 || year.digits.length === 3) return undefined;
  const century = year.digits.length === 4 ? 0 : Number(year.digits) < 70 ? 2000 : 1900;
  const used = new Set([place, day.i, year.i]);
  const firstUsed = Math.min(...used);
  // What stands before the date is the weekday, in whatever language.
  const left = words.filter(
    (word, i) => !used.has(i) && (i > firstUsed || !/^\p{L}[\p{L}\p{M}.]*$/u.test(word)),
  );
  return {
    year: century + Number(year.digits),
    month: findMonth(foldWord(words[place] ?? '')) ?? 0,
    day: Number(day.digits),
    rest: left.map((word) => (word === MARK ? (clock?.[0] ?? '') : word)).join(' '),
  };
}

/** Between words; a dash or slash only between a number and a month: `21-Nov-2026`, but `+01:00` and `Europe/Berlin`. */
const SEPARATORS = /[\s,]+|(?<=\d)[-/.](?=\p{L})|(?<=\p{L})[-/.](?=\d{2,4}(?:$|[\s,]))/u;
/** Stands for the clock among the words of a date. */
const MARK = '\u0000';

function toInstant({ year, month, day, rest }: Read): Date | undefined {
  const midnight = Date.UTC(year, month - 1, day);
  const { 0: shown } = new Date(Number.isNaN(midnight) ? 0 : midnight).toISOString().split('T');
  // `Date.UTC` rolls over to the next month.
  if (shown !== [String(year).padStart(4, '0'), pad(month), pad(day)].join('-')) return undefined;
  const clock = CLOCK.exec(rest) ?? COMPACT_CLOCK.exec(rest) ?? HOUR_ALONE.exec(rest);
  const around =
    clock === null ? rest : `${rest.slice(0, clock.index)} ${rest.slice(clock.index + clock[0].length)}`;
  const timeMs = readClock(clock, around);
  if (timeMs === undefined) return undefined;
  const zones = around
    .toLowerCase()
    .replace(/(?<![\p{L}/])[ap]\.?m\.?(?![\p{L}/])/u, ' ')
    .replace(/\b(utc|gmt) ?([+-]) ?(?=\d)/, '$1$2')
    .split(/[\s,]+/)
    .filter((word) => word !== '' && !FILLERS.has(foldWord(word)));
  const local = midnight + timeMs;
  const offsets = zones.map((zone) => findZoneOffsetMs(zone, local));
  // `+0000 GMT` names its zone twice; an unknown word may be a zone as well.
  const [offset = 0] = offsets;
  return offsets.includes(undefined) ? undefined : toDate(local - offset);
}

/** @returns milliseconds since midnight, up to a whole day for `24:00`; undefined for times that do not exist */
function readClock(clock: RegExpExecArray | null, around: string): number | undefined {
  if (clock === null) return 0;
  const [, hours, minutes = '', seconds = '', fraction = ''] = clock;
  const half = /(?<![\p{L}/])([ap])\.?m\.?(?![\p{L}/])/iu.exec(around)?.[1]?.toLowerCase();
  const given = Number(hours);
  const hour = half === undefined || given > 12 ? given : (given % 12) + (half === 'p' ? 12 : 0);
  // A leap second counts as the second before it.
  const second = Math.min(Number(seconds), 59);
  if (hour > 24 || Number(minutes) > 59 || Number(seconds) > 60) return undefined;
  const ms =
    hour * HOUR +
    Number(minutes) * MINUTE +
    second * SECOND +
    Math.floor(Number(`0.${fraction || '0'}`) * 1_000);
  return ms > DAY ? undefined : ms;
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}

function toDate(ms: number): Date | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
