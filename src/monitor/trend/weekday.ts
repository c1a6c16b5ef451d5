/** What is usual on a day of the week: a second comparison, told only where four weeks were observed. Pure. */
import { DAY, HOUR } from '../../engine/clock.ts';
import { AROUND, median } from './baseline.ts';
import { QUARTER_MS, QUARTERS_A_DAY, type Series, windowsOver } from './series.ts';

const WEEKS = 4;
/** How far back a series must go, from the end of the window. */
export const WEEKS_MS = WEEKS * 7 * DAY + HOUR;

/**
 * The middle of the windows at this time of this weekday (an hour before and after) in the four weeks before.
 * @returns null where one of the weeks was not observed, or half of the windows are lower bounds
 */
export function usualOnWeekday(
  series: Series,
  { start, end }: { start: number; end: number },
): number | null {
  const { values } = windowsOver(series, Math.round((end - start) / QUARTER_MS));
  const at = Math.round((end - series.from) / QUARTER_MS);
  const found: number[] = [];
  for (let week = 1; week <= WEEKS; week += 1) {
    const middle = at - week * 7 * QUARTERS_A_DAY;
    const around = Array.from(
      { length: 2 * AROUND + 1 },
      (_, i) => values[middle - AROUND + i] ?? Number.NaN,
    );
    const observed = around.filter((value) => !Number.isNaN(value));
    if (observed.length === 0) return null;
    found.push(...observed);
  }
  const usual = median(found);
  return Number.isFinite(usual) ? usual : null;
}
