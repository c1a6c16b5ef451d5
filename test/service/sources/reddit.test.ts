import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { SourceDown } from '../../../src/service/sources/outage.ts';
import { reddit } from '../../../src/service/sources/providers/reddit.ts';
import {
  type Answers,
  everyWordOf,
  json,
  NOW,
  outageOf,
  query,
  sample,
  startAdapter,
  startAsking,
  startProvider,
  text,
} from './provider.ts';
import { CANARY, describeProvider } from './provider-contract.ts';

const SECRET = `reddit-${CANARY}`;
const EMPTY = { kind: 'Listing', data: { children: [] } };
const granted = (token: string, seconds = 86_400) =>
  json({ access_token: token, token_type: 'bearer', expires_in: seconds, scope: '*' });
const post = (id: string, over: Record<string, unknown> = {}) => ({
  kind: 't3',
  data: {
    id,
    title: `Post ${id}`,
    permalink: `/r/energy/comments/${id}/post/`,
    subreddit: 'energy',
    selftext: '',
    author: 'tove',
    removed_by_category: null,
    score: 3,
    num_comments: 4,
    created_utc: NOW.getTime() / SECOND - 3_600,
    ...over,
  },
});
const listing = (...children: unknown[]) => json({ kind: 'Listing', data: { children } });

/** Where tokens are given, and where it is searched: below one address here. */
const make = (at: string) =>
  reddit({
    clientId: 'app',
    clientSecret: SECRET,
    username: 'tove',
    at,
    tokenAt: at,
    version: '1.2.3',
  });
/** The two as two providers. */
async function startReddit(...answers: Answers) {
  const tokens = await startProvider(granted('token-1'), granted('token-2'));
  const started = await startAdapter(
    (at) =>
      reddit({
        clientId: 'app',
        clientSecret: SECRET,
        username: 'tove',
        at,
        tokenAt: tokens.url,
        version: '1.2.3',
      }),
    ...answers,
  );
  return { ...started, tokens, api: started.provider };
}

test('reads listings of older servers, whose posts lack members', async () => {
  // As recorded in 2016 and 2018.
  const older = post('a');
  const { removed_by_category: _, ...data } = older.data;
  const { find } = await startReddit(listing({ ...older, data }));
  expect(await find()).toMatchObject([{ title: 'Post a' }]);
});

describeProvider({
  make,
  before: [granted(`token-1-${CANARY}`)],
  recorded: [json({ ...EMPTY, data: { children: [post('a')] } })],
  found: [
    {
      source: 'discussion_board',
      title: 'Post a',
      link: 'https://www.reddit.com/r/energy/comments/a/post/',
      snippet: '',
      summaryDescription: '',
      publishedAt: new Date('2026-11-21T11:00:00Z'),
      engagement: 7,
    },
  ],
  asked: [
    {
      path: '/search',
      params: {
        q: 'tidal turbines',
        type: 'link',
        sort: 'new',
        t: 'week',
        limit: '100',
        raw_json: '1',
      },
      headers: {
        authorization: `Bearer token-1-${CANARY}`,
        'user-agent': 'node:strandline:1.2.3 (by /u/tove)',
      },
    },
  ],
  empty: json(EMPTY),
  frame: json({ data: [] }),
  misfits: listing({ kind: 't5', data: { display_name: 'energy' } }),
  // A token that is refused is replaced once: here by none.
  statuses: { 401: { code: 'source_refused', detail: 'HTTP 401', requests: 2 } },
  outages: {
    'no requests left': [
      text('', 429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '42' }),
      { code: 'source_busy', retryAfterMs: 42_000 },
    ],
    'no wait': [text('', 429), { code: 'source_busy', retryAfterMs: undefined }],
  },
  windows: ['t', 'day', 'week', 'week', 'month', 'month', 'year', 'year', 'all'],
  attempts: ['q', 'tidal turbines fish sound', 'tidal turbines'],
});

describe('Reddit posts', () => {
  test('have their link, no text that they do not have, and reactions', async () => {
    const { find } = await startReddit(json(sample('reddit.search.json')));
    expect(await find({ from: undefined })).toEqual([
      {
        source: 'discussion_board',
        title: 'A half-hour to learn Rust',
        link: 'https://www.reddit.com/r/rust/comments/fbenua/a_halfhour_to_learn_rust/',
        snippet: '',
        summaryDescription: '',
        publishedAt: new Date('2020-02-29T16:10:51Z'),
        engagement: 647,
      },
    ]);
  });

  test('are plain text of at most 300 characters, and a negative score is not a like', async () => {
    const selftext = `**See** [the *map*](https://a.example/m) &amp; more.\n\n&#x200B;\n\n${'word '.repeat(200)}`;
    const { find } = await startReddit(listing(post('a', { selftext, score: -7, title: 'Vec<T> & "you"' })));
    const [found] = await find();
    expect(found?.title).toBe('Vec<T> & "you"');
    expect(found?.snippet).toMatch(/^See the map & more\.\nword word .*word…$/);
    expect(found?.snippet.length).toBeLessThanOrEqual(300);
    expect(found?.engagement).toBe(4);
  });

  test('that are deleted, outside the window or malformed are skipped', async () => {
    const at = (ms: number) => ({ created_utc: (NOW.getTime() - ms) / SECOND });
    const { find } = await startReddit(
      listing(
        post('removed', { removed_by_category: 'moderator', selftext: '[removed]' }),
        post('taken', { selftext: '[removed]' }),
        post('deleted', { selftext: '[deleted]', author: '[deleted]' }),
        post('byuser', { title: '[deleted by user]' }),
        post('old', at(7 * DAY + SECOND)),
        post('future', at(-SECOND)),
        post('astray', { permalink: 'https://evil.example/r/' }),
        { kind: 't5', data: { display_name: 'energy' } },
        post('first', at(7 * DAY)),
        post('last', at(0)),
      ),
    );
    const found = await find();
    expect(found.map(({ title }) => title)).toEqual(['Post first', 'Post last']);
  });
});

