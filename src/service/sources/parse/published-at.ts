/** Parses the publication times of sources. */
import { MINUTE } from '../../../domain/time.ts';

const ISO_8601 =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?$/i;
/** RFC 822 and 1123, as in HTTP and RSS: `Sat, 21 Nov 2026 10:00:00 GMT`, `21 Nov 26 11:00 +0100`. */
const RFC_822 =
  /^(?:[A-Z][a-z]{2,8},\s{0,9})?(\d{1,2})\s{1,9}([A-Z][a-z]{2})[a-z]{0,6}\s{1,9}(\d{4}|\d\d)\s{1,9}(\d{1,2}:\d\d(?::\d\d)?)\s{0,9}([A-Z]{1,3}|[+-]\d\d:?\d\d)?$/i;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
/** The zones of RFC 822, in hours; other names are ambiguous. */
const ZONE_HOURS: Readonly<Record<string, number>> = {
  z: 0,
  ut: 0,
  utc: 0,
  gmt: 0,
  edt: -4,
  est: -5,
  cdt: -5,
  cst: -6,
  mdt: -6,
  mst: -7,
  pdt: -7,
  pst: -8,
};

/** A time without a zone is UTC; a date is its midnight. Undefined for unknown formats and invalid dates. */
export function parsePublishedAt(text: string | undefined): Date | undefined {
  const trimmed = text?.trim() ?? '';
  const iso = rewriteRfc822(trimmed) ?? trimmed;
  const match = ISO_8601.exec(iso);
  if (!match) return undefined;
  const [, day = '', time = '00:00', fraction = '0', zone = 'Z'] = match;
  // `Date.parse` accepts the 31st of any month and rolls over.
  if (!toValidDate(Date.parse(day))?.toISOString().startsWith(day)) return undefined;
  const ms = Number(`0.${fraction}`) * 1_000;
  return toValidDate(Date.parse(`${day}T${time}Z`) + Math.floor(ms) - parseOffsetMs(zone));
}

/** As ISO 8601; undefined if it is something else, or its zone is unknown. */
function rewriteRfc822(text: string): string | undefined {
  const [, day = '', name = '', year = '', time = '', zone = 'gmt'] = RFC_822.exec(text) ?? [];
  const month = MONTHS.indexOf(name.toLowerCase()) + 1;
  const hours = ZONE_HOURS[zone.toLowerCase()];
  const offset = hours === undefined ? zone : `${hours < 0 ? '-' : '+'}${pad(Math.abs(hours))}:00`;
  if (month === 0 || !/^[+-]/.test(offset)) return undefined;
  const century = year.length === 4 ? '' : Number(year) < 70 ? '20' : '19';
  return `${century}${year}-${pad(month)}-${pad(Number(day))}T${time.padStart(time.length <= 5 ? 5 : 8, '0')}${offset}`;
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
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
