import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseAiInterval, chooseInterval } from '../../src/monitor/schedule/pace-interval.ts';
import {
  earliestCall,
  fitFill,
  limitCalls,
  planAhead,
  spendCall,
} from '../../src/monitor/schedule/call-budget.ts';
import { findNewestBlock } from '../../src/model/response-rate.ts';
import {
  findSufficientInterval,
  forecastAdaptive,
  forecastFixed,
  planAdaptive,
} from '../../src/monitor/schedule/pace-forecast.ts';
import { learn, NEW_PACE, type Pace, type PacedResponse } from '../../src/monitor/schedule/pace.ts';
import { describeIntervalChange } from '../../src/monitor/schedule/schedule-text.ts';
import type { IntervalChange } from '../../src/store/runs/pace.ts';
import { parseAdaptive, toScheduleColumns, writeEvery } from '../../src/monitor/schedule/schedule.ts';
import { poll } from '../../bench/polling/poll.ts';
import { createWorld } from '../../bench/polling/topics.ts';
import { seeded } from '../faults/random.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const START = Date.UTC(2026, 10, 21);
const LIMITS = { leastMs: 2 * MINUTE, mostMs: 6 * HOUR, fill: 0.6 };
const RUNS = { numRuns: 200 };

/** Times of a Poisson process, newest first. */
function posts(random: () => number, perHour: number, from: number, to: number): number[] {
  const times: number[] = [];
  for (let at = from; ; times.unshift(at)) {
    at += (-Math.log(1 - random()) / perHour) * HOUR;
    if (at > to) return times;
  }
}

/** A pace after responses of a limit at even intervals. */
function watch(perHour: number, { limit = 40, everyMs = 5 * MINUTE, calls = 60, seed = 1 } = {}): Pace {
  const random = seeded(seed);
  let pace = NEW_PACE;
  for (let call = 0; call < calls; call += 1) {
    const at = START + call * everyMs;
    const since = call === 0 ? null : at - everyMs;
    // Enough for a response, or the whole interval.
    const reach = Math.min(call === 0 ? 2 * DAY : everyMs, (3 * limit * HOUR) / perHour);
    const returned = posts(random, perHour, at - reach, at).slice(0, limit);
    const times = call === 0 || returned.length === limit ? returned : null;
    pace = learn(pace, { at, since, newPosts: returned.length, times });
  }
  return pace;
}

