import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { steppedClock } from '../../src/platform/clock.ts';
import { createTokenBucket } from '../../src/service/key-gate.ts';
import { NOW } from './sources/provider.ts';

test('allows a burst, then one call per interval', () => {
  const clock = steppedClock(NOW);
  const bucket = createTokenBucket({ perMinute: 60, burst: 3 }, clock);
  const takes = () => Array.from({ length: 5 }, () => bucket.take(1_500));
  expect(takes()).toEqual([0, 0, 0, 1_000, undefined]);
  clock.advance(500);
  expect(bucket.take(1_500)).toBe(1_500);
  clock.advance(60_000);
  expect(takes()).toEqual([0, 0, 0, 1_000, undefined]);
});

test('a refunded token can be taken again', () => {
  const bucket = createTokenBucket({ perMinute: 60, burst: 1 }, steppedClock(NOW));
  expect(bucket.take(0)).toBe(0);
  expect(bucket.take(0)).toBeUndefined();
  bucket.refund();
  expect(bucket.take(0)).toBe(0);
});

test('a clock that goes back adds no tokens', () => {
  const clock = steppedClock(NOW);
  const bucket = createTokenBucket({ perMinute: 60, burst: 1 }, clock);
  bucket.take(0);
  clock.advance(-MINUTE);
  expect(bucket.take(0)).toBeUndefined();
  clock.advance(1_000);
  expect(bucket.take(0)).toBe(0);
});

test('never exceeds the rate in any time span', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 600 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 10_000 })), {
        maxLength: 60,
      }),
      (perMinute, burst, steps) => {
        const clock = steppedClock(NOW);
        const bucket = createTokenBucket({ perMinute, burst }, clock);
        const at: number[] = [];
        for (const [ms, most] of steps) {
          clock.advance(ms);
          const wait = bucket.take(most);
          if (wait === undefined) continue;
          expect(wait).toBeLessThanOrEqual(most);
          at.push(clock.now().getTime() + wait);
        }
        at.sort((a, b) => a - b);
        for (const [i, first] of at.entries()) {
          for (const [j, last] of at.slice(i).entries()) {
            // A wait is in whole milliseconds.
            expect(j + 1).toBeLessThanOrEqual(burst + ((last - first + 1) / MINUTE) * perMinute + 1e-6);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});
