import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import type { Spike } from '../../src/monitor/trends/rules/spike-detection.ts';
import {
  type Gain,
  buildGainSeries,
  isSpreadOverPosts,
  findTopPost,
} from '../../src/monitor/trends/rules/engagement-gains.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const gain = (from: number, until: number, gained: number, topPost = 0, topGained = 0): Gain => ({
  from: NOON + from * MINUTE,
  until: NOON + until * MINUTE,
  gained,
  topPost: topPost === 0 ? null : BigInt(topPost),
  topGained,
});

test('a gain is spread over the time between its responses; other time is unobserved', () => {
  const series = buildGainSeries([gain(-5, 25, 60), gain(40, 55, 15)], NOON, NOON + HOUR);
  expect(Array.from(series.counts)).toEqual([30, 20, 5, 10]);
  expect(Array.from(series.seconds)).toEqual([900, 600, 300, 600]);
});

test('any gains between responses are distributed completely, and no minute counts twice', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 0, max: 500 }), fc.boolean()), {
        minLength: 1,
        maxLength: 20,
      }),
      fc.integer({ min: 0, max: 60 }),
      (steps, phase) => {
        let at = phase;
        const gains: Gain[] = [];
        let observed = 0;
        for (const [length, gained, seen] of steps) {
          if (seen) gains.push(gain(at, at + length, gained));
          if (seen) observed += length;
          at += length;
        }
        const until = NOON + Math.ceil(at / 15) * 15 * MINUTE;
        const { counts, seconds } = buildGainSeries(gains, NOON, until);
        const sum = (all: ArrayLike<number>) => Array.from(all).reduce((a, b) => a + b, 0);
        expect(sum(counts)).toBeCloseTo(
          gains.reduce((all, { gained }) => all + gained, 0),
          6,
        );
        expect(sum(seconds) / 60).toBeCloseTo(observed, 6);
        expect(Math.max(...Array.from(seconds))).toBeLessThanOrEqual(900 + 1e-9);
      },
    ),
    { numRuns: 200 },
  );
});

const window = { start: NOON, end: NOON + HOUR };
const gains = [gain(-30, 30, 100, 1, 80), gain(30, 60, 60, 2, 30), gain(60, 90, 500, 3, 500)];

test('the post that gained most in a window is the top post', () => {
  expect(findTopPost(gains, window)).toEqual({ post: 1n, gained: 40 });
  expect(findTopPost([gain(0, 60, 0)], window)).toBeNull();
});

test('a gain spike needs many posts: it must exceed the threshold without the largest', () => {
  const spike = (n: number, usual: number): Spike => ({
    ...window,
    n,
    coverage: 1,
    mean: usual,
    sd: 1,
    usual,
    days: 14,
    windows: 1_000,
    score: 10,
    threshold: 4.5,
    provisional: false,
    spread: { clumping: 1, dispersion: 0 },
  });
  expect(isSpreadOverPosts(gains, spike(110, 35))).toBe(true);
  expect(isSpreadOverPosts(gains, spike(110, 36))).toBe(false);
  expect(isSpreadOverPosts(gains, spike(44, 0))).toBe(false);
});