describe('the rate', () => {
  test.each([
    ['a truncated response alone', 1_200, { limit: 40, everyMs: HOUR, calls: 1 }, 0.5],
    ['truncated responses', 1_200, { limit: 40, everyMs: HOUR, calls: 48 }, 0.3],
    ['whole responses', 60, { limit: 200, everyMs: 15 * MINUTE, calls: 200 }, 0.3],
    ['responses that are mostly empty', 0.5, { limit: 40, everyMs: 15 * MINUTE, calls: 2_000 }, 0.5],
  ])('is measured by %s', (_what, perHour, options, tolerance) => {
    const rates = Array.from({ length: 20 }, (_, seed) => watch(perHour, { ...options, seed }).rate ?? 0);
    const average = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
    expect(Math.abs(average / perHour - 1)).toBeLessThan(tolerance / 2);
    for (const rate of rates) expect(Math.abs(Math.log(rate / perHour))).toBeLessThan(1.2);
  });

  test('is not finished by popular posts at the end of a response', () => {
    const random = seeded(3);
    const newest = posts(random, 300, START - 10 * MINUTE, START).slice(0, 24);
    const popular = Array.from({ length: 16 }, () => START - HOUR - random() * DAY);
    // The oldest of the 24 is what the block begins after.
    const block = findNewestBlock([...popular, ...newest]);
    expect(block).toEqual({ posts: 23, from: Math.floor(newest.at(-1) ?? 0) + 1 });
  });

  test.each([1, 6, 8, 30])('is that of the whole time between responses: %d days', (days) => {
    let pace = NEW_PACE;
    for (let at = START; at <= START + 6 * days * DAY; at += days * DAY)
      pace = learn(pace, {
        at,
        since: at === START ? null : at - days * DAY,
        newPosts: 2.4 * days,
        times: null,
      });
    expect(pace.rate).toBeCloseTo(0.1, 2);
    expect(findSufficientInterval(pace)).toBe(DAY);
    // A hundred posts in the last hour are a truncated response; the days before had as many.
    const at = START + 7 * days * DAY;
    const times = Array.from({ length: 100 }, (_, i) => at - (i * HOUR) / 100);
    const { missed, rate } = learn(pace, { at, since: at - days * DAY, newPosts: 100, times });
    expect(missed / ((rate ?? 0) * days * 24)).toBeGreaterThan(0.5);
  });

  test('stays a finite number that is not negative, whatever comes', () => {
    const response = fc.record({
      passed: fc.integer({ min: -HOUR, max: 40 * DAY }),
      newPosts: fc.nat(500),
      isKnown: fc.boolean(),
      times: fc.option(fc.array(fc.integer({ min: -30 * DAY, max: HOUR }), { maxLength: 60 })),
    });
    fc.assert(
      fc.property(fc.array(response, { maxLength: 12 }), (responses) => {
        let [pace, at] = [NEW_PACE, START];
        for (const { passed, newPosts, isKnown, times } of responses) {
          const since = isKnown ? at : null;
          at += passed;
          const last = { at, since, newPosts, times: times?.map((time) => at + time) ?? null };
          pace = learn(pace, last);
          const { ms } = chooseInterval(pace, at, LIMITS, last);
          expect(pace.rate === null || (Number.isFinite(pace.rate) && pace.rate >= 0)).toBe(true);
          expect([pace.seen, pace.missed].every((n) => Number.isFinite(n) && n >= 0)).toBe(true);
          expect(ms).toBeGreaterThanOrEqual(LIMITS.leastMs);
          expect(ms).toBeLessThanOrEqual(LIMITS.mostMs);
        }
      }),
      RUNS,
    );
  });
});

describe('the interval', () => {
  const rates = fc.double({ min: 0.01, max: 5_000, noNaN: true });

  test('is shorter after a truncated response', () => {
    fc.assert(
      fc.property(
        rates,
        fc.integer({ min: 4 * MINUTE, max: 6 * HOUR }),
        fc.nat(1e6),
        (perHour, everyMs, seed) => {
          const pace = watch(perHour, { seed, calls: 3 });
          const at = START + 3 * 5 * MINUTE + everyMs;
          const block = Array.from({ length: 40 }, (_, i) => at - ((i + 1) * everyMs) / 120);
          const last: PacedResponse = { at, since: at - everyMs, newPosts: 40, times: block };
          expect(chooseInterval(learn(pace, last), at, LIMITS, last).ms).toBeLessThan(everyMs);
        },
      ),
      RUNS,
    );
  });

  test('is not shorter after a response without a post than if it had had some', () => {
    fc.assert(
      fc.property(
        rates,
        fc.integer({ min: MINUTE, max: 6 * HOUR }),
        fc.integer({ min: 1, max: 40 }),
        (perHour, everyMs, newPosts) => {
          const pace = watch(perHour, { calls: 5 });
          const at = START + 5 * 5 * MINUTE + everyMs;
          const after = (n: number) => {
            const last = { at, since: at - everyMs, newPosts: n, times: null };
            return chooseInterval(learn(pace, last), at, LIMITS, last).ms;
          };
          expect(after(0)).toBeGreaterThanOrEqual(after(newPosts) - 1);
        },
      ),
      RUNS,
    );
  });

  test('of an empty search grows to the longest', () => {
    let [pace, at] = [watch(200, { calls: 5 }), START + HOUR];
    let previous = 0;
    for (let call = 0; call < 60; call += 1) {
      const last = { at, since: pace.learnedAt, newPosts: 0, times: null };
      pace = learn(pace, last);
      const { ms } = chooseInterval(pace, at, LIMITS, last);
      expect(ms).toBeGreaterThanOrEqual(previous - 1);
      previous = ms;
      at += ms;
    }
    expect(previous).toBe(LIMITS.mostMs);
  });

  test.each([
    [2.4, 3.08],
    [1.2, 6.15],
    [1, 7.38],
    [0.4, 18.45],
    [0.2, 30],
    [0, 30],
  ])('is until a response is filled, also if that takes weeks: %d posts a day, %d days', (perDay, days) => {
    const pace = { ...NEW_PACE, rate: perDay / 24, room: 20 };
    const { ms } = chooseInterval(pace, START, { ...LIMITS, leastMs: HOUR, mostMs: 30 * DAY });
    expect(ms / DAY).toBeCloseTo(days, 1);
  });

  test('of an AI search is balanced where two responses of three find something new', () => {
    expect(chooseAiInterval(null, 3, LIMITS)).toEqual({ ms: HOUR, reason: 'learning' });
    expect(chooseAiInterval(HOUR, 3, LIMITS)).toEqual({ ms: 0.8 * HOUR, reason: 'found' });
    expect(chooseAiInterval(HOUR, 0, LIMITS)).toEqual({ ms: 1.5 * HOUR, reason: 'quiet' });
    expect(chooseAiInterval(5 * HOUR, 0, LIMITS)).toEqual({ ms: 6 * HOUR, reason: 'most' });
    expect(chooseAiInterval(2 * MINUTE, 1, LIMITS)).toEqual({ ms: 2 * MINUTE, reason: 'least' });
  });
});

