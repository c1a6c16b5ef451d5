/** The time range that rules the overview: since the last visit, since yesterday evening, seven days, or times of one's own. */
import { type DateReader, formatWithWeekday } from '../../lib/display-format.ts';
import { parseSpan, parseTimePoint, resolveTimePoint } from '../../lib/time-point.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import type { Id } from '../../store/db/database.ts';
import { writeTime } from '../components/list-address.ts';
import type { DiscoveryPoint } from '../topic/last-visit.ts';
import { formatLocalTime, parseLocalTime } from '../lists/list-range.ts';

/** `visit`: since the visitor was here. `evening`: since yesterday, 18:00. */
export const OVERVIEW_RANGES = ['visit', 'evening', '7d'] as const;
export type OverviewRangeName = (typeof OVERVIEW_RANGES)[number];

export type OverviewRange = {
  /** Null: times of one's own. */
  name: OverviewRangeName | null;
  from: Date;
  /** Excluded; null: up to now. */
  until: Date | null;
  /** Only later discoveries than this; null: all of the time. */
  after: Id | null;
  /** Follows a sentence: `since yesterday, 18:00`. */
  words: string;
  /** What of the address was not followed, and what is shown in its place; null: nothing. */
  note: string | null;
};

/** As in the address. */
export type OverviewAddress = {
  range?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

const EVENING = '18:00';
/** Longer ranges are cut at their start. */
const MAX_RANGE_MS = 92 * DAY;

/**
 * The range nearest to that of the address, with a note where they differ. An address without a range is that of the
 * last visit, or of yesterday evening at the first one.
 */
export function resolveOverviewRange(
  { range, from, to }: OverviewAddress,
  reader: { now: Date; zone: string },
  visit: DiscoveryPoint | null,
): OverviewRange {
  if (from !== undefined || to !== undefined) return resolveOwn(from, to, reader);
  const known = visit !== null && visit.at < reader.now ? visit : null;
  const usual = known === null ? 'evening' : 'visit';
  if (range === undefined) return resolveNamed(usual, reader, known);
  const name = OVERVIEW_RANGES.find((each) => each === range.toLowerCase());
  if (name === 'visit' && known === null)
    return {
      ...resolveNamed('evening', reader, null),
      note: 'No earlier visit is known in this browser: showing since yesterday, 18:00.',
    };
  if (name !== undefined) return resolveNamed(name, reader, known);
  const span = parseSpan(range);
  if (span !== undefined && span > 0) return resolveOwn(range, undefined, reader);
  return {
    ...resolveNamed(usual, reader, known),
    note: `The address asks for a range "${range.slice(0, 40)}", which is not one: showing ${usual === 'visit' ? 'since you were here' : 'since yesterday, 18:00'}.`,
  };
}

function resolveNamed(
  name: OverviewRangeName,
  { now, zone }: { now: Date; zone: string },
  visit: DiscoveryPoint | null,
): OverviewRange {
  const open = { name, until: null, after: null, note: null };
  if (name === 'visit' && visit !== null)
    return {
      ...open,
      from: visit.at,
      after: visit.id,
      words: `since you were here, ${formatWithWeekday(visit.at, { now, zone }, false)}`,
    };
  if (name === '7d') return { ...open, from: new Date(now.getTime() - 7 * DAY), words: 'in the last 7 days' };
  return { ...open, name: 'evening', from: findYesterdayEvening(now, zone), words: 'since yesterday, 18:00' };
}

/** 18:00 of the day before, as clocks of the zone show it. */
function findYesterdayEvening(now: Date, zone: string): Date {
  const today = formatLocalTime(now, zone).slice(0, 'yyyy-mm-dd'.length);
  const yesterday = new Date(Date.parse(`${today}T00:00Z`) - DAY).toISOString().slice(0, today.length);
  return parseLocalTime(`${yesterday}T${EVENING}`, zone) ?? new Date(now.getTime() - 30 * HOUR);
}

function resolveOwn(
  from: string | undefined,
  to: string | undefined,
  reader: { now: Date; zone: string },
): OverviewRange {
  const { now, zone } = reader;
  const [start, end] = [readTime(from, reader, 'start'), readTime(to, reader, 'end')];
  const wrong = (from !== undefined && start === undefined) || (to !== undefined && end === undefined);
  const until = end === undefined || end > now ? null : end;
  const last = (until ?? now).getTime();
  const isReversed = start !== undefined && start.getTime() >= last;
  const first =
    start === undefined || isReversed ? last - DAY : Math.max(start.getTime(), last - MAX_RANGE_MS);
  const isCut = start !== undefined && !isReversed && first > start.getTime();
  const begin = new Date(first);
  return {
    name: null,
    from: begin,
    until,
    after: null,
    words: describeTimes(begin, until, { now, zone }),
    note: wrong
      ? 'A time of the address cannot be read: showing the nearest range.'
      : isReversed
        ? 'The range of the address ends before it starts: showing the day before its end.'
        : isCut
          ? 'The overview covers at most 92 days: showing the last of them.'
          : null,
  };
}

function readTime(
  text: string | undefined,
  { now, zone }: { now: Date; zone: string },
  as: 'start' | 'end',
): Date | undefined {
  if (text === undefined) return undefined;
  const local = parseLocalTime(text, zone);
  if (local !== undefined) return local;
  const point = parseTimePoint(text);
  return point === undefined ? undefined : resolveTimePoint(point, now, as, zone);
}

function describeTimes(from: Date, until: Date | null, reader: DateReader): string {
  const start = formatWithWeekday(from, reader, false);
  return until === null ? `since ${start}` : `from ${start} to ${formatWithWeekday(until, reader, false)}`;
}

/** The parameters of an address with this range. */
export function writeRange({ name, from, until }: OverviewRange): OverviewAddress {
  if (name !== null) return { range: name };
  return { from: writeTime(from), ...(until === null ? {} : { to: writeTime(until) }) };
}
