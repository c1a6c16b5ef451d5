/**
 * Time zones: which names are taken, and how a zone's clock runs. A zone is seen as a row of stretches
 * of real time in each of which the local clock stays at one offset from UTC.
 */
import { IANAZone } from 'luxon';
import { DAY, MINUTE } from '../../domain/time.ts';
import { InvalidInput } from '../../domain/errors.ts';
import { findNearestName } from '../../domain/nearest-name.ts';

/** Real time from `from` until before `to`, while local time is UTC plus `offset`; all milliseconds. */
type OffsetSpan = { readonly from: number; readonly to: number; readonly offset: number };

/** An instant at which a zone's clock is moved, and its offset from then on. */
type OffsetChange = { readonly at: number; readonly offset: number };

/**
 * The zone's name in its usual letters. Names with a slash that the runtime knows, and `UTC`; no
 * offsets and no abbreviations, because they say nothing about summer time.
 * @throws InvalidInput with the nearest name, where one is near.
 */
export function parseZone(given: string): string {
  const name = given.trim();
  if (/^utc$/i.test(name)) return 'UTC';
  if (/^[a-z]\w+(?:\/[\w+-]+)+$/i.test(name) && IANAZone.isValidZone(name)) return normalizeZoneName(name);
  const near = findNearestName(name, Intl.supportedValuesOf('timeZone'));
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  const expected = `a time zone by its name, such as Europe/Berlin, or UTC${hint}`;
  throw new InvalidInput([{ path: 'tz', given, expected }]);
}

/**
 * What is added to UTC to get local time at an instant, in milliseconds.
 * @throws InvalidInput where the runtime does not know the zone (any more), or there is no such instant.
 */
export function offsetAt(tz: string, at: number): number {
  const minutes = IANAZone.create(tz).offset(at);
  if (Number.isNaN(minutes)) throw new InvalidInput([{ path: 'tz', given: tz, expected: 'a known zone' }]);
  return minutes * MINUTE;
}

/**
 * The stretches that cover `from` to `until`. The first begins two days early, so that a clock that was
 * put back just before `from` is seen (no clock was ever moved by more than a day); a stretch is also
 * cut at the turn of a UTC year, where nothing changes.
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

/** Zone, year, changes. As many entries as zones in use times years looked at: a few thousand at most. */
const changesByZone = new Map<string, Map<number, readonly OffsetChange[]>>();

/** The changes of a zone's offset in a UTC year: after its first instant, up to its end inclusive. */
function readChanges(tz: string, year: number): readonly OffsetChange[] {
  const years = changesByZone.get(tz) ?? new Map<number, readonly OffsetChange[]>();
  changesByZone.set(tz, years);
  const changes = years.get(year) ?? findChanges(tz, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1));
  years.set(year, changes);
  return changes;
}

/** Looks once a week: since 1970 no zone has moved its clock there and back again in less than one. */
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

/** The first instant with the later offset, to the second: halves the span until it is found. */
function findChangeInstant(tz: string, before: OffsetChange, after: OffsetChange): OffsetChange {
  let [low, high] = [before.at / 1_000, after.at / 1_000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(tz, middle * 1_000) === before.offset) low = middle;
    else high = middle;
  }
  return { at: high * 1_000, offset: after.offset };
}

/** `Europe/berlin` as `Europe/Berlin`; a second name that the runtime would rename keeps its own. */
function normalizeZoneName(name: string): string {
  const usual = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  if (usual.toLowerCase() === name.toLowerCase()) return usual;
  return name === name.toLowerCase() ? name.replace(/(?<![a-z])[a-z]/g, (c) => c.toUpperCase()) : name;
}