describe('the budget', () => {
  test('allows no more calls in any 24 hours, whenever calls are wanted', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.array(fc.nat(3 * HOUR), { maxLength: 400 }),
        (most, waits) => {
          const calls: number[] = [];
          let spent: number | null = null;
          let at = START;
          for (const wait of waits) {
            at = Math.max(at + wait, spent === null ? at : earliestCall(spent, most));
            spent = spendCall(spent, at, most);
            calls.push(at);
          }
          for (const [i, first] of calls.entries())
            expect(calls.slice(i).filter((call) => call < first + DAY - 1).length).toBeLessThanOrEqual(most);
        },
      ),
      RUNS,
    );
  });

  test('that was not used is not saved up', () => {
    const at = 30 * DAY;
    expect(spendCall(at - 10 * DAY, at, 24)).toBe(spendCall(null, at, 24));
    expect(spendCall(at + DAY, at, 24)).toBeGreaterThan(at + DAY);
  });

  test('of several searches goes where responses are fullest, and is kept', () => {
    const searches = [10, 100, 1_000].map((perHour) => ({ pace: watch(perHour), ...LIMITS }));
    const callsAt = (fill: number) =>
      searches.map(
        ({ pace }) =>
          forecastAdaptive(pace, LIMITS, { calls: null, ofService: null, fill })?.callsPerDay ?? 0,
      );
    const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
    for (const budget of [200, 400, 800]) {
      const fill = fitFill(searches, { calls: budget, from: START + DAY, until: START + 2 * DAY });
      const calls = callsAt(fill);
      // The forecast is of an average day; here the last response is a day ago.
      expect(sum(calls)).toBeLessThanOrEqual(budget * 1.02);
      expect(calls[2]).toBeGreaterThan((calls[0] ?? 0) * 2);
    }
    expect(fitFill(searches, { calls: 1e6, from: START, until: START + DAY })).toBe(0.6);
  });

  test('lasts until midnight, and is not hoarded for the last minutes of the day', () => {
    const [noon, late] = [START + DAY / 2, START + DAY - MINUTE];
    expect(planAhead(960, 480, noon)).toEqual({ calls: 480, from: noon, until: START + DAY });
    const { calls, until } = planAhead(960, 0, late);
    expect(until).toBe(late + 6 * HOUR);
    expect(calls).toBeCloseTo(240, -1);
    expect(planAhead(960, 400, late).calls).toBeCloseTo(640, -1);
  });

  test('is kept for the busy hours of the day', () => {
    // A post a minute from 12 to 18 h UTC, one an hour otherwise, for two weeks.
    let pace = NEW_PACE;
    for (let at = START; at < START + 14 * DAY; at += 30 * MINUTE) {
      const busy = Math.floor((at - 1) / HOUR) % 24;
      pace = learn(pace, {
        at,
        since: at - 30 * MINUTE,
        newPosts: busy >= 12 && busy < 18 ? 30 : 1,
        times: null,
      });
    }
    const search = { pace: { ...pace, room: 20 }, ...LIMITS };
    const fit = (from: number, calls: number) => fitFill([search], { calls, from, until: from + 6 * HOUR });
    expect(fit(START + 14 * DAY + 2 * HOUR, 24)).toBe(0.6);
    expect(fit(START + 14 * DAY + 12 * HOUR, 24)).toBeGreaterThan(0.7);
  });

  test.each([
    ['as every 15 minutes', {}, { operation: 'microblog', service_kind: 'own' }, null, 96],
    ['as hourly on a hosted service', {}, { operation: 'microblog', service_kind: 'hosted' }, null, 24],
    ['as hourly for an AI search', {}, { operation: 'ai', service_kind: 'own' }, null, 24],
    ['as written', { callsPerDay: 500 }, { operation: 'ai', service_kind: 'hosted' }, 7, 7],
    [
      'shared if CALLS_PER_DAY is set',
      { callsPerDay: 500 },
      { operation: 'ai', service_kind: 'own' },
      null,
      null,
    ],
  ] as const)('is %s', (_what, config, search, callsPerDay, expected) => {
    expect(limitCalls(config, search, { callsPerDay })).toBe(expected);
  });
});

