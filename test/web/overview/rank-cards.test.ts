/** Which cards are shown first, and that no kind hides another. */
import { expect, test } from 'vitest';
import { CARD_KINDS, type CardKind, rankCards } from '../../../src/web/overview/rank-cards.ts';

type Written = `${CardKind} ${number}`;

const card = (written: Written, i: number) => {
  const [kind = '', weight] = written.split(' ');
  return { kind: kind as CardKind, weight: Number(weight), at: new Date(1_000 * i), written }; // as written
};

test.each<[name: string, cards: Written[], shown: Written[], others: Written[]]>([
  ['nothing', [], [], []],
  ['one', ['level 0'], ['level 0'], []],
  [
    'kinds in the order of their urgency',
    ['level 9', 'limit 9', 'answer 9', 'spike 9', 'undelivered 9', 'stopped 0'],
    ['stopped 0', 'undelivered 9', 'spike 9', 'answer 9', 'limit 9', 'level 9'],
    [],
  ],
  ['more weight first', ['spike 4', 'spike 9', 'spike 7'], ['spike 9', 'spike 7', 'spike 4'], []],
  [
    'the first of each kind has a place beside many of one',
    [
      'stopped 1',
      'stopped 2',
      'stopped 3',
      'stopped 4',
      'stopped 5',
      'stopped 6',
      'stopped 7',
      'spike 1',
      'level 1',
    ],
    ['stopped 7', 'stopped 6', 'stopped 5', 'stopped 4', 'spike 1', 'level 1'],
    ['stopped 3', 'stopped 2', 'stopped 1'],
  ],
  [
    'free places are given by urgency',
    ['spike 1', 'answer 5', 'answer 4', 'answer 3', 'answer 2', 'answer 1', 'spike 0', 'level 1'],
    ['spike 1', 'spike 0', 'answer 5', 'answer 4', 'answer 3', 'level 1'],
    ['answer 2', 'answer 1'],
  ],
])('%s', (_, cards, shown, others) => {
  const ranked = rankCards(
    cards.map((written, i) => card(written, i)),
    6,
  );
  expect(ranked.shown.map(({ written }) => written)).toEqual(shown);
  expect(ranked.others.map(({ written }) => written)).toEqual(others);
});

test('of equal weight, the newest is first, and every kind has a rank', () => {
  const { shown } = rankCards([card('spike 1', 1), card('spike 1', 3), card('spike 1', 2)], 6);
  expect(shown.map(({ at }) => at.getTime())).toEqual([3_000, 2_000, 1_000]);
  expect(new Set(CARD_KINDS).size).toBe(CARD_KINDS.length);
});

test('fewer places than kinds: the most urgent kinds have them', () => {
  const cards = CARD_KINDS.toReversed().map((kind, i) => card(`${kind} 1`, i));
  expect(rankCards(cards, 2).shown.map(({ kind }) => kind)).toEqual(['stopped', 'undelivered']);
  expect(rankCards(cards, 2).others).toHaveLength(CARD_KINDS.length - 2);
});
