import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR } from '../../../src/lib/time.ts';
import { MAX_PRIOR_RATIO } from '../../../src/model/relevance.ts';
import { rankResults, type RankingOptions } from '../../../src/service/ranking/result-ranking.ts';
import type { FoundItem } from '../../../src/service/sources/search-source.ts';

const TO = new Date('2026-11-21T12:00:00.000Z');
const ASKED: RankingOptions = {
  keywords: [],
  prompt: '',
  from: new Date(TO.getTime() - 24 * HOUR),
  to: TO,
  limit: 40,
};
const hoursAgo = (hours: number) => new Date(TO.getTime() - hours * HOUR);

/** Texts that share nothing but what they are given. */
function item(name: string, more: Partial<FoundItem> = {}): FoundItem {
  return {
    source: 'web',
    title: '',
    link: `https://${name}.example/`,
    snippet: '',
    summaryDescription: '',
    publishedAt: undefined,
    ...more,
  };
}

const names = (found: readonly FoundItem[]) => found.map(({ link }) => new URL(link).hostname.split('.')[0]);

test('an item found by two sources ranks above a higher-placed item of one', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => item(name));
  if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error('no items');
  expect(names(rankResults([[a, c], [b, c], [d]], ASKED))).toEqual(['c', 'a', 'b', 'd']);
  expect(rankResults([], ASKED)).toEqual([]);
  expect(names(rankResults([[a, b, c]], { ...ASKED, limit: 2 }))).toEqual(['a', 'b']);
});

test('of an imprecise source, items with words of the prompt rank above others', () => {
  const careless = [
    item('cats', { title: 'Ten cats you will love' }),
    item('dogs', { title: 'Dogs of the week' }),
    item('tides', { title: 'Tidal turbines', snippet: 'The first tidal turbine turns.' }),
  ];
  expect(
    names(
      rankResults([careless], { ...ASKED, keywords: ['tidal', 'turbines'], prompt: 'tidal turbines' }),
    )[0],
  ).toBe('tides');
});

test('a word matches its inflections, but not the inside of another word', () => {
  const found = [
    item('dairy', { snippet: 'A dairy farm' }),
    item('vote', { snippet: 'After the election' }),
    item('air', { snippet: 'Clean air' }),
  ];
  expect(names(rankResults([found], { ...ASKED, keywords: ['elections'], prompt: '' }))[0]).toBe('vote');
  expect(names(rankResults([found], { ...ASKED, keywords: ['air'], prompt: '' }))[0]).toBe('air');
});

test('one page under two addresses is one item with the details of both', () => {
  const bare = item('page', { link: 'http://page.example/a/?utm_source=feed#top', title: 'A page' });
  const full = item('page', {
    link: 'https://page.example/a',
    snippet: 'More',
    publishedAt: hoursAgo(3),
    engagement: 7,
  });
  expect(rankResults([[bare], [full]], ASKED)).toEqual([
    { ...bare, snippet: 'More', publishedAt: hoursAgo(3), engagement: 7, place: 1 },
  ]);
});

const NEWS =
  'The harbour council voted tonight to build a new ferry line to the islands, and the boats will run from May.';

test('duplicates are merged into the earliest original, never into a repost', () => {
  const copy = item('copy', { snippet: `${NEWS} https://t.example/x`, publishedAt: hoursAgo(1) });
  const original = item('original', { snippet: NEWS, publishedAt: hoursAgo(9) });
  const undated = item('undated', { snippet: NEWS.toUpperCase() });
  const other = item('other', {
    snippet: 'Nothing at all to do with any of that, this is about cooking soup.',
  });
  expect(names(rankResults([[copy, other, undated], [original]], ASKED))).toEqual(['original', 'other']);
});

test('texts that differ in a number are not duplicates', () => {
  const quake = (size: string) =>
    `Earthquake of magnitude ${size} shakes the coast near the old harbour this morning`;
  const found = [item('first', { snippet: quake('4.2') }), item('second', { snippet: quake('5.6') })];
  expect(rankResults([found], ASKED)).toHaveLength(2);
});

