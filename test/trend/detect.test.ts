import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, QUARTER_MS } from '../../src/lib/time.ts';
import { computeBaseline } from '../../src/monitor/trends/rules/baseline.ts';
import { findSilences, readHistory, readProfile } from '../../src/monitor/trends/rules/history.ts';
import { expectCount } from '../../src/monitor/trends/rules/profile.ts';
import {
  computeScore,
  countLearnedHours,
  type DetectionOptions,
  detectSpike,
  holdsWith,
  listWindowWidths,
} from '../../src/monitor/trends/rules/spike-detection.ts';
import { accumulate, type Series } from '../../src/monitor/trends/rules/time-series.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const watch: DetectionOptions = { sensitivity: 'normal', everySeconds: 900, alerted: [], now: NOW };

type Filled = Series & { counts: Float64Array; seconds: Float64Array };

/** Quarters up to now with about `usual` posts each, a little uneven; hours counted from the end. */
function steady(hours: number, usual: number, change: (series: Filled) => void = () => {}): Filled {
  const length = hours * 4;
  const series = {
    from: NOW - length * QUARTER_MS,
    counts: Float64Array.from({ length }, (_, i) => usual + ((i * 7) % 3) - 1),
    seconds: new Float64Array(length).fill(900),
  };
  change(series);
  return series;
}
/** Puts `posts` into each quarter of the last hour. */
const burst = (posts: number) => (series: Filled) => {
  series.counts.fill(posts, -4);
};

