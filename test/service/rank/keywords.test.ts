import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readQuestion } from '../../../src/service/planning/keywords.ts';

const textsOf = (prompt: string) => readQuestion(prompt).keywords.map(({ text }) => text);

test.each([
  ['what is the latest news about tidal energy in Scotland?', ['scotland', 'tidal energy', 'latest', 'news']],
  ['war in ukraine', ['ukraine', 'war']],
  ['krieg in der ukraine und die folgen', ['krieg', 'ukraine', 'folgen']],
  [
    "les dernières actualités sur l'énergie marémotrice",
    ['marémotrice', 'énergie', 'dernières', 'actualités'],
  ],
  ['¿qué es la energía de las mareas?', ['mareas', 'energía']],
  ['wat zijn de gevolgen van de stikstofcrisis', ['stikstofcrisis', 'gevolgen']],
  ['quais são as consequências da seca', ['seca', 'consequências']],
  ['quali sono le conseguenze della siccità', ['siccità', 'conseguenze']],
  ['潮力発電の最新ニュースを教えて', ['潮力', '発電', '最新', 'ニュース']],
  ['潮力__発電', ['潮力', '発電']],
  ['中国人工智能的最新进展', ['中国', '人工', '智能', '进展', '最新']],
  ['"climate change" AND policy site:reddit.com -crypto', ['climate change', 'policy']],
  ['“Carbon Capture” OR storage NOT coal from:nasa', ['carbon capture', 'storage']],
  ['#AI @nasa GPT-4 c++', ['ai', 'gpt-4', 'nasa', 'c++']],
  ["Europe's heatwave", ['europe heatwave']],
  ['covid-19 covid-19 COVID-19', ['covid-19']],
  ['node.js 3.5', ['node.js 3.5']],
])('%s', (prompt, keywords) => {
  expect(textsOf(prompt)).toEqual(keywords);
});

test.each(['to be or not to be', 'the', 'site:example.org', '-word', 'NOT', '"a"', 'ⅷ', 'これはそれ'])(
  'keeps some words of a prompt that has only stop words or commands: %s',
  (prompt) => {
    expect(textsOf(prompt)).not.toEqual([]);
  },
);

test('punctuation alone has no keywords', () => {
  expect(textsOf('?! … 💥 ""')).toEqual([]);
});

const part = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    'the',
    'AND',
    'NOT',
    'site:x',
    '-',
    '"',
    '“',
    '#tag',
    '@',
    "l'eau",
    '潮力発電',
    'ประเทศไทย',
    '12',
    ' ',
  ),
);
const prompt = fc.array(part, { maxLength: 60 }).map((parts) => parts.join(' ').slice(0, 2_000));

test('any prompt has at most twelve unique lowercase keywords, the same each time, and at least one if it has a word', () => {
  fc.assert(
    fc.property(prompt, (text) => {
      const keywords = textsOf(text);
      expect(keywords.length).toBeLessThanOrEqual(12);
      expect(new Set(keywords).size).toBe(keywords.length);
      expect(keywords).toEqual(textsOf(text));
      for (const word of keywords) {
        expect(word).toBe(word.toLowerCase());
        expect(word).toMatch(/[\p{L}\p{N}]/u);
        expect(word.length).toBeLessThanOrEqual(128);
      }
      if (/[\p{L}\p{N}]/u.test(text)) expect(keywords).not.toEqual([]);
    }),
    { numRuns: 500 },
  );
});
