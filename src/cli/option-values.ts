/** Options and how their values are parsed; an invalid value is refused with what is expected. */

import { FUTURE_TIME_EXPECTED, type FutureTime, parseFutureTime } from '../lib/future-time.ts';
import { parseTimePoint, resolveTimePoint, TIME_POINT_EXPECTED } from '../lib/time-point.ts';
import { InvalidInput } from '../model/errors.ts';
import type { TerminalPage } from './terminal-io.ts';
import { Option } from 'commander';

export function parseWholeNumber(path: string, text: string, min: number, max: number): number {
  const n = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(n >= min && n <= max)) throw createInvalidOption(path, text, `a whole number from ${min} to ${max}`);
  return n;
}

export const MAX_LIMIT = 100_000;

/** `--limit <n>`: how many rows. */
export const limitOption = (fallback: number) =>
  numberOption('limit', 'maximum number', { max: MAX_LIMIT, fallback });

/** An option with a whole number from `min` (default: 1). */
export function numberOption(
  name: string,
  words: string,
  { min = 1, max, fallback }: { min?: number; max: number; fallback: number },
): Option {
  return new Option(`--${name} <n>`, words)
    .argParser((text) => parseWholeNumber(name, text, min, max))
    .default(fallback);
}

/** An option with one of the allowed words; the default is `fallback`, if there is one. */
export function choiceOption<const T extends string>(
  flags: string,
  words: string,
  allowed: readonly T[],
  fallback?: NoInfer<T>,
): Option {
  const option = new Option(flags, words);
  option.argParser((text) => parseChoice(option.name(), text, allowed));
  return fallback === undefined ? option : option.default(fallback, fallback);
}

export function parseChoice<const T extends string>(path: string, text: string, allowed: readonly T[]): T {
  const choice = allowed.find((value) => value === text.trim().toLowerCase());
  if (choice === undefined) throw createInvalidOption(path, text, `one of ${allowed.join(', ')}`);
  return choice;
}

/** Examples of what {@link parseSince} accepts, for help texts. */
export const TIME_EXAMPLES =
  '2026-11-21 (UTC), 2026-11-21T14:05Z, 1h, 2d, today, yesterday (days of the time zone shown; with --utc, of UTC)';

/**
 * A time in the past: ISO 8601, an age, or a word. `today` and `yesterday` begin at midnight in the zone of the page, a
 * date without a time at midnight UTC.
 * @throws InvalidInput also for days that do not exist
 */
export function parseSince(text: string, now: Date, page: Zoned, path = 'since'): Date {
  return parsePastTime(text, page, path)(now);
}

type Zoned = Pick<TerminalPage, 'zone'>;

/** A time in the past, which may depend on the present. */
export type PastTime = (now: Date) => Date;

function parsePastTime(text: string, page: Zoned, path: string): PastTime {
  const point = parseTimePoint(text);
  if (point === undefined) throw createInvalidOption(path, text, TIME_POINT_EXPECTED);
  return (now) => resolveTimePoint(point, now, 'start', page.zone);
}

/** `--since <time>` or `--until <time>`: a {@link PastTime}. */
export function timeOption(name: 'since' | 'until', words: string, page: Zoned): Option {
  return new Option(`--${name} <time>`, words).argParser((text) => parsePastTime(text, page, name));
}

/** @throws InvalidInput */
export function readUntil(words: readonly string[] | undefined, { zone }: Zoned): FutureTime | undefined {
  if (words === undefined) return undefined;
  const until = words.join(' ');
  const time = parseFutureTime(until, zone);
  if (time === undefined) throw createInvalidOption('until', until, FUTURE_TIME_EXPECTED);
  return time;
}

export function createInvalidOption(path: string, text: string, expected: string): InvalidInput {
  return new InvalidInput([{ path, given: text, expected }]);
}
