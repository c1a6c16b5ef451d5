/** Malformed and unusual responses of operation A. */
import { describe, expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import type { ParsedResults } from '../../src/model/parsed-results.ts';
import { explainNoResponse } from '../../src/monitor/parse/rejects-and-warnings.ts';

function read(answer: unknown, dialect = 'named'): ParsedResults {
  const body = JSON.stringify(answer);
  return parseResponse({ operation: 'ai', body, contentType: null, dialect: loadDialect(dialect) });
}
const result = (link: unknown) => ({ title: 't', link, snippet: '' });
const paths = (found: ParsedResults) => found.rejects.map(({ path, code }) => [path, code]);

describe('a group without results', () => {
  test.each([
    null,
    [],
    {},
    { organic_results: [] },
    { organic_results: null },
    [{ organic_results: [] }],
    [{}],
  ])('%j is empty, and the response a success', (group) => {
    const found = read({ youtube_search_results: group, completion: null });
    expect(found).toMatchObject({ links: [], completion: null, rejects: [], itemsSeen: 0 });
  });

  test.each([null, [], {}])('accepts a flat group and %j', (group) => {
    expect(read({ search: group, tweets: group })).toMatchObject({ links: [], posts: [], itemsSeen: 0 });
  });
});

describe('a response in which every source failed', () => {
  const down = (tool: string, code = 'tool_unanswered') => ({ code, tool, message: 'source failed' });
  const empty = { search: [], youtube_search: [] };
  test.each([
    ['a warning for each tool', { ...empty, warnings: [down('Web Search'), down('Youtube Search')] }, true],
    ['two for one tool of two', { ...empty, warnings: [down('Web Search'), down('Web Search')] }, false],
    [
      'failed sources next to responding ones',
      { ...empty, warnings: [down('a', 'source_failed'), down('b', 'source_failed')] },
      false,
    ],
    ['no warning', empty, false],
    [
      'an item next to the warnings',
      { search: [result('https://a.example/1')], warnings: [down('a'), down('b')] },
      false,
    ],
    ['malformed warnings', { ...empty, warnings: ['x', null, 3, {}] }, false],
  ])('%s', (_, answer, nobody) => {
    expect(explainNoResponse(read(answer), 2) !== null).toBe(nobody);
  });

  const unset = (tool: string, code = 'source_needs_key') => [down(tool, code), down(tool)];
  test.each([
    ['a missing key', [...unset('Web Search'), ...unset('Youtube Search')], 'source_needs_key'],
    [
      'a missing key and a source that is off',
      [...unset('Web Search'), ...unset('Youtube Search', 'source_off')],
      'source_needs_key',
    ],
    [
      'a missing key and an outage',
      [...unset('Web Search'), ...unset('Youtube Search', 'source_failed')],
      'sources_down',
    ],
    ['a missing key and no reason', [...unset('Web Search'), down('Youtube Search')], 'sources_down'],
  ])('%s', (_, warnings, code) => {
    expect(explainNoResponse(read({ ...empty, warnings }), 2)?.code).toBe(code);
  });
});

describe('what a response says about its tools', () => {
  const reports = (answer: object, operation: 'ai' | 'microblog' = 'ai') =>
    parseResponse({
      operation,
      body: JSON.stringify(answer),
      contentType: null,
      dialect: loadDialect('named'),
    }).tools.map(({ tool, responded, items, reason }) => [tool, responded, items, reason]);
  const warn = (code: string, message = 'hn failed') => ({ code, tool: 'Hacker News Search', message });
  const forum = (items: unknown) => ({ hacker_news_search_results: items });

  test('a group says that its tool responded, also without items; others are unknown', () => {
    expect(reports(forum({ organic_results: [result('https://a.example'), 7] }))).toEqual([
      ['News Forum Search', true, 2, null],
    ]);
    expect(reports(forum([]))).toEqual([['News Forum Search', true, 0, null]]);
    expect(reports({ ...forum(null), completion: { summary: 'x' } }), 'null says nothing').toEqual([]);
  });

  test('a warning says that a tool did not respond, and why, and that the others did', () => {
    const warnings = [warn('source_failed'), warn('tool_unanswered')];
    const [web, silent, ...rest] = reports({ ...forum([]), warnings });
    expect(web).toEqual(['Web Search', true, null, null]);
    expect(silent).toEqual(['News Forum Search', false, null, 'source_failed']);
    expect(rest.map(([, responded]) => responded)).toEqual([true, true, true, true, true]);
    expect(reports({ ...forum([]), warnings: [warn('tool_unanswered')] })[1]?.[3]).toBe('tool_unanswered');
  });

  test('results are stronger than a warning: one of several sources failed', () => {
    const warnings = [warn('source_failed'), warn('tool_unanswered')];
    expect(reports({ ...forum([result('https://a.example')]), warnings })[1]).toEqual([
      'News Forum Search',
      true,
      1,
      null,
    ]);
  });

  test('warnings of a service that does not use our codes say nothing about other tools', () => {
    expect(reports({ ...forum([]), warnings: [warn('slow'), 'late', null] })).toEqual([
      ['News Forum Search', true, 0, null],
    ]);
  });

  test('key items say that their source responded, and not how many items it had', () => {
    const completion = { summary: 'x', key_tweets: [{ text: 'a', url: 'https://x.com/a/status/1' }] };
    expect(reports({ completion })).toEqual([['Microblog Search', true, null, null]]);
  });

  test('operation B is one tool', () => {
    expect(reports({ miner_tweets: [] }, 'microblog')).toEqual([['Microblog Search', true, 0, null]]);
    const warnings = [{ code: 'tool_unanswered', tool: 'Twitter Search', message: 'no source' }];
    expect(reports({ miner_tweets: [], warnings }, 'microblog')).toEqual([
      ['Microblog Search', false, null, 'tool_unanswered'],
    ]);
  });
});

describe('groups in other shapes', () => {
  test.each([
    ['keyed by index', { '0': result('https://a.example/1') }],
    ['a single item', result('https://a.example/1')],
    ['wrapped as in the first generation', { organic_results: [result('https://a.example/1')] }],
  ])('%s', (_, search) => {
    expect(read({ search }).links.map(({ canonical, source }) => [canonical, source])).toEqual([
      ['https://a.example/1', 'web'],
    ]);
  });

  test('accepts a web group next to the one of the specification', () => {
    const web_search_results = { organic_results: [result('https://a.example')] };
    expect(read({ web_search_results }, 'neutral').links).toMatchObject([{ source: 'web' }]);
  });

  test.each(['web', 'search', 'web_search'])('accepts the flat group %s in the neutral dialect', (name) => {
    expect(read({ [name]: [result('https://a.example')] }, 'neutral').links).toMatchObject([
      { source: 'web' },
    ]);
  });

  test.each(['microblog', 'tweets', 'microblog_posts'])('accepts posts in %s', (name) => {
    const found = read({ [name]: { a: { id: '1', repost_count: 3 } } }, 'neutral');
    expect(found.posts).toMatchObject([{ external_id: '1', repost_count: 3 }]);
  });

  test('the response decides the source of a link, the address its site', () => {
    const found = read({ search: [result('https://www.forum.example/t/1')] });
    expect(found.links).toMatchObject([{ source: 'web', site: 'forum.example' }]);
  });
});

describe('search results', () => {
  test('that are malformed become rejects with their path, and the rest stay', () => {
    const found = read({
      youtube_search_results: {
        organic_results: [
          result('https://a.example/1'),
          result('/relative'),
          result('mailto:a@b.example'),
          { title: 'no link' },
          null,
          { url: 'https://a.example/2', title: 7, snippet: 5, with_metadata: 'true' },
          { link: '', url: 'https://a.example/3' },
        ],
      },
    });
    expect(paths(found)).toEqual([
      ['youtube_search_results.organic_results[1].link', 'bad_link'],
      ['youtube_search_results.organic_results[2].link', 'bad_link'],
      ['youtube_search_results.organic_results[3].link', 'no_link'],
      ['youtube_search_results.organic_results[4]', 'not_an_object'],
    ]);
    expect(found.links.map((link) => link.canonical)).toEqual([
      'https://a.example/1',
      'https://a.example/2',
      'https://a.example/3',
    ]);
    expect(found.links[1]).toMatchObject({ title: '7', snippet: '5', with_metadata: true });
    expect(found.itemsSeen).toBe(7);
  });

  test('with another kind of address are not malformed; items without any address are', () => {
    expect(read({ search: [result('ftp://a.example')] })).toMatchObject({ links: [], itemsSeen: 1 });
    expect(() => read({ search: [{ title: 'a' }, { title: 'b' }, result('https://a.example')] })).toThrow(
      'schema_mismatch',
    );
  });

  test('with the same link are merged into the first group', () => {
    const found = read({
      reddit_search: [{ link: 'http://A.example/x/?utm_source=n' }],
      search: [{ link: 'https://a.example/x#y', title: 'T', published_date: '2026-04-02' }],
    });
    expect(found.links).toMatchObject([
      {
        canonical: 'https://a.example/x',
        address: 'http://A.example/x/?utm_source=n',
        source: 'discussion_board',
        title: 'T',
        published_at: '2026-04-02T00:00:00.000Z',
      },
    ]);
    expect(found.itemsSeen).toBe(1);
  });

  test('a date in words is not a time', () => {
    expect(read({ search: [{ ...result('https://a.example'), date: '17 hours ago' }] }).links).toMatchObject([
      { published_at: null },
    ]);
  });
});

describe('bare addresses', () => {
  test('in search_completion_links become links: with the source of their group, otherwise web', () => {
    const found = read({
      youtube_search_results: { organic_results: [result('https://v.example/1')] },
      search_completion_links: [
        'https://v.example/1/',
        'https://other.example',
        '/bad',
        null,
        'https://other.example/',
      ],
      completion_links: ['https://cited.example', 'https://cited.example#again'],
    });
    expect(found.links.map(({ canonical, source, title }) => [canonical, source, title])).toEqual([
      ['https://v.example/1', 'video', 't'],
      ['https://other.example', 'web', null],
    ]);
    expect(found.completion?.completion_links.map((link) => link.canonical)).toEqual([
      'https://cited.example',
    ]);
    expect(found.itemsSeen).toBe(2);
    expect(paths(found)).toEqual([
      ['search_completion_links[2]', 'bad_link'],
      ['search_completion_links[3]', 'no_link'],
    ]);
  });
});

describe('the completion', () => {
  test.each([
    [null, null, []],
    ['', null, []],
    [7, null, [['completion', 'bad_shape']]],
    [[], null, [['completion', 'bad_shape']]],
  ])('%j', (completion, expected, rejects) => {
    const found = read({ completion, search: [] });
    expect(found.completion).toBe(expected);
    expect(paths(found)).toEqual(rejects);
  });

  test('keeps hostile text as text, and cites only web addresses', () => {
    const completion =
      '<img src=x onerror=alert(1)> [x](javascript:alert(1)) ![](https://e.example/?q=secret) [8](https://a.example)';
    const found = read({ completion });
    expect(found.completion).toMatchObject({ summary: completion });
    expect(found.completion?.completion_links.map((link) => link.canonical)).toEqual(['https://a.example']);
  });

  test('is truncated at two megabytes', () => {
    expect(read({ completion: 'x'.repeat(2_000_000) }).completion?.summary).toHaveLength(100_000);
  });

  test('key items keep their text if the address is missing or invalid', () => {
    const found = read({
      completion: {
        key_tweets: [
          { text: 'a', url: 'javascript:x' },
          { text: 'b' },
          'c',
          { url: 'https://k.example/' },
          {},
          7,
        ],
        key_news: 'none',
        twitter_summary: 5,
      },
    });
    expect(found.completion?.key_items).toEqual([
      { list: 'key_microblog_posts', position: 0, text: 'a', url: null, link: null },
      { list: 'key_microblog_posts', position: 1, text: 'b', url: null, link: null },
      { list: 'key_microblog_posts', position: 2, text: 'c', url: null, link: null },
      {
        list: 'key_microblog_posts',
        position: 3,
        text: '',
        url: 'https://k.example/',
        link: { canonical: 'https://k.example', address: 'https://k.example/', site: 'k.example' },
      },
    ]);
    expect(paths(found)).toEqual([
      ['completion.key_tweets[4]', 'bad_shape'],
      ['completion.key_tweets[5]', 'not_an_object'],
      ['completion.key_news', 'bad_shape'],
    ]);
    expect(found.completion?.microblog_summary).toBe('5');
  });

  test('text chunks are joined into one text', () => {
    expect(read({ text_chunks: { twitter_summary: ['a', 'b', 3, null] } }).completion?.text_chunks).toEqual([
      'a',
      'b',
    ]);
    expect(read({ text_chunks: { twitter_summary: 'ab' } }).completion?.text_chunks).toEqual(['ab']);
    expect(read({ text_chunks: {}, search: [] }).completion).toBeNull();
    expect(read({ text_chunks: [], search: [] }).rejects).toEqual([]);
  });

  test.each([
    ['text_chunks', { text_chunks: [{ twitter_summary: ['a'] }] }],
    ['text_chunks', { text_chunks: 'ab' }],
    ['text_chunks.twitter_summary', { text_chunks: { twitter_summary: { 0: 'a' } } }],
    ['completion_links', { completion_links: 7 }],
    ['search_completion_links', { search_completion_links: true }],
  ])('%s of an unexpected shape is a reject, and nothing else is lost', (path, part) => {
    const found = read({ ...part, search: [{ link: 'https://a.example/1' }] });
    expect(found.rejects).toMatchObject([{ path, code: 'bad_shape' }]);
    expect(found.links).toHaveLength(1);
  });

  test('keeps meaningful scores and warnings', () => {
    const found = read({
      completion: 'x',
      miner_link_scores: { '123': 'HIGH', bad: Number.NaN, none: null },
      warnings: [{ code: 'EMPTY', tool: 'web', message: 'nothing' }, 'plain', 7, { code: 1 }],
    });
    expect(found.completion?.miner_link_scores).toEqual({ '123': 'HIGH' });
    expect(found.completion?.warnings).toEqual([
      { code: 'EMPTY', tool: 'web', message: 'nothing' },
      { code: null, tool: null, message: 'plain' },
      { code: '1', tool: null, message: null },
    ]);
  });
});

describe('addresses outside any group', () => {
  const link = (id: number) => `https://blog.example/ines/status/${id}`;

  test('become posts if the completion or a post of the response says so, with their details', () => {
    const found = read(
      {
        search_completion_links: [link(1), link(2), 'https://press.example/ferry', 'https://shop.example/'],
        completion: {
          summary: 'Ferry 7 is back.',
          key_microblog_posts: [{ text: 'Ferry 7 is back', url: `${link(1)}?utm_source=a` }],
          key_sources: [{ text: 'The ferry returns', url: 'https://press.example/ferry' }],
        },
      },
      'neutral',
    );
    expect(found.links.map(({ canonical, source, title }) => [canonical, source, title])).toEqual([
      [link(1), 'microblog', 'Ferry 7 is back'],
      [link(2), 'microblog', null],
      ['https://press.example/ferry', 'web', 'The ferry returns'],
      ['https://shop.example', 'web', null],
    ]);
  });

  test('take the source of their list, unless a group has it', () => {
    const found = read(
      {
        news_forum_search_results: { organic_results: [result('https://n.example/1')] },
        search_completion_links: ['https://n.example/1', 'https://n.example/2', 'https://d.example/1'],
        completion: {
          key_news: [
            { text: 'said elsewhere', url: 'https://n.example/1' },
            { text: 'second', url: 'https://n.example/2' },
          ],
          key_posts: [{ text: 'a thread', url: 'https://d.example/1' }],
        },
      },
      'neutral',
    );
    expect(found.links.map(({ source, title }) => [source, title])).toEqual([
      ['news_forum', expect.not.stringContaining('elsewhere')],
      ['news_forum', 'second'],
      ['discussion_board', 'a thread'],
    ]);
  });

  test('take the source and title of a full post in the response', () => {
    const found = read(
      {
        microblog: [{ id: '1', text: 'Back at last', url: link(1) }],
        search_completion_links: [link(1), link(2)],
      },
      'neutral',
    );
    expect(found.links.map(({ source, title }) => [source, title])).toEqual([
      ['microblog', 'Back at last'],
      ['microblog', null],
    ]);
  });
});
