/**
 * Parses the publication times of sources, as lenient readers do: ISO 8601 and RFC 822 with their common mistakes, dates
 * of `asctime`, of other languages and of 12-hour clocks. What is ambiguous (`05/06/2026`) or incomplete (`2026-11`) is
 * unknown, since a wrong time is worse than none.
 */
import { DAY, HOUR, MINUTE, SECOND } from '../../../lib/time.ts';
import { findMonth, findZoneOffsetMs, foldWord } from './date-names.ts';

/** Longer texts are no dates. */
const MAX_LENGTH = 120;
/** `(UTC)`, `(Coordinated Universal Time)`, `[Europe/Berlin]`. */
const COMMENT = /\([^()]{0,60}\)|\[[^[\]]{0,60}\]/g;
/** Seconds since 1970, or thousandths, millionths, billionths of them: nine to ten digits reach from 1973 to 2286. */
const SINCE_1970 = /^@?(\d{9,10})(?:\.?(\d{3})(?:\d{3}){0,2}|\.\d{0,20})?$/;
/** A label or a weekday before a date that begins with its year: `Published: 2026-11-21`, `Sat, 2026-11-21`. */
const WORD_BEFORE =
  /^\p{L}[\p{L}\p{M}.]{1,20}[:,.] ?(?=\d{4})|^(?:sun|mon|tue|wed|thu|fri|sat)[a-z]{0,6} (?=\d{4})|^(?:published|updated|posted|date): /iu;

const YEAR_FIRST =
  /^(\d{4})([-/.]) ?(\d{1,2})\2 ?(\d{1,2})\.?(?=$|[T\s_,])|^(\d{4})(\d\d)(\d\d)(?=$|[T\s_]|\d{6}$)/i;
const EAST_ASIAN = /^(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]/;
/** `21.11.2026`; with other marks, only if one of the numbers cannot be a month. */
const YEAR_LAST = /(?:^|[\s,])(\d{1,2})([-/.])\s?(\d{1,2})\2\s?(\d{4})(?=$|[\s,])/;
const CLOCK = /(?:^|[T\s,_])(\d{1,2})(?:[:h](\d\d)|:(\d)(?=:))(?::(\d\d?)(?:[.,:](\d{1,20}))?)?(?=$|[^\d:])/i;
/** `10.00`, `10.00.30`: not `21.11` of a date. */
const DOTTED_CLOCK = /(?:^|\s)(\d{1,2})\.(\d\d)()(?:\.(\d\d))?()(?=$|\s(?!\d)|,)/;
const COMPACT_CLOCK = /^[T ]?(\d\d)(\d\d)()(\d\d)?(?:[.,](\d{1,20}))?(?=$|[^\d:])/i;
const HOUR_ALONE = /(?:^|[T\s,])(\d{1,2})()()()()(?=\s?(?:[ap]\.?m\b|uhr|z$))/i;
/** Words between the parts of a date: `21 de noviembre de 2026 a las 10:00`, `21. November 2026, 10:00 Uhr`. */
const FILLERS = new Set(
  'at of on the de del den der die le el il o om um kl klo uhr a as às à las h ore saat v ve в о г года р г. - – — | ·'.split(
    ' ',
  ),
);
/** Clocks and weekdays of East Asia, as the parts that are read: `下午6時30分` is `pm 6:30`. */
const EAST_ASIAN_CLOCK: readonly (readonly [RegExp, string])[] = [
  [/(?:上午|午前|오전) ?/, ' am '],
  [/(?:下午|午後|오후) ?/, ' pm '],
  [/(?:星期|周|週)[一二三四五六日天]|[月火水木金土日]曜日?|[월화수목금토일]요일/, ' '],
  [/(\d{1,2}) ?[時时點点시] ?(?:(\d{1,2}) ?[分분])?(?: ?(\d{1,2}) ?[秒초])?/, '$1:$2:$3'],
];
/** Names of zones in words. A region's own time decides whether it is summer there. */
const ZONE_IN_WORDS = /\b(eastern|central|mountain|pacific) (?:(?:standard|daylight) )?time\b/g;

/** The parts of a date so far, and the text that is left to read. */
type Read = { year: number; month: number; day: number; rest: string };

/**
 * The time that a text names, without the weekday, which is not checked. A time without a zone is UTC; a date is its
 * midnight; two-digit years are 1970 to 2069. Undefined for what is no date, and for days that do not exist.
 */
