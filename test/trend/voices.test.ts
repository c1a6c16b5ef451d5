import { expect, test } from 'vitest';
import type { Spike } from '../../src/monitor/trends/rules/spike-detection.ts';
import { findCause, findLoudestAuthor } from '../../src/monitor/trends/rules/voices.ts';

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