test('a token is requested as the application', async () => {
  const { find, tokens } = await startReddit(listing(post('a')));
  await find();
  expect(tokens.requests).toMatchObject([
    {
      method: 'POST',
      target: '/api/v1/access_token',
      body: 'grant_type=client_credentials',
      headers: {
        authorization: `Basic ${btoa(`app:${SECRET}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'node:strandline:1.2.3 (by /u/tove)',
      },
    },
  ]);
});

describe('the token', () => {
  test('is requested once for concurrent searches, and kept until a minute before it expires', async () => {
    const { find, clock, tokens, api } = await startReddit(listing(post('a')));
    await Promise.all(Array.from({ length: 5 }, () => find()));
    clock.advance(24 * HOUR - MINUTE - 1);
    await find({ to: clock.now() });
    expect(tokens.requests).toHaveLength(1);
    clock.advance(1);
    await find({ to: clock.now() });
    expect(tokens.requests).toHaveLength(2);
    expect(api.requests.at(-1)?.headers.authorization).toBe('Bearer token-2');
  });

  test('is replaced once if rejected', async () => {
    const { find, outage, tokens, api } = await startReddit(text('', 401), listing(post('a')));
    await expect(find()).resolves.toHaveLength(1);
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
    api.answers(text('', 401));
    await expect(outage()).resolves.toMatchObject({
      code: 'source_refused',
      message: 'rejected the request: HTTP 401',
    });
    expect(tokens.requests).toHaveLength(3);
  });

  test('of a caller that disconnected is requested by the next', async () => {
    const gone = new AbortController();
    const { find, adapter, tokens } = await startReddit(listing(post('a')));
    const leaving = startAsking(gone.signal);
    // The first request for a token is never answered; whoever sent it leaves.
    const arrived = new Promise<void>((resolve) => tokens.answers(() => resolve(), granted('token-9')));
    const first = adapter.find(query({ signal: gone.signal }), leaving.asking);
    const second = find();
    await arrived;
    gone.abort(new Error('the client left'));
    await expect(first).rejects.toThrow('the client left');
    await expect(second).resolves.toHaveLength(1);
    expect(tokens.requests).toHaveLength(2);
  });

  test('of a caller whose time was up is requested by the next', async () => {
    const limit = new AbortController();
    const { find, adapter, tokens } = await startReddit(listing(post('a')));
    const arrived = new Promise<void>((resolve) => tokens.answers(() => resolve(), granted('token-9')));
    const late = outageOf(adapter.find(query(), startAsking(limit.signal).asking));
    const second = find();
    await arrived;
    limit.abort(new SourceDown('source_timeout'));
    expect((await late).code).toBe('source_timeout');
    await expect(second).resolves.toHaveLength(1);
    expect(tokens.requests).toHaveLength(2);
  });

  test.each([
    ['wrong credentials', text('', 401), 'source_refused', 'rejected the request: HTTP 401'],
    [
      'another grant type',
      json({ error: 'unsupported_grant_type' }),
      'source_refused',
      'rejected the request: no token was issued',
    ],
    ['not JSON', text('<html>'), 'source_failed', 'failed: the response is not JSON'],
  ])('is refused: %s', async (_, answer, code, message) => {
    const { outage, tokens, api } = await startReddit(json(EMPTY));
    tokens.answers(answer);
    const outages = await Promise.all([outage(), outage()]);
    expect(outages).toMatchObject([
      { code, message },
      { code, message },
    ]);
    expect(api.requests).toEqual([]);
    expect(everyWordOf(outages[0])).not.toContain(SECRET);
  });
});

describe('the rate limit', () => {
  const left = (remaining: string, reset: string) => ({
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': reset,
  });

  test('is respected in advance: after the last request nothing is sent until the reset', async () => {
    const { find, outage, clock, api } = await startReddit(
      json({ data: { children: [post('a')] } }, 200, left('0.0', '31')),
      json({ data: { children: [post('b')] } }, 200, left('99.0', '600')),
    );
    await expect(find()).resolves.toHaveLength(1);
    clock.advance(30 * SECOND);
    await expect(outage()).resolves.toMatchObject({
      code: 'source_busy',
      retryAfterMs: SECOND,
      unasked: true,
    });
    expect(api.requests).toHaveLength(1);
    clock.advance(SECOND);
    await expect(find()).resolves.toHaveLength(1);
  });

  test('ends a search that found nothing without a second request', async () => {
    const { find, api } = await startReddit(json(EMPTY, 200, left('0', '60')));
    const keywords = ['a', 'b', 'c'];
    await expect(find({ keywords })).resolves.toEqual([]);
    expect(api.requests).toHaveLength(1);
  });
});
