/** How long a service asks clients to wait: in a header, or as text in a body. */

/** Longer waits are reduced to an hour. */
export const MAX_WAIT_MS = 3_600_000;

/**
 * Milliseconds to wait according to a `Retry-After` header, as whole seconds or an HTTP date, between 0 and an hour.
 * Null if it is missing or invalid (`abc`, a negative number).
 */
export function retryAfterMs(header: string | null, now: Date): number | null {
  if (header === null) return null;
  const until = header.length > 64 ? null : parseHttpDate(header.trim(), now);
  return until === null ? readWaitMs(header) : capMs(until - now.getTime());
}

/** Milliseconds of `60`, `60 seconds`, `1.5 min` or `2 hours`; the default unit is seconds. */
export function readWaitMs(text: string): number | null {
  if (text.length > 64) return null;
  const match = /^\s*(\d{1,15}(?:\.\d{1,9})?(?:e\d{1,2})?)\s*([a-z]{0,12})\.?\s*$/i.exec(text);
  const unit = match && unitMs(match[2] ?? '');
  return match && unit ? capMs(Number(match[1]) * unit) : null;
}

function unitMs(unit: string): number | null {
  if (/^(|s|secs?|seconds?)$/i.test(unit)) return 1_000;
  if (/^(ms|millis|milliseconds?)$/i.test(unit)) return 1;
  if (/^(m|mins?|minutes?)$/i.test(unit)) return 60_000;
  if (/^(h|hrs?|hours?)$/i.test(unit)) return 3_600_000;
  return null;
}

function capMs(ms: number): number {
  return Math.round(Math.min(Math.max(ms, 0), MAX_WAIT_MS));
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The current format, and the two obsolete ones that must be accepted (RFC 9110, 5.6.7). */
const DATE_FORMS = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/** `Sun, 06 Nov 1994 08:49:37 GMT` or an obsolete format; milliseconds since 1970. */
function parseHttpDate(text: string, now: Date): number | null {
  const match = DATE_FORMS.map((form) => form.exec(text)).find((candidate) => candidate !== null);
  const { day = '', month = '', year = '', time = '' } = match?.groups ?? {};
  const at = Date.parse(
    `${expandYear(year, now)}-${padNumber(MONTHS.indexOf(month) + 1)}-${padNumber(Number(day))}T${time}Z`,
  );
  // `Date.parse` may roll over invalid days.
  return new Date(at).getUTCDate() === Number(day) ? at : null;
}

/** Two-digit years more than fifty years in the future belong to the past century. */
function expandYear(digits: string, now: Date): number {
  if (digits.length !== 2) return Number(digits);
  const year = Math.floor(now.getUTCFullYear() / 100) * 100 + Number(digits);
  return year > now.getUTCFullYear() + 50 ? year - 100 : year;
}

function padNumber(n: number): string {
  return String(n).padStart(2, '0');
}