describe('the forecast', () => {
  test('says what a fixed interval misses, and which one would not', () => {
    const pace = watch(200, { limit: 40, everyMs: 5 * MINUTE, calls: 300 });
    expect(pace.room).toBeGreaterThan(20);
    expect(forecastFixed(pace, HOUR)?.caught).toBeLessThan(0.3);
    expect(forecastFixed(pace, 3 * MINUTE)?.caught).toBeGreaterThan(0.98);
    expect(findSufficientInterval(pace)).toBeLessThanOrEqual(10 * MINUTE);
    expect(
      forecastAdaptive(pace, LIMITS, { calls: null, ofService: null, fill: 0.6 })?.caught,
    ).toBeGreaterThan(0.95);
    expect(forecastFixed(NEW_PACE, HOUR)).toBeNull();
  });

  test.each([
    ['auto 2/day', 2, null],
    ['auto 1m-2m 24/day', 24, null],
    ['auto', null, 3],
    ['auto', null, 0],
  ])(
    'of %s stays within its calls a day, however short its longest interval is',
    (written, calls, ofService) => {
      for (const perHour of [0.01, 10, 1_000]) {
        const pace = watch(perHour);
        const plan = planAdaptive(parseAdaptive(written), { pace, fill: 0.6, calls, ofService });
        expect(plan.runsPerDay).toBeLessThanOrEqual(plan.mostRunsPerDay);
        expect(plan.runsPerMonth).toBeLessThanOrEqual(plan.mostRunsPerMonth);
        expect(plan.expected?.callsPerDay).toBeLessThanOrEqual(calls ?? ofService ?? 0);
        expect(plan.expected?.caught).toBeGreaterThanOrEqual(0);
      }
    },
  );

  test('of intervals longer than a day has runs, which cost something', () => {
    const limits = { pace: watch(10), fill: 0.6, calls: null, ofService: null };
    expect(planAdaptive(parseAdaptive('auto 2d-7d'), limits)).toMatchObject({
      runsPerDay: 1,
      mostRunsPerDay: 1,
    });
  });

  // docs/internals/decisions.md has the figures of the bench.
  test.each([
    ['hourly', { everyMs: HOUR }],
    ['with 96 calls a day', { shared: null, each: 96 }],
    ['with 24 calls a day', { shared: null, each: 24 }],
  ] as const)('of posts found agrees with what polling finds: %s', (_what, plan) => {
    // Ten of the forty topics, busy and quiet ones.
    const world = createWorld(301).filter((_, i) => i % 4 === 3);
    const judged = poll(world, { newest: 24, popular: 16 }, plan).flatMap(({ foreseen, second }) =>
      foreseen === null || second.published < 50 ? [] : [{ foreseen, second }],
    );
    expect(judged.length).toBeGreaterThan(6);
    const mean = (of: (one: (typeof judged)[number]) => number) =>
      judged.reduce((sum, one) => sum + of(one), 0) / judged.length;
    expect(mean(({ foreseen, second }) => Math.abs(foreseen.caught - second.caught))).toBeLessThan(0.05);
    const calls = mean(({ foreseen }) => foreseen.callsPerDay) / mean(({ second }) => second.callsPerDay);
    expect(Math.abs(calls - 1)).toBeLessThan(0.1);
  });

  test('is not misled by quiet hours, which take longer to fill a response', () => {
    // 120 posts an hour in odd hours, 12 in even ones; hourly responses of 20 miss most.
    const random = seeded(5);
    let pace = NEW_PACE;
    for (let hour = 1; hour < 24 * 14; hour += 1) {
      const at = START + hour * HOUR;
      const times = posts(random, hour % 2 === 0 ? 120 : 12, at - HOUR, at).slice(0, 20);
      pace = learn(pace, { at, since: at - HOUR, newPosts: times.length, times });
    }
    expect(forecastFixed(pace, HOUR)?.caught).toBeGreaterThan(0.22);
    expect(forecastFixed(pace, HOUR)?.caught).toBeLessThan(0.3);
  });

  test('counts the posts between truncated responses as missed', () => {
    const { seen, missed } = watch(240, { limit: 40, everyMs: HOUR, calls: 48 });
    expect(missed / (seen + missed)).toBeGreaterThan(0.75);
    expect(missed / (seen + missed)).toBeLessThan(0.9);
  });
});

