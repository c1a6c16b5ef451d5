import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadDialect, buildOperationPaths } from '../../src/protocol/dialect.ts';
import { fromWire, toWire } from '../../src/protocol/wire.ts';
import { InvalidInput } from '../../src/model/errors.ts';
import { sampleJson } from '../samples/sample.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'dialect-'));
afterAll(() => rmSync(folder, { recursive: true }));

function dialectFile(content: unknown): string {
  const file = path.join(folder, `${Math.random()}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

describe('paths', () => {
  test.each([
    ['neutral', undefined, '/search/ai/search', '/search/ai/search/links/microblog'],
    ['named', undefined, '/desearch/ai/search', '/desearch/ai/search/links/twitter'],
    ['named', 'v2/search/', '/v2/search/ai/search', '/v2/search/ai/search/links/twitter'],
    ['named', '', '/ai/search', '/ai/search/links/twitter'],
  ])('%s with prefix %s', (name, prefix, ai, microblog) => {
    expect(buildOperationPaths(loadDialect(name), prefix)).toEqual({ ai, microblog });
  });
});

test('translates the recorded request to the specification and back', () => {
  const named = loadDialect('named');
  const wire = sampleJson('ai-search.2025-03.request.named.json');
  const neutral = fromWire(named, 'request', wire);
  expect(neutral).toEqual({
    prompt: 'Bittensor',
    tools: [
      'Web Search',
      'News Forum Search',
      'Discussion Board Search',
      'Encyclopedia Search',
      'Video Search',
      'Microblog Search',
      'Preprint Search',
    ],
    model: 'NOVA',
    date_filter: 'PAST_24_HOURS',
    streaming: true,
  });
  expect(toWire(named, 'request', neutral)).toEqual(wire);
});

test.each([
  ['twitter', 'Microblog Search'],
  ['TWITTER search', 'Microblog Search'],
  ['hackernews', 'News Forum Search'],
  [' arxiv ', 'Preprint Search'],
  ['microblog search', 'Microblog Search'],
  ['Something Else', 'Something Else'],
])('maps the tool %s to %s', (label, tool) => {
  expect(fromWire(loadDialect('named'), 'request', { tools: [label] })).toEqual({ tools: [tool] });
});

test('renames members of a response only where the specification names them, never inside unknown ones', () => {
  const wire = {
    miner_tweets: [
      {
        id: '1',
        retweet_count: 2,
        is_quote_tweet: true,
        entities: { retweet_count: 'stays' },
        media: [{ is_retweet: 'stays' }],
        quote: { id: '2', retweet_count: 3, retweet: { id: '3', is_retweet: false } },
      },
    ],
    unheard_of: { retweet_count: 'stays' },
  };
  const neutral = fromWire(loadDialect('named'), 'microblog-answer', wire);
  expect(neutral).toEqual({
    miner_microblog_posts: [
      {
        id: '1',
        repost_count: 2,
        is_quote_post: true,
        entities: { retweet_count: 'stays' },
        media: [{ is_retweet: 'stays' }],
        quote: { id: '2', repost_count: 3, repost: { id: '3', is_repost: false } },
      },
    ],
    unheard_of: { retweet_count: 'stays' },
  });
  expect(toWire(loadDialect('named'), 'microblog-answer', neutral)).toEqual(wire);
});

test.each(['ai-search.2025-03.named.json', 'ai-search.2026-04.named.json', 'posts-80.named.json'])(
  '%s survives a round trip',
  (name) => {
    const named = loadDialect('named');
    const wire = sampleJson(name);
    const neutral = fromWire(named, 'ai-answer', wire);
    expect(neutral).not.toEqual(wire);
    expect(toWire(named, 'ai-answer', neutral)).toEqual(wire);
  },
);

test('the neutral dialect reads every name of a flat group and writes one', () => {
  const neutral = loadDialect('neutral');
  expect(fromWire(neutral, 'ai-answer', { web_search: [], tweets: [], video_search: null })).toEqual({
    web: [],
    microblog: [],
    video: null,
  });
});

test('renames events by kind and role', () => {
  const named = loadDialect('named');
  const events = [
    { type: 'text', role: 'microblog_summary', content: 'a' },
    { type: 'web', content: [] },
    { type: 'microblog', content: [{ id: '1', repost_count: 1 }] },
    { type: 'completion', content: { microblog_summary: 'a', key_microblog_posts: [] } },
    { type: 'result', content: { miner_microblog_posts: [{ id: '1', is_repost: true }] } },
    { type: 'heartbeat', content: { is_repost: true } },
  ];
  const wire = events.map((event) => toWire(named, 'event', event));
  expect(wire).toEqual([
    { type: 'text', role: 'twitter_summary', content: 'a' },
    { type: 'search', content: [] },
    { type: 'tweets', content: [{ id: '1', retweet_count: 1 }] },
    { type: 'completion', content: { twitter_summary: 'a', key_tweets: [] } },
    { type: 'result', content: { miner_tweets: [{ id: '1', is_retweet: true }] } },
    { type: 'heartbeat', content: { is_repost: true } },
  ]);
  expect(wire.map((event) => fromWire(named, 'event', event))).toEqual(events);
});

test('drops keys that reach into prototypes', () => {
  const hostile: unknown = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 1, "completion": {}}');
  const read = fromWire(loadDialect('named'), 'ai-answer', hostile);
  expect(Object.keys(read as object)).toEqual(['completion']); // what was just made is an object
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});

test("prefers the wire's own spelling if both are present, in either order", () => {
  const named = loadDialect('named');
  expect(fromWire(named, 'post', { retweet_count: 1, repost_count: 2 })).toEqual({ repost_count: 1 });
  expect(fromWire(named, 'post', { repost_count: 2, retweet_count: 1 })).toEqual({ repost_count: 1 });
});

describe('a custom dialect', () => {
  test('lists its differences and is neutral otherwise', () => {
    const own = loadDialect(
      dialectFile({
        service_prefix: 'v1',
        tools: { 'Microblog Search': ['Shouts', 'shout'], 'Web Search': 'Pages' },
        members: { miner_microblog_posts: 'shouts', repost_count: 'echoes' },
        later_flat_members: { microblog: 'shouted' },
      }),
    );
    expect(buildOperationPaths(own).microblog).toBe('/v1/ai/search/links/microblog');
    expect(toWire(own, 'request', { tools: ['Microblog Search', 'Web Search', 'Video Search'] })).toEqual({
      tools: ['Shouts', 'Pages', 'Video Search'],
    });
    expect(fromWire(own, 'microblog-answer', { shouts: [{ echoes: 3 }] })).toEqual({
      miner_microblog_posts: [{ repost_count: 3 }],
    });
    expect(fromWire(own, 'ai-answer', { shouted: [{ echoes: 3 }] })).toEqual({
      microblog: [{ repost_count: 3 }],
    });
  });

  test.each([
    ['a missing file', '/no/such/file.json'],
    ['not JSON', dialectFile('{')],
    ['a list', dialectFile([])],
    ['an unknown part', dialectFile({ prefix: 'x' })],
    ['a member that cannot be renamed', dialectFile({ members: { like_count: 'likes' } })],
    ['a name of a built-in property', dialectFile({ members: { repost_count: 'constructor' } })],
    ['one name for two members', dialectFile({ members: { repost_count: 'like_count' } })],
    ['one name for two groups', dialectFile({ later_flat_members: { web: 'x', video: 'x' } })],
    ['an unknown tool', dialectFile({ tools: { 'Smell Search': 'x' } })],
    ['an empty tool', dialectFile({ tools: { 'Web Search': [] } })],
  ])('is refused with the path of the error: %s', (_, file) => {
    let thrown: unknown;
    try {
      loadDialect(file);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(InvalidInput);
    expect(String(thrown)).toContain(file);
  });

  test('reports each error with its path, the given value and the allowed ones', () => {
    const file = dialectFile({
      members: { likes: 'x', repost_count: 7 },
      tools: { 'Web Search': 'a', b: 'c' },
    });
    expect(() => loadDialect(file)).toThrow(/: tools: got "b"; one of Web Search, .*Preprint Search$/m);
    expect(() => loadDialect(file)).toThrow(/: members: got "likes"; one of web_search_results, /);
    expect(() => loadDialect(file)).toThrow(/: members\.repost_count: got 7; /);
    const twice = dialectFile({ later_flat_members: { web: 'x', video: 'x' } });
    expect(() => loadDialect(twice)).toThrow(/: later_flat_members: got "x"; a unique name for each group$/);
  });
});
