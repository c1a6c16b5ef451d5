/** What is usual: windows of the days before, by time of day. */
import { QUARTERS_A_DAY, type Windows } from './series.ts';

/** How many days back a window is compared. */
export const DAYS = 14;
/** Around this time of day: an hour before and after, in quarters. */
export const AROUND = 4;

export type Baseline = {
  /** Of all windows compared with. */
  mean: number;
  /** Around this time of day. */
  expected: number;
  /** The middle of the windows around this time of day, lower bounds among them. */
  usual: number;
  /** How far windows lie from what their time of day lets expect (standard deviation), with a floor. */
  sd: number;
  windows: number;
  /** From the first window compared with, rounded up. */
  days: number;
};

/**
 * The middle of the observed windows within an hour of this time of day; of all where there are none. NaN without
 * any. Lower bounds lie above all others: left out, they would leave the quiet windows of a busy time. Infinite, where
 * half of them are: nobody knows what is usual.
 */
export function usualAt(windows: Windows, end: number): number {
  const around: number[] = [];
  for (let day = 1; day <= DAYS; day += 1) {
    for (let shift = -AROUND; shift <= AROUND; shift += 1) {
      const at = end - day * QUARTERS_A_DAY + shift;
      const value = windows.values[at];
      if (at <= end - windows.width && value !== undefined && !Number.isNaN(value)) around.push(value);
    }
  }
  if (around.length > 0) return median(around);
  const all = [...windows.values.subarray(firstOf(end), Math.max(0, end - windows.width + 1))];
  return median(all.filter((value) => !Number.isNaN(value)));
}

/**
 * The windows of the last fourteen days that were observed and are no lower bounds, without any that overlaps the one that ends at
 * `end`. They are measured by how far each lies from the mean of its own time of day: a search that is busy each
 * evening is not unusual in the evening, and a quiet night that is not quiet is.
 */
export function baselineAt(windows: Windows, end: number): Baseline | null {
  const { values, width } = windows;
  const first = firstOf(end);
  const last = end - width;
  const sums = new Float64Array(QUARTERS_A_DAY);
  const counts = new Float64Array(QUARTERS_A_DAY);
  let count = 0;
  let sum = 0;
  let earliest = last;
  for (let at = last; at >= first; at -= 1) {
    const value = values[at];
    if (value === undefined || !Number.isFinite(value)) continue;
    const time = at % QUARTERS_A_DAY;
    sums[time] = (sums[time] ?? 0) + value;
    counts[time] = (counts[time] ?? 0) + 1;
    sum += value;
    count += 1;
    earliest = at;
  }
  if (count === 0) return null;
  const mean = sum / count;
  const profile = profileOf(sums, counts, mean);
  let off = 0;
  let squares = 0;
  for (let at = first; at <= last; at += 1) {
    const value = values[at];
    if (value === undefined || !Number.isFinite(value)) continue;
    const away = value - (profile[at % QUARTERS_A_DAY] ?? mean);
    off += away;
    squares += away * away;
  }
  const expected = (profile[end % QUARTERS_A_DAY] ?? mean) + off / count;
  const spread = Math.sqrt(Math.max(0, squares / count - (off / count) ** 2));
  return {
    mean,
    expected,
    usual: usualAt(windows, end),
    sd: Math.max(spread, Math.sqrt(Math.max(mean, expected)), 1),
    windows: count,
    days: Math.min(DAYS, Math.ceil((end - earliest + width) / QUARTERS_A_DAY)),
  };
}

function firstOf(end: number): number {
  return Math.max(0, end - DAYS * QUARTERS_A_DAY);
}

/** The mean of each time of day, an hour before and after counted in. */
function profileOf(sums: Float64Array, counts: Float64Array, mean: number): Float64Array {
  return Float64Array.from(sums, (_, time) => {
    let sum = 0;
    let count = 0;
    for (let shift = -AROUND; shift <= AROUND; shift += 1) {
      const at = (time + shift + QUARTERS_A_DAY) % QUARTERS_A_DAY;
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
