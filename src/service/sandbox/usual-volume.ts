/**
 * What is usual for a topic at a time: one rate, the product of named factors. Sandbox topics and the series of
 * `bench/trends` are made of the same ones. Pure; times are milliseconds since 1970.
 */
import { DAY, HOUR } from '../../lib/time.ts';
import type { Topic } from './simulated-topic.ts';

/** What a rate depends on beside its changes. */
export type Rhythm = Pick<Topic, 'daily' | 'habits'>;

/** A change of what is usual, for days. Until `until`, what is usual is multiplied by a factor. */
export type LongChange = {
  /** `level` at once, `drift` by the same share each day up to the middle and down again, `silence` a source without any post. */
  kind: 'level' | 'drift' | 'silence';
  from: number;
  until: number;
  /** The largest factor. 0 for silence. */
  factor: number;
};

/** The usual rate at a time, in multiples of that of an average day. */
export function computeUsualRate(
  { daily, habits }: Rhythm,
  at: number,
  changes: readonly LongChange[],
): number {
  return (
    computeDailyFactor(daily, at) *
    computeWeekFactor(habits, at) *
    (isHoliday(at) ? habits.holiday : 1) *
    (isShowTime(habits, at) ? (habits.show?.factor ?? 1) : 1) *
    computeLevel(changes, at)
  );
}

/** The most that is usual at some time without changes, and outside the weekly show. */
export function computeBusiestRate({ daily, habits }: Rhythm): number {
  const { weekend, holiday } = habits;
  return ((1 + daily.share) * Math.max(1, weekend) * Math.max(1, holiday) * 7) / (5 + 2 * weekend);
}

/** The product of the changes at a time. */
export function computeLevel(changes: readonly LongChange[], at: number): number {
  let level = 1;
  for (const change of changes)
    if (at >= change.from && at < change.until) level *= computeFactor(change, at);
  return level;
}

function computeFactor({ kind, from, until, factor }: LongChange, at: number): number {
  if (kind !== 'drift') return factor;
  return factor ** (1 - Math.abs((2 * (at - from)) / (until - from) - 1));
}

/** One cosine a day, by clocks that go forward an hour in summer. */
function computeDailyFactor({ share, topHour }: Topic['daily'], at: number): number {
  const hours = (at % DAY) / HOUR + (isSummerTime(at) ? 1 : 0) - topHour;
  return 1 + share * Math.cos((hours / 24) * 2 * Math.PI);
}

/** The mean over a week is 1. */
function computeWeekFactor({ weekend }: Topic['habits'], at: number): number {
  const day = dayOfWeek(at);
  return ((day === 0 || day === 6 ? weekend : 1) * 7) / (5 + 2 * weekend);
}

/** 0 is Sunday. */
function dayOfWeek(at: number): number {
  return (Math.floor(at / DAY) + 4) % 7;
}

/** The fixed holidays of this world, as month and day (UTC). */
const HOLIDAYS = new Set(['1-1', '5-1', '10-3', '11-1', '12-24', '12-25', '12-26', '12-31']);

function isHoliday(at: number): boolean {
  const date = new Date(at);
  return HOLIDAYS.has(`${date.getUTCMonth() + 1}-${date.getUTCDate()}`);
}

/** Whether the weekly show of a topic is on. It may end on the next day. */
export function isShowTime({ show }: Pick<Topic['habits'], 'show'>, at: number): boolean {
  if (show === undefined) return false;
  const sinceFirst = at - (show.weekday - dayOfWeek(0)) * DAY - show.hour * HOUR;
  return sinceFirst % (7 * DAY) < show.hours * HOUR;
}

/** As in Europe: from the last Sunday of March to the last one of October, 01:00 UTC. */
function isSummerTime(at: number): boolean {
  const date = new Date(at);
  const month = date.getUTCMonth();
  if (month !== 2 && month !== 9) return month > 2 && month < 9;
  const sunday = 31 - dayOfWeek(Date.UTC(date.getUTCFullYear(), month, 31));
  const isAfter = at >= Date.UTC(date.getUTCFullYear(), month, sunday, 1);
  return month === 2 ? isAfter : !isAfter;
}
