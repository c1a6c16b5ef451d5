import { expect, test } from 'vitest';
import type { Spike } from '../../src/monitor/trends/rules/spike-detection.ts';
import * as fc from 'fast-check';
import { holdsWith } from '../../src/monitor/trends/rules/spike-detection.ts';
import {
  findCause,
  findLoudestAuthor,
  isOfMany,
  MIN_CAUSE_SHARE,
} from '../../src/monitor/trends/rules/voices.ts';

/** 86 posts in an hour in which three are usual. */
const spike: Spike = {
  start: 0,
  end: 3_600_000,
  n: 86,
  coverage: 1,
  mean: 6,
  usual: 3,
  sd: 1.8,
  days: 14,
  windows: 330,
  score: 19,
  threshold: 3.5,
  provisional: false,
  spread: { clumping: 1, dispersion: 0.03 },
};
const voice = (author: bigint | null, text: string | null, posts: number, at = 0) => ({
  at,
  author,
  text,
  posts,
});
const crowd = (posts: number) =>
  Array.from({ length: posts }, (_, i) => voice(BigInt(i + 100), `text ${i}`, 1));

test('a spike must hold without its loudest author', () => {
  expect(findCause([voice(1n, null, 80), ...crowd(6)], spike)).toBe('author');
  expect(findCause([voice(1n, null, 40), ...crowd(46)], spike)).toBeNull();
  const clumped = { ...spike, spread: { ...spike.spread, clumping: 20 } };
  expect(findCause([voice(1n, null, 40), ...crowd(46)], clumped)).toBe('author');
  expect(findLoudestAuthor([voice(1n, 'a', 30), voice(1n, 'b', 10), ...crowd(40)], spike)).toEqual({
    author: 1n,
    authorShare: 0.5,
  });
});

test('a spike must hold without copies of one text; reposts have none', () => {
  const copies = Array.from({ length: 80 }, (_, i) => voice(BigInt(i + 1), 'buy this', 1));
  expect(findCause([...copies, ...crowd(6)], spike)).toBe('text');
  expect(findCause([...copies.map((one) => ({ ...one, text: null })), ...crowd(6)], spike)).toBeNull();
});

test('posts outside the window, and of unknown authors, prove nothing', () => {
  expect(findCause([voice(1n, 'a', 80, 7_200_000)], spike)).toBeNull();
  expect(findLoudestAuthor([voice(null, null, 9)], spike)).toBeNull();
});

/** The fewest posts that are a spike by the figures above: without any one of them, it is none. */
const atThreshold = {
  ...spike,
  n: Array.from({ length: 86 }, (_, i) => i).find((n) => holdsWith(spike, n)) ?? 0,
};

test.each([
  ['one post each', crowd(atThreshold.n), null],
  ['two posts of one author', [voice(1n, null, 2), ...crowd(atThreshold.n - 2)], null],
  ['two posts with one text', [voice(1n, 'a', 1), voice(2n, 'a', 1), ...crowd(atThreshold.n - 2)], null],
  [
    'half of the posts of one author',
    [voice(1n, null, atThreshold.n / 2), ...crowd(atThreshold.n / 2)],
    'author',
  ],
  [
    'half of the posts with one text',
    [...crowd(atThreshold.n / 2).map((one) => ({ ...one, text: 'a' })), ...crowd(atThreshold.n / 2)],
    'text',
  ],
] as const)('at the threshold, %s: the cause is %s, and it is no spike of many', (_, voices, cause) => {
  expect(atThreshold.n).toBeGreaterThan(5);
  expect(findCause(voices, atThreshold)).toBe(cause);
  expect(isOfMany(voices, atThreshold)).toBe(false);
});

test('whoever is the cause has a large share, and the spike is none without it', () => {
  const drawn = fc.array(
    fc.record({
      author: fc.bigInt({ min: 1n, max: 20n }),
      text: fc.constantFrom('a', 'b', 'c', null),
      posts: fc.integer({ min: 1, max: 12 }),
    }),
    { minLength: 1, maxLength: 40 },
  );
  fc.assert(
    fc.property(drawn, (voices) => {
      const all = voices.reduce((sum, { posts }) => sum + posts, 0);
      const its = { ...spike, n: all };
      const heard = voices.map((one) => ({ ...one, at: 0 }));
      const cause = findCause(heard, its);
      if (isOfMany(heard, its)) expect(cause).toBeNull();
      if (cause !== 'author') return;
      const share = findLoudestAuthor(heard, its)?.authorShare ?? 0;
      expect(share).toBeGreaterThanOrEqual(MIN_CAUSE_SHARE);
      expect(holdsWith(its, all * (1 - share))).toBe(false);
    }),
  );
});
