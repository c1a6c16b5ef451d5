/** What is usual: windows of the days before, by time of day; and, where four weeks were observed, by day of the week. Pure. */

import { DAY, HOUR } from '../../../domain/time.ts';
import { buildWindows, QUARTER_MS, QUARTERS_PER_DAY, type Series, type Windows } from './time-series.ts';

/** How many days back a window is compared. */
export const BASELINE_DAYS = 14;
/** Around this time of day: an hour before and after, in quarters. */
const NEARBY_QUARTERS = 4;

export type Baseline = {
  /** Of all windows compared with. */
  mean: number;
  /** Around this time of day. */
  expected: number;
  /** The median of the windows around this time of day, lower bounds among them. */
  usual: number;
  /** How far windows lie from what their time of day lets expect (standard deviation), with a floor. */
  sd: number;
  windows: number;
  /** From the first window compared with, rounded up. */
  days: number;
};

/**
 * The median of the observed windows within an hour of this time of day; of all where there are none. NaN without
 * any. Lower bounds lie above all others: left out, they would leave the quiet windows of a busy time. Infinite, where
 * half of them are: nobody knows what is usual.
 */
export function computeUsual(windows: Windows, end: number): number {
  const around: number[] = [];
  for (let day = 1; day <= BASELINE_DAYS; day += 1) {
    for (let shift = -NEARBY_QUARTERS; shift <= NEARBY_QUARTERS; shift += 1) {
      const at = end - day * QUARTERS_PER_DAY + shift;
      const value = windows.values[at];
      if (at <= end - windows.width && value !== undefined && !Number.isNaN(value)) around.push(value);
    }
  }
  if (around.length > 0) return median(around);
  const all = [...windows.values.subarray(findFirstWindow(end), Math.max(0, end - windows.width + 1))];
  return median(all.filter((value) => !Number.isNaN(value)));
}

/**
 * The windows of the last fourteen days that were observed and are no lower bounds, without any that overlaps the one that ends at
 * `end`. They are measured by how far each lies from the mean of its own time of day: a search that is busy each
 * evening is not unusual in the evening, and a quiet night that is not quiet is.
 */
export function computeBaseline(windows: Windows, end: number): Baseline | null {
  const { values, width } = windows;
  const first = findFirstWindow(end);
  const last = end - width;
  const sums = new Float64Array(QUARTERS_PER_DAY);
  const counts = new Float64Array(QUARTERS_PER_DAY);
  let count = 0;
  let sum = 0;
  let earliest = last;
  for (let at = last; at >= first; at -= 1) {
    const value = values[at];
    if (value === undefined || !Number.isFinite(value)) continue;
    const time = at % QUARTERS_PER_DAY;
    sums[time] = (sums[time] ?? 0) + value;
    counts[time] = (counts[time] ?? 0) + 1;
    sum += value;
    count += 1;
    earliest = at;
  }
  if (count === 0) return null;
  const mean = sum / count;
  const profile = computeDailyProfile(sums, counts, mean);
  let off = 0;
  let squares = 0;
  for (let at = first; at <= last; at += 1) {
    const value = values[at];
    if (value === undefined || !Number.isFinite(value)) continue;
    const away = value - (profile[at % QUARTERS_PER_DAY] ?? mean);
    off += away;
    squares += away * away;
  }
  const expected = (profile[end % QUARTERS_PER_DAY] ?? mean) + off / count;
  const spread = Math.sqrt(Math.max(0, squares / count - (off / count) ** 2));
  return {
    mean,
    expected,
    usual: computeUsual(windows, end),
    sd: Math.max(spread, Math.sqrt(Math.max(mean, expected)), 1),
    windows: count,
    days: Math.min(BASELINE_DAYS, Math.ceil((end - earliest + width) / QUARTERS_PER_DAY)),
  };
}

function findFirstWindow(end: number): number {
  return Math.max(0, end - BASELINE_DAYS * QUARTERS_PER_DAY);
}

/** The mean of each time of day, an hour before and after counted in. */
function computeDailyProfile(sums: Float64Array, counts: Float64Array, mean: number): Float64Array {
  return Float64Array.from(sums, (_, time) => {
    let sum = 0;
    let count = 0;
    for (let shift = -NEARBY_QUARTERS; shift <= NEARBY_QUARTERS; shift += 1) {
      const at = (time + shift + QUARTERS_PER_DAY) % QUARTERS_PER_DAY;
      sum += sums[at] ?? 0;
      count += counts[at] ?? 0;
    }
    return count === 0 ? mean : sum / count;
  });
}

/** Sorts what it is given. NaN where that is nothing. */
export function median(values: number[]): number {
  if (values.length === 0) return Number.NaN;
  values.sort((a, b) => a - b);
  const middle = values.length >> 1;
  const upper = values[middle] ?? Number.NaN;
  return values.length % 2 === 1 ? upper : ((values[middle - 1] ?? upper) + upper) / 2;
}

const COMPARED_WEEKS = 4;
/** How far back a series must go, from the end of the window. */
export const WEEKDAY_HISTORY_MS = COMPARED_WEEKS * 7 * DAY + HOUR;

/**
 * The median of the windows at this time of this weekday (an hour before and after) in the four weeks before.
 * @returns null where one of the weeks was not observed, or half of the windows are lower bounds
 */
export function computeWeekdayUsual(
  series: Series,
  { start, end }: { start: number; end: number },
): number | null {
  const { values } = buildWindows(series, Math.round((end - start) / QUARTER_MS));
  const at = Math.round((end - series.from) / QUARTER_MS);
  const nearby: number[] = [];
  for (let week = 1; week <= COMPARED_WEEKS; week += 1) {
    const middle = at - week * 7 * QUARTERS_PER_DAY;
    const around = Array.from(
      { length: 2 * NEARBY_QUARTERS + 1 },
      (_, i) => values[middle - NEARBY_QUARTERS + i] ?? Number.NaN,
    );
    const observed = around.filter((value) => !Number.isNaN(value));
    if (observed.length === 0) return null;
    nearby.push(...observed);
  }
  const usual = median(nearby);
  return Number.isFinite(usual) ? usual : null;
}
