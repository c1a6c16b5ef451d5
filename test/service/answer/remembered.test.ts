import { expect, test } from 'vitest';
import { memoizeByText } from '../../../src/lib/memoize-by-text.ts';

test('computes a text once, until it is evicted', () => {
  const made: string[] = [];
  const upper = memoizeByText({ most: 2, longest: 5 }, (text) => {
    made.push(text);
    return text.toUpperCase();
  });
  expect(['a', 'a', 'b', 'a'].map(upper)).toEqual(['A', 'A', 'B', 'A']);
  expect(made).toEqual(['a', 'b']);
  upper('c'); // in place of b: a was asked for since
  expect(upper('a')).toBe('A');
  expect(made).toEqual(['a', 'b', 'c']);
  expect(upper('b')).toBe('B');
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

test('does not cache texts that are too long', () => {
  let made = 0;
  const count = memoizeByText({ most: 2, longest: 5 }, () => (made += 1));
  expect([count('longer'), count('longer')]).toEqual([1, 2]);
});
