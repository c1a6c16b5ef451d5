/** Quiet hours as people write them. Pure. */
import { DAY, MINUTE } from '../../lib/time.ts';

/** Milliseconds after local midnight. If `until` is not after `from`, it is on the next day. */
export type QuietHours = { readonly from: number; readonly until: number };

const WRITTEN = /^([01]?\d|2[0-3]):([0-5]\d)\s*[-–]\s*([01]?\d|2[0-3]):([0-5]\d)$/;
export const EXPECTED_QUIET_HOURS = 'two different times of day such as 22:00-07:00';

/** Parses `22:00-07:00`. @returns undefined for anything else, and if both times are the same */
export function parseQuietHours(text: string): QuietHours | undefined {
  const [, ...parts] = WRITTEN.exec(text.trim()) ?? [];
  const [fromHour, fromMinute, untilHour, untilMinute] = parts.map(Number);
  if (
    fromHour === undefined ||
    fromMinute === undefined ||
    untilHour === undefined ||
    untilMinute === undefined
  )
    return undefined;
  const [from, until] = [fromHour * 60 + fromMinute, untilHour * 60 + untilMinute];
  return from === until ? undefined : { from: from * MINUTE, until: until * MINUTE };
}

/** As stored and shown: `22:00-07:00`. */
export function writeQuietHours({ from, until }: QuietHours): string {
  const write = (ms: number) => new Date(ms % DAY).toISOString().slice(11, 16);
  return `${write(from)}-${write(until)}`;
}
