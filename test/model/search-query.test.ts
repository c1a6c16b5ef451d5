/** The query language: text to tree, and what is refused, where, with what to write instead. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvalidInput } from '../../src/model/errors.ts';
import { QUERY_FIELDS } from '../../src/model/query-fields.ts';
import { listSoughtWords, parseQuery, type Query } from '../../src/model/search-query.ts';
import { watchProcessor } from '../processor.ts';

/** The tree in one line: `(ferry AND NOT "night line")`. */
function write(query: Query): string {
  if (query.is === 'and' || query.is === 'or') {
    const all = query.parts.map(write).join(` ${query.is.toUpperCase()} `);
    return query.parts.length === 0 ? 'everything' : `(${all})`;
  }
  if (query.is === 'not') return `NOT ${write(query.part)}`;
  if (query.is === 'word') return query.folded;
  if (query.is === 'phrase') return JSON.stringify(query.words.join(' '));
  const { value } = query;
  return `${query.is}:${typeof value === 'object' ? JSON.stringify(value) : value}`;
}

test.each([
  ['', 'everything'],
  ['  \n ', 'everything'],
  ['ferry', 'ferry'],
  ['Zürich', 'zurich'],
  ['harbour ferry', '(harbour AND ferry)'],
  ['ferry -cancelled "night line"', '(ferry AND NOT cancelled AND "night line")'],
  ['“night line” „zwei Wörter“', '("night line" AND "zwei worter")'],
  ['"ferry"', '"ferry"'],
  ["don't night-ferry 12:30", '("don t" AND "night ferry" AND "12 30")'],
  ['R&D C++ 50% ferry,', '("r d" AND c AND 50 AND ferry)'],
  ['東京', '"東 京"'],
  ['a b OR c', '((a AND b) OR c)'],
  ['a OR b OR c', '(a OR b OR c)'],
  ['a (b OR c)', '(a AND (b OR c))'],
  ['(a b) c', '(a AND b AND c)'],
  ['-(a OR b)', 'NOT (a OR b)'],
  ['-(-a)', 'a'],
  ['or and not', '(or AND and AND not)'],
  ['"OR"', '"or"'],
  ['-late', 'NOT late'],
  ['https://news.example/ferry?x=1', '"https news example ferry x 1"'],
  ['-http://a.example', 'NOT "http a example"'],
  ['#Ferry -#Café', '(hashtag:ferry AND NOT hashtag:café)'],
  ['hashtag:#ferry hashtag:"night_line"', '(hashtag:ferry AND hashtag:night_line)'],
  [
    'author:@Jane author:"Jane Doe" author:j@a.example',
    '(author:Jane AND author:Jane Doe AND author:j@a.example)',
  ],
  ['domain:WWW.Example.org', 'domain:example.org'],
  ['host:WWW.Example.org author-id:12', '(host:example.org AND author-id:12)'],
  ['lang:pt-BR', 'lang:pt-br'],
  ['source:news-forum OR source:web', '(source:news_forum OR source:web)'],
  ['from:7d to:90s', '(from:{"ago":604800000} AND to:{"ago":90000})'],
  ['from:1w to:1h', '(from:{"ago":604800000} AND to:{"ago":3600000})'],
  ['from:today to:yesterday', '(from:{"daysBack":0} AND to:{"daysBack":1})'],
  ['to:2026-11-21', 'to:{"at":"2026-11-21T00:00:00.000Z","date":true}'],
  ['from:2026-11-21T14:05+01:00', 'from:{"at":"2026-11-21T13:05:00.000Z","date":false}'],
  ['to:"2026-11-21 14:05:09.1239 -0130"', 'to:{"at":"2026-11-21T15:35:09.123Z","date":false}'],
  ['Min-Engagement:100 IS:Repost', '(min-engagement:100 AND is:repost)'],
])('%j is %s', (text, tree) => {
  expect(write(parseQuery(text))).toBe(tree);
});

