import { describe, expect, test } from 'vitest';
import { DAY } from '../../src/domain/time.ts';
import { QUARTER_MS } from '../../src/monitor/trends/rules/time-series.ts';
import { estimateWeekends, levelWeekends } from '../../src/monitor/trends/rules/weekends.ts';

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
  /** Observed seconds of a quarter. */
  observe?: (at: number) => number;
}>;

function weeks({ days = 44, weekday = 8, weekend = 8, bursts = [], observe = () => 900 }: Weeks) {
  const length = days * 96 + 8;
  const from = MONDAY - days * DAY;
  const timeOf = (i: number) => from + i * QUARTER_MS;
  const seconds = Float64Array.from({ length }, (_, i) => observe(timeOf(i)));
  const counts = Float64Array.from({ length }, (_, i) => {
    const usual = isWeekend(timeOf(i)) ? weekend : weekday;
    const isBurst = bursts.includes(Math.ceil((MONDAY - timeOf(i)) / DAY));
    return ((isBurst ? 10 : 1) * usual * (seconds[i] ?? 0)) / 900;
  });
  return { from, counts, seconds };
}
const estimate = (options: Weeks) => {
  const series = weeks(options);
  return estimateWeekends(series, series.counts.length);
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
    expect(estimateWeekends(series, series.counts.length)).toBe(1);
    expect(estimateWeekends(series, 42 * 96 + 8)).toBeLessThan(0.3);
  });
});

test('leveled weekends have the rate of other days', () => {
  const series = weeks({ weekend: 2 });
  const { counts, seconds } = levelWeekends(series, 0.25);
  for (const [i, count] of Array.from(counts).entries())
    expect(count / (seconds[i] ?? 0)).toBeCloseTo(8 / 900, 9);
  expect(levelWeekends(series, 1)).toBe(series);
});
