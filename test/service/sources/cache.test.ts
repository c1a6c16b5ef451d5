import { expect, test } from 'vitest';
import { steppedClock } from '../../../src/platform/clock.ts';
import { createResultCache } from '../../../src/service/sources/resilience/coalescing.ts';

const clock = steppedClock('2026-11-21T12:00:00Z');
const cacheOf = (most: { entries: number; weight: number }) =>
  createResultCache<string>(most, (value) => value.length, clock);

test('what is too much goes from its oldest end, by number and by weight', () => {
  const cache = cacheOf({ entries: 2, weight: 10 });
  for (const [key, value] of [
    ['a', 'x'],
    ['b', 'x'],
    ['c', 'x'],
  ] as const)
    cache.set(key, value, 1_000);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, 'x', 'x']);
  cache.set('d', 'x'.repeat(10), 1_000);
  expect(['b', 'c', 'd'].map((key) => cache.get(key))).toEqual([undefined, undefined, 'x'.repeat(10)]);
});

test('what is larger than all there may be is not kept, and leaves room for others', () => {
  const cache = cacheOf({ entries: 2, weight: 10 });
  cache.set('a', 'x'.repeat(11), 1_000);
  expect(cache.get('a')).toBeUndefined();
  cache.set('b', 'xxx', 1_000);
  cache.set('b', 'xx', 1_000);
  cache.set('c', 'x'.repeat(8), 1_000);
  expect([cache.get('b'), cache.get('c')]).toEqual(['xx', 'x'.repeat(8)]);
});
