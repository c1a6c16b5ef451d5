/** When a search is due, and how what a person wrote about it is read. */

import { collectProblems, InvalidInput, type Problem } from '../../domain/errors.ts';
import { normalizeCron, parseCron } from './cron.ts';
import { parseZone } from './time-zone.ts';

/**
 * Times on a local clock (`cron`: five fields; `tz`: a name of {@link parseZone}), or a rhythm of real
 * time: every `seconds`, at those instants whose seconds since 1970 leave the remainder `phase`.
 */
export type Schedule =
  | { readonly kind: 'cron'; readonly cron: string; readonly tz: string }
  | { readonly kind: 'every'; readonly seconds: number; readonly phase: number };

/** What a person wrote: `cron` (with `tz`, otherwise UTC) or `every`, and the search's slug. */
export type WrittenSchedule = {
  cron?: string | undefined;
  tz?: string | undefined;
  every?: string | undefined;
  slug: string;
};

/**
 * Reads a schedule that a person wrote.
 * @throws InvalidInput with everything that is wrong with it, and what to write instead.
 */
export function parseSchedule({ cron, tz, every, slug }: WrittenSchedule): Schedule {
  if ((cron === undefined) === (every === undefined)) {
    const given = cron === undefined ? undefined : { cron, every };
    throw new InvalidInput([
      { path: 'schedule', given, expected: 'either a cron expression or an interval' },
    ]);
  }
  const problems: Problem[] = [];
  const schedule = every === undefined ? parseCronSchedule(cron ?? '', tz ?? 'UTC', problems) : readEvery();
  if (problems.length > 0) throw new InvalidInput(problems);
  return schedule;

  function readEvery(): Schedule {
    if (tz !== undefined) problems.push({ path: 'tz', given: tz, expected: 'none: an interval has no zone' });
    const seconds = collectProblems(problems, () => parseInterval(every ?? ''), MIN_INTERVAL_SECONDS);
    return { kind: 'every', seconds, phase: computePhase(slug, seconds) };
  }
}

function parseCronSchedule(cron: string, tz: string, problems: Problem[]): Schedule {
  collectProblems(problems, () => parseCron(cron), undefined);
  return {
    kind: 'cron',
    cron: normalizeCron(cron),
    tz: collectProblems(problems, () => parseZone(tz), 'UTC'),
  };
}

/** Shortest interval: a search costs money each time. */
const MIN_INTERVAL_SECONDS = 60;
/** Longest interval: a leap year. */
const MAX_INTERVAL_SECONDS = 366 * 86_400;

const INTERVAL_PATTERN = /^(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,7})m)?(?:(\d{1,9})s)?$/;

/**
 * Reads an interval such as `90s`, `15m`, `1h30m` or `7d` into seconds.
 * @throws InvalidInput also where it is under a minute or over 366 days.
 */
export function parseInterval(given: string): number {
  const [whole, days, hours, minutes, seconds] = INTERVAL_PATTERN.exec(given.trim().toLowerCase()) ?? [];
  const total =
    Number(days ?? 0) * 86_400 +
    Number(hours ?? 0) * 3_600 +
    Number(minutes ?? 0) * 60 +
    Number(seconds ?? 0);
  if (whole === undefined || whole === '')
    throw refuseInterval(given, 'an interval such as 90s, 15m, 1h30m or 7d');
  if (total < MIN_INTERVAL_SECONDS) throw refuseInterval(given, 'an interval of at least 60s');
  if (total > MAX_INTERVAL_SECONDS) throw refuseInterval(given, 'an interval of at most 366d');
  return total;
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
 * Where in its interval a search runs, in seconds and whole milliseconds: `0 <= phase < seconds`. It comes
 * from the slug (FNV-1a, stirred), so that a hundred searches every hour do not all run on the hour, nor
 * dozens of them at the beginning of one second, and a search runs at the same instants after every restart.
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

function refuseInterval(given: string, expected: string): InvalidInput {
  return new InvalidInput([{ path: 'every', given, expected }]);
}
