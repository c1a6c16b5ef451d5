import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  toExcerpt,
  markdownToPlainText,
  toPlainText,
  MAX_SNIPPET_LENGTH,
  toTitle,
  toWebExcerpt,
} from '../../../src/service/sources/parse/plain-text.ts';
import { watchProcessor } from '../../processor.ts';

describe('plain text from possible HTML', () => {
  test.each([
    ['The <strong>FDA</strong>&#39;s &quot;yes&quot;', 'The FDA\'s "yes"'],
    ['<p>one</p><p class="x">two<br/>three</p>', 'one two three'],
    ['a < b and Vec<T> &lt;b&gt; R&D', 'a < b and Vec<T> <b> R&D'],
    ['&amp;lt; is decoded once', '&lt; is decoded once'],
    ['nul\0 bell\u0007 tab\t\r\nline', 'nul bell tab line'],
    ['&#0;&#x200B;&nbsp;x&#8;y', '\uFFFD x y'],
    ['\u202Eevil\u2066 \ufeffmark', 'evil mark'],
    ['half \ud83d of a pair', 'half \uFFFD of a pair'],
    ['👩‍🔬 stays whole', '👩‍🔬 stays whole'],
    ['<!-- gone -->kept', 'kept'],
    ['a<!-- if (1 < 2 && 3 > 2) <b>gone</b>\n<a href="x"> -->kept', 'a kept'],
    ['a<!-- <b -->kept<!-- c > d', 'a kept'],
  ])('%j', (markup, text) => {
    expect(toPlainText(markup)).toBe(text);
  });

  test('is a line without control characters, whatever the input', () => {
    fc.assert(
      // Any UTF-16 code units, half characters among them.
      fc.property(fc.array(fc.nat(0xffff), { maxLength: 300 }), (units) => {
        const text = toPlainText(String.fromCharCode(...units));
        expect(text).toBe(text.trim());
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
    );
  });

  test('takes no longer for unclosed tags', () => {
    const computed = watchProcessor();
    for (const piece of [
      '<a',
      '<script>',
      '<!--',
      '[',
      '![](',
      '&',
      '> ',
      '. # ',
      '. |',
      '*',
      '_',
      '1 votes ',
    ]) {
      markdownToPlainText(piece.repeat(200_000));
    }
    expect(computed()).toBeLessThan(500);
  });
});

test.each([
  [
    '# Head\n\n> quoted\n\n**Bold** [words](https://a.example/x) ![pixel](https://b.example/p)',
    'quoted\nBold words pixel',
  ],
  [
    '52\\-47 for *very* good_names, _says_ `raise Error(x_y)`',
    '52-47 for very good_names, says raise Error(x_y)',
  ],
  [
    'Before.\n\n```js\nrun()\n```\n\n    indented()\n\n- one\n- two\n\n---\n\nAfter.',
    'Before.\none\ntwo\nAfter.',
  ],
  ['| a | b |\n|---|---|\n| 1 | 2 |\nBelow the table.', 'Below the table.'],
  ['C# is 2 * 3 * 4, a | b, and snake_case.', 'C# is 2 * 3 * 4, a | b, and snake_case.'],
  // As search services join the lines of a page.
  [
    '## Site. # Title: of a page. Its **first** sentence.**. ### Next. Its second.',
    'Its first sentence. Its second.',
  ],
  [
    '> Abstract:We look. | Cite as: | arXiv:2505.1 [cs.LG] |. |  | (or v1) |. We see.',
    'Abstract:We look. We see.',
  ],
])('is the prose of Markdown, without its marks: %j', (markdown, text) => {
  expect(markdownToPlainText(markdown)).toBe(text);
});

test.each([
  ['Mar 12, 2023 \ufffd As a network it grows.', 'As a network it grows.'],
  ['17 hours ago · The ferry is late.', 'The ferry is late.'],
  ['107 votes, 53 comments. I love the ferry.', 'I love the ferry.'],
  ['2280 points, 498 comments', ''],
  [
    'View a PDF of the paper titled Tides, by T. Ove. We study tides. Sign up for our list.',
    'We study tides.',
  ],
  ['12 votes decided the election.', '12 votes decided the election.'],
])('an excerpt has nothing of the page around it: %j', (text, excerpt) => {
  expect(toWebExcerpt(text)).toBe(excerpt);
});

describe('an excerpt', () => {
  test('ends after a word with an ellipsis', () => {
    expect(toExcerpt('one two three', 13)).toBe('one two three');
    expect(toExcerpt('one two three', 12)).toBe('one two…');
    expect(toExcerpt('one two three', 8)).toBe('one two…');
    expect(toTitle('word '.repeat(100))).toMatch(/^(?:word )+word…$/);
  });

  test('is never longer than requested and never half a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 2_000 }),
        fc.integer({ min: 2, max: 600 }),
        (text, max) => {
          const short = toExcerpt(text, max);
          expect(short.length).toBeLessThanOrEqual(max);
          if (text.isWellFormed()) expect(short.isWellFormed()).toBe(true);
          if (text.length > max) expect(text.startsWith(short.slice(0, -1))).toBe(true);
        },
      ),
    );
    expect(toExcerpt('漢'.repeat(900))).toHaveLength(MAX_SNIPPET_LENGTH);
  });
});
