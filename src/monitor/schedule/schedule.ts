/** Schedules of searches, and how they are parsed. */

import { formatInterval } from '../../lib/format-interval.ts';
import type { Operation } from '../../model/enumerations.ts';
import { collectProblems, InvalidInput, type Problem } from '../../model/errors.ts';
import { HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import type { ScheduleColumns } from '../../store/topics/search-states.ts';
import { normalizeCron, parseCron } from './cron.ts';
import { parseZone } from './time-zone.ts';

/**
 * Local times (`cron`: five fields; `tz`: a name of {@link parseZone}), or an interval: every `seconds`, at instants whose
 * seconds since 1970 have the remainder `phase`.
 */
export type Schedule =
  | { readonly kind: 'cron'; readonly cron: string; readonly tz: string }
  | { readonly kind: 'every'; readonly seconds: number; readonly phase: number };

/** An interval that adapts to what responses show; see `pace.ts`. */
export type AdaptiveSchedule = {
  readonly kind: 'auto';
  /** Bounds of the interval. */
  readonly leastMs: number;
  readonly mostMs: number;
  /** Its calls in any 24 hours; null: the default, which depends on its service. */
  readonly callsPerDay: number | null;
};

export type SearchSchedule = Schedule | AdaptiveSchedule;

/** A schedule as written: `cron` (with `tz`, default UTC) or `every` (an interval or `auto`), and the slug of the search. */
export type WrittenSchedule = {
  cron?: string | undefined;
  tz?: string | undefined;
  every?: string | undefined;
  slug: string;
};

/**
 * Parses a schedule as written by a person; `auto` is an adaptive interval.
 * @throws InvalidInput with all problems, and what to write instead
 */
export function parseSearchSchedule(written: WrittenSchedule): SearchSchedule {
  const { cron, tz, every } = written;
  if (every === undefined || cron !== undefined || !/^\s*auto/i.test(every)) return parseSchedule(written);
  const problems = checkNoZone(tz);
  const schedule = collectProblems(problems, () => parseAdaptive(every), DEFAULT_ADAPTIVE);
  if (problems.length > 0) throw new InvalidInput(problems);
  return schedule;
}

/** Parses a fixed schedule as written by a person. @throws InvalidInput with all problems, and what to write instead */
export function parseSchedule({ cron, tz, every, slug }: WrittenSchedule): Schedule {
  if ((cron === undefined) === (every === undefined)) {
    const both = cron === undefined ? undefined : `${cron} and ${every}`;
    throw new InvalidInput([
      { path: 'schedule', given: both, expected: 'a cron expression or an interval, not both' },
    ]);
  }
  const problems = every === undefined ? [] : checkNoZone(tz);
  const schedule = every === undefined ? parseCronSchedule(cron ?? '', tz ?? 'UTC', problems) : readEvery();
  if (problems.length > 0) throw new InvalidInput(problems);
  return schedule;

  function readEvery(): Schedule {
    const seconds = collectProblems(problems, () => parseInterval(every ?? ''), MIN_INTERVAL_SECONDS);
    return { kind: 'every', seconds, phase: computePhase(slug, seconds) };
  }
}

function checkNoZone(tz: string | undefined): Problem[] {
  return tz === undefined ? [] : [{ path: 'tz', given: tz, expected: 'no time zone: intervals have none' }];
}

function parseCronSchedule(cron: string, tz: string, problems: Problem[]): Schedule {
  collectProblems(problems, () => parseCron(cron), undefined);
  return {
    kind: 'cron',
    cron: normalizeCron(cron),
    tz: collectProblems(problems, () => parseZone(tz), 'UTC'),
  };
}

/** Shortest interval: each run costs money. */
const MIN_INTERVAL_SECONDS = 60;
/** Longest interval: a leap year. */
const MAX_INTERVAL_SECONDS = 366 * 86_400;

const INTERVAL_PATTERN = /^(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,7})m)?(?:(\d{1,9})s)?$/;

/**
 * Parses an interval such as `90s`, `15m`, `1h30m` or `7d` into seconds.
 * @throws InvalidInput also if it is under a minute or over 366 days
 */
export function parseInterval(text: string): number {
  const [whole, days, hours, minutes, seconds] = INTERVAL_PATTERN.exec(text.trim().toLowerCase()) ?? [];
  const total =
    Number(days ?? 0) * 86_400 +
    Number(hours ?? 0) * 3_600 +
    Number(minutes ?? 0) * 60 +
    Number(seconds ?? 0);
  if (whole === undefined || whole === '')
    throw refuseInterval(text, 'an interval such as 90s, 15m, 1h30m or 7d, or auto');
  if (total < MIN_INTERVAL_SECONDS) throw refuseInterval(text, 'an interval of at least 60s');
  if (total > MAX_INTERVAL_SECONDS) throw refuseInterval(text, 'an interval of at most 366d');
  return total;
}

