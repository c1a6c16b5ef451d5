import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, QUARTER_MS } from '../../src/lib/time.ts';
import { computeReach, listQuarters, type RunBefore } from '../../src/store/volume/reach.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const before: RunBefore = {
  operation: 'microblog',
  dateFilter: null,
  everySeconds: 900,
  lastUntil: NOW - 15 * MINUTE,
  isFull: false,
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

  test('after an outage, a response that is not truncated covers all since its oldest post', () => {
    const outage = { lastUntil: NOW - 6 * HOUR };
    expect(seen(outage, 3, [10, 100, 340])).toEqual({ reached: 340, from: 340, until: 0 });
    expect(seen(outage, 3, [10, 100, 900])).toEqual({ reached: 360, from: 360, until: 0 });
    expect(seen(outage, 0, [])).toEqual({ reached: 30, from: 30, until: 0 });
  });

  test('operation A covers its date filter, whenever it ran before', () => {
    expect(seen({ operation: 'ai', dateFilter: 'PAST_2_DAYS' })).toMatchObject({ from: (2 * DAY) / MINUTE });
    expect(seen({ operation: 'ai', dateFilter: null })).toMatchObject({ from: DAY / MINUTE });
  });

  test('operation A without any posts so far covers nothing; an empty response after others is a quiet period', () => {
    expect(seen({ operation: 'ai', lastUntil: null }, 0, [])).toBeNull();
    expect(seen({ operation: 'ai', lastUntil: NOW - 6 * HOUR }, 0, [])).toMatchObject({
      reached: 360,
      from: 360,
    });
    expect(seen({ lastUntil: null }, 0, [])).toEqual({ reached: 30, from: 30, until: 0 });
  });

  const since = (minutes: number) => expect.closeTo(minutes, 4);

  test('a full response covers its newest block: until the gaps are those of older popular posts', () => {
    const ages = [...Array.from({ length: 12 }, (_, i) => i / 4), 200, 600, 900];
    expect(seen({ isFull: true }, 15, ages)).toEqual({ reached: 15, from: since(2.75), until: 0 });
    expect(seen({}, 15, ages)).toEqual({ reached: 15, from: 15, until: 0 });
  });

  test('a block that goes back to the previous run without its newest posts is not contiguous: its newer half counts', () => {
    expect(seen({ isFull: true }, 6, [1, 5, 9, 13, 17, 21])).toEqual({ reached: 15, from: 9, until: 0 });
  });

  test('a full response that overlaps with the newest posts of the previous run misses nothing', () => {
    const ages = [1, 2, 3, 4, 600, 900];
    expect(seen({ isFull: true, repeats: true }, 6, ages)).toEqual({ reached: 15, from: 15, until: 0 });
  });

  test('an overlapping full response of operation A says nothing about what was truncated before the last run', () => {
    const ages = [1, 2, 3, 4, 600, 900];
    const week = { operation: 'ai', dateFilter: 'PAST_WEEK', isFull: true } as const;
    expect(seen({ ...week, repeats: true }, 6, ages)).toEqual({
      reached: (7 * DAY) / MINUTE,
      from: 15,
      until: 0,
    });
    expect(seen({ ...week, repeats: true, lastUntil: NOW - 9 * DAY }, 6, ages)?.from).toBe(
      (7 * DAY) / MINUTE,
    );
  });

  test('a full first response covers its newest block', () => {
    expect(seen({ isFull: true, lastUntil: null }, 4, [1, 2, 3, 4])).toEqual({
      reached: 30,
      from: since(4),
      until: 0,
    });
  });

  test('a full response without times covers nothing', () => {
    expect(seen({ isFull: true }, 3, [])).toEqual({ reached: 15, from: 0, until: 0 });
  });

  test('a pause is unobserved: neither before its end nor after its start', () => {
    expect(seen({ resumedAt: NOW - 4 * MINUTE })).toEqual({ reached: 4, from: 4, until: 0 });
    expect(seen({ stoppedAt: NOW - 2 * MINUTE })).toEqual({ reached: 15, from: 15, until: 2 });
    expect(seen({ stoppedAt: NOW - 2 * HOUR })).toEqual({ reached: 120, from: 120, until: 120 });
  });
});

describe('the quarter hours that a run covers', () => {
  test('have the milliseconds that were observed', () => {
    const reach = { reached: NOW - 20 * MINUTE, from: NOW - 10 * MINUTE - 1, until: NOW + 2_500 };
    expect(listQuarters(reach)).toEqual([
      { at: NOW - 30 * MINUTE, start: 0, end: 0, cut: true },
      { at: NOW - 15 * MINUTE, start: 5 * MINUTE - 1, end: 15 * MINUTE, cut: true },
      { at: NOW, start: 0, end: 2_500, cut: false },
    ]);
  });

  test('consecutive ranges cover each millisecond exactly once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 3 * HOUR }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: DAY }),
        (steps, start) => {
          let from = NOW + start;
          const ends = new Map<number, number>();
          let sum = 0;
          for (const step of steps) {
            const until = from + step;
            for (const quarter of listQuarters({ reached: from, from, until })) {
              expect(quarter.start).toBe(ends.get(quarter.at) ?? quarter.start);
              expect(quarter.end).toBeGreaterThan(quarter.start);
              ends.set(quarter.at, quarter.end);
              sum += quarter.end - quarter.start;
            }
            from = until;
          }
          expect(sum).toBe(from - NOW - start);
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