test('a flood of duplicates takes one place and gains no rank', () => {
  const flood = Array.from({ length: 30 }, (_, n) => item(`flood-${n}`, { snippet: NEWS }));
  const [first, second] = [item('first'), item('second')];
  expect(names(rankResults([[first, ...flood, second], [second]], ASKED))).toEqual([
    'second',
    'first',
    'flood-0',
  ]);
});

test('at equal relevance, newer ranks above older, popular above unpopular, dated above undated', () => {
  const first = (a: Partial<FoundItem>, b: Partial<FoundItem>) =>
    names(rankResults([[item('a', a)], [item('b', b)]], ASKED))[0];
  expect(first({ publishedAt: hoursAgo(20) }, { publishedAt: hoursAgo(1) })).toBe('b');
  expect(first({ engagement: 3 }, { engagement: 4 })).toBe('b');
  expect(first({}, { publishedAt: hoursAgo(24) })).toBe('b');
  expect(first({}, {})).toBe('a');
});

test('counters change the order of the results, not which are returned', () => {
  const list = Array.from({ length: 30 }, (_, n) => item(`n${n}`, { publishedAt: hoursAgo(3) }));
  const ranked = (moved: number) =>
    rankResults([list.map((found, n) => ({ ...found, engagement: (n % 2) * moved }))], {
      ...ASKED,
      limit: 10,
    });
  expect(names(ranked(900))).not.toEqual(names(ranked(0)));
  expect(new Set(names(ranked(900)))).toEqual(new Set(names(ranked(0))));
  expect(new Map(ranked(900).map(({ link, place }) => [link, place]))).toEqual(
    new Map(ranked(0).map(({ link, place }) => [link, place])),
  );
});

const liked = fc.record({
  publishedAt: fc.option(fc.integer({ min: -2, max: 48 }).map(hoursAgo), { nil: undefined }),
  engagement: fc.integer({ min: 0, max: 1_000_000 }),
});

test('popularity changes the order of relevance only within its bound', () => {
  fc.assert(
    fc.property(fc.array(liked, { minLength: 2, maxLength: 60 }), (all) => {
      const list = all.map((more, n) => item(`n${n}`, more));
      const order = names(rankResults([list], { ...ASKED, limit: 100 })).map((name) =>
        Number(name?.slice(1)),
      );
      const worth = (n: number) => 1 / Math.log2(2 + n);
      for (const [place, n] of order.entries()) {
        for (const below of order.slice(place + 1))
          expect(worth(below)).toBeLessThanOrEqual(worth(n) * MAX_PRIOR_RATIO + 1e-12);
      }
    }),
  );
});

const word = fc.constantFrom(
  'ferry',
  'harbour',
  'island',
  'tidal',
  'council',
  'boats',
  'may',
  '4',
  '5',
  '潮力',
  '…',
);
const anything = fc.record({
  link: fc.oneof(
    fc.integer({ min: 0, max: 20 }).map((n) => `https://a.example/${n}`),
    fc.string(),
  ),
  title: fc.array(word, { maxLength: 4 }).map((words) => words.join(' ')),
  snippet: fc.oneof(
    fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
    fc.string({ unit: 'binary' }),
  ),
});

test('ranking any lists: no duplicates, nothing new, at most the limit, and the same each time', () => {
  fc.assert(
    fc.property(fc.array(fc.array(anything, { maxLength: 25 }), { maxLength: 5 }), (lists) => {
      const found = lists.map((list) => list.map((more) => item('x', more)));
      const asked = { ...ASKED, keywords: ['ferry', 'tidal', '潮力'], prompt: 'tidal ferry', limit: 20 };
      const ranked = rankResults(found, asked);
      const links = ranked.map(({ link }) => link);
      expect(links.length).toBeLessThanOrEqual(20);
      expect(new Set(links).size).toBe(links.length);
      const given = new Set(found.flat().map(({ link }) => link));
      expect(links.every((link) => given.has(link))).toBe(true);
      expect(rankResults(found, asked)).toEqual(ranked);
    }),
  );
});
