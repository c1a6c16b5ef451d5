/** What is searched for of a hundred questions, as people ask them: a table, in which a line is a question. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readQuestion } from '../../../src/service/planning/keywords.ts';
import { splitHalves } from '../../../src/service/planning/question-parts.ts';
import { planWordings } from '../../../src/service/planning/wordings.ts';
import { joinSearchTerms } from '../../../src/service/sources/provider-query.ts';

const textsOf = (prompt: string) => readQuestion(prompt).keywords.map(({ text }) => text);

const split = (list = '') =>
  list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

const questions = readFileSync(new URL('questions.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [question = '', first, never] = line.split('|');
    return { question: question.trim(), first: split(first), never: split(never) };
  });

test('there are a hundred', () => {
  expect(questions.length).toBeGreaterThanOrEqual(100);
});

test.each(questions)('$question', ({ question, first, never }) => {
  const keywords = textsOf(question);
  expect(keywords.slice(0, 3)).toEqual(expect.arrayContaining(first));
  for (const word of never) expect(keywords.flatMap((keyword) => keyword.split(' '))).not.toContain(word);
});

describe('a question that asks two things', () => {
  test.each([
    [
      'side effects of Ozempic and what happens when you stop taking it',
      ['side effects of Ozempic', 'ozempic what happens when you stop taking it'],
    ],
    [
      'How do heat pumps work; are they worth it?',
      ['How do heat pumps work', 'heat pumps are they worth it?'],
    ],
    [
      'Wie funktioniert eine Wärmepumpe und was kostet sie?',
      ['Wie funktioniert eine Wärmepumpe', 'wärmepumpe was kostet sie?'],
    ],
    [
      "Qu'est-ce que le RGPD et comment se mettre en conformité ?",
      ["Qu'est-ce que le RGPD", 'rgpd comment se mettre en conformité ?'],
    ],
  ])('%s is searched as each of them, with the subject', (question, halves) => {
    expect(
      planWordings(question)
        .narrower.slice(0, 2)
        .map(({ prompt }) => prompt),
    ).toEqual(halves);
  });

  test.each(['cats and dogs', 'war and peace', 'Pros und Contras von Homeoffice'])(
    'is not: %s',
    (question) => {
      expect(splitHalves(question, 'en')).toEqual([question]);
      expect(splitHalves(question, 'de')).toEqual([question]);
    },
  );
});

test.each([
  ['Rust programming language, not the game and not the fungus', ['game', 'fungus']],
  ['tidal energy except Scotland', ['scotland']],
  ['jaguar -car', ['car']],
  ['"carbon capture" storage NOT coal', ['coal']],
  ['Nachrichten zu Tesla, aber nicht die Aktie', ['aktie']],
  ['hoteles en Madrid excepto hostales', ['hostales']],
  ['vins de Loire, mais pas le muscadet', ['muscadet']],
  // These are not searched for, and may be named all the same.
  ['heat pumps without a garden', []],
  ['autovacuum is not running', []],
  ['why is tidal power not used', []],
  ['"not the game" review', []],
  ['Comic Sans MS', []],
  ['Sin City', []],
])('%s excludes %j', (question, excluded) => {
  expect(readQuestion(question).excluded).toEqual(excluded);
});

test.each([
  ['Do heat pumps work in cold climates?', 3, 'heat pumps cold climates'],
  [
    'What did the European Central Bank decide about interest rates?',
    2,
    '"european central bank" interest rates',
  ],
  ['"night trains" in Austria', 2, '"night trains" austria'],
])('of %s, a source that takes %d words gets %s', (question, most, terms) => {
  expect(joinSearchTerms(planWordings(question).own, most)).toBe(terms);
});
