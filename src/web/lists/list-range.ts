/** The time range of a list: a named one, or from one time to another. */

import { type DateReader, formatMinute } from '../../lib/display-format.ts';
import { parseTimePoint, resolveTimePoint, TIME_POINT_EXPECTED } from '../../lib/time-point.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import { InvalidInput } from '../../model/errors.ts';
import { offsetAt } from '../../monitor/schedule/time-zone.ts';
import type { Bucket } from '../../store/queries/volume.ts';
import { computeRange, RANGES, type RangeName } from '../topic/time-range.ts';

/** `all`: without bounds. */
export const LIST_RANGES = [...RANGES, 'all'] as const;
type ListRangeName = RangeName | 'all';

export type ListRange = {
  /** Null: from and to. */
  name: ListRangeName | null;
  /** Of the listed items; `until` is excluded. */
  since: Date | undefined;
  until: Date | undefined;
  /** Such as `last 7 days`. */
  words: string;
  /** Whole buckets that include the range, or the newest part of a long one. */
  chart: { from: Date; until: Date; per: Bucket; seconds: number };
  /** How many days the chart shows, if it is only the newest part; null if all. */
  chartDays: number | null;
};

/** Longer ranges are charted in part. */
const MAX_CHART_MS = 400 * DAY;
/** The chart of a list without a start. */
const OPEN_CHART_MS = 90 * DAY;
/** Longest spans of charts per quarter of an hour and per hour. */
const QUARTERS_MS = 12 * HOUR;
const HOURS_MS = 8 * DAY;
const BUCKET_MS: Readonly<Record<Bucket, number>> = { quarter: 15 * MINUTE, hour: HOUR, day: DAY };

/**
 * @param parameters of the address; a name is ignored beside a time
 * @throws InvalidInput
 */
export function resolveListRange(
  parameters: { range: ListRangeName; from?: string | undefined; to?: string | undefined },
  reader: { now: Date; zone: string },
): ListRange {
  const { now } = reader;
  const since = parseTime('from', parameters.from, now, 'start');
  const until = parseTime('to', parameters.to, now, 'end');
  if (since !== undefined && until !== undefined && since >= until)
    throw new InvalidInput([{ path: 'to', given: parameters.to, expected: 'a time after From' }]);
  if (since === undefined && until === undefined && parameters.range !== 'all') {
    const { name, from, until: end, per, words } = computeRange(parameters.range, now);
    return {
      name,
      since: from,
      until: undefined,
      words: `last ${words}`,
      chart: { from, until: end, per, seconds: BUCKET_MS[per] / SECOND },
      chartDays: null,
    };
  }
  const name = since === undefined && until === undefined ? 'all' : null;
  return { name, since, until, words: describeRange(since, until, reader), ...chartRange(since, until, now) };
}

function chartRange(
  since: Date | undefined,
  until: Date | undefined,
  now: Date,
): Pick<ListRange, 'chart' | 'chartDays'> {
  const end = until === undefined ? now.getTime() : Math.min(until.getTime(), now.getTime() + DAY);
  const begin = Math.min(
    end - 15 * MINUTE,
    Math.max(since?.getTime() ?? end - OPEN_CHART_MS, end - MAX_CHART_MS),
  );
  const span = end - begin;
  const per = span <= QUARTERS_MS ? 'quarter' : span <= HOURS_MS ? 'hour' : 'day';
  const ms = BUCKET_MS[per];
  const isPart = since === undefined || begin > since.getTime();
  return {
    chart: {
      from: new Date(Math.floor(begin / ms) * ms),
      until: new Date(Math.ceil(end / ms) * ms),
      per,
      seconds: ms / SECOND,
    },
    chartDays: isPart ? Math.round(span / DAY) : null,
  };
}

function describeRange(since: Date | undefined, until: Date | undefined, reader: DateReader): string {
  const from = since === undefined ? '' : formatMinute(since, reader);
  const to = until === undefined ? '' : formatMinute(until, reader);
  if (from === '') return to === '' ? 'all time' : `before ${to}`;
  return to === '' ? `since ${from}` : `${from} to ${to}`;
}

function parseTime(
  path: 'from' | 'to',
  text: string | undefined,
  now: Date,
  as: 'start' | 'end',
): Date | undefined {
  if (text === undefined) return undefined;
  const point = parseTimePoint(text);
  if (point === undefined) throw new InvalidInput([{ path, given: text, expected: TIME_POINT_EXPECTED }]);
  return resolveTimePoint(point, now, as);
}

/** What a browser sends for a time field: a local time without a zone. */
const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/;

/** The instant of a local time; undefined if it is written in another way. */
export function parseLocalTime(text: string, zone: string): Date | undefined {
  if (!LOCAL_TIME.test(text)) return undefined;
  const local = Date.parse(`${text}Z`);
  if (Number.isNaN(local)) return undefined;
  return new Date(local - offsetAt(zone, local - offsetAt(zone, local)));
}

/** The value of a time field: `2026-11-21T14:05`, in the zone. */
export function formatLocalTime(at: Date, zone: string): string {
  return new Date(at.getTime() + offsetAt(zone, at.getTime())).toISOString().replace(/(?::00)?\.\d+Z$/, '');
}