describe('a spike', () => {
  test('does not overlap or touch an earlier one, also where windows are longer than a day', () => {
    const every = { ...watch, everySeconds: (3 * DAY) / 1_000 };
    // One post a day, and six on each of the last three days.
    const series = steady(40 * 24, 0, ({ counts }) => {
      for (let i = 0; i < counts.length; i += 1)
        counts[i] = Number(i % (counts.length - i > 3 * 96 ? 96 : 16) === 0);
    });
    const spike = detectSpike(series, every);
    expect((spike?.end ?? 0) - (spike?.start ?? 0)).toBe(3 * DAY);
    for (const hours of [25, 48, 72]) {
      const alerted = [(spike?.end ?? 0) - hours * HOUR];
      expect(detectSpike(series, { ...every, alerted }), `${hours} h before`).toBeNull();
    }
  });

  test('is a window with far more posts than usual, with the data it was compared with', () => {
    expect(detectSpike(steady(15 * 24, 5), watch)).toBeNull();
    const spike = detectSpike(steady(15 * 24, 5, burst(35)), { ...watch });
    expect(spike).toMatchObject({
      n: 140,
      coverage: 1,
      usual: expect.closeTo(20, 0),
      days: 15,
      provisional: false,
    });
    expect(spike?.score).toBeGreaterThan(spike?.threshold ?? Number.NaN);
    expect([spike?.start, spike?.end]).toEqual([NOW - HOUR, NOW]);
  });

  test('in six hours is more certain than in one, unless hours vary together', () => {
    const findLength = (together: number, times = 2.5) => {
      // Hours between 0.6 and 1.6 of the usual, without a rhythm: the sine of squares.
      const factor = (i: number) => Math.exp(0.5 * Math.sin(Math.floor(i / 4 / together) ** 2));
      const uneven = steady(15 * 24, 20, ({ counts }) => {
        for (let i = 0; i < counts.length; i += 1)
          counts[i] = Math.round(20 * factor(i) * (i < counts.length - 24 ? 1 : times));
      });
      const spike = detectSpike(uneven, watch);
      return spike && (spike.end - spike.start) / HOUR;
    };
    expect(findLength(1)).toBe(6);
    expect(findLength(4)).toBeNull();
    expect(findLength(4, 5)).not.toBeNull();
  });

  test('at a time of day that is busy every day is not reported, the same number at night is', () => {
    const evenings = (series: Filled) => {
      for (let i = 0; i < series.counts.length; i += 1) {
        const hour = new Date(series.from + i * QUARTER_MS).getUTCHours();
        series.counts[i] = hour >= 9 && hour <= 11 ? 60 : 4;
      }
    };
    expect(detectSpike(steady(15 * 24, 5, evenings), watch)).toBeNull();
    const night = steady(15 * 24 - 6, 5, (series) => {
      series.from -= 6 * HOUR;
      evenings(series);
      series.counts.fill(60, -4);
    });
    const spike = detectSpike(night, { ...watch, now: NOW - 6 * HOUR });
    expect(spike).toMatchObject({ n: 184, usual: expect.closeTo(17.7, 0) });
  });

  test('is not detected in unobserved time, which is not zero', () => {
    const gaps = steady(15 * 24, 5, (series) => {
      burst(9)(series);
      // Every second quarter of the fortnight before was not observed; as zeros they would halve the mean.
      for (let i = 0; i < series.counts.length - 4; i += 2) {
        series.seconds[i] = 0;
        series.counts[i] = 0;
      }
    });
    expect(detectSpike(gaps, watch)).toBeNull();
    const dead = steady(15 * 24, 5, (series) => {
      burst(35)(series);
      series.seconds.fill(0, -8);
      series.counts.fill(0, -8);
    });
    expect(detectSpike(dead, watch)).toBeNull();
    const unseen = steady(15 * 24, 5, (series) => {
      series.counts.fill(0, -28);
      series.seconds.fill(0, -28);
      burst(6)(series);
    });
    expect(detectSpike(unseen, watch)).toBeNull();
  });

  test('in a partly observed window is scaled up; the count stays as observed', () => {
    const half = steady(15 * 24, 5, (series) => {
      series.counts.set([20, 20, 20, 0], series.counts.length - 4);
      series.seconds.set([900, 900, 900, 0], series.counts.length - 4);
    });
    const spike = detectSpike(half, watch);
    expect(spike).toMatchObject({ n: 60, coverage: 0.75 });
  });

  test('is measured by the seconds that a truncated response observed, as is what is usual', () => {
    // A hundred posts an hour. Each response observes three minutes of the last quarter; at the end it is full after 36 seconds.
    const truncated = steady(15 * 24, 0, (series) => {
      series.counts.fill(0);
      series.seconds.fill(0);
      for (let i = 3; i < series.counts.length; i += 4) {
        series.counts[i] = 5;
        series.seconds[i] = 180;
      }
      series.counts.set([30], series.counts.length - 1);
      series.seconds.set([36], series.seconds.length - 1);
    });
    const spike = detectSpike(truncated, watch);
    expect(spike).toMatchObject({ n: 30, coverage: expect.closeTo(0.01, 6), usual: expect.closeTo(100, -1) });
    truncated.counts.set([5], truncated.counts.length - 1);
    expect(detectSpike(truncated, watch)).toBeNull();
  });

  test('is not what happened a week ago at this time', () => {
    const show = (posts: number) =>
      steady(15 * 24, 5, (series) => {
        for (const week of [0, 7]) {
          const end = series.counts.length - week * 96;
          series.counts.fill(week === 0 ? posts : 35, end - 4, end);
        }
      });
    expect(detectSpike(show(35), watch)).toBeNull();
    expect(detectSpike(show(80), watch)).toMatchObject({ n: 320 });
  });

  test('is not a level that is higher for a day and a half, or grows a little every day', () => {
    const since = (hours: number) => steady(15 * 24, 5, (series) => series.counts.fill(20, -4 * hours));
    expect(detectSpike(since(2), watch)).not.toBeNull();
    expect(detectSpike(since(36), watch)).toBeNull();
    const drift = steady(20 * 24, 5, (series) => {
      for (let i = 0; i < series.counts.length; i += 1) series.counts[i] = 5 * 1.1 ** (i / 96);
    });
    expect(detectSpike(drift, watch)).toBeNull();
  });

  test('is not the return of a source that was silent for days: silence is not zero', () => {
    const back = steady(15 * 24, 5, (series) => {
      series.counts.fill(0, -8 * 96, -4);
      series.counts.fill(8, -4);
    });
    expect(detectSpike(back, watch)).toBeNull();
    const sums = accumulate(back);
    expect(findSilences(back, sums)).toEqual([{ start: 7 * 96, end: 15 * 96 - 4 }]);
    expect(findSilences(steady(15 * 24, 5), accumulate(steady(15 * 24, 5)))).toEqual([]);
  });

  test('is found on a weekend, on which there are never any posts: that is no silence', () => {
    const offices = steady(44 * 24, 0, (series) => {
      for (let i = 0; i < series.counts.length; i += 1)
        series.counts[i] = new Date(series.from + i * QUARTER_MS).getUTCDay() % 6 === 0 ? 0 : 2;
      burst(3)(series);
    });
    expect(detectSpike(offices, watch)).toMatchObject({ n: 12 });
  });

  test('must exceed what hours of this search vary anyway', () => {
    const varied = (posts: number, factor: number) =>
      steady(15 * 24, 5, (series) => {
        for (let i = 0; i < series.counts.length; i += 1)
          series.counts[i] = 5 * (Math.floor(i / 4) % 4 < 2 ? factor : 2 - factor);
        burst(posts)(series);
      });
    expect(detectSpike(varied(13, 1), watch)).not.toBeNull();
    expect(detectSpike(varied(13, 1.7), watch)).toBeNull();
  });

  test('must exceed more where hours vary together, because posts bring others', () => {
    // Hours between 0.7 and 1.4 of the usual, without a rhythm, alone or three alike: the sine of squares.
    const varied = (posts: number, alike: number) =>
      steady(15 * 24, 20, (series) => {
        for (let i = 0; i < series.counts.length; i += 1)
          series.counts[i] = Math.round(20 * Math.exp(0.35 * Math.sin(Math.floor(i / 4 / alike) ** 2)));
        burst(posts)(series);
      });
    expect(detectSpike(varied(46, 1), watch)).not.toBeNull();
    expect(detectSpike(varied(46, 3), watch)).toBeNull();
    expect(detectSpike(varied(120, 3), watch)).not.toBeNull();
  });

  test('is found although the level rises and falls within days: it does not vary as cascades do', () => {
    // Between 0.5 and 1.5 of the usual within 31 hours, so that no time of day is busier than another.
    const waves = (share: number) =>
      steady(15 * 24, 30, (series) => {
        const { length } = series.counts;
        for (let i = 0; i < length; i += 1)
          series.counts[i] = Math.round(
            30 * (1 + share * Math.sin(((length - 4 - i) / (31 * 4)) * 2 * Math.PI)),
          );
        burst(90)(series);
      });
    expect(detectSpike(waves(0), watch)).not.toBeNull();
    expect(detectSpike(waves(0.5), watch)).not.toBeNull();
  });

  test('is compared with a level that fell a week ago, unless it fell tonight or is returning', () => {
    const fallen = (days: number) =>
      steady(15 * 24, 6, (series) => {
        for (let i = series.counts.length - 96 * days; i < series.counts.length; i += 1)
          series.counts[i] = 1 + (i % 3);
        burst(7)(series);
      });
    expect(detectSpike(fallen(8), watch)).toMatchObject({ n: 28 });
    expect(detectSpike(fallen(0.25), watch)).toBeNull();
    const returning = steady(15 * 24, 6, ({ counts }) => {
      counts.fill(1, -96 * 8);
      for (let i = counts.length - 96 * 2; i < counts.length; i += 1) counts[i] = 2 + (i % 3);
      counts.fill(6, -4);
    });
    expect(detectSpike(returning, watch)).toBeNull();
  });

  test('is not the first Monday after a quiet weekend', () => {
    // Monday noon; observed since Tuesday, with a rhythm of days and a sixth as many posts at the weekend.
    const now = NOW + 2 * DAY;
    const days = steady(6 * 24, 0, (series) => {
      series.from = now - 6 * DAY;
      for (let i = 0; i < series.counts.length; i += 1) {
        const at = new Date(series.from + i * QUARTER_MS);
        const usual = 12 + 6 * Math.sin(((at.getUTCHours() - 6) / 12) * Math.PI) + ((i * 7) % 3) - 1;
        series.counts[i] = Math.round(at.getUTCDay() % 6 === 0 ? usual / 6 : usual);
      }
    });
    expect(detectSpike(days, { ...watch, now })).toBeNull();
  });

  test('is compared with weekends on a Saturday, and with weekdays on a Monday', () => {
    // Six weeks of 40 posts an hour, 8 at weekends, and then `posts` in the last hour, a quarter before which all is as usual.
    const weeks = (now: number, posts: number) =>
      steady(44 * 24, 0, (series) => {
        series.from = now - 44 * DAY;
        for (let i = 0; i < series.counts.length; i += 1) {
          const isWeekend = new Date(series.from + i * QUARTER_MS).getUTCDay() % 6 === 0;
          series.counts[i] = (isWeekend ? 2 : 10) + ((i * 7) % 3) - 1;
        }
        burst(posts / 4)(series);
      });
    const [saturday, monday] = [NOW, NOW + 2 * DAY];
    expect(detectSpike(weeks(saturday, 32), { ...watch, now: saturday })).toMatchObject({
      n: 32,
      usual: expect.closeTo(8, 0),
      mean: expect.closeTo(8, 0),
    });
    expect(detectSpike(weeks(saturday, 12), { ...watch, now: saturday })).toBeNull();
    expect(detectSpike(weeks(monday, 64), { ...watch, now: monday })).toBeNull();
    expect(detectSpike(weeks(monday, 160), { ...watch, now: monday })).toMatchObject({
      usual: expect.closeTo(40, -1),
    });
  });

  test('is compared with a level that rose a day and a half ago, however few its posts are', () => {
    // 30 posts a day, 75 since 36 hours ago: Poisson processes, drawn by a linear congruential generator.
    const alarms = Array.from({ length: 200 }, (_, seed) => {
      let state = seed + 1;
      const draw = () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return state / 2 ** 32;
      };
      const drawPosts = (mean: number) => {
        let posts = 0;
        for (let product = draw(); product > Math.exp(-mean); product *= draw()) posts += 1;
        return posts;
      };
      const risen = steady(15 * 24, 0, ({ counts }) => {
        for (let i = 0; i < counts.length; i += 1)
          counts[i] = drawPosts((i < counts.length - 36 * 4 ? 30 : 75) / 96);
      });
      return detectSpike(risen, watch);
    });
    // Where each hour is compared by itself, a quarter of so few posts is most of them: 38.
    expect(alarms.filter((alarm) => alarm !== null).length).toBeLessThanOrEqual(20);
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

  test('is not what followed the last one, a new level, even after a quiet hour', () => {
    const level = (posts: number) =>
      steady(15 * 24, 5, (series) => {
        series.counts.fill(20, -4 * 26);
        series.counts.fill(5, -4 * 6, -4 * 5);
        burst(posts)(series);
      });
    const told = { ...watch, alerted: [NOW - 25 * HOUR] };
    expect(detectSpike(level(30), told)).toBeNull();
    expect(detectSpike(level(60), told)).toMatchObject({ n: 240 });
  });

  test('needs an hour below the threshold since the last one, also where it is far above the new level', () => {
    const risen = (quiet: number) =>
      steady(15 * 24, 5, (series) => {
        series.counts.fill(20, -4 * 26);
        if (quiet > 0) series.counts.fill(5, -24 - quiet, -24);
        burst(60)(series);
      });
    const told = { ...watch, alerted: [NOW - 25 * HOUR] };
    expect(detectSpike(risen(0), told)).toBeNull();
    expect(detectSpike(risen(8), told)).toMatchObject({ n: 240 });
  });

  test('has twice as many posts as usual, however certain fewer are', () => {
    expect(detectSpike(steady(15 * 24, 250, burst(450)), watch)).toBeNull();
    expect(detectSpike(steady(15 * 24, 250, burst(550)), watch)).toMatchObject({ n: 2_200 });
  });

  test('has at least five posts, also without its loudest author', () => {
    const spike = detectSpike(steady(15 * 24, 5, burst(35)), watch);
    const holds = (posts: number) => spike !== null && holdsWith({ ...spike, usual: 0.1 }, posts);
    expect([holds(5), holds(4)]).toEqual([true, false]);
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
    ['up to three days 24 posts instead of four are not enough', 48, 6, null],
    ['after three days the normal rule', 80, 35, false],
  ])('%s', (_, hours, posts, provisional) => {
    const spike = detectSpike(steady(hours, posts < 10 ? 1 : 5, burst(posts)), watch);
    expect(spike?.provisional ?? null).toBe(provisional);
  });

  test('hours are counted in steps of the interval, for users as for detection', () => {
    const every = 6 * 3_600;
    // A truncated response every six hours observes a quarter.
    const truncated = (responses: number, posts = 5) =>
      steady(6 * responses, 5, ({ counts, seconds }) => {
        seconds.forEach((_, i) => (i + 1) % 24 === 0 || seconds.fill(0, i, i + 1));
        counts.forEach((_, i) => (i + 1) % 24 === 0 || counts.fill(0, i, i + 1));
        counts.fill(posts, -1);
      });
    expect([1, 2, 12].map((responses) => countLearnedHours(truncated(responses), every))).toEqual([
      6, 12, 72,
    ]);
    const found = [2, 3, 12, 13].map((responses) =>
      detectSpike(truncated(responses, 600), { ...watch, everySeconds: every }),
    );
    expect(found.map((spike) => spike?.provisional ?? null)).toEqual([null, true, true, false]);
  });

  test.each([1, 5, 11, 12, 13, 19, 71, 72, 100])('all of %i hours without a gap count', (hours) => {
    for (const posts of [0.05, 5]) expect(countLearnedHours(steady(hours, posts), 900)).toBe(hours);
  });

  test('hours of an hour a day count as windows of six hours do, which detect with them', () => {
    const capped = steady(3 * 24, 5, ({ counts, seconds }) => {
      seconds.forEach((_, i) => i % 96 >= 92 || seconds.fill(0, i, i + 1));
      counts.forEach((_, i) => i % 96 >= 92 || counts.fill(0, i, i + 1));
      counts.fill(60, -4);
    });
    expect(detectSpike(capped, watch)).not.toBeNull();
    expect(countLearnedHours(capped, 900)).toBeGreaterThanOrEqual(12);
  });

  test('what is usual comes from all that was observed, not from one hour of days ago', () => {
    const paused = steady(6 * 24, 5, ({ counts, seconds }) => {
      counts.fill(50, 0, 4);
      counts.fill(0, 4, -12 * 4);
      seconds.fill(0, 4, -12 * 4);
    });
    expect(readProfile(readHistory(paused), paused.counts.length)?.mean).toBeLessThan(10);
  });

  test('a burst does not stay in what is usual, also where few hours of a week are observed', () => {
    const opened = steady(14 * 24, 5, ({ counts, seconds }) => {
      for (let day = 0; day < 14; day += 1) seconds.fill(0, day * 96, day * 96 + 48);
      counts.fill(60, 9 * 96 + 48, 9 * 96 + 72);
    });
    const end = opened.counts.length;
    const baseline = computeBaseline(readHistory(opened), end);
    expect(baseline && expectCount(opened, baseline, end, 4)).toBeLessThan(25);
  });
});

test('sensitivity changes the threshold and nothing else', () => {
  const score = (posts: number) =>
    detectSpike(steady(15 * 24, 2, burst(posts)), { ...watch, sensitivity: 'high' })?.score;
  const posts = Array.from({ length: 100 }, (_, i) => 2 + i / 8).find((one) => (score(one) ?? 0) >= 3) ?? 0;
  expect(score(posts)).toBeLessThan(3.5);
  expect(detectSpike(steady(15 * 24, 2, burst(posts)), watch)).toBeNull();
  expect(detectSpike(steady(15 * 24, 2, burst(35)), { ...watch, sensitivity: 'low' })).toMatchObject({
    threshold: 5,
  });
});

test('the score is that of a Poisson distribution without dispersion, and lower with it, or where posts come together', () => {
  // -ln of the likelihood ratio of 25 for 8.3 is 10.9.
  expect(computeScore(25, 8.3, { clumping: 1, dispersion: 0 })).toBeCloseTo(4.65, 1);
  expect(computeScore(25, 8.3, { clumping: 1, dispersion: 0.3 })).toBeLessThan(3);
  expect(computeScore(25, 8.3, { clumping: 4, dispersion: 0 })).toBeCloseTo(4.65 / 2, 1);
  expect(computeScore(8, 8.3, { clumping: 1, dispersion: 0 })).toBe(0);
});

test('windows are as wide as a search has posts; one is six hours, and one as long as its interval', () => {
  const widths = (postsADay: number, everySeconds = 900) => {
    const series = steady(15 * 24, 0);
    const counts = new Float64Array(series.counts.length).fill(postsADay / 96);
    return listWindowWidths(accumulate({ ...series, counts }), everySeconds).map((width) => width / 4);
  };
  expect([300, 30, 8, 3].map((rate) => widths(rate))).toEqual([[1, 6], [3, 6], [6], [24]]);
  expect(widths(300, 4 * 3_600)).toEqual([1, 6, 4]);
  expect(widths(300, 2 * 86_400)).toEqual([1, 6, 48]);
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
          seconds: counts.map((_, i) => 60 * (seen[i % 60] ?? 0)),
        };
        const spike = detectSpike(series, watch);
        if (spike === null) return;
        expect(spike.n).toBeGreaterThanOrEqual(5);
        expect(spike.score).toBeGreaterThanOrEqual(spike.threshold);
        expect(spike.n / spike.coverage).toBeGreaterThanOrEqual(2 * Math.max(1, spike.usual) - 1e-9);
        expect(NOW - spike.end).toBeLessThanOrEqual(6 * HOUR);
        expect(spike.end - spike.start).toBeLessThanOrEqual(DAY);
      },
    ),
    { numRuns: 300 },
  );
});
