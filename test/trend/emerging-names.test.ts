/** What a day speaks of that the week before did not: planted names are found, and chance seldom is. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runToEnd } from '../../src/lib/cooperative.ts';
import { countDayInSteps, findEmerging } from '../../src/monitor/trends/rules/emerging-names.ts';
import type { ComparedPost } from '../../src/monitor/trends/rules/spike-reason.ts';
import { seeded } from '../faults/random.ts';

const WORDS =
  'harbor ferry tide storm pier dock sailor cargo crane water morning ticket delay captain island route winter coast light bridge'.split(
    ' ',
  );

/** Posts of a day, each by somebody else, of words that are drawn anew. */
function ordinary(count: number, seed: number): ComparedPost[] {
  const next = seeded(seed);
  return Array.from({ length: count }, (_, i) => ({
    id: BigInt(seed * 10_000 + i),
    at: i * 60_000,
    author: BigInt(seed * 10_000 + i),
    textKey: null,
    text: Array.from({ length: 9 }, () => WORDS[Math.floor(next() * WORDS.length)]).join(' '),
    hashtags: [],
    domains: [],
  }));
}

const countDay = (posts: readonly ComparedPost[]) => runToEnd(countDayInSteps(posts));
const WEEK = Array.from({ length: 7 }, (_, i) => countDay(ordinary(60, i + 1)));

/** What a day emerges with, in which some posts have a text of their own, given the number of the post. */
function emerging(texts: readonly string[], change: (post: ComparedPost) => ComparedPost = (post) => post) {
  const posts = ordinary(60, 99).map((post, i) => {
    const text = texts[i];
    return text === undefined ? post : change({ ...post, text: `${post.text} ${text}` });
  });
  return findEmerging(countDay(posts), WEEK);
}

const times = (count: number, text: string) => Array.from({ length: count }, () => text);

test.each([
  ['a name, without its words', times(8, 'ferry Ida Ekstad'), [['name', 'Ida Ekstad']]],
  ['a name of three words', times(8, 'water Nordic Harbour Fund.'), [['name', 'Nordic Harbour Fund']]],
  ['a name with accents and hyphens', times(8, 'pier Jürg Müller-Öst'), [['name', 'Jürg Müller-Öst']]],
  ['a word', times(8, 'strike'), [['word', 'strike']]],
  [
    'a name, and a word that others use, too',
    [...times(6, 'ferry Ida Ekstad'), ...times(10, 'ekstad')],
    [
      ['word', 'ekstad'],
      ['name', 'Ida Ekstad'],
    ],
  ],
  ['nothing of two authors', times(2, 'ferry Ida Ekstad'), []],
])('%s', (_, texts, expected) => {
  expect(emerging(texts).map(({ kind, name }) => [kind, name])).toEqual(expected);
});

test('words of one text that many repeat are one entry: its name, or else its longest word', () => {
  const repeated = (text: string) =>
    findEmerging(countDay(ordinary(60, 99).map((post, i) => (i < 9 ? { ...post, text } : post))), WEEK).map(
      ({ kind, name }) => [kind, name],
    );
  expect(repeated('lettres parlez voyez vous des')).toEqual([['word', 'lettres']]);
  expect(repeated('lettres parlez voyez vous avec Ida Ekstad')).toEqual([['name', 'Ida Ekstad']]);
});

test('words with capital letters of a headline are no name', () => {
  const headline = 'Government Announces Sweeping Harbour Reform Plans Today';
  const posts = ordinary(60, 99).map((post, i) => (i < 8 ? { ...post, text: headline } : post));
  expect(findEmerging(countDay(posts), WEEK).filter(({ kind }) => kind === 'name')).toEqual([]);
});

test('the first word of a sentence is part of a name unless others write it small', () => {
  const day = (texts: readonly string[]) =>
    findEmerging(
      countDay(ordinary(60, 99).map((post, i) => ({ ...post, text: texts[i] ?? post.text }))),
      WEEK,
    ).flatMap(({ kind, name }) => (kind === 'name' ? [name] : []));
  const said = ['Yesterday', 'Today', 'Now', 'Why', 'But', 'Yesterday', 'So', 'And'].map(
    (word, i) => `${word} Ida Ekstad spoke of the port ${i}`,
  );
  expect(day([...said, 'it was yesterday or today or now, but why and so what'])).toEqual(['Ida Ekstad']);
  // Nobody writes it small: it may be a name.
  expect(day(times(8, 'Mayor Ekstad spoke of the port'))).toEqual(['Mayor Ekstad']);
  expect(
    day([...times(8, 'Will Ekstad spoke'), ...times(3, 'what will come'), 'that was Will Ekstad']),
  ).toEqual(['Will Ekstad']);
  // After a full stop, a quotation mark and a line break; not after a comma.
  expect(
    day([
      ...times(3, 'port. The Ekstad'),
      ...times(3, 'port "The Ekstad'),
      ...times(3, 'port\nThe Ekstad'),
      'the',
    ]),
  ).toEqual([]);
  expect(day([...times(8, 'port, The Ekstad'), 'the'])).toEqual(['The Ekstad']);
});

test('one author who repeats a name is one author', () => {
  expect(emerging(times(20, 'ferry Ida Ekstad'), (post) => ({ ...post, author: 5n }))).toEqual([]);
});

test('a name of the whole week does not emerge; a day that was not observed is left out of the week', () => {
  const named = Array.from({ length: 7 }, (_, i) =>
    countDay(ordinary(60, i + 1).map((post, n) => (n < 8 ? { ...post, text: 'Ida Ekstad says' } : post))),
  );
  const today = countDay(
    ordinary(60, 99).map((post, n) => (n < 8 ? { ...post, text: 'Ida Ekstad says' } : post)),
  );
  expect(findEmerging(today, named)).toEqual([]);
  expect(findEmerging(today, named.slice(0, 1))).toEqual([]);
});

test('shares are those of authors, and the first post is the earliest with the name', () => {
  const [found] = emerging([...times(3, ''), ...times(9, '#none Ida Ekstad')]);
  expect(found).toMatchObject({
    kind: 'name',
    authors: 9,
    share: 9 / 60,
    share_before: 0,
    first: { id: 990_003n },
  });
});

test('without anything new, at most a few of sixty days have a name', () => {
  const days = Array.from({ length: 60 }, (_, i) => findEmerging(countDay(ordinary(60, 1_000 + i)), WEEK));
  expect(days.filter((names) => names.length > 0).length).toBeLessThanOrEqual(6);
});

test('the order of posts decides nothing', () => {
  const posts = ordinary(40, 99).map((post, i) =>
    i % 4 === 0 ? { ...post, text: 'Ida Ekstad says' } : post,
  );
  const expected = findEmerging(countDay(posts), WEEK);
  fc.assert(
    fc.property(fc.shuffledSubarray(posts, { minLength: posts.length }), (shuffled) => {
      expect(findEmerging(countDay(shuffled), WEEK)).toEqual(expected);
    }),
    { numRuns: 20 },
  );
});