/** The default interval of a new search: 96 and 24 calls a day at most. */
export const DEFAULT_EVERY = { microblog: 'auto', ai: '1h' } as const satisfies Record<Operation, string>;

/** Bounds if none are written. */
const DEFAULT_ADAPTIVE: AdaptiveSchedule = {
  kind: 'auto',
  leastMs: 2 * MINUTE,
  mostMs: 6 * HOUR,
  callsPerDay: null,
};

const ADAPTIVE_PATTERN = /^auto(?: +([\ddhms]+) *- *([\ddhms]+))?(?: +(\d{1,6})\/day)?$/;

/**
 * Parses `auto`, `auto 5m-2h`, `auto 48/day` or `auto 5m-2h 48/day`: the bounds of the interval, and its calls per day.
 * @throws InvalidInput
 */
export function parseAdaptive(text: string): AdaptiveSchedule {
  const [whole, least, most, calls] = ADAPTIVE_PATTERN.exec(text.trim().toLowerCase()) ?? [];
  const form = 'auto, or auto with bounds and calls per day, such as auto 5m-2h 48/day';
  if (whole === undefined) throw refuseInterval(text, form);
  const leastMs = least === undefined ? DEFAULT_ADAPTIVE.leastMs : parseInterval(least) * SECOND;
  const mostMs = most === undefined ? DEFAULT_ADAPTIVE.mostMs : parseInterval(most) * SECOND;
  if (leastMs > mostMs) throw refuseInterval(text, `${form}, the shorter interval first`);
  const callsPerDay = calls === undefined ? null : Number(calls);
  if (callsPerDay === 0) throw refuseInterval(text, `${form}, with at least one call`);
  return { kind: 'auto', leastMs, mostMs, callsPerDay };
}

/** The stored form of a schedule. */
export function toScheduleColumns(schedule: SearchSchedule): ScheduleColumns {
  switch (schedule.kind) {
    case 'cron':
      return { cron: schedule.cron, every_seconds: null, auto: null, tz: schedule.tz };
    case 'every':
      return { cron: null, every_seconds: schedule.seconds, auto: null, tz: 'UTC' };
    case 'auto':
      return { cron: null, every_seconds: null, auto: writeAdaptive(schedule), tz: 'UTC' };
  }
}

function writeAdaptive({ leastMs, mostMs, callsPerDay }: AdaptiveSchedule): string {
  const isUsual = leastMs === DEFAULT_ADAPTIVE.leastMs && mostMs === DEFAULT_ADAPTIVE.mostMs;
  const bounds = isUsual ? '' : ` ${formatInterval(leastMs / SECOND)}-${formatInterval(mostMs / SECOND)}`;
  return `auto${bounds}${callsPerDay === null ? '' : ` ${callsPerDay}/day`}`;
}

/** The value of `every` as people write it; undefined for a cron expression. */
export function writeEvery({ every_seconds, auto }: ScheduleColumns): string | undefined {
  return auto ?? (every_seconds === null ? undefined : formatInterval(every_seconds));
}

/** An interval in words: `15 minutes`, `1 hour 30 minutes`, `day`. */
export function describeInterval(seconds: number): string {
  const parts = [
    formatCount(Math.floor(seconds / 86_400), 'day'),
    formatCount(Math.floor(seconds / 3_600) % 24, 'hour'),
    formatCount(Math.floor(seconds / 60) % 60, 'minute'),
    formatCount(seconds % 60, 'second'),
  ].filter((part) => part !== '');
  return parts.length === 1 ? (parts[0] ?? '').replace(/^1 /, '') : parts.join(' ');
}

/**
 * The offset of a search within its interval, in seconds and whole milliseconds: `0 <= phase < seconds`. It is a hash of the slug
 * (FNV-1a with a finalizer), so that hourly searches do not all run at the same time, and a search runs at the same instants
 * after every restart.
 */
export function computePhase(slug: string, seconds: number): number {
  let hash = 0x81_1c_9d_c5;
  for (const byte of Buffer.from(slug)) hash = Math.imul(hash ^ byte, 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  const whole = ((hash ^ (hash >>> 16)) >>> 0) % seconds;
  const thousandths = (Math.imul(hash, 0x9e_37_79_b1) >>> 12) % 1_000;
  return (whole * 1_000 + thousandths) / 1_000;
}

function formatCount(n: number, unit: string): string {
  if (n === 0) return '';
  return n === 1 ? `1 ${unit}` : `${n} ${unit}s`;
}

function refuseInterval(text: string, expected: string): InvalidInput {
  return new InvalidInput([{ path: 'every', given: text, expected }]);
}
