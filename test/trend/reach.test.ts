import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/domain/time.ts';
import { computeReach, listQuarters, QUARTER_MS, type RunBefore } from '../../src/store/volume/reach.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const before: RunBefore = {
  operation: 'microblog',
  dateFilter: null,
  everySeconds: 900,
  requestedPosts: null,
  lastUntil: NOW - 15 * MINUTE,
  mostPosts: 40,
  repeats: false,
  resumedAt: null,
  stoppedAt: null,
};
const seen = (change: Partial<RunBefore>, posts = 3, minutesAgo: readonly number[] = [1, 2, 3]) => {
  const reach = computeReach(
    { ...before, ...change },
    { observedAt: NOW, posts, times: minutesAgo.map((ago) => NOW - ago * MINUTE) },
  );
  return (
    reach && {
      reached: (NOW - reach.reached) / MINUTE,
      from: (NOW - reach.from) / MINUTE,
      until: (NOW - reach.until) / MINUTE,
    }
  );
};

describe('how many minutes a response covers', () => {
  test('operation B covers the time since the last succeeded run, at most two intervals', () => {
    expect(seen({})).toEqual({ reached: 15, from: 15, until: 0 });
    expect(seen({ lastUntil: NOW - 5 * MINUTE })).toEqual({ reached: 5, from: 5, until: 0 });
    expect(seen({ lastUntil: NOW - 5 * HOUR })).toEqual({ reached: 30, from: 30, until: 0 });
  });

  test('operation A covers its date filter, whenever it ran before', () => {
    expect(seen({ operation: 'ai', dateFilter: 'PAST_2_DAYS' })).toMatchObject({ from: (2 * DAY) / MINUTE });
    expect(seen({ operation: 'ai', dateFilter: null })).toMatchObject({ from: DAY / MINUTE });
  });

  test('operation A without any posts so far covers nothing; an empty response after others is a quiet period', () => {
    expect(seen({ operation: 'ai', mostPosts: null }, 0, [])).toBeNull();
    expect(seen({ operation: 'ai', mostPosts: 2, lastUntil: NOW - 6 * HOUR }, 0, [])).toMatchObject({
      reached: 360,
      from: 360,
    });
    expect(seen({ mostPosts: null, lastUntil: null }, 0, [])).toEqual({ reached: 30, from: 30, until: 0 });
  });

  test('a full response is complete in its newer half only, however old the rest', () => {
    const ages = [1, 2, 3, 4, 600, 900];
    expect(seen({ mostPosts: 6 }, 6, ages)).toEqual({ reached: 15, from: 3, until: 0 });
    expect(seen({ mostPosts: 7 }, 6, ages)).toEqual({ reached: 15, from: 15, until: 0 });
    expect(seen({ mostPosts: 7, requestedPosts: 6 }, 6, ages)).toEqual({ reached: 15, from: 3, until: 0 });
  });

  test('a full response whose newer half goes back far enough is not truncated', () => {
    expect(seen({ mostPosts: 4 }, 4, [10, 20, 30, 40])).toEqual({ reached: 15, from: 15, until: 0 });
  });

  test('a full response that overlaps with the newest posts of the previous run misses nothing', () => {
    const ages = [1, 2, 3, 4, 600, 900];
    expect(seen({ mostPosts: 6, repeats: true }, 6, ages)).toEqual({ reached: 15, from: 15, until: 0 });
  });

  test('an overlapping full response of operation A says nothing about what was truncated before the last run', () => {
    const ages = [1, 2, 3, 4, 600, 900];
    const week = { operation: 'ai', dateFilter: 'PAST_WEEK', mostPosts: 6 } as const;
    expect(seen({ ...week, repeats: true }, 6, ages)).toEqual({
      reached: (7 * DAY) / MINUTE,
      from: 15,
      until: 0,
    });
    expect(seen({ ...week, repeats: true, lastUntil: NOW - 9 * DAY }, 6, ages)?.from).toBe(
      (7 * DAY) / MINUTE,
    );
  });

  test('the first response of a request may be truncated: its limit is unknown', () => {
    expect(seen({ mostPosts: null, lastUntil: null }, 4, [1, 2, 3, 4])).toEqual({
      reached: 30,
      from: 2,
      until: 0,
    });
  });

  test('a full response without times covers nothing', () => {
    expect(seen({ mostPosts: 3 }, 3, [])).toEqual({ reached: 15, from: 0, until: 0 });
  });

  test('a pause is unobserved: neither before its end nor after its start', () => {
    expect(seen({ resumedAt: NOW - 4 * MINUTE })).toEqual({ reached: 4, from: 4, until: 0 });
    expect(seen({ stoppedAt: NOW - 2 * MINUTE })).toEqual({ reached: 15, from: 15, until: 2 });
    expect(seen({ stoppedAt: NOW - 2 * HOUR })).toEqual({ reached: 120, from: 120, until: 120 });
  });
});

describe('the quarter hours that a run covers', () => {
  test('have the minutes that were observed completely', () => {
    const reach = { reached: NOW - 20 * MINUTE, from: NOW - 10 * MINUTE, until: NOW + 2 * MINUTE };
    expect(listQuarters(reach)).toEqual([
      { at: NOW - 30 * MINUTE, minutes: '000000000000000', cut: true },
      { at: NOW - 15 * MINUTE, minutes: '000001111111111', cut: true },
      { at: NOW, minutes: '110000000000000', cut: false },
    ]);
  });

  test('consecutive ranges cover each minute exactly once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1_000, max: 3 * HOUR }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: DAY }),
        (steps, start) => {
          const begin = NOW + start;
          let from = begin;
          const minutes = new Map<number, number>();
          for (const step of steps) {
            const until = from + step;
            for (const quarter of listQuarters({ reached: from, from, until }))
              for (const [i, bit] of quarter.minutes.split('').entries()) {
                const minute = quarter.at + i * MINUTE;
                minutes.set(minute, (minutes.get(minute) ?? 0) + Number(bit));
              }
            from = until;
          }
          for (let minute = Math.floor(begin / MINUTE) * MINUTE; minute + MINUTE <= from; minute += MINUTE)
            expect(minutes.get(minute)).toBe(1);
          expect(Math.max(0, ...minutes.values())).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('a filter of two years is stored for five weeks', () => {
    const quarters = listQuarters({ reached: NOW - 730 * DAY, from: NOW - 730 * DAY, until: NOW });
    expect(quarters).toHaveLength((35 * DAY) / QUARTER_MS);
  });
});