describe('an adaptive schedule', () => {
  test.each(['auto', 'auto 5m-2h', 'auto 48/day', 'auto 90s-1d 7/day'])(
    'is written as it was read: %s',
    (written) => {
      expect(writeEvery(toScheduleColumns(parseAdaptive(`  ${written.toUpperCase()} `)))).toBe(written);
    },
  );

  test.each([
    'automatic',
    'auto 5m',
    'auto 2h-5m',
    'auto 1s-5m',
    'auto 0/day',
    'auto 5m-2h 48',
    'auto -1/day',
  ])('is refused: %s', (written) => {
    expect(() => parseAdaptive(written)).toThrow(/every/);
  });
});

describe('a change of an interval', () => {
  const change: IntervalChange = {
    at: new Date(START),
    seconds_before: 900,
    seconds: 323.4,
    reason: 'rate',
    per_hour: 243.7,
    room: 20,
    new_items: 12,
    waited_seconds: 900,
    calls_per_day: 96,
  };
  const from = 'every 5 minutes, before every 15 minutes: ';

  test.each<[Partial<IntervalChange>, string]>([
    [{}, `${from}about 240 posts an hour, at most 20 in a response`],
    [{ per_hour: 0.26, room: null }, `${from}about 6.2 posts a day`],
    [{ per_hour: 0.01, room: null }, `${from}less than one post a day`],
    [{ reason: 'truncated' }, `${from}the response did not reach back to the one 15 minutes before`],
    [
      { reason: 'truncated', waited_seconds: null },
      `${from}the response did not reach back to the one before`,
    ],
    [{ reason: 'quiet', waited_seconds: 10_800 }, `${from}nothing new in 3 hours`],
    [{ reason: 'found', new_items: 1 }, `${from}1 new item`],
    [
      { reason: 'least', per_hour: 1_234, room: 40 },
      `${from}the shortest allowed; about 1,200 posts an hour, at most 40 in a response`,
    ],
    [{ reason: 'most', per_hour: null }, `${from}the longest allowed`],
    [{ reason: 'budget', room: null }, `${from}limited to 96 calls a day; about 240 posts an hour`],
    [
      { reason: 'learning', seconds_before: null, seconds: 900 },
      'every 15 minutes: its rate is not known yet',
    ],
    // Rows from before the figures were kept.
    [{ per_hour: null, room: null }, `${from}by the rate of its posts`],
    [
      { reason: 'budget', per_hour: null, calls_per_day: null },
      `${from}limited by the calls a day of its service`,
    ],
  ])('%o is said in words', (over, words) => {
    expect(describeIntervalChange({ ...change, ...over })).toBe(words);
  });
});
