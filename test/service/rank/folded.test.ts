/** Prompts match what `find` matches: words without case, accents, ligatures, width and kinds of hyphen. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitFoldedWords } from '../../../src/lib/folded-words.ts';
import { readQuestion } from '../../../src/service/planning/keywords.ts';
import { containsEveryWord, rankByText } from '../../../src/service/ranking/text-relevance.ts';
import { matchTopic } from '../../../src/service/sandbox/built-in-topics.ts';
import { isWithinDomains } from '../../../src/service/sources/provider-query.ts';
import { searchEntries } from '../../../src/service/sources/feeds/feed-search.ts';
import { isAboutQuery } from '../../../src/service/sources/providers/mastodon.ts';

const textsOf = (prompt: string) => readQuestion(prompt).keywords.map(({ text }) => text);

const SAME: readonly (readonly [string, ...string[]])[] = [
  [
    'zurich ferry',
    'Zürich ferry',
    'Zu\u0308rich ferry',
    'ZÜRICH FERRY',
    'Ｚｕｒｉｃｈ ferry',
    'Zü\u00adrich fer\u200bry',
    '\u200fZürich ferry',
  ],
  ['strasse', 'Straße', 'STRASSE', 'STRAẞE', 'straße'],
  ['istanbul metro', 'İstanbul metro', 'Istanbul metro', 'ıstanbul metro', 'i\u0307stanbul metro'],
  ['office fire', 'oﬃce ﬁre', 'Office Fire'],
  ['covid-19 vaccine', 'covid‑19 vaccine', 'COVID–19 vaccine', 'Covid 19 vaccine', 'covid−19 vaccine'],
  ['øresund smørrebrød', 'Oresund smorrebrod', 'ØRESUND SMØRREBRØD'],
  ['łódź', 'Lodz', 'ŁÓDŹ', 'Ło\u0301dz\u0301'],
  ['cœur', 'coeur', 'CŒUR'],
  ['Ὀδυσσεύς', 'οδυσσευς', 'ΟΔΥΣΣΕΥΣ'],
  ['ёлка', 'елка', 'ЁЛКА'],
  ['東京 地震', '東京で地震', '東京 地震'],
  ['ガンダム', 'ｶﾞﾝﾀﾞﾑ', 'カ\u3099ンタ\u3099ム'],
  ['서울', '서울', '서울'.normalize('NFD')],
  ['bücher', 'Bucher', 'BÜCHER'],
  ["l'énergie", 'L’ENERGIE', 'l’énergie'],
  ['c++', 'C++', 'Ｃ++'],
];

describe.each(SAME)('%s', (...spellings) => {
  const pairs = spellings.flatMap((prompt) => spellings.map((title) => [prompt, title] as const));
  test.each(pairs)('%s finds %s', async (prompt, title) => {
    const keywords = textsOf(prompt);
    expect(containsEveryWord({ title, snippet: '' }, keywords), keywords.join('|')).toBe(true);
    expect(
      rankByText(
        [
          { title: 'another', snippet: '' },
          { title, snippet: '' },
        ],
        { keywords, prompt },
      ),
    ).toEqual([1]);
    const entry = { title, link: 'https://a.example/1', text: '', publishedAt: null };
    const query = {
      prompt,
      keywords,
      from: undefined,
      to: new Date(0),
      limit: 10,
      timeoutMs: 1_000,
      signal: AbortSignal.abort(),
    };
    expect(
      await searchEntries({ entries: [entry], isShown: () => true, isCurrent: true }, query),
    ).toHaveLength(1);
  });
});

test.each([
  ['c++', 'a cat'],
  ['at&t', 'at the fair'],
  ['zurich', 'azurich'],
  ['서우', '서울'],
  ['か', 'が'],
])('%s does not find %s', (prompt, title) => {
  // In Japanese, folding keeps the voicing mark: another character.
  expect(containsEveryWord({ title, snippet: '' }, textsOf(prompt))).toBe(false);
});

test('texts of the same folded words match each other', () => {
  const letters = fc.constantFrom(...Array.from('aäeéiıİIjñoöøœæsßẞtłďþuü한국語ガヌأб'));
  const form = fc.constantFrom('NFC', 'NFD', 'NFKC', 'NFKD');
  fc.assert(
    fc.property(fc.array(letters, { minLength: 3, maxLength: 6 }), form, form, (signs, one, other) => {
      const word = signs.join('');
      const [text, prompt] = [word.normalize(one), word.toUpperCase().normalize(other)];
      if (splitFoldedWords(text).join(' ') !== splitFoldedWords(prompt).join(' ')) return;
      expect(containsEveryWord({ title: text, snippet: '' }, [prompt.toLowerCase()])).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('hashtag timelines and topics of the sandbox follow the same rule', () => {
  const query = { prompt: 'zurich strasse', keywords: ['zurich', 'strasse'] };
  expect(isAboutQuery({ text: 'Zu\u0308rich sperrt die Straße', tags: [] }, query)).toBe(true);
  expect(isAboutQuery({ text: 'x', tags: ['ZürichStraße'] }, query)).toBe(true);
  expect(isAboutQuery({ text: 'Zürich', tags: ['zürich'] }, query)).toBe(false);
  expect(matchTopic('s', 'ｈａｒｂｏｕｒ féstival').topic.slug).toBe(
    matchTopic('s', 'harbour festival').topic.slug,
  );
});

test('a redirecting address is of the domain that it leads to', () => {
  const link = 'https://www.google.com/url?url=https://www.paper.example/a&ct=ga';
  expect(isWithinDomains(link, { include: ['paper.example'], exclude: [] })).toBe(true);
  expect(isWithinDomains(link, { include: ['google.com'], exclude: [] })).toBe(false);
  expect(isWithinDomains(link, { include: [], exclude: ['paper.example'] })).toBe(false);
});
