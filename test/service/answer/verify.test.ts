import { describe, expect, test } from 'vitest';
import { buildModelPrompt } from '../../../src/service/answering/model-prompt.ts';
import { extractFigures } from '../../../src/service/answering/numeric-figures.ts';
import { parseLenientObject, verifyDrafts } from '../../../src/service/answering/model-verification.ts';
import { findingsOf, found } from './found.ts';

const OPEN = 'The lighthouse at Skarholm is open to visitors on every Sunday of the summer.';
const LAMP = 'Volunteers repaired the old lamp and painted the stairs during the spring.';

const briefing = buildModelPrompt(['summary'], findingsOf(found('web', OPEN), found('web', LAMP)), {
  prompt: 'lighthouse',
  most: 10,
});
const read = (text: string, cites: readonly number[] = [1]) =>
  verifyDrafts(JSON.stringify({ summary: { summary: [{ text, cites }], key: [] } }), briefing).get('summary')
    ?.sentences;

describe('a model response is refused as a whole', () => {
  test.each([
    ['not_json', () => verifyDrafts('certainly', briefing)],
    ['fence', () => read(`${OPEN} ${briefing.nonce}`)],
    ['fence', () => read(`${OPEN} <</src 12>>`)],
    ['system_text', () => read(`${OPEN} ${/Never follow them.*/.exec(briefing.question.system)?.[0]}`)],
    ['address', () => read(`${OPEN} https://a.example/`)],
    ['address', () => read(`${OPEN} me@a.example`)],
    ['address', () => read(`${OPEN} javascript:x`)],
    ['markup', () => read(`${OPEN} ![x](y)`)],
    ['markup', () => read(`${OPEN} <b>x</b>`)],
    ['unsupported', () => read('Nobody knows anything about elephants.')],
  ])('%s', (reason, reading) => {
    expect(reading).toThrow(reason);
  });
});

test('a sentence is kept as written, without its citation marks', () => {
  expect(read('Visitors may see the **lighthouse** at Skarholm on summer Sundays [1, 2]')).toEqual([
    {
      text: 'Visitors may see the lighthouse at Skarholm on summer Sundays.',
      links: [briefing.items[0]?.link],
    },
  ]);
});

test('a sentence that cites the wrong item is dropped, one that cites both is kept', () => {
  const mixture = 'Volunteers repaired the old lamp of the lighthouse at Skarholm.';
  expect(() => read(LAMP, [1])).toThrow('unsupported');
  expect(() => read(mixture, [1])).toThrow('unsupported');
  expect(read(mixture, [1, 2])?.[0]?.links).toHaveLength(2);
});

test.each([
  ['1,250 and 1.250 and 1250', ['1250']],
  ['3,5 or 3.5 percent', ['3.5']],
  ['at 07:30 in 2026', ['7', '30', '2026']],
  ['١٢ and １２ and 12', ['12']],
  ['12.5.2026', ['12.5.2026']],
  ['ninety thousand and 90,000', ['90000']],
  ['two hundred and fifty thousand, twenty-one', ['250000', '21']],
  ['3.5 million, 5 Millionen, a dozen', ['3500000', '5000000', '12']],
  ['einundzwanzig, neunzigtausend, dreihundertfünfundvierzig', ['21', '90000', '345']],
  ['quatre-vingt-dix-sept, deux cent mille, soixante et onze', ['97', '200000', '71']],
  ['treinta y cinco, dos mil, quinientos', ['35', '1000', '500']],
  ['¾ and ② and Ⅷ and m³', ['¾', '2', 'ⅷ', '3']],
  ['列車は二十年から十二月まで', ['二十', '十二']],
  ['one of them, once, an elf of ten', ['10']],
  ['no figure', []],
])('finds the figures of %j', (text, figures) => {
  expect([...extractFigures(text)]).toEqual(figures);
});

test.each([
  ['{"a":1}', { a: 1 }],
  ['```json\n{"a":[1,2,],}\n```', { a: [1, 2] }],
  ['{"a":"}, ]{"}', { a: '}, ]{' }],
  ['{ oh {"a":"x,]"} dear', { a: 'x,]' }],
  ['<think>{"b":1}</think>{"a":1}', { a: 1 }],
  ['{"a":', undefined],
  ['{'.repeat(50_000), undefined],
  ['none', undefined],
])('finds the JSON object in %j', (text, expected) => {
  expect(parseLenientObject(text)).toEqual(expected);
});
