/** Statements of completions, sentence by sentence, in the styles of recorded services. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { hashStatement } from '../../src/lib/sentences.ts';
import { runToEnd } from '../../src/lib/cooperative.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import {
  createCitationResolver,
  MAX_STATEMENTS,
  parseStatements,
} from '../../src/monitor/parse/parse-statements.ts';
import type { ParsedStatement } from '../../src/model/parsed-results.ts';
import { watchProcessor } from '../processor.ts';
import { sample } from '../samples/sample.ts';

const NOTHING = { links: [], posts: [], nestedPosts: [] };

type Given = [...Parameters<typeof parseStatements>, ...Parameters<typeof createCitationResolver>];
const readAll = (texts: Given[0], results: Given[2] = NOTHING) =>
  runToEnd(parseStatements(texts, runToEnd(createCitationResolver(results))));

function claims(summary: string, results?: Given[2]): ParsedStatement[] {
  const others = { microblog_summary: null, discussion_board_summary: null, news_forum_summary: null };
  return readAll({ summary, ...others, text_chunks: null }, results);
}
const told = (summary: string) =>
  claims(summary).map(({ text, citations, unresolved }) => [
    text,
    ...citations.map(({ canonical }) => canonical.replace('https://', '')),
    ...unresolved,
  ]);

describe('citation marks', () => {
  test.each<[what: string, text: string, ...expected: (string | number)[][]]>([
    [
      'after the sentence',
      'One ferry sank. [1](https://a.example/1) Another did not. [2](https://b.example) [3](https://c.example)',
      ['One ferry sank.', 'a.example/1'],
      ['Another did not.', 'b.example', 'c.example'],
    ],
    [
      'inside the sentence, with a name',
      'It is so [source: arXiv](https://arxiv.org/abs/1). The rest is not.',
      ['It is so.', 'arxiv.org/abs/1'],
      ['The rest is not.'],
    ],
    [
      'as a number in brackets of a link in brackets',
      'The port is closed [[4]](https://d.example/x_(y)).',
      ['The port is closed.', 'd.example/x_(y)'],
    ],
    [
      'in parentheses',
      'The port is closed ([d.example](https://d.example)).',
      ['The port is closed.', 'd.example'],
    ],
    [
      'a list of links',
      'The port is closed [1](https://a.example), [2](https://b.example).',
      ['The port is closed.', 'a.example', 'b.example'],
    ],
    [
      'bare numbers',
      'The port is closed [8, 17]. It was open[3][4-6].',
      ['The port is closed.', 8, 17],
      ['It was open.', 3, 4, 5, 6],
    ],
    ['numbers in another style', 'The port is closed【8†source】.', ['The port is closed.', 8]],
    [
      'a number defined in the text',
      'The port is closed [8](https://a.example). It was open [8, 9].',
      ['The port is closed.', 'a.example'],
      ['It was open.', 'a.example', 9],
    ],
    [
      'a list of sources at the end',
      'The port is closed [1]. It was open [2].\n\nSources:\n[1] https://a.example/1\n- [2]: Title, <https://b.example/2>',
      ['The port is closed.', 'a.example/1'],
      ['It was open.', 'b.example/2'],
    ],
    [
      'an ambiguous number',
      'The port is closed [8](https://a.example). It was open [8](https://b.example). Nobody knows [8].',
      ['The port is closed.', 'a.example'],
      ['It was open.', 'b.example'],
      ['Nobody knows.', 8],
    ],
    ['a year is not a citation', 'The port was closed [2024].', ['The port was closed [2024].']],
  ])('%s', (_, text, ...expected) => {
    expect(told(text)).toEqual(expected);
  });

  test('texts number their citations independently: neither explains a number of the other', () => {
    const texts = { discussion_board_summary: null, news_forum_summary: null, text_chunks: null };
    const found = readAll({
      ...texts,
      summary: 'The port is closed [1](https://a.example).',
      microblog_summary: 'It is open again [1].',
    });
    expect(found.map(({ role, position, unresolved }) => [role, position, unresolved])).toEqual([
      ['summary', 0, []],
      ['microblog_summary', 1, [1]],
    ]);
  });
});

describe('sentences', () => {
  test.each<[what: string, text: string, ...expected: string[]]>([
    [
      'abbreviations and numbers',
      'Dr. Smith paid 3.5 million, e.g. to the U.S. Navy, on 3. März in St. Louis. So be it.',
      'Dr. Smith paid 3.5 million, e.g. to the U.S. Navy, on 3. März in St. Louis.',
      'So be it.',
    ],
    [
      'Japanese',
      '渡船は運休した。[1](https://a.example)再開は未定です。',
      '渡船は運休した。',
      '再開は未定です。',
    ],
    ['Spanish', '¿Qué pasó con el barco? ¡Nada de nada!', '¿Qué pasó con el barco?', '¡Nada de nada!'],
    ['Arabic', 'هل توقفت العبارة؟ نعم توقفت اليوم.', 'هل توقفت العبارة؟', 'نعم توقفت اليوم.'],
    ['Hindi', 'नाव आज नहीं चली। कल फिर चलेगी।', 'नाव आज नहीं चली।', 'कल फिर चलेगी।'],
    [
      'code, and an address with stops',
      'Call `a.b(). Now` first. See https://a.example/x.y?z=1. Done it is.',
      'Call `a.b(). Now` first.',
      'See https://a.example/x.y?z=1.',
      'Done it is.',
    ],
    [
      'a block of code',
      'Run this first:\n```\nrm. all. Of it.\n```\nThen look at it.',
      'Run this first:',
      'Then look at it.',
    ],
    [
      'Markdown',
      '# The ferry\n\n**What is known**\n- **Point:** the *first* item\n- the second\n  is wrapped\n1. A third thing.\n> It is quoted here.',
      'Point: the first item',
      'the second is wrapped',
      'A third thing.',
      'It is quoted here.',
    ],
    [
      'a link that is part of the sentence',
      'See [the report of 1. May.](https://a.example/r) for more.',
      'See the report of 1. May. for more.',
    ],
    [
      'a target that is not a web address',
      'A [trap](javascript:alert(1)) is no link.',
      'A [trap](javascript:alert(1)) is no link.',
    ],
    ['an image', 'It is here ![x. Y](https://evil.example/?q=1) to see.', 'It is here to see.'],
    ['scraps', 'Sources:\n---\n[1](https://a.example)\n…\n42.'],
    ['a repeated sentence', 'The ferry sank. THE  FERRY sank. [1](https://a.example)', 'The ferry sank.'],
  ])('%s', (_, text, ...expected) => {
    expect(claims(text).map((claim) => claim.text)).toEqual(expected);
  });

  test('a repeated statement has the citations of both', () => {
    expect(told('The ferry sank [1](https://a.example). The ferry  sank [2](https://b.example).')).toEqual([
      ['The ferry sank.', 'a.example', 'b.example'],
    ]);
  });
});

describe('identity', () => {
  test.each([
    ['The ferry sank.', 'the FERRY  sank.', true],
    ['It carried １００.', 'It carried 100.', true],
    ['It carried 100.', 'It carried 200.', false],
    ['The ferry sank.', 'The ferry sank!', false],
  ])('%s | %s', (a, b, same) => {
    expect(hashStatement(a) === hashStatement(b)).toBe(same);
  });

  test('is what is stored', () => {
    expect(hashStatement(' The  ferry was ２ hours late.')).toBe('09ae04444b8ba143eb328caa90a3836c');
  });
});

test('a cited link is returned if it is a result, or a post by its address or by its id on another host', () => {
  const text =
    'One is true [1](https://a.example/?utm_source=x). Two is true [2](https://x.example/u/status/12). ' +
    'Three is true [3](https://y.example/v/status/13). Four is not [4](https://b.example).';
  const post = (external_id: string) => ({ external_id, url: `https://x.example/u/status/${external_id}` });
  const found = claims(text, {
    links: [{ canonical: 'https://a.example' }],
    posts: [post('12')],
    nestedPosts: [post('13')],
  });
  expect(found.map(({ citations }) => citations.map(({ returned }) => returned))).toEqual([
    [true],
    [true],
    [true],
    [false],
  ]);
});

test('a completion cites whatever its statements cite, in any of its texts', () => {
  const piece = fc.constantFrom(
    'The port is closed',
    '. ',
    '\n',
    ' [1](https://a.example/1)',
    ' https://b.example/2',
    ' [2]',
    '\n[2]: https://c.example/3\n',
    '\n# Title ',
    '`x https://d.example`',
    '\n```\n',
    ' [the report](https://e.example)',
    '![x](https://f.example)',
    '(https://g.example).',
  );
  const written = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(written, written, (summary, posts) => {
      for (const completion of [{ summary, twitter_summary: posts }, summary]) {
        const body = JSON.stringify({ search: [], completion, completion_links: ['https://z.example'] });
        const dialect = loadDialect('named');
        const found = parseResponse({ operation: 'ai', body, contentType: null, dialect }).completion;
        const links = found?.completion_links.map(({ canonical }) => canonical);
        for (const { citations } of found?.claims ?? [])
          expect(links).toEqual(expect.arrayContaining(citations.map(({ canonical }) => canonical)));
      }
    }),
    {
      // A number that stands for two addresses.
      examples: [
        [' [2]The port is closed\n# Title  [2](https://g.example).\n[2]: https://c.example/3\n', ''],
      ],
    },
  );
});

test('the summary of posts may exist only in chunks', () => {
  const texts = {
    summary: null,
    microblog_summary: '',
    discussion_board_summary: null,
    news_forum_summary: null,
  };
  const found = readAll({ ...texts, text_chunks: ['The fer', 'ry sank', '. [1]', '(https://a.example)'] });
  expect(found).toMatchObject([
    { role: 'microblog_summary', text: 'The ferry sank.', citations: [{ canonical: 'https://a.example' }] },
  ]);
});

describe('the three generations', () => {
  const result = (link: string) => ({ title: 't', link, snippet: '' });
  const summary = 'The port is closed [1](https://a.example). It was open [2](https://b.example) before [7].';
  test.each([
    [
      'first',
      {
        youtube_search_results: { organic_results: [result('https://a.example')] },
        completion: { summary },
      },
    ],
    [
      'second',
      {
        youtube_search_results: [{ organic_results: [result('https://a.example')] }],
        completion: { summary },
      },
    ],
    ['third', { search: [result('https://a.example')], completion: summary }],
  ])('%s', (_, answer) => {
    const found = parseResponse({
      operation: 'ai',
      body: JSON.stringify(answer),
      contentType: null,
      dialect: loadDialect('named'),
    });
    expect(
      found.completion?.claims.map(({ text, citations, unresolved }) => [
        text,
        citations.map(({ canonical, returned }) => [canonical, returned]),
        unresolved,
      ]),
    ).toEqual([
      ['The port is closed.', [['https://a.example', true]], []],
      ['It was open before.', [['https://b.example', false]], [7]],
    ]);
  });
});

test('in a streamed response of a real service, each citation stays with its sentence', () => {
  const body = sample('ai-search.stream.named.sse.txt');
  const { completion } = parseResponse({
    operation: 'ai',
    body,
    contentType: null,
    dialect: loadDialect('named'),
  });
  const found = completion?.claims ?? [];
  expect(found).toHaveLength(20);
  expect(found.filter(({ citations }) => citations.length === 1)).toHaveLength(7);
  expect(found.every(({ text }) => !/\]\(|\[source|\*\*|^\W*$/.test(text))).toBe(true);
});

describe('any text', () => {
  const part = fc.constantFrom(
    '[',
    ']',
    '(',
    ')',
    '[1]',
    '[1](https://a.example)',
    '【2†x】',
    '[x](https://',
    '`',
    '```',
    '**',
    '*',
    '#',
    '\n',
    '. ',
    '。',
    'ab ',
    'あ',
    '\ue000',
    '\ue001',
    '\0',
    '\ud800',
    '- ',
    '1. ',
    '[3]: https://b.example\n',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(part, { maxLength: 60 }).map((parts) => parts.join('')),
  );

  test('parses without an error into unique statements in order, without marks and line breaks', () => {
    fc.assert(
      fc.property(text, (given) => {
        const found = claims(given);
        expect(found.map(({ position }) => position)).toEqual(found.map((_, i) => i));
        expect(new Set(found.map(({ identity }) => identity)).size).toBe(found.length);
        for (const claim of found) expect(claim.text).not.toMatch(/[\n\ue000\ue001]|^\s|\s$/);
      }),
      { numRuns: 500 },
    );
  });

  test('keeps sentences complete, whatever they cite', () => {
    const sentence = fc.stringMatching(/^[A-Z][a-z]{2,8}( [a-z]{2,8}){3,6}$/);
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(sentence, fc.integer({ min: 1, max: 99 })), {
          minLength: 1,
          maxLength: 8,
          selector: ([words]) => words.toLowerCase(),
        }),
        fc.boolean(),
        (said, behind) => {
          const written = said.map(([words, n]) => {
            const mark = `[${n}](https://a.example/${n})`;
            return behind ? `${words}. ${mark}` : `${words} ${mark}.`;
          });
          expect(told(written.join(' '))).toEqual(said.map(([words, n]) => [`${words}.`, `a.example/${n}`]));
        },
      ),
    );
  });

  test('limits the number of statements per text', () => {
    const long = Array.from({ length: 1_000 }, (_, n) => `Ferry number ${n} sank.`).join(' ');
    expect(claims(long)).toHaveLength(MAX_STATEMENTS);
  });

  test.each([
    '[',
    '[](',
    '[x](https://',
    '[x](https://a.example/(((',
    '.',
    '. ',
    '.x',
    ' ',
    ' \n a',
    '`',
    '**',
    '[1',
    '[1] ',
    '\n[1] x ',
    '1. https://a ',
    'https://a.b.',
    '([1]',
    '。',
    '【1',
    '【1】',
    '[8, 17, 3-5]',
    '#\n',
    '\ue000',
    '."',
  ])('parses %j repeated many times in linear time', (sign) => {
    const ms = (length: number) => {
      const computed = watchProcessor();
      claims(sign.repeat(length / sign.length));
      return computed();
    };
    ms(20_000);
    // Ten times what the slowest takes; a quadratic reading takes longer.
    expect(ms(100_000)).toBeLessThan(2_000);
  });
});
