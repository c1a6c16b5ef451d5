import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/time.ts';
import { SourceDown } from '../../../src/service/sources/outage.ts';
import { reddit } from '../../../src/service/sources/providers/reddit.ts';
import {
  type Answer,
  everyWordOf,
  json,
  NOW,
  outageOf,
  query,
  sample,
  startAsking,
  startProvider,
  text,
} from './provider.ts';

const SECRET = 'reddit-secret-of-a-user';
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

/** Reddit's two doors, as two servers. */
async function startReddit(...answers: [Answer, ...Answer[]]) {
  const tokens = await startProvider(granted('token-1'), granted('token-2'));
  const api = await startProvider(...answers);
  const adapter = reddit({
    clientId: 'app',
    clientSecret: SECRET,
    username: 'tove',
    at: api.url,
    tokenAt: tokens.url,
    version: '1.2.3',
  });
  return { tokens, api, adapter, ...startAsking() };
}

describe('posts', () => {
  test('are read with their link, a line about them where they have no text, and reactions', async () => {
    const { adapter, asking } = await startReddit(json(sample('reddit.search.json')));
    const found = await adapter.find(query({ from: undefined }), asking);
    expect(found).toEqual([
      {
        source: 'discussion_board',
        title: 'A half-hour to learn Rust',
        link: 'https://www.reddit.com/r/rust/comments/fbenua/a_halfhour_to_learn_rust/',
        snippet: '567 points, 80 comments in r/rust',
        summaryDescription: '',
        publishedAt: new Date('2020-02-29T16:10:51Z'),
        engagement: 647,
      },
    ]);
  });

  test('are text: no marks, at most 300 characters, and a score below zero is no liking', async () => {
    const selftext = `**See** [the *map*](https://a.example/m) &amp; more.\n\n&#x200B;\n\n${'word '.repeat(200)}`;
    const { adapter, asking } = await startReddit(
      listing(post('a', { selftext, score: -7, title: 'Vec<T> & "you"' })),
    );
    const [found] = await adapter.find(query(), asking);
    expect(found?.title).toBe('Vec<T> & "you"');
    expect(found?.snippet).toMatch(/^See the \*map\* & more\. word word .*word…$/);
    expect(found?.snippet.length).toBeLessThanOrEqual(300);
    expect(found?.engagement).toBe(4);
  });

  test('that are gone, outside the window or of another shape are left out', async () => {
    const at = (ms: number) => ({ created_utc: (NOW.getTime() - ms) / SECOND });
    const { adapter, asking } = await startReddit(
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
    const found = await adapter.find(query(), asking);
    expect(found.map(({ title }) => title)).toEqual(['Post first', 'Post last']);
  });
});

describe('a search', () => {
  test('says who asks and what for', async () => {
    const { adapter, asking, api, tokens } = await startReddit(listing(post('a')));
    await adapter.find(query(), asking);
    expect(tokens.requests).toHaveLength(1);
    const [token] = tokens.requests;
    expect(token).toMatchObject({
      method: 'POST',
      target: '/api/v1/access_token',
      body: 'grant_type=client_credentials',
    });
    expect(token?.headers).toMatchObject({
      authorization: `Basic ${btoa(`app:${SECRET}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'node:strandline:1.2.3 (by /u/tove)',
    });
    const [search] = api.requests;
    expect(search?.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'user-agent': 'node:strandline:1.2.3 (by /u/tove)',
    });
    expect(search).toMatchObject({
      path: '/search',
      params: {
        q: 'tidal turbines',
        type: 'link',
        sort: 'relevance',
        t: 'week',
        limit: '100',
        raw_json: '1',
      },
    });
  });

  test.each([
    [1, 'day'],
    [2, 'week'],
    [14, 'month'],
    [30, 'month'],
    [60, 'year'],
    [365, 'year'],
    [730, 'all'],
  ])('of %i days asks for the %s', async (days, t) => {
    const { adapter, asking, api } = await startReddit(json(EMPTY));
    await adapter.find(query({ from: new Date(NOW.getTime() - days * DAY) }), asking);
    expect(api.requests.map(({ params }) => params['t'])).toEqual([t]);
  });

  test('asks for few words, and for fewer where they find nothing', async () => {
    const { adapter, asking, api } = await startReddit(json(EMPTY), listing(post('a')));
    const prompt = 'Do tidal turbines really harm the fish of the sound, or seals?';
    const keywords = ['turbines', 'tidal', 'fish', 'sound', 'seals'];
    await expect(adapter.find(query({ prompt, keywords }), asking)).resolves.toHaveLength(1);
    expect(api.requests.map(({ params }) => params['q'])).toEqual([
      'tidal turbines fish sound',
      'tidal turbines',
    ]);
  });
});

