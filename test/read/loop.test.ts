/**
 * Whatever a response holds, parsing it never blocks the event loop for long: it renews leases and parses other
 * responses. Each of these bodies is as large, or holds as much, as the limits allow.
 */
import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { MAX_MEMBERS, MAX_VALUES } from '../../src/protocol/json.ts';
import { loadDialect } from '../../src/protocol/dialect.ts';
import type { Operation } from '../../src/model/enumerations.ts';
import { RunError } from '../../src/model/errors.ts';
import { parseResponse, parseResponseInSteps } from '../../src/monitor/parse/parse-response.ts';
import { runCooperatively } from '../../src/platform/run-cooperatively.ts';
import { watchProcessor } from '../processor.ts';

const MOST_MS = 200;
const MOST_BYTES = 20_000_000;
const dialect = loadDialect('named');

/** So often at most a body is read: what keeps the loop by itself keeps it each time, a busy machine does not. */
const TRIES = 12;

const times = (n: number, part: (i: number) => string, between = ',') =>
  Array.from({ length: n }, (_, i) => part(i)).join(between);
/** As many members as may be, each of a name of its own. */
const members = times(MAX_MEMBERS - 10, (i) => `"m${i}":0`);
const filled = (part: string) => part.repeat((MOST_BYTES - 1_000) / part.length);
const event = (content: string) => `data: {"type":"text","role":"summary","content":"${content}"}\n\n`;
const END = 'data: {"type":"completion","content":"x"}\n\n';

type Row = [what: string, operation: Operation, body: string, outcome: string];

const TOO_MUCH: Row[] = [
  ['300,000 tiny members', 'microblog', `{${times(300_000, (i) => `"m${i}":0`)}}`, 'too_large'],
  ['empty lists', 'microblog', `[${filled('[],')}[]]`, 'too_large'],
  ['empty objects', 'microblog', `[${filled('{},')}{}]`, 'too_large'],
  ['integers that JavaScript would round', 'microblog', `[${filled('1790000000000000001,')}1]`, 'too_large'],
  [
    'as many of them as allowed',
    'microblog',
    `[${times(MAX_VALUES - 10, () => '1790000000000000001')}]`,
    'schema_mismatch',
  ],
  ['brackets', 'microblog', filled('['), 'bad_json'],
  ['a stream of empty objects', 'ai', `data: ${filled('{}')}`, 'too_large'],
  [
    'a stream of items',
    'ai',
    `data: {"type":"tweets","content":[${times(70_000, () => '{}')}]}\n\n`.repeat(90),
    'too_large',
  ],
  ['a stream of one line', 'ai', `${event(filled('a'))}${END}`, 'too_large'],
  ['a stream of blank lines', 'ai', `: ping\n${filled('\n')}`, 'stream_incomplete'],
  ['a stream of tokens', 'ai', filled(event('a')), 'too_large'],
];

const AS_MUCH_AS_MAY_BE: Row[] = [
  ['members next to the posts', 'microblog', `{"tweets":[],${members}}`, '0 posts'],
  ['members instead of the posts', 'microblog', `{"tweets":{${members}}}`, 'schema_mismatch'],
  ['members in a post', 'microblog', `[{"id":"1",${members}}]`, '1 posts'],
  ['members in entities', 'microblog', `[{"id":"1","entities":{${members}}}]`, '1 posts'],
  ['scores', 'ai', `{"completion":"x","miner_link_scores":{${members}}}`, '0 posts'],
  ['members in a JSON string', 'microblog', JSON.stringify(`{"tweets":[],${members}}`), '0 posts'],
  [
    'objects with unique member names',
    'microblog',
    `[${times(MAX_VALUES / 2 - 10, (i) => `{"k${i}":0}`)}]`,
    'schema_mismatch',
  ],
  [
    'objects with the maximum number of names',
    'microblog',
    `[${times(MAX_VALUES / MAX_MEMBERS - 1, (o) => `{"id":"${o}",${times(MAX_MEMBERS - 10, (i) => `"m${o}n${i}":0`)}}`)}]`,
    '14 posts',
  ],
  ['posts', 'microblog', `[${times(MAX_VALUES / 3 - 10, (i) => `{"id":"${i}","text":"a"}`)}]`, '10000 posts'],
  [
    'posts with many entities',
    'microblog',
    `[${times(300, (i) => `{"id":"${i}","entities":{"urls":[${times(200, (n) => `{"url":"https://a.example/${i}/${n}"}`)}]}}`)}]`,
    '300 posts',
  ],
  ['twenty megabytes of text', 'microblog', `[{"id":"1","text":"${filled('x')}"}]`, '1 posts'],
  ['twenty megabytes of escapes', 'microblog', `[{"id":"1","text":"${filled('\\u00e9')}"}]`, '1 posts'],
  ['twenty megabytes of quotation marks', 'microblog', `[{"id":"1","text":"${filled('\\"')}"}]`, '1 posts'],
  ['twenty megabytes in a malformed item', 'microblog', `["${filled('x')}",{"id":"1"}]`, '1 posts'],
  ['a number of twenty megabytes', 'microblog', `[{"id":"1","like_count":${filled('1')}}]`, '1 posts'],
  ['a stream of one long line', 'ai', `${event('a'.repeat(11_900_000))}${END}`, '0 posts'],
  ['a stream of large events', 'ai', `${filled(event('a'.repeat(10_000)))}${END}`, '0 posts'],
  [
    'deep nesting',
    'microblog',
    `{"tweets":[{"id":"1","x":${'['.repeat(9e6)}${']'.repeat(9e6)}}]}`,
    '1 posts',
  ],
  [
    'texts full of citations, in all roles',
    'ai',
    JSON.stringify({
      completion: Object.fromEntries(
        ['summary', 'twitter_summary', 'reddit_summary', 'hacker_news_summary'].map((role, i) => [
          role,
          (['1. https://a ', '[8, 17, 3-5]', '【1】', '\n[1] x '][i] ?? '').repeat(20_000),
        ]),
      ),
    }),
    '0 posts',
  ],
];

