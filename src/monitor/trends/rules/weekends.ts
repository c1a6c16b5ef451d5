/** How many posts weekends have, compared with other days: two weeks show what is usual at a time of day, but only two weekends. Pure. */

import { DAY, HOUR } from '../../../domain/time.ts';
import { median } from './baseline.ts';
import { QUARTER_MS, QUARTERS_PER_HOUR, type Series } from './time-series.ts';

/** Complete days (UTC) that are compared, and the fewest weekend days among them. */
export const WEEKEND_HISTORY_DAYS = 42;
const MIN_WEEKEND_DAYS = 6;
/** A day counts if something of so many hours was observed. */
const MIN_HOURS = 12;
/** A weekend day is compared with the weekdays at most so many days from it, and with no fewer than so many. */
const NEARBY_DAYS = 5;
const MIN_WEEKDAYS = 4;
/** Variance of the logarithm of a day's rate beyond chance; that of the factor among searches, to which it is shrunk; of a median, relative to a mean. */
const DAY_VARIANCE = 0.04;
const PRIOR_VARIANCE = 0.16;
const MEDIAN_VARIANCE = Math.PI / 2;

type Day = { isWeekend: boolean; posts: number; logRate: number };

/**
 * The rate of weekend days relative to that of the weekdays around them: the median of six weeks, so that bursts do not count.
 * @param end quarter from which on nothing is known
 * @returns 1 if fewer than six weekend days were observed
 */
export function estimateWeekends(series: Series, end: number): number {
  const today = Math.floor((series.from + end * QUARTER_MS) / DAY);
  const first = Math.max(today - WEEKEND_HISTORY_DAYS, Math.ceil(series.from / DAY));
  const days = Array.from({ length: Math.max(0, today - first) }, (_, i) => measureDay(series, first + i));
  const ratios: number[] = [];
  let posts = 0;
  for (const [i, day] of days.entries()) {
    if (day?.isWeekend !== true) continue;
    const nearby = days.slice(Math.max(0, i - NEARBY_DAYS), i + NEARBY_DAYS + 1);
    const weekdays = nearby.flatMap((one) => (one === null || one.isWeekend ? [] : [one.logRate]));
    if (weekdays.length < MIN_WEEKDAYS) continue;
    ratios.push(day.logRate - median(weekdays));
    posts += day.posts;
  }
  if (ratios.length < MIN_WEEKEND_DAYS) return 1;
  const variance = MEDIAN_VARIANCE * (DAY_VARIANCE / ratios.length + 1 / (posts + 1));
  return Math.exp((median(ratios) * PRIOR_VARIANCE) / (PRIOR_VARIANCE + variance));
}

/** @returns null if too little of it was observed */
function measureDay({ from, counts, seconds }: Series, day: number): Day | null {
  const first = Math.round((day * DAY - from) / QUARTER_MS);
  let posts = 0;
  let observed = 0;
  let hours = 0;
  for (let i = first; i < first + DAY / QUARTER_MS; i += QUARTERS_PER_HOUR) {
    let ofHour = 0;
    for (let q = i; q < i + QUARTERS_PER_HOUR; q += 1) {
      posts += counts[q] ?? 0;
      ofHour += seconds[q] ?? 0;
    }
    observed += ofHour;
    if (ofHour > 0) hours += 1;
  }
  if (hours < MIN_HOURS) return null;
  return { isWeekend: isWeekend(day), posts, logRate: Math.log((posts + 1) / ((observed * 1_000) / HOUR)) };
}

/** The series as if a weekend with half as many posts had been observed half as long: what remains differs by the time of day. */
export function levelWeekends(series: Series, factor: number): Series {
  if (factor === 1) return series;
  const seconds = Float64Array.from(series.seconds, (observed, i) =>
    isWeekend(Math.floor((series.from + i * QUARTER_MS) / DAY)) ? observed * factor : observed,
  );
  return { ...series, seconds };
}

/** @param day since 1970, which began on a Thursday */
function isWeekend(day: number): boolean {
  return (day + 4) % 7 === 0 || (day + 4) % 7 === 6;
}
