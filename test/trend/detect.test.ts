import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/domain/time.ts';
import {
  chooseWindowWidth,
  type DetectionOptions,
  detectSpike,
} from '../../src/monitor/trends/rules/spike-detection.ts';
import { QUARTER_MS, type Series } from '../../src/monitor/trends/rules/time-series.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const watch: DetectionOptions = { sensitivity: 'normal', everySeconds: 900, alerted: [], now: NOW };

type Filled = Series & { counts: Float64Array; minutes: Uint8Array; cut: Uint8Array };

/** Quarters up to now with about `usual` posts each, a little uneven; hours counted from the end. */
function steady(hours: number, usual: number, change: (series: Filled) => void = () => {}): Filled {
  const length = hours * 4;
  const series = {
    from: NOW - length * QUARTER_MS,
    counts: Float64Array.from({ length }, (_, i) => usual + ((i * 7) % 3) - 1),
    minutes: new Uint8Array(length).fill(15),
    cut: new Uint8Array(length),
  };
  change(series);
  return series;
}
/** Puts `posts` into each quarter of the last hour. */
const burst = (posts: number) => (series: Filled) => {
  series.counts.fill(posts, -4);
};

describe('a spike', () => {
  test('is a window with far more posts than usual, with the data it was compared with', () => {
    expect(detectSpike(steady(15 * 24, 5), watch)).toBeNull();
    const spike = detectSpike(steady(15 * 24, 5, burst(35)), { ...watch });
    expect(spike).toMatchObject({
      n: 140,
      coverage: 1,
      lowerBound: false,
      usual: 20,
      days: 14,
      provisional: false,
    });
    expect(spike?.score).toBeGreaterThan(4.5);
    expect([spike?.start, spike?.end]).toEqual([NOW - HOUR, NOW]);
  });

  test('at a time of day that is busy every day is not reported, the same number at night is', () => {
    const evenings = (series: Filled) => {
      for (let i = 0; i < series.counts.length; i += 1) {
        const hour = new Date(series.from + i * QUARTER_MS).getUTCHours();
        series.counts[i] = hour === 11 ? 60 : 4;
      }
    };
    expect(detectSpike(steady(15 * 24, 5, evenings), watch)).toBeNull();
    const night = steady(15 * 24 - 6, 5, (series) => {
      series.from -= 6 * HOUR;
      evenings(series);
      series.counts.fill(60, -4);
    });
    expect(detectSpike(night, { ...watch, now: NOW - 6 * HOUR })).toMatchObject({ n: 240, usual: 16 });
  });

  test('is not detected in unobserved time, which is not zero', () => {
    const gaps = steady(15 * 24, 5, (series) => {
      burst(9)(series);
      // Every second quarter of the fortnight before was not observed; as zeros they would halve the mean.
      for (let i = 0; i < series.counts.length - 4; i += 2) {
        series.minutes[i] = 0;
        series.counts[i] = 0;
      }
    });
    expect(detectSpike(gaps, watch)).toBeNull();
    const unseen = steady(15 * 24, 5, (series) => {
      burst(35)(series);
      series.minutes.fill(7, -8);
    });
    expect(detectSpike(unseen, watch)).toBeNull();
  });

  test('in a partly observed window is scaled up; the count stays as observed', () => {
    const half = steady(15 * 24, 5, (series) => {
      series.counts.set([20, 20, 20, 0], series.counts.length - 4);
      series.minutes.set([15, 15, 15, 0], series.counts.length - 4);
    });
    const spike = detectSpike(half, watch);
    expect(spike).toMatchObject({ n: 60, coverage: 0.75 });
    expect(spike?.score).toBeCloseTo((80 - 20) / (spike?.sd ?? Number.NaN), 0);
  });

  test('may come from a lower bound, which is excluded from every baseline', () => {
    const cut = steady(15 * 24, 5, (series) => {
      burst(35)(series);
      series.minutes.fill(3, -4);
      series.cut.fill(1, -4);
    });
    expect(detectSpike(cut, watch)).toMatchObject({ n: 140, lowerBound: true });
    const before = steady(15 * 24, 5, (series) => {
      burst(35)(series);
      for (let i = 100; i < 200; i += 1) {
        series.counts[i] = 500;
        series.cut[i] = 1;
        series.minutes[i] = 1;
      }
    });
    expect(detectSpike(before, watch)).toMatchObject({ n: 140, usual: 20 });
  });

  test('is not reported if this time of day has mostly lower bounds: the baseline is unknown', () => {
    // By day answers are full at 30 posts a quarter, on so many days; at night, and on the others, it is quiet.
    const fullOn = (days: number) =>
      steady(15 * 24, 5, (series) => {
        for (let i = 0; i < series.counts.length; i += 1) {
          const at = new Date(series.from + i * QUARTER_MS);
          if (at.getUTCHours() < 4 || at.getUTCHours() > 20) continue;
          if (i < series.counts.length - 4 && (NOW - at.getTime()) / DAY > days + 0.5) continue;
          series.counts[i] = 30;
          series.minutes[i] = 3;
          series.cut[i] = 1;
        }
      });
    expect(detectSpike(fullOn(2), watch)).toMatchObject({ n: 120, lowerBound: true });
    expect(detectSpike(fullOn(11), watch)).toBeNull();
  });

  test('is not reported again within a day, nor before a quiet hour', () => {
    const day = (hours: number) =>
      steady(15 * 24, 5, (series) => {
        series.counts.fill(60, -4 * hours);
      });
    const told = (endedHoursAgo: number) => ({ ...watch, alerted: [NOW - endedHoursAgo * HOUR] });
    expect(detectSpike(day(1), told(23))).toBeNull();
    expect(detectSpike(day(1), told(25))).not.toBeNull();
    expect(detectSpike(day(27), told(26))).toBeNull();
  });

  test('in a window that closed more than six hours ago is not reported', () => {
    const late = (hours: number) =>
      steady(15 * 24, 5, (series) => {
        const end = series.counts.length - 4 * hours;
        series.counts.fill(60, end - 4, end);
      });
    expect(detectSpike(late(5), watch)).toMatchObject({ end: NOW - 5 * HOUR });
    expect(detectSpike(late(8), watch)).toBeNull();
  });
});

