/** Parses the values of options; an invalid value is refused with what is expected. */

import { DAY, HOUR, MINUTE, SECOND } from '../domain/time.ts';
import { InvalidInput } from '../domain/errors.ts';
import { MAX_GRACE_SECONDS } from '../monitor/access/manage-tokens.ts';
import type { TerminalPage } from './terminal-io.ts';
import { findDayStart } from './value-formatting.ts';

export function parseWholeNumber(path: string, given: string, min: number, max: number): number {
  const n = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  if (!(n >= min && n <= max)) throw createInvalidOption(path, given, `a whole number from ${min} to ${max}`);
  return n;
}

export const MAX_LIMIT = 100_000;

export function parseLimit(given: string | undefined, fallback: number): number {
  return given === undefined ? fallback : parseWholeNumber('limit', given, 1, MAX_LIMIT);
}

export function parseId(path: string, given: string): bigint {
  const id = /^\d{1,19}$/.test(given) ? BigInt(given) : 0n;
  if (id < 1n || id > 9_223_372_036_854_775_807n)
    throw createInvalidOption(path, given, 'an id: a whole number from 1');
  return id;
}

export function parseChoice<const T extends string>(path: string, given: string, allowed: readonly T[]): T {
  const choice = allowed.find((value) => value === given.trim().toLowerCase());
  if (choice === undefined) throw createInvalidOption(path, given, `one of ${allowed.join(', ')}`);
  return choice;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };
const MAX_SPAN_MS = 3_660 * DAY;
/** Examples of what {@link parseSince} accepts, for help texts. */
export const TIME_EXAMPLES =
  '2026-11-21 (UTC), 2026-11-21T14:05Z, 1h, 2d, today, yesterday (days of the time zone shown; with --utc, of UTC)';
const SINCE_EXPECTED =
  'a time such as 2026-11-21 or 2026-11-21T14:05Z (UTC by default), an age of at most ' +
  '3660d such as 90s, 15m, 1h, 2d or 1w, today, or yesterday';

/**
 * A time in the past: ISO 8601, an age, or a word. `today` and `yesterday` begin at midnight in the zone of the page, a
 * date without a time at midnight UTC.
 * @throws InvalidInput also for days that do not exist
 */
export function parseSince(
  given: string,
  now: Date,
  { zone }: Pick<TerminalPage, 'zone'>,
  path = 'since',
): Date {
  const text = given.trim().toLowerCase();
  const today = findDayStart(now, zone);
  if (text === 'today') return today;
  if (text === 'yesterday') return findDayStart(new Date(today.getTime() - 1), zone);
  const [, amount, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  if (amount !== undefined && unit !== undefined) {
    const age = Number(amount) * (UNIT_MS[unit] ?? 0);
    if (age <= MAX_SPAN_MS) return new Date(now.getTime() - age);
  }
  const at = parseIsoInstant(given.trim());
  if (at === undefined) throw createInvalidOption(path, given, SINCE_EXPECTED);
  return at;
}

/**
 * A time in the future: ISO 8601, or a duration from now.
 * @throws InvalidInput also for a time in the past
 */
export function parseUntil(path: string, given: string, now: Date): Date {
  const [, amount, unit] = /^(\d{1,9})([smhdw])$/.exec(given.trim().toLowerCase()) ?? [];
  const span = amount === undefined || unit === undefined ? 0 : Number(amount) * (UNIT_MS[unit] ?? 0);
  const at = span > 0 && span <= MAX_SPAN_MS ? new Date(now.getTime() + span) : parseIsoInstant(given.trim());
  if (at === undefined || at <= now)
    throw createInvalidOption(
      path,
      given,
      'a time in the future such as 2027-03-01 (UTC), or a duration of at most 3660d such as 90d',
    );
  return at;
}

/** `0`, `30m`, `12h` or `7d` in seconds. @throws InvalidInput */
export function parseGraceSeconds(given: string): number {
  if (given.trim() === '0') return 0;
  const [, amount, unit = ''] = /^(\d{1,7})([smhd])$/.exec(given.trim().toLowerCase()) ?? [];
  const seconds = (Number(amount) * (UNIT_MS[unit] ?? Number.NaN)) / SECOND;
  if (seconds <= MAX_GRACE_SECONDS) return seconds;
  throw createInvalidOption('grace', given, '0, or a duration of at most 7d such as 30m, 12h or 7d');
}

const ISO_INSTANT = /^(\d{4}-\d\d-\d\d)(?:[t ](\d\d:\d\d)(?::(\d\d)(\.\d{1,9})?)?\s?(z|[+-]\d\d:?\d\d)?)?$/i;

function parseIsoInstant(text: string): Date | undefined {
  const [whole, day, time = '00:00', seconds = '00', fraction = '', zone = 'Z'] =
    ISO_INSTANT.exec(text) ?? [];
  if (whole === undefined || day === undefined) return undefined;
  const asUtc = new Date(`${day}T${time}:${seconds}Z`);
  // The runtime reads 30 February as 2 March.
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString().slice(0, 10) !== day) return undefined;
  const at = new Date(`${day}T${time}:${seconds}${fraction.slice(0, 4)}${normalizeOffset(zone)}`);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

function normalizeOffset(zone: string): string {
  if (zone.toLowerCase() === 'z') return 'Z';
  return zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
}

function createInvalidOption(path: string, given: string, expected: string): InvalidInput {
  return new InvalidInput([{ path, given, expected }]);
}
