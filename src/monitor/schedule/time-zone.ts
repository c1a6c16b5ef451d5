/**
 * Time zones: valid names, and offsets over time. A zone is a sequence of spans, each with a constant offset from UTC.
 */
import { IANAZone } from 'luxon';
import { DAY, MINUTE } from '../../lib/time.ts';
import { InvalidInput } from '../../model/errors.ts';
import { findNearestName } from '../../lib/nearest-name.ts';

/** Real time from `from` until before `to`, while local time is UTC plus `offset`; all milliseconds. */
type OffsetSpan = { readonly from: number; readonly to: number; readonly offset: number };

/** An instant at which a zone's offset changes, and the new offset. */
type OffsetChange = { readonly at: number; readonly offset: number };

/**
 * The zone's name in its usual spelling. Accepts `UTC` and names with a slash that the runtime knows; no offsets or
 * abbreviations, because they do not define daylight saving time.
 * @throws InvalidInput with the nearest name, if there is one
 */
export function parseZone(text: string): string {
  const name = text.trim();
  if (/^utc$/i.test(name)) return 'UTC';
  if (/^[a-z]\w+(?:\/[\w+-]+)+$/i.test(name) && IANAZone.isValidZone(name)) return normalizeZoneName(name);
  const near = findNearestName(name, Intl.supportedValuesOf('timeZone'));
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  const expected = `the name of a time zone, such as Europe/Berlin, or UTC${hint}`;
  throw new InvalidInput([{ path: 'tz', given: text, expected }]);
}

/**
 * The offset from UTC to local time at an instant, in milliseconds.
 * @throws InvalidInput if the runtime does not know the zone, or the instant is invalid
 */
export function offsetAt(tz: string, at: number): number {
  const minutes = IANAZone.create(tz).offset(at);
  if (Number.isNaN(minutes))
    throw new InvalidInput([{ path: 'tz', given: tz, expected: 'a known time zone' }]);
  return minutes * MINUTE;
}

/**
 * The spans that cover `from` to `until`. The first begins two days early, to include a change just before `from` (no clock was
 * ever moved by more than a day). Spans are also cut at the end of a UTC year.
 */
export function* listOffsetSpans(tz: string, from: number, until: number): Generator<OffsetSpan> {
  let at = from - 2 * DAY;
  let offset = offsetAt(tz, at);
  for (let year = new Date(at).getUTCFullYear(); at < until; year++) {
    for (const change of readChanges(tz, year)) {
      if (change.at <= at) continue;
      yield { from: at, to: change.at, offset };
      ({ at, offset } = change);
    }
    const turn = Date.UTC(year + 1, 0, 1);
    if (turn > at) yield { from: at, to: turn, offset };
    at = turn;
  }
}

/** Cache of changes by zone and year: a few thousand entries at most. */
const changesByZone = new Map<string, Map<number, readonly OffsetChange[]>>();

/** The changes of a zone's offset in a UTC year: after its first instant, up to its end inclusive. */
function readChanges(tz: string, year: number): readonly OffsetChange[] {
  const years = changesByZone.get(tz) ?? new Map<number, readonly OffsetChange[]>();
  changesByZone.set(tz, years);
  const changes = years.get(year) ?? findChanges(tz, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1));
  years.set(year, changes);
  return changes;
}

/** Samples once a week: since 1970 no zone has changed its offset and back in less than a week. */
function findChanges(tz: string, from: number, to: number): OffsetChange[] {
  const changes: OffsetChange[] = [];
  let before = { at: from, offset: offsetAt(tz, from) };
  for (let at = from; at < to; ) {
    at = Math.min(at + 7 * DAY, to);
    const after = { at, offset: offsetAt(tz, at) };
    if (after.offset !== before.offset) changes.push(findChangeInstant(tz, before, after));
    before = after;
  }
  return changes;
}

/** The first instant with the later offset, to the second, by binary search. */
function findChangeInstant(tz: string, before: OffsetChange, after: OffsetChange): OffsetChange {
  let [low, high] = [before.at / 1_000, after.at / 1_000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(tz, middle * 1_000) === before.offset) low = middle;
    else high = middle;
  }
  return { at: high * 1_000, offset: after.offset };
}

/** `Europe/berlin` as `Europe/Berlin`. Aliases keep their names, even if the runtime would replace them. */
function normalizeZoneName(name: string): string {
  const usual = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  if (usual.toLowerCase() === name.toLowerCase()) return usual;
  return name === name.toLowerCase() ? name.replace(/(?<![a-z])[a-z]/g, (c) => c.toUpperCase()) : name;
}