describe('with little history', () => {
  test.each([
    ['under twelve hours nothing is reported', 12, 35, null],
    ['up to three days only clear spikes, marked provisional', 48, 35, true],
    ['up to three days fewer than twenty posts are not enough', 48, 4.5, null],
    ['after three days the normal rule', 80, 35, false],
  ])('%s', (_, hours, posts, provisional) => {
    const spike = detectSpike(steady(hours, posts < 10 ? 1 : 5, burst(posts)), watch);
    expect(spike?.provisional ?? null).toBe(provisional);
  });
});

test('sensitivity changes the threshold and nothing else', () => {
  const score = (posts: number) =>
    detectSpike(steady(15 * 24, 5, burst(posts)), { ...watch, sensitivity: 'high' })?.score;
  const posts = Array.from({ length: 100 }, (_, i) => 5 + i / 4).find((one) => (score(one) ?? 0) >= 3.6) ?? 0;
  expect(score(posts)).toBeLessThan(4.5);
  expect(detectSpike(steady(15 * 24, 5, burst(posts)), watch)).toBeNull();
  expect(detectSpike(steady(15 * 24, 5, burst(35)), { ...watch, sensitivity: 'low' })).toMatchObject({
    threshold: 6,
  });
});

test('the window grows with the interval of a slow search, and is never shorter', () => {
  const width = (postsADay: number, everySeconds = 900) => {
    const series = steady(15 * 24, 0);
    return chooseWindowWidth(
      { ...series, counts: new Float64Array(series.counts.length).fill(postsADay / 96) },
      everySeconds,
    );
  };
  expect([300, 30, 8, 3].map((rate) => width(rate) / 4)).toEqual([1, 3, 6, 24]);
  expect(width(300, 4 * 3_600) / 4).toBe(4);
  expect(width(300, 2 * 86_400) / 4).toBe(48);
});

test('for any counts, a reported spike is above its threshold, at least five, twice the usual, and on time', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 60, maxLength: 500 }),
      fc.array(fc.integer({ min: 0, max: 15 }), { minLength: 60, maxLength: 60 }),
      (counts, seen) => {
        const series = {
          from: NOW - counts.length * QUARTER_MS,
          counts,
          minutes: counts.map((_, i) => seen[i % 60] ?? 0),
          cut: counts.map((_, i) => i % 17 === 0),
        };
        const spike = detectSpike(series, watch);
        if (spike === null) return;
        expect(spike.n).toBeGreaterThanOrEqual(5);
        expect(spike.score).toBeGreaterThanOrEqual(spike.threshold);
        const value = spike.lowerBound ? spike.n : spike.n / spike.coverage;
        expect(value).toBeGreaterThanOrEqual(2 * Math.max(1, spike.usual));
        expect(NOW - spike.end).toBeLessThanOrEqual(6 * HOUR);
        expect(spike.end - spike.start).toBeLessThanOrEqual(DAY);
      },
    ),
    { numRuns: 300 },
  );
});