describe('the token', () => {
  test('is asked for once by all who need it, and kept until a minute before its end', async () => {
    const { adapter, asking, clock, tokens, api } = await startReddit(listing(post('a')));
    await Promise.all(Array.from({ length: 5 }, () => adapter.find(query(), asking)));
    clock.advance(24 * HOUR - MINUTE - 1);
    await adapter.find(query({ to: clock.now() }), asking);
    expect(tokens.requests).toHaveLength(1);
    clock.advance(1);
    await adapter.find(query({ to: clock.now() }), asking);
    expect(tokens.requests).toHaveLength(2);
    expect(api.requests.at(-1)?.headers.authorization).toBe('Bearer token-2');
  });

  test('that is refused is replaced once', async () => {
    const { adapter, asking, tokens, api } = await startReddit(text('', 401), listing(post('a')));
    await expect(adapter.find(query(), asking)).resolves.toHaveLength(1);
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
    api.answers(text('', 401));
    await expect(outageOf(adapter.find(query(), asking))).resolves.toMatchObject({
      code: 'source_refused',
      message: 'refused the request: answered 401',
    });
    expect(tokens.requests).toHaveLength(3);
  });

  test('of one who gave up is asked for by the next', async () => {
    const gone = new AbortController();
    const { adapter, asking, tokens } = await startReddit(listing(post('a')));
    const leaving = startAsking(gone.signal);
    // The first request for a token is never answered; whoever sent it leaves.
    const arrived = new Promise<void>((resolve) => tokens.answers(() => resolve(), granted('token-9')));
    const first = adapter.find(query({ signal: gone.signal }), leaving.asking);
    const second = adapter.find(query(), asking);
    await arrived;
    gone.abort(new Error('the client left'));
    await expect(first).rejects.toThrow('the client left');
    await expect(second).resolves.toHaveLength(1);
    expect(tokens.requests).toHaveLength(2);
  });

  test('of one whose time was up is asked for by the next', async () => {
    const limit = new AbortController();
    const { adapter, asking, tokens } = await startReddit(listing(post('a')));
    const arrived = new Promise<void>((resolve) => tokens.answers(() => resolve(), granted('token-9')));
    const late = outageOf(adapter.find(query(), startAsking(limit.signal).asking));
    const second = adapter.find(query(), asking);
    await arrived;
    limit.abort(new SourceDown('source_timeout'));
    expect((await late).code).toBe('source_timeout');
    await expect(second).resolves.toHaveLength(1);
    expect(tokens.requests).toHaveLength(2);
  });

  test.each([
    ['wrong credentials', text('', 401), 'source_refused', 'refused the request: answered 401'],
    [
      'another grant',
      json({ error: 'unsupported_grant_type' }),
      'source_refused',
      'refused the request: no token was given',
    ],
    ['no JSON', text('<html>'), 'source_failed', 'failed: its answer is not JSON'],
  ])('is not given: %s', async (_, answer, code, message) => {
    const { adapter, asking, tokens, api } = await startReddit(json(EMPTY));
    tokens.answers(answer);
    const outages = await Promise.all([
      outageOf(adapter.find(query(), asking)),
      outageOf(adapter.find(query(), asking)),
    ]);
    expect(outages).toMatchObject([
      { code, message },
      { code, message },
    ]);
    expect(api.requests).toEqual([]);
    expect(everyWordOf(outages[0])).not.toContain(SECRET);
  });
});

describe('its limit', () => {
  const left = (remaining: string, reset: string) => ({
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': reset,
  });

  test('is kept before it is broken: after the last request nothing is asked until the reset', async () => {
    const { adapter, asking, clock, api } = await startReddit(
      json({ data: { children: [post('a')] } }, 200, left('0.0', '31')),
      json({ data: { children: [post('b')] } }, 200, left('99.0', '600')),
    );
    await expect(adapter.find(query(), asking)).resolves.toHaveLength(1);
    clock.advance(30 * SECOND);
    await expect(outageOf(adapter.find(query(), asking))).resolves.toMatchObject({
      code: 'source_busy',
      retryAfterMs: SECOND,
      unasked: true,
    });
    expect(api.requests).toHaveLength(1);
    clock.advance(SECOND);
    await expect(adapter.find(query(), asking)).resolves.toHaveLength(1);
  });

  test('ends a search that found nothing without another try', async () => {
    const { adapter, asking, api } = await startReddit(json(EMPTY, 200, left('0', '60')));
    const keywords = ['a', 'b', 'c'];
    await expect(adapter.find(query({ keywords }), asking)).resolves.toEqual([]);
    expect(api.requests).toHaveLength(1);
  });

  test.each([
    [left('0', '42'), 42_000],
    [{ 'retry-after': '5' }, 5_000],
    [{}, undefined],
  ])('that is broken says how long to wait: %j', async (headers, retryAfterMs) => {
    const { adapter, asking } = await startReddit(text('', 429, headers));
    const outage = await outageOf(adapter.find(query(), asking));
    expect(outage).toMatchObject({ code: 'source_busy', retryAfterMs });
  });
});

test.each([
  ['a closed door', text('<html>blocked', 403), 'source_refused'],
  ['a failure', text('', 503), 'source_failed'],
  ['a page instead of JSON', text('<html>'), 'source_failed'],
  ['another frame', json({ data: [] }), 'source_failed'],
])('%s', async (_, answer, code) => {
  const { adapter, asking } = await startReddit(answer);
  const outage = await outageOf(adapter.find(query(), asking));
  expect(outage.code).toBe(code);
  expect(everyWordOf(outage)).not.toMatch(/token-1|reddit-secret/);
});
