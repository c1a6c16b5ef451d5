import { InvalidInput } from '../../errors.ts';

/** Shortest interval: a search costs money each time. */
export const SHORTEST_SECONDS = 60;
/** Longest interval: a leap year. */
export const LONGEST_SECONDS = 366 * 86_400;

const SHAPE = /^(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,7})m)?(?:(\d{1,9})s)?$/;

/**
 * Reads an interval such as `90s`, `15m`, `1h30m` or `7d` into seconds.
 * @throws InvalidInput also where it is under a minute or over 366 days.
 */
export function readInterval(given: string): number {
  const [whole, days, hours, minutes, seconds] = SHAPE.exec(given.trim().toLowerCase()) ?? [];
  const total =
    Number(days ?? 0) * 86_400 +
    Number(hours ?? 0) * 3_600 +
    Number(minutes ?? 0) * 60 +
    Number(seconds ?? 0);
  if (whole === undefined || whole === '') throw refused(given, 'an interval such as 90s, 15m, 1h30m or 7d');
  if (total < SHORTEST_SECONDS) throw refused(given, 'an interval of at least 60s');
  if (total > LONGEST_SECONDS) throw refused(given, 'an interval of at most 366d');
  return total;
}

/** An interval in words: `15 minutes`, `1 hour 30 minutes`, `day`. */
export function intervalInWords(seconds: number): string {
  const parts = [
    counted(Math.floor(seconds / 86_400), 'day'),
    counted(Math.floor(seconds / 3_600) % 24, 'hour'),
    counted(Math.floor(seconds / 60) % 60, 'minute'),
    counted(seconds % 60, 'second'),
  ].filter((part) => part !== '');
  return parts.length === 1 ? (parts[0] ?? '').replace(/^1 /, '') : parts.join(' ');
}

/**
 * Where in its interval a search runs, in seconds and whole milliseconds: `0 <= phase < seconds`. It comes
 * from the slug (FNV-1a, stirred), so that a hundred searches every hour do not all run on the hour, nor
 * dozens of them at the beginning of one second, and a search runs at the same instants after every restart.
 */
export function phaseOf(slug: string, seconds: number): number {
  let hash = 0x81_1c_9d_c5;
  for (const byte of Buffer.from(slug)) hash = Math.imul(hash ^ byte, 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  const whole = ((hash ^ (hash >>> 16)) >>> 0) % seconds;
  const thousandths = (Math.imul(hash, 0x9e_37_79_b1) >>> 12) % 1_000;
  return (whole * 1_000 + thousandths) / 1_000;
}

function counted(n: number, unit: string): string {
  if (n === 0) return '';
  return n === 1 ? `1 ${unit}` : `${n} ${unit}s`;
}

function refused(given: string, expected: string): InvalidInput {
  return new InvalidInput([{ path: 'every', given, expected }]);
}
