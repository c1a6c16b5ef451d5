import { expect, test } from 'vitest';
import { markText } from '../../src/model/excerpt.ts';
import { createChangedWords, createLikestFinder } from '../../src/model/statements/changed-words.ts';

const GONE = ['Repairs of tram line 9 last until the tenth of May.', 'City hall denies a delay.'];

test('a statement is compared with the most similar one, and words that this one lacks are marked', () => {
  const text = 'Repairs of tram line 9 last until the end of June.';
  const before = createLikestFinder(GONE)(text);
  expect(before).toBe(GONE[0]);
  const isChanged = createChangedWords(before);
  const marked = markText(text, (word) => isChanged?.(word) === true).filter(({ match }) => match);
  expect(marked.map((piece) => piece.text)).toEqual(['end', 'June']);
});

test('nothing is marked in a statement about something else', () => {
  const before = createLikestFinder(GONE)('Tickets are sold out for weeks.');
  expect(before).toBeUndefined();
  expect(createChangedWords(before)).toBeUndefined();
  expect(createLikestFinder([])('Anything.')).toBeUndefined();
});