export function parsePublishedAt(text: string | undefined): Date | undefined {
  if (text === undefined || text.length > MAX_LENGTH) return undefined;
  const line = toAsciiDigits(text.normalize('NFKC'))
    .replace(COMMENT, ' ')
    .replace(/[\s\u200e\u200f]+/g, ' ')
    .trim()
    .replace(/^["'«]|["'»;]$/g, '')
    .trim()
    .replace(WORD_BEFORE, '');
  const [, seconds, milliseconds = '0'] = SINCE_1970.exec(line) ?? [];
  if (seconds !== undefined) return toDate(Number(seconds) * SECOND + Number(milliseconds));
  const date = readNumericDate(line) ?? readNamedDate(line);
  return date && toInstant(date);
}

/** Digits of Arabic, Persian and Indian scripts. */
function toAsciiDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    let zero = code;
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && code - zero < 9) zero -= 1;
    return String(code - zero);
  });
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
  // What stands before the date is the weekday, in whatever language, unless it is the clock.
  const before = line.slice(0, last.index);
  const around = `${/^[\p{L}\p{M}., ]*$/u.test(before) ? '' : before} ${line.slice(last.index + whole.length)}`;
  return { year: Number(year), month: Number(month), day: Number(day), rest: around };
}

/** `Sat, 21 Nov 2026 10:00`, `Nov 21, 2026`, `Sat Nov 21 10:00:00 2026`, `21-Nov-26`: the clock is left to read. */
function readNamedDate(line: string): Read | undefined {
  const clock = CLOCK.exec(line) ?? DOTTED_CLOCK.exec(line);
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
  const dateStart = Math.min(...used);
  const clockAt = words.indexOf(MARK);
  const left = words.filter((word, i) => {
    if (used.has(i)) return false;
    if (!/^\p{L}[\p{L}\p{M}.]*$/u.test(word)) return true;
    // A zone stands behind the clock. What stands before it is the weekday, in whatever language.
    const isBehindClock = clock === null ? i > dateStart : i > clockAt;
    return isBehindClock && (i > dateStart || isZoneOrHalf(word));
  });
  return {
    year: century + Number(year.digits) - (isThai(line, year.digits) ? THAI_ERA : 0),
    month: findMonth(foldWord(words[place] ?? '')) ?? 0,
    day: Number(day.digits),
    rest: left.map((word) => (word === MARK ? (clock?.[0] ?? '') : word)).join(' '),
  };
}

function isZoneOrHalf(word: string): boolean {
  return /^[ap]\.?m\.?$/i.test(word) || findZoneOffsetMs(word.toLowerCase(), 0) !== undefined;
}

/** Years of the Thai calendar are ahead by so many. */
const THAI_ERA = 543;

function isThai(line: string, year: string): boolean {
  return Number(year) > 2_400 && /\p{Script=Thai}/u.test(line);
}

/** Between words; a dash or slash only between a number and a month: `21-Nov-2026`, but `+01:00` and `Europe/Berlin`. */
const SEPARATORS = /[\s,]+|(?<=\d)[-/.](?=\p{L})|(?<=\p{L})(?<!\b(?:gmt|utc?))[-/.](?=\d{2,4}(?:$|[\s,]))/iu;
/** Stands for the clock among the words of a date. */
const MARK = '\u0000';

function toInstant({ year, month, day, rest }: Read): Date | undefined {
  const midnight = Date.UTC(year, month - 1, day);
  const { 0: shown } = new Date(Number.isNaN(midnight) ? 0 : midnight).toISOString().split('T');
  // `Date.UTC` rolls over to the next month.
  if (shown !== [String(year).padStart(4, '0'), pad(month), pad(day)].join('-')) return undefined;
  const time = EAST_ASIAN_CLOCK.reduce((text, [pattern, by]) => text.replace(pattern, by), rest).replace(
    /:{1,2}(?=$|[\s,])/,
    (colons) => (colons === '::' ? ':00' : ''),
  );
  const clock =
    CLOCK.exec(time) ?? COMPACT_CLOCK.exec(time) ?? DOTTED_CLOCK.exec(time) ?? HOUR_ALONE.exec(time);
  const around =
    clock === null ? time : `${time.slice(0, clock.index)} ${time.slice(clock.index + clock[0].length)}`;
  const timeMs = readClock(clock, around);
  if (timeMs === undefined) return undefined;
  const zones = around
    .toLowerCase()
    .replace(/(?<![\p{L}/])[ap]\.?m\.?(?![\p{L}/])/u, ' ')
    .replace(ZONE_IN_WORDS, (_, coast: string) => `${coast[0]}t`)
    .replace(/\b(utc|gmt) ?([+-]) ?(?=\d)/, '$1$2')
    .replace(/([+-]) (?=\d\d:?\d\d\b)/, '$1')
    .replace(/([+-]\d\d:?\d\d|z)z(?![\p{L}])/u, '$1')
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
  const [, hours, twoDigits = '', oneDigit = '', seconds = '', fraction = ''] = clock;
  const minutes = twoDigits || oneDigit;
  const half = /(?<![\p{L}/])([ap])\.?m\.?(?![\p{L}/])/iu.exec(around)?.[1]?.toLowerCase();
  const shownHour = Number(hours);
  const hour = half === undefined || shownHour > 12 ? shownHour : (shownHour % 12) + (half === 'p' ? 12 : 0);
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
