/** Parses the publication times of sources. */
import { MINUTE } from '../../../domain/time.ts';

const ISO_8601 =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?$/i;
/** `Sat, 21 Nov 2026 10:00:00 GMT` */
const RFC_1123 = /^[A-Z][a-z]{2}, (\d{2}) [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** A time without a zone is UTC; a date is its midnight. Undefined for unknown formats and invalid dates. */
export function parsePublishedAt(text: string | undefined): Date | undefined {
  const trimmed = text?.trim() ?? '';
  const rfc = RFC_1123.exec(trimmed);
  if (rfc) {
    const at = toValidDate(Date.parse(trimmed));
    return at?.getUTCDate() === Number(rfc[1]) ? at : undefined;
  }
  const match = ISO_8601.exec(trimmed);
  if (!match) return undefined;
  const [, day = '', time = '00:00', fraction = '0', zone = 'Z'] = match;
  // `Date.parse` accepts the 31st of any month and rolls over.
  if (!toValidDate(Date.parse(day))?.toISOString().startsWith(day)) return undefined;
  const ms = Number(`0.${fraction}`) * 1_000;
  return toValidDate(Date.parse(`${day}T${time}Z`) + Math.floor(ms) - parseOffsetMs(zone));
}

function parseOffsetMs(zone: string): number {
  const match = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return (match[1] === '-' ? -minutes : minutes) * MINUTE;
}

function toValidDate(ms: number): Date | undefined {
  return Number.isFinite(ms) ? new Date(ms) : undefined;
}
