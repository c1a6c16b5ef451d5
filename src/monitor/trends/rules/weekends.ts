/**
 * How weekends differ from weekdays, in the complete days of six weeks. Pure.
 */

import { DAY, QUARTER_MS } from '../../../lib/time.ts';
import { computeProfile, expectCount, HISTORY_DAYS } from './profile.ts';
import {
  countObservedHours,
  QUARTERS_PER_DAY,
  QUARTERS_PER_HOUR,
  type Series,
  type Sums,
  sumWindow,
} from './time-series.ts';
import { median } from './weekday-usual.ts';

/** With fewer weekend days, the factor is 1. */
const MIN_WEEKEND_DAYS = 6;
/** A day counts if something of so many hours was observed. */
const MIN_HOURS = 12;
/** A weekend day is compared with the weekdays at most so many days from it, and with no fewer than so many. */
const NEARBY_DAYS = 5;
const MIN_WEEKDAYS = 4;
/**
 * Variances: of the logarithm of a day's rate beyond chance; of the factor among searches, to which it is shrunk; of a
 * median, relative to a mean.
 */
const DAY_VARIANCE = 0.04;
const PRIOR_VARIANCE = 0.16;
const MEDIAN_VARIANCE = Math.PI / 2;

type Day = {
  isWeekend: boolean;
  posts: number;
  /** Logarithm of the number of posts relative to what is usual at the observed times. */
  ratio: number;
};

/**
 * The rate of weekend days relative to that of the weekdays around them: the median of six weeks, so that bursts do not count.
 * @param series with its silences: an outage does not move the median
 * @returns 1 if fewer than six weekend days were observed
 */
export function estimateWeekends(series: Series, sums: Sums): number {
  const { from, counts, seconds, offset = 0 } = series;
  const start = from + offset;
  const today = Math.floor((start + counts.length * QUARTER_MS) / DAY);
  const firstDay = Math.max(today - HISTORY_DAYS, Math.ceil(start / DAY));
  const toQuarter = (day: number) => Math.round((day * DAY - start) / QUARTER_MS);
  if (today - firstDay < MIN_WEEKEND_DAYS + MIN_WEEKDAYS) return 1;
  // Truncated responses observe busy hours for a shorter time, and some days are observed in part.
  const { profile } = computeProfile(counts, seconds, toQuarter(firstDay), toQuarter(today), 0, null);
  const days = Array.from({ length: today - firstDay }, (_, i) =>
    measureDay(series, sums, profile, {
      first: toQuarter(firstDay + i),
      isWeekend: isWeekendDay(firstDay + i),
    }),
  );
  const ratios: number[] = [];
  let posts = 0;
  for (const [i, day] of days.entries()) {
    if (day?.isWeekend !== true) continue;
    const nearby = days.slice(Math.max(0, i - NEARBY_DAYS), i + NEARBY_DAYS + 1);
    const weekdays = nearby.flatMap((other) => (other === null || other.isWeekend ? [] : [other.ratio]));
    if (weekdays.length < MIN_WEEKDAYS) continue;
    ratios.push(day.ratio - median(weekdays));
    posts += day.posts;
  }
  if (ratios.length < MIN_WEEKEND_DAYS) return 1;
  const variance = MEDIAN_VARIANCE * (DAY_VARIANCE / ratios.length + 1 / (posts + ratios.length));
  return Math.exp((median(ratios) * PRIOR_VARIANCE) / (PRIOR_VARIANCE + variance));
}

/** @param first its first quarter @returns null if too little of it was observed */
function measureDay(
  series: Series,
  sums: Sums,
  profile: Float64Array,
  { first, isWeekend }: { first: number; isWeekend: boolean },
): Day | null {
  const end = first + QUARTERS_PER_DAY;
  if (countObservedHours(sums, first, end, QUARTERS_PER_HOUR) < MIN_HOURS) return null;
  const posts = sumWindow(sums, end, QUARTERS_PER_DAY).n;
  const expected = expectCount(series, { profile, level: 1 }, end, QUARTERS_PER_DAY);
  return { isWeekend, posts, ratio: Math.log((posts + 1) / (expected + 1)) };
}

/** The series as if a weekend with half as many posts had been observed for half as long, so that its rate is that of weekdays. */
export function scaleWeekends(series: Series, factor: number): Series {
  if (factor === 1) return series;
  const start = series.from + (series.offset ?? 0);
  const seconds = new Float64Array(series.seconds);
  const toQuarter = (day: number) => Math.round((day * DAY - start) / QUARTER_MS);
  for (let day = Math.floor(start / DAY); toQuarter(day) < seconds.length; day += 1) {
    if (!isWeekendDay(day)) continue;
    const end = Math.min(seconds.length, toQuarter(day + 1));
    for (let i = Math.max(0, toQuarter(day)); i < end; i += 1) seconds[i] = (seconds[i] ?? 0) * factor;
  }
  return { ...series, seconds };
}

/** @param day since 1970, which began on a Thursday */
function isWeekendDay(day: number): boolean {
  return (day + 4) % 7 === 0 || (day + 4) % 7 === 6;
}