test.each([
  ['"open', 'at character 1: a closing "'],
  ['ferry "open', 'at character 7: a closing "'],
  ['a"b c"', 'at character 2: a space between'],
  ['"a"b', 'at character 4: a space between'],
  ['ferry(boat)', 'at character 6: a space between'],
  ['- x', 'at character 1: a word, phrase, field or ( right after one -'],
  ['a --b', 'at character 3: a word, phrase, field or ( right after one -'],
  ['a –late', 'at character 3: a hyphen as the minus: -late'],
  ['ferr*', 'at character 1: whole words'],
  ['a OR', 'at character 5: a word, phrase or field before and after OR'],
  ['OR b', 'at character 1: a word, phrase or field before and after OR'],
  ['a AND b', 'at character 3: no AND'],
  ['a NOT b', 'at character 3: -word to exclude'],
  ['(a b', 'at character 1: a closing )'],
  ['a b)', 'at character 4: ( before it'],
  [')', 'at character 1: ( before it'],
  ['a ()', 'at character 4: a word, phrase or field inside'],
  ['a ...', 'at character 3: a word with at least one letter'],
  ['+ferry', 'at character 1: no +'],
  ['a|b', 'at character 1: OR between two words'],
  ['ferry~2', 'no ~'],
  ['@jane', 'author:jane'],
  ['#', 'a hashtag of letters'],
  ['#a-b', 'a hashtag of letters'],
  ['lang: en', 'at character 1: a value right after lang:'],
  ['a autor:jane', `at character 3: one of the fields ${QUERY_FIELDS.map((name) => `${name}:`).join(', ')}`],
  ['autor:jane', 'did you mean author:'],
  ['lag:en', 'did you mean lang:'],
  ['foo:bar', 'is:; for the words themselves'],
  ['Re:ferry', 'write "Re:ferry" in quotes'],
  ['lang:englisch1', 'a language code'],
  ['domain:a/b', 'a host'],
  ['host:a/b', 'a host'],
  ['author-id:jane', 'the ID of an author'],
  ['author-id:1234567890123456789', 'the ID of an author'],
  ['source:radio', 'one of web, news_forum'],
  ['from:jane', 'write author:'],
  ['from:2026-02-30', 'a time such as'],
  ['min-engagement:many', 'a whole number'],
  ['is:new', 'one of post, link, repost'],
  ['a\0', 'without NUL'],
  ['x'.repeat(256), 'at most 255 letters'],
  ['x '.repeat(501), 'x ...; at most 1000 characters'],
  [Array.from({ length: 51 }, (_, i) => `w${i}`).join(' '), 'at most 50'],
])('%j is refused: %s', (text, words) => {
  expect(() => parseQuery(text, 'filter')).toThrow(InvalidInput);
  expect(() => parseQuery(text, 'filter')).toThrow(words);
});

test('any input parses or is refused with a position; nesting is bounded by the terms', () => {
  const signs = fc.constantFrom(
    'a',
    'b',
    ' ',
    '"',
    '-',
    '(',
    ')',
    '#',
    ':',
    '*',
    'OR',
    ' OR ',
    'author:',
    'from:2d',
    ' -',
    ' (',
    ') ',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 80 }),
        fc.array(signs).map((all) => all.join('')),
      ),
      (text) => {
        try {
          const terms = listSoughtWords(parseQuery(text));
          expect(terms.length).toBeLessThanOrEqual(50);
        } catch (error) {
          expect(error).toMatchObject({ name: 'InvalidInput' });
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test('parses adversarial texts quickly', () => {
  const computed = watchProcessor();
  for (const text of [
    `${'('.repeat(499)}a${')'.repeat(499)}`,
    '-('.repeat(500),
    '"'.repeat(999),
    'a:'.repeat(500),
  ])
    expect(() => [parseQuery(text)]).not.toThrow(RangeError);
  expect(computed()).toBeLessThan(1_000);
});
