/** No wait that a service asks for is taken to be longer than an hour. */
export const WAIT_MAX_MS = 3_600_000;

/**
 * Milliseconds to wait by a `Retry-After` header, in whole seconds or as an HTTP date, between 0 and an
 * hour. Null where there is none or it says nothing (`abc`, a negative number).
 */
export function retryAfterMs(header: string | null, now: Date): number | null {
  if (header === null) return null;
  const until = httpDate(header.trim());
  return until === null ? waitMs(header) : bounded(until - now.getTime());
}

/** Milliseconds of `60`, `60 seconds`, `1.5 min` or `2 hours`; a number without a unit is in seconds. */
export function waitMs(text: string): number | null {
  if (text.length > 64) return null;
  const match = /^\s*(\d{1,15}(?:\.\d{1,9})?(?:e\d{1,2})?)\s*([a-z]{0,12})\.?\s*$/i.exec(text);
  const unit = match && unitMs(match[2] ?? '');
  return match && unit ? bounded(Number(match[1]) * unit) : null;
}

function unitMs(unit: string): number | null {
  if (/^(|s|secs?|seconds?)$/i.test(unit)) return 1_000;
  if (/^(ms|millis|milliseconds?)$/i.test(unit)) return 1;
  if (/^(m|mins?|minutes?)$/i.test(unit)) return 60_000;
  if (/^(h|hrs?|hours?)$/i.test(unit)) return 3_600_000;
  return null;
}

function bounded(ms: number): number {
  return Math.round(Math.min(Math.max(ms, 0), WAIT_MAX_MS));
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that may be sent (RFC 9110, 5.6.7). */
function httpDate(text: string): number | null {
  const match = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/.exec(text);
  if (!match) return null;
  const [, day, month = '', year, hour, minute, second] = match;
  const monthIndex = MONTHS.indexOf(month);
  if (monthIndex < 0) return null;
  return Date.UTC(Number(year), monthIndex, Number(day), Number(hour), Number(minute), Number(second));
}
