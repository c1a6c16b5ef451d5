/** What is usual on a weekday at a time of day. Pure. */

import { DAY, HOUR, QUARTER_MS } from '../../../lib/time.ts';
import { NEARBY_QUARTERS } from './profile.ts';
import { accumulate, QUARTERS_PER_DAY, type Series, type Sums, sumWindow } from './time-series.ts';

const COMPARED_WEEKS = 4;
/** How far back a series must go, from the end of the window. */
export const WEEKDAY_HISTORY_MS = COMPARED_WEEKS * 7 * DAY + HOUR;
/** Windows observed less than this do not say what is usual on a weekday. */
const MIN_WEEKDAY_COVERAGE = 0.05;

/**
 * The median of the windows at this time of this weekday (an hour before and after) in the four weeks before.
 * @returns null where one of the weeks was not observed
 */
export function computeWeekdayUsual(
  series: Series,
  { start, end }: { start: number; end: number },
): number | null {
  const sums = accumulate(series);
  const width = Math.round((end - start) / QUARTER_MS);
  const at = Math.round((end - series.from) / QUARTER_MS);
  const nearby: number[] = [];
  for (let week = 1; week <= COMPARED_WEEKS; week += 1) {
    const observed = listWeekday(sums, at - week * 7 * QUARTERS_PER_DAY, width);
    if (observed.length === 0) return null;
    nearby.push(...observed);
  }
  return median(nearby);
}

/** Counts, scaled up to full exposure, of the windows that end within an hour of a quarter. */
export function listWeekday(sums: Sums, middle: number, width: number): number[] {
  const values: number[] = [];
  for (let shift = -NEARBY_QUARTERS; shift <= NEARBY_QUARTERS; shift += 1) {
    if (middle + shift < width) continue;
    const { n, coverage } = sumWindow(sums, middle + shift, width);
    if (coverage >= MIN_WEEKDAY_COVERAGE) values.push(n / coverage);
  }
  return values;
}

/** The median. Sorts its argument; NaN if it is empty. */
export function median(values: number[]): number {
  if (values.length === 0) return Number.NaN;
  values.sort((a, b) => a - b);
  const middle = values.length >> 1;
  const upper = values[middle] ?? Number.NaN;
  return values.length % 2 === 1 ? upper : ((values[middle - 1] ?? upper) + upper) / 2;
}
