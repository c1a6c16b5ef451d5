/**
 * How commands read what a person types, where the API takes something else. Pure: a command that only sends a request loads it
 * without the operation.
 */
import { parseFutureTime } from '../lib/future-time.ts';
import { parseIsoInstant, parseSpan, parseTimePoint, resolveTimePoint } from '../lib/time-point.ts';
import { DAY, SECOND } from '../lib/time.ts';

/** Longest grace period of a replaced secret: time to update every client, even over a weekend. */
export const MAX_GRACE_SECONDS = (7 * DAY) / SECOND;

/** Most matches of a page of `find`. */
export const MAX_HITS = 100;

/**
 * @param nowMs milliseconds since 1970
 * @param zone of the terminal
 * @returns what the API takes; undefined: invalid
 */
type ReadTyped = (text: string, nowMs: number, zone: string) => unknown;

export const TYPED_VALUES = {
  /** A time in the past: ISO 8601, an age, `today` or `yesterday`. */
  past_time: (text, nowMs, zone) => {
    const point = parseTimePoint(text);
    return point === undefined
      ? undefined
      : resolveTimePoint(point, new Date(nowMs), 'start', zone).toISOString();
  },
  /** The end of a pause. A duration begins when the database's clock says so; words are of the terminal's zone. */
  future_time: (text, nowMs, zone) => {
    if (parseSpan(text.trim().toLowerCase()) !== undefined) return text;
    return parseFutureTime(text, zone)?.resolve(new Date(nowMs)).toISOString();
  },
  /** An expiry: ISO 8601 in the future, or a duration from now. */
  expiry: (text, nowMs) => {
    const span = parseSpan(text) ?? 0;
    const at = span > 0 ? new Date(nowMs + span) : parseIsoInstant(text.trim());
    return at === undefined || at.getTime() <= nowMs ? undefined : at.toISOString();
  },
  /** `0`, `30m`, `12h` or `7d` in seconds. */
  grace: (text) => {
    if (text.trim() === '0') return 0;
    const seconds = (parseSpan(text) ?? Number.NaN) / SECOND;
    return seconds <= MAX_GRACE_SECONDS ? seconds : undefined;
  },
  /** Parts between commas. */
  list: splitList,
  /** `Posts, spike` as kinds. */
  kinds: (text) => splitList(text).map((part) => part.toLowerCase().replace(/s$/, '')),
  /** A whole number, or `none`. */
  number_or_none: (text) =>
    text.trim() === 'none' ? null : /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined,
  /** Empty: null. */
  text_or_none: (text) => (text.trim() === '' ? null : text),
} satisfies Readonly<Record<string, ReadTyped>>;

export type TypedValue = keyof typeof TYPED_VALUES;

/** The parts of a list, separated by commas. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
