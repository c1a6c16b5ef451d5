/**
 * Cron expressions with exactly five fields. A library parses each item of a field, but this parser is stricter, because the
 * library's leniency would cost money: it completes four fields to "every minute" and reads a sixth as seconds.
 */
import { CronExpressionParser } from 'cron-parser';
import { InvalidInput, type Problem } from '../../model/errors.ts';

/** A parsed cron expression. */
export type Cron = {
  /** Times of day, in minutes since midnight, ascending. */
  readonly times: readonly number[];
  readonly months: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  /** Days of the week, Sunday is 0. */
  readonly weekdays: ReadonlySet<number>;
  /** Neither day field begins with `*`, so a date matches if either does (as in Vixie cron). */
  readonly eitherDay: boolean;
  /** Minutes or hours contain `*` or a step: a rhythm, not a time of day. */
  readonly rhythm: boolean;
};

const MONTHS = 'JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC';
const WEEKDAYS = 'SUN|MON|TUE|WED|THU|FRI|SAT';

const FIELDS = [
  { name: 'minute', member: 'minute', min: 0, max: 59, shape: buildItemPattern('') },
  { name: 'hour', member: 'hour', min: 0, max: 23, shape: buildItemPattern('') },
  { name: 'day of month', member: 'dayOfMonth', min: 1, max: 31, shape: buildItemPattern('') },
  { name: 'month', member: 'month', min: 1, max: 12, shape: buildItemPattern(MONTHS) },
  { name: 'day of week', member: 'dayOfWeek', min: 0, max: 7, shape: buildItemPattern(WEEKDAYS) },
] as const;
type Field = (typeof FIELDS)[number];

/** Longest expression; even one that lists every value of every field is shorter. */
const MAX_CRON_LENGTH = 500;

/** Shorthands of other cron implementations, with what to write instead. */
const SHORTHANDS: Readonly<Record<string, string>> = {
  '@hourly': 'write 0 * * * *',
  '@daily': 'write 0 0 * * *',
  '@midnight': 'write 0 0 * * *',
  '@weekly': 'write 0 0 * * 0',
  '@monthly': 'write 0 0 1 * *',
  '@yearly': 'write 0 0 1 1 *',
  '@annually': 'write 0 0 1 1 *',
  '@every': 'use an interval instead, such as 15m',
};

/** Days of each month in a leap year. */
const MAX_DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** The stored form of an expression: its five fields, separated by one space. */
export function normalizeCron(text: string): string {
  return splitFields(text).join(' ');
}

/**
 * Parses an expression with five fields: minute, hour, day of month, month, day of week.
 * @throws InvalidInput naming each invalid item, or if no date matches
 */
export function parseCron(text: string): Cron {
  if (text.length > MAX_CRON_LENGTH) {
    throw new InvalidInput([
      { path: 'cron', given: text, expected: `at most ${MAX_CRON_LENGTH} characters` },
    ]);
  }
  const written = splitFields(text);
  if (written.length !== FIELDS.length || /[\r\n]/.test(text)) {
    const shorthand = SHORTHANDS[written[0]?.toLowerCase() ?? ''];
    const expected = shorthand ?? 'five fields: minute, hour, day of month, month, day of week';
    throw new InvalidInput([{ path: 'cron', given: text, expected }]);
  }
  const problems: Problem[] = [];
  const [minutes, hours, days, months, weekdays] = FIELDS.map((field, at) =>
    parseField(field, at, written[at] ?? '', problems),
  );
  if (!minutes || !hours || !days || !months || !weekdays || problems.length > 0) {
    throw new InvalidInput(problems);
  }
  const cron = {
    times: sortAscending(hours).flatMap((hour) => sortAscending(minutes).map((minute) => hour * 60 + minute)),
    months,
    days,
    weekdays: new Set([...weekdays].map((day) => day % 7)),
    eitherDay: !written[2]?.startsWith('*') && !written[4]?.startsWith('*'),
    rhythm: /[*/]/.test(`${written[0]} ${written[1]}`),
  };
  if (!hasAnyDate(cron)) {
    throw new InvalidInput([{ path: 'cron', given: text, expected: 'a day that one of its months has' }]);
  }
  return cron;
}

/** Cache of parsed expressions: parsing takes a fifth of a millisecond, and workers need them all the time. */
const parsedCrons = new Map<string, Cron>();

/** {@link parseCron} with a cache. */
export function parseCronCached(text: string): Cron {
  const cron = parsedCrons.get(text) ?? parseCron(text);
  if (parsedCrons.size >= 10_000) parsedCrons.clear();
  parsedCrons.set(text, cron);
  return cron;
}

/** Whether the expression matches this date; `day` counts days since 1970-01-01. */
export function matchesDay(cron: Cron, day: number): boolean {
  const date = new Date(day * 86_400_000);
  if (!cron.months.has(date.getUTCMonth() + 1)) return false;
  const byDay = cron.days.has(date.getUTCDate());
  const byWeekday = cron.weekdays.has(date.getUTCDay());
  return cron.eitherDay ? byDay || byWeekday : byDay && byWeekday;
}

function splitFields(text: string): string[] {
  return text.split(/[ \t]+/).filter((field) => field !== '');
}

/** Matches one item of a field's list: `*`, `5`, `1-5`, each with an optional step such as `/2`. */
function buildItemPattern(names: string): RegExp {
  const value = names === '' ? String.raw`\d{1,2}` : String.raw`(?:\d{1,2}|${names})`;
  return new RegExp(String.raw`^(?:\*|${value}(?:-${value})?)(?:/(?<step>\d{1,2}))?$`, 'i');
}

/** The values of one field. Items are parsed one by one, so that lists may overlap (`1-5,3`). */
function parseField(field: Field, at: number, written: string, problems: Problem[]): Set<number> {
  const values = new Set<number>();
  for (const part of written.split(',')) {
    const read = parseItem(field, at, part);
    if (read) for (const value of read) values.add(value);
    else problems.push({ path: `cron (${field.name})`, given: part, expected: describeAllowed(field) });
  }
  return values;
}

function parseItem(field: Field, at: number, part: string): number[] | undefined {
  const shape = field.shape.exec(part);
  const step = Number(shape?.groups?.['step'] ?? 1);
  if (!shape || step < 1 || step > field.max) return undefined;
  try {
    const whole = `0 ${FIELDS.map((_, i) => (i === at ? part : '*')).join(' ')}`;
    return CronExpressionParser.parse(whole).fields[field.member].values.map(Number);
  } catch {
    return undefined; // out of range or reversed; the library's message names neither field nor item
  }
}

function describeAllowed(field: Field): string {
  const names = { month: ', or JAN to DEC', 'day of week': ' (0 and 7 are Sunday), or SUN to SAT' };
  const also = field.name === 'month' || field.name === 'day of week' ? names[field.name] : '';
  return `${field.min} to ${field.max}${also}; as *, 5, 1-5 or */2, joined by commas`;
}

/** False for a date such as February 30. If either day field is enough, some weekday always matches. */
function hasAnyDate(cron: Omit<Cron, 'times' | 'rhythm'>): boolean {
  if (cron.eitherDay) return true;
  const first = Math.min(...cron.days);
  return [...cron.months].some((month) => first <= (MAX_DAYS_IN_MONTH[month - 1] ?? 0));
}

function sortAscending(values: ReadonlySet<number>): number[] {
  return [...values].sort((a, b) => a - b);
}
