import { expect, test } from 'vitest';
import { DAY, HOUR, QUARTER_MS } from '../../src/lib/time.ts';
import { type Series } from '../../src/monitor/trends/rules/time-series.ts';
import { computeWeekdayUsual } from '../../src/monitor/trends/rules/weekday-usual.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const window = { start: NOW - HOUR, end: NOW };

/** Days of two posts a quarter; seven, 14, 21 and 28 days ago there were nine. */
function weeks(
  days: number,
  change: (series: Series & { seconds: Float64Array }) => void = () => {},
): Series {
  const length = days * 96;
  const from = NOW - days * DAY;
  const counts = Float64Array.from({ length }, (_, i) => {
    const daysAgo = Math.ceil((NOW - from - i * QUARTER_MS) / DAY) - 1;
    return daysAgo > 0 && daysAgo % 7 === 0 ? 9 : 2;
  });
  const series = { from, counts, seconds: new Float64Array(length).fill(900) };
  change(series);
  return series;
}
const index = (series: Series, at: number) => Math.round((at - series.from) / QUARTER_MS);

test('the baseline of a weekday comes from the four weeks before', () => {
  expect(computeWeekdayUsual(weeks(29), window)).toBe(36);
});

test('four weeks must have been observed, each around this time', () => {
  expect(computeWeekdayUsual(weeks(27), window)).toBeNull();
  for (const week of [1, 2, 3, 4]) {
    const missing = weeks(29, (series) => {
      const at = index(series, NOW - week * 7 * DAY);
      series.seconds.fill(0, at - 12, at + 8);
    });
    expect(computeWeekdayUsual(missing, window)).toBeNull();
  }
});

test('an hour unobserved in one of the weeks is excluded', () => {
  const gap = weeks(29, (series) => {
    const at = index(series, NOW - 14 * DAY);
    series.seconds.fill(0, at - 6, at);
  });
  expect(computeWeekdayUsual(gap, window)).toBe(36);
});
