import { describe, expect, test } from 'vitest';
import { orderNewest, selectResults } from '../../../src/service/ranking/result-selection.ts';
import type { FoundItem } from '../../../src/service/sources/search-source.ts';

const TO = new Date('2026-11-28T12:00:00Z');
const FROM = new Date('2026-11-21T12:00:00Z');
const QUERY = { prompt: 'tidal turbines', keywords: ['tidal', 'turbines'], from: FROM };

function item(n: number, hoursAgo: number | undefined, title = 'Tidal turbines'): FoundItem {
  const publishedAt = hoursAgo === undefined ? undefined : new Date(TO.getTime() - hoursAgo * 3_600_000);
  return {
    source: 'web',
    title,
    link: `https://a.example/${n}`,
    snippet: '',
    summaryDescription: '',
    publishedAt,
  };
}
const numbers = (items: readonly FoundItem[]) => items.map(({ link }) => Number(link.split('/').at(-1)));

/** Sixty results; the most relevant is the oldest. */
const sixty = Array.from({ length: 60 }, (_, n) => item(n, 60 - n));

describe('a list that is full', () => {
  test.each([10, 20, 40])(
    'of %i has the newest, and the most relevant in a quarter of the places',
    (limit) => {
      const selected = numbers(selectResults(sixty, { ...QUERY, limit }));
      const relevant = Math.floor(limit / 4);
      expect(selected).toEqual([
        ...Array.from({ length: relevant }, (_, n) => n),
        ...Array.from({ length: limit - relevant }, (_, n) => 60 - (limit - relevant) + n),
      ]);
    },
  );

  test('without a period, it has the most relevant', () => {
    expect(numbers(selectResults(sixty, { ...QUERY, from: undefined, limit: 3 }))).toEqual([0, 1, 2]);
  });

  test('new results that are about something else take no place of those that match', () => {
    const noise = Array.from({ length: 20 }, (_, n) => item(100 + n, 0, 'Bread and butter'));
    expect(Math.max(...numbers(selectResults([...sixty, ...noise], { ...QUERY, limit: 10 })))).toBeLessThan(
      60,
    );
  });

  test('if none has all words, those with fewer are compared', () => {
    const some = [
      item(0, 9, 'Bread'),
      item(1, 8, 'Bread'),
      item(2, 2, 'Tidal power'),
      item(3, 1, 'Tidal power'),
    ];
    expect(numbers(selectResults(some, { ...QUERY, limit: 2 }))).toEqual([2, 3]);
  });

  test('results without a time take every second place', () => {
    const all = [
      item(0, 3),
      item(1, undefined),
      item(2, 1),
      item(3, undefined),
      item(4, 2),
      item(5, undefined),
    ];
    expect(numbers(orderNewest(all))).toEqual([2, 1, 4, 3, 0, 5]);
  });
});
