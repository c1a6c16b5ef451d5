import { describe, expect, test } from 'vitest';
import { buildModelPrompt } from '../../../src/service/answering/model-prompt.ts';
import { parseLenientObject } from '../../../src/service/answering/lenient-json.ts';
import { extractFigures } from '../../../src/service/answering/numeric-figures.ts';
import { readDrafts, settleDrafts } from '../../../src/service/answering/model-verification.ts';
import { isSupportedByWords } from '../../../src/service/answering/support-check.ts';
import { AT, findingsOf, found } from './found.ts';

const OPEN = 'The lighthouse at Skarholm is open to visitors on every Sunday of the summer.';
const LAMP = 'Volunteers repaired the old lamp and painted the stairs during the spring.';

const briefing = buildModelPrompt(['summary'], findingsOf(found('web', OPEN), found('web', LAMP)), {
  prompt: 'lighthouse',
  questions: [],
  at: AT,
  most: 10,
});
const read = (text: string, cites: readonly number[] = [1]) =>
  settleDrafts(
    readDrafts(JSON.stringify({ summary: { summary: [{ text, cites }], key: [] } }), briefing),
    isSupportedByWords,
  ).get('summary')?.sentences;

describe('a model response is refused as a whole', () => {
  test.each([
    ['not_json', () => readDrafts('certainly', briefing)],
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
  // A source could say so in other words, but nobody says that it does.
  expect(read(mixture, [1])).toBeUndefined();
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
  ['£1.65m, £1.65 million, GBP 1.65m, £1,650,000', ['1650000']],
  ['$2bn, US$2 billion, $2b, 2bn, 2 Mrd., 2 Milliarden, €2 Md, 2 Mds€, 2 млрд', ['2000000000']],
  ['5k, 5K, 5,000, 5 Tsd., 5 тыс., 5 tys., €5k, 5 k€', ['5000']],
  ['1,2 Mio., 1.2 million, 1,2 Millionen, 1.2mn, 1,2 mln, 1.2M, 1,2 M€, 1.2m people', ['1200000']],
  ['€3,5 Mrd. and 3.5bn', ['3500000000']],
  ['10 тыс. и 10 тысяч', ['10000']],
  ['3万人, 30,000, 3만', ['30000']],
  ['1億2000万円 and 120 million, 1.2亿', ['120000000']],
  ['1 crore, 10 million, ₹1cr, 100 lakh', ['10000000']],
  ['$1.4tn, 1.4 trillion, $1.4t, 1,4 трлн', ['1400000000000']],
  ['3 mil millones, 3 billion, 3 miljard, 3 miliardi', ['3000000000']],
  ['2 M€, 2 millions, 2 milhões, 2 milioni, 2 miljoen', ['2000000']],
  ['12 %, 12%, 12 percent', ['12']],
  ['€3.4 Mrd., EUR3.4bn, 3,4 Md d’euros, R$ 3,4 bi, 3,4 mdkr, 3,4 mld. Kč, 3,4 milyar', ['3400000000']],
  ['1.2 Mio, CHF 1.2 Mio., R$ 1,2 mi, 1,2 mkr, 1,2 millioner, 1,2 milionů, 1,2 milyon', ['1200000']],
  ['¥500bn, ¥500 billion, $500bn-plus, (500bn)', ['500000000000']],
  ['₹5 crore, ₹5 cr, 5,00,00,000, 50 million', ['50000000']],
  ['$1.5tn, $1.5T, 1.5trn, ₹1.5 lakh crore', ['1500000000000']],
  ['2.3k, 2,300, 2 300 €, € 2 300, 2,3 tis. Kč, 2,3 тыс.', ['2300']],
  ['1 250 000, 1 250 000 zł, 1.25m people, 12,50,000', ['1250000']],
  ['on 21 300 were there', ['21', '300']],
  ['20 mi from here, 3 bi, 5 jt', ['20', '3', '5']],
  ['1.65m tall, a 5m wave, 5 m deep, 3 t, 5 b, 4 k', ['1.65', '5', '3', '4']],
  ['10km, 5mg, 3mm, 5G, B5, M4, 2kg, at 5pm', ['10', '5', '3', '4', '2']],
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
