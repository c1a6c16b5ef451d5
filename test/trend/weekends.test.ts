import { describe, expect, test } from 'vitest';
import { DAY, HOUR, QUARTER_MS } from '../../src/lib/time.ts';
import { accumulate } from '../../src/monitor/trends/rules/time-series.ts';
import { estimateWeekends, scaleWeekends } from '../../src/monitor/trends/rules/weekends.ts';

/** A Monday; what is known ends two hours later. */
const MONDAY = Date.UTC(2026, 10, 23);
const isWeekend = (at: number) => new Date(at).getUTCDay() % 6 === 0;

type Weeks = Readonly<{
  days?: number;
  /** Posts in a quarter of an hour of weekdays, and of weekends. */
  weekday?: number;
  weekend?: number;
  /** Days before Monday on which there is ten times as much. */
  bursts?: readonly number[];
  /** Observed seconds of a quarter, at a local time. */
  observe?: (at: number) => number;
  /** Factor of a local time of day. */
  shape?: (at: number) => number;
  offset?: number;
}>;

function weeks({
  days = 44,
  weekday = 8,
  weekend = 8,
  bursts = [],
  observe = () => 900,
  shape = () => 1,
  offset = 0,
}: Weeks) {
  const length = days * 96 + 8;
  const local = MONDAY - days * DAY;
  const timeOf = (i: number) => local + i * QUARTER_MS;
  const seconds = Float64Array.from({ length }, (_, i) => observe(timeOf(i)));
  const counts = Float64Array.from({ length }, (_, i) => {
    const usual = isWeekend(timeOf(i)) ? weekend : weekday;
    const isBurst = bursts.includes(Math.ceil((MONDAY - timeOf(i)) / DAY));
    return ((isBurst ? 10 : 1) * usual * shape(timeOf(i)) * (seconds[i] ?? 0)) / 900;
  });
  return { from: local - offset, counts, seconds, offset };
}
const estimate = (options: Weeks) => {
  const series = weeks(options);
  return estimateWeekends(series, accumulate(series));
};

describe('the factor of weekends', () => {
  test.each<[string, Weeks, number, number]>([
    ['is one where all days are alike', {}, 1, 1],
    ['is that of the weekend', { weekend: 2 }, 0.25, 0.28],
    ['may be above one', { weekend: 16 }, 1.9, 2],
    [
      'is not that of bursts, on weekdays or weekends',
      { weekend: 2, bursts: [1, 2, 4, 9, 15, 16, 18, 33] },
      0.25,
      0.28,
    ],
    ['is unknown with five weekend days', { days: 15, weekend: 2 }, 1, 1],
    ['is known with six', { days: 16, weekend: 2 }, 0.25, 0.3],
    ['is shrunk where there are few posts', { weekday: 0.02, weekend: 0 }, 0.5, 0.95],
    [
      'is that of rates, not of counts',
      { weekend: 2, observe: (at) => (isWeekend(at) ? 900 : 90) },
      0.25,
      0.28,
    ],
    [
      'does not count days of which less than twelve hours were observed',
      { weekend: 2, observe: (at) => (isWeekend(at) && at % DAY >= DAY / 2.5 ? 0 : 900) },
      1,
      1,
    ],
    [
      'is that of the same times of day, where busy hours are observed for a shorter time',
      {
        weekend: 2,
        shape: (at) => (at % DAY < DAY / 3 ? 10 : 1),
        observe: (at) => (!isWeekend(at) && at % DAY < DAY / 3 ? 180 : 900),
      },
      0.25,
      0.36,
    ],
    ['is that of empty weekends', { weekend: 0 }, 0.005, 0.05],
    ['is that of days of the zone', { weekend: 2, offset: -8 * HOUR }, 0.25, 0.28],
    ['is unknown without weekdays', { weekend: 2, observe: (at) => (isWeekend(at) ? 900 : 0) }, 1, 1],
  ])('%s', (_, options, least, most) => {
    const factor = estimate(options);
    expect(factor).toBeGreaterThanOrEqual(least);
    expect(factor).toBeLessThanOrEqual(most);
  });

  test('is that of the six weeks before, up to the last midnight', () => {
    // Weekends at a quarter until six weeks ago, as other days since; tonight there is nothing.
    const series = weeks({ days: 84 });
    for (const [i] of series.counts.entries())
      if (i < 42 * 96 && isWeekend(series.from + i * QUARTER_MS)) series.counts[i] = 2;
    series.counts.fill(0, -8);
    expect(estimateWeekends(series, accumulate(series))).toBe(1);
    const earlier = { ...series, counts: series.counts.subarray(0, 42 * 96 + 8) };
    expect(estimateWeekends(earlier, accumulate(earlier))).toBeLessThan(0.3);
  });
});

test('leveled weekends have the rate of other days', () => {
  const series = weeks({ weekend: 2 });
  const { counts, seconds } = scaleWeekends(series, 0.25);
  for (const [i, count] of Array.from(counts).entries())
    expect(count / (seconds[i] ?? 0)).toBeCloseTo(8 / 900, 9);
  expect(scaleWeekends(series, 1)).toBe(series);
});