test.each([...TOO_MUCH, ...AS_MUCH_AS_MAY_BE])('%s (%s)', async (_, operation, body, outcome) => {
  const bytes = Buffer.from(body);
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && least > MOST_MS; tries++) {
    const { ended, keptMs } = await watched(() =>
      runCooperatively(parseResponseInSteps({ operation, body: bytes, contentType: null, dialect })),
    );
    expect(ended).toBe(outcome);
    least = Math.min(least, keptMs);
  }
  expect(least).toBeLessThan(MOST_MS);
});

const addresses = (path: string) => Array.from({ length: 500 }, (_, i) => `https://a.example/${path}/${i}`);
const links = (path: string) => addresses(path).map((url) => ({ url, text: 'a' }));

test('no step parses more than a few addresses, wherever they are', () => {
  const body = JSON.stringify({
    completion: Object.fromEntries(
      ['key_tweets', 'key_posts', 'key_news', 'key_sources'].map((list) => [list, links(list)]),
    ),
    completion_links: addresses('cited'),
    search_completion_links: addresses('found'),
    miner_tweets: addresses('posts').map((url, i) => ({ id: String(i), text: 'a', url })),
  });
  let parsed = 0;
  class CountedUrl extends URL {
    constructor(address: string | URL, base?: string | URL) {
      super(address, base);
      parsed++;
    }
  }
  vi.stubGlobal('URL', CountedUrl);
  let [all, most] = [0, 0];
  const work = parseResponseInSteps({ operation: 'ai', body, contentType: null, dialect });
  for (let step = work.next(); step.done !== true; step = work.next()) {
    [all, most, parsed] = [all + parsed, Math.max(most, parsed), 0];
  }
  vi.unstubAllGlobals();
  expect(all + parsed).toBeGreaterThan(7 * 500);
  expect(Math.max(most, parsed)).toBeLessThan(20);
});

test('ten thousand spellings of a link are its first hundred addresses', () => {
  const spellings = Array.from({ length: 10_000 }, (_, i) => `https://a.example/x?utm_source=${i}`);
  const body = JSON.stringify({
    web_search_results: { organic_results: spellings.map((link) => ({ link })) },
  });
  const { links: found } = parseResponse({ operation: 'ai', body, contentType: null, dialect });
  expect(found).toMatchObject([{ address: spellings[0], addresses: spellings.slice(0, 100) }]);
});

/** How a reading ended, and the longest that the event loop was kept meanwhile. */
async function watched(
  read: () => Promise<{ posts: readonly unknown[] }>,
): Promise<{ ended: string; keptMs: number }> {
  const turns = watchTurns();
  await setImmediate();
  const ended = await read().then(
    ({ posts }) => `${posts.length} posts`,
    (error: unknown) => {
      if (error instanceof RunError) return error.code;
      throw error;
    },
  );
  await setImmediate();
  return { ended, keptMs: turns.end() };
}

/** The longest that was computed between two turns of the event loop; that the machine did something else is not counted. */
function watchTurns(): { end(): number } {
  let [longestMs, ended, began, computed] = [0, false, performance.now(), watchProcessor()];
  const turn = () => {
    // Others of our threads may collect garbage meanwhile: they compute beside the loop.
    longestMs = Math.max(longestMs, Math.min(computed(), performance.now() - began));
    [began, computed] = [performance.now(), watchProcessor()];
    if (!ended) globalThis.setImmediate(turn);
  };
  turn();
  return {
    end: () => {
      ended = true;
      return longestMs;
    },
  };
}
