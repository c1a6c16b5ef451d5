/** The forms in which sources say when something was published. */
import { MINUTE } from '../../../engine/clock.ts';

const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?$/i;
/** `Sat, 21 Nov 2026 10:00:00 GMT` */
const RFC_1123 = /^[A-Z][a-z]{2}, (\d{2}) [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * A time without a zone is in UTC, and a day begins at its midnight. Undefined where it is not understood, and
 * for a day that does not exist.
 */
export function publishedAt(text: string | undefined): Date | undefined {
  const trimmed = text?.trim() ?? '';
  const rfc = RFC_1123.exec(trimmed);
  if (rfc) {
    const at = valid(Date.parse(trimmed));
    return at?.getUTCDate() === Number(rfc[1]) ? at : undefined;
  }
  const match = ISO.exec(trimmed);
  if (!match) return undefined;
  const [, day = '', time = '00:00', fraction = '0', zone = 'Z'] = match;
  // The engine takes the 31st of any month, and counts on into the next.
  if (!valid(Date.parse(day))?.toISOString().startsWith(day)) return undefined;
  const ms = Number(`0.${fraction}`) * 1_000;
  return valid(Date.parse(`${day}T${time}Z`) + Math.floor(ms) - offsetMs(zone));
}

function offsetMs(zone: string): number {
  const match = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return (match[1] === '-' ? -minutes : minutes) * MINUTE;
}

function valid(ms: number): Date | undefined {
  return Number.isFinite(ms) ? new Date(ms) : undefined;
}
