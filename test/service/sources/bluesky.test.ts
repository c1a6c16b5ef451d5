import { describe, expect, test } from 'vitest';
import { microblogPost } from '../../../src/protocol/specification.ts';
import { HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { bluesky } from '../../../src/service/sources/providers/bluesky.ts';
import {
  type Answer,
  BARE_AUTHOR,
  BARE_POST,
  everyWordOf,
  json,
  NOW,
  outageOf,
  query,
  type Request,
  sample,
  startAdapter,
  startAsking,
  text,
} from './provider.ts';
import { CANARY, describeProvider } from './provider-contract.ts';

const PASSWORD = `abcd-${CANARY}`;
const CREATE = 'com.atproto.server.createSession';
const REFRESH = 'com.atproto.server.refreshSession';
const V1 = 'app.bsky.feed.searchPosts';
const V2 = 'app.bsky.feed.searchPostsV2';
const PROFILES = 'app.bsky.actor.getProfiles';
type Method = typeof CREATE | typeof REFRESH | typeof V1 | typeof V2 | typeof PROFILES;

const tokens = (n: number) =>
  json({ accessJwt: `access-${n}`, refreshJwt: `refresh-${n}`, did: 'did:plc:me' });
const problem = (status: number, error: string, headers: Record<string, string> = {}) =>
  json({ error, message: `${error} of ${PASSWORD}` }, status, headers);
const posts = (...list: unknown[]) => json({ posts: list });
const NOT_THERE = problem(501, 'MethodNotImplemented');

const make = (server: string) => bluesky({ handle: 'tove.example', appPassword: PASSWORD, server });

/** A personal server: each method answers with the first, the second, ... and then always with the last. */
async function startServer(over: Partial<Record<Method, [Answer, ...Answer[]]>> = {}) {
  const scripts: Record<Method, Answer[]> = {
    [CREATE]: [tokens(1), tokens(2), tokens(3)],
    [REFRESH]: [tokens(11), tokens(12)],
    [V1]: [posts()],
    [V2]: [posts()],
    [PROFILES]: [json({ profiles: [] })],
    ...over,
  };
  const started = await startAdapter(make, (request, response) => {
    const script = scripts[methodOf(request) as Method]; // an unknown method fails its test below
    const answer = script.length > 1 ? script.shift() : script[0];
    return answer?.(request, response);
  });
  const { requests } = started.provider;
  const asked = () => requests.map(methodOf);
  const asks = (method: Method) => requests.filter((one) => methodOf(one) === method);
  return { ...started, asked, asks };
}

function methodOf({ path }: Request): string {
  return path.replace('/xrpc/', '');
}

let serial = 0;
/** A view of a post with as little as one needs; the rest is laid over it. */
function view(over: Record<string, unknown> = {}, record: Record<string, unknown> = {}) {
  serial += 1;
  return {
    uri: `at://did:plc:author/app.bsky.feed.post/key${serial}`,
    cid: `cid${serial}`,
    author: { did: 'did:plc:author', handle: 'author.example' },
    record: {
      $type: 'app.bsky.feed.post',
      text: 'Tidal turbines turn.',
      createdAt: '2026-11-21T11:00:00.000Z',
      ...record,
    },
    indexedAt: '2026-11-21T11:00:01.000Z',
    ...over,
  };
}

const full = (cursor: string) => json({ cursor, posts: Array.from({ length: 100 }, () => view()) });
const LINK = 'https://bsky.app/profile/trader.bsky.social/post/3kxyz1';
const RALLY = 'Stock market rally continues into July.';

describeProvider({
  make,
  before: [json({ accessJwt: `access-${CANARY}`, refreshJwt: `refresh-${CANARY}` })],
  recorded: [json(sample('bluesky.search.json')), json({ profiles: [] })],
  found: [
    {
      source: 'microblog',
      title: RALLY,
      link: LINK,
      snippet: RALLY,
      summaryDescription: RALLY,
      publishedAt: new Date('2026-07-04T14:30:00.000Z'),
      post: {
        ...BARE_POST,
        user: {
          ...BARE_AUTHOR,
          id: 'did:plc:abc123',
          url: 'https://bsky.app/profile/trader.bsky.social',
          name: 'trader.bsky.social',
          username: 'trader.bsky.social',
        },
        id: 'did:plc:abc123:3kxyz1',
        text: RALLY,
        url: LINK,
        created_at: '2026-07-04T14:30:00.000Z',
        conversation_id: 'did:plc:abc123:3kxyz1',
        summary_description: RALLY,
      },
    },
    expect.objectContaining({ source: 'microblog' }),
  ],
  asked: [
    {
      path: `/xrpc/${V2}`,
      params: {
        query: 'tidal turbines',
        sort: 'recent',
        since: '2026-11-14T12:00:00.000Z',
        until: '2026-11-21T12:00:00.001Z',
        limit: '10',
      },
      headers: {
        authorization: `Bearer access-${CANARY}`,
        'atproto-proxy': 'did:web:api.bsky.app#bsky_appview',
      },
    },
    { path: `/xrpc/${PROFILES}` },
  ],
  terms: { pauseMs: 5 * MINUTE },
  empty: posts(),
  frame: json({ hits: [] }),
  misfits: posts({ id: 1 }, { id: 2 }),
  // The session is refreshed, and created anew.
  statuses: {
    401: { code: 'source_refused', detail: 'sign-in failed: HTTP 401', retryAfterMs: HOUR, requests: 3 },
  },
  outages: {
    'too many requests, until when': [
      problem(429, 'RateLimitExceeded', { 'ratelimit-reset': String(NOW.getTime() / SECOND + 90) }),
      { code: 'source_busy', retryAfterMs: 90 * SECOND },
    ],
    'a query it does not take': [
      problem(400, 'BadQueryString'),
      { code: 'source_refused', detail: 'HTTP 400' },
    ],
  },
  pages: {
    of: (page) => full(`c${page + 1}`),
    size: 100,
    limit: 500,
    param: 'cursor',
    values: [undefined, 'c1'],
  },
});

/** The one post that is found of a view. */
async function postOf(one: unknown, profiles: unknown[] = []) {
  const { find } = await startServer({ [V2]: [posts(one)], [PROFILES]: [json({ profiles })] });
  const found = await find();
  expect(found).toHaveLength(1);
  return microblogPost.parse(found[0]?.post);
}

describe('a Bluesky search', () => {
  test('runs as the user', async () => {
    const { find, asks } = await startServer();
    await find({ from: new Date('2026-11-20T12:00:00Z') });
    const [create] = asks(CREATE);
    expect(create?.method).toBe('POST');
    expect(JSON.parse(create?.body ?? '')).toEqual({ identifier: 'tove.example', password: PASSWORD });
    expect(asks(V2)[0]?.params).not.toHaveProperty('allTime');
  });

  test('sorts by newest without a start, and searches everything if the window is longer than the recent posts', async () => {
    const { find, asks } = await startServer();
    await find({ from: undefined });
    await find({ from: new Date('2026-09-22T12:00:00Z') });
    const [newest, wide] = asks(V2);
    expect(newest?.params).toMatchObject({ sort: 'recent' });
    expect(newest?.params).not.toHaveProperty('since');
    expect(wide?.params).toMatchObject({ sort: 'recent', allTime: 'true' });
  });

  test('uses few words, and quoted phrases', async () => {
    const { find, asks } = await startServer();
    const keywords = ['night trains', 'vienna', 'sleeper', 'cars', 'tickets'];
    await find({ prompt: 'Vienna sleeper cars tickets "night trains"', keywords });
    expect(asks(V2)[0]?.params['query']).toBe('vienna sleeper cars "night trains"');
  });

  test('falls back to the older method once the server does not support the newer one', async () => {
    for (const absent of [NOT_THERE, problem(404, 'XRPCNotSupported')]) {
      const { find, asked, asks } = await startServer({ [V2]: [absent], [V1]: [posts(view())] });
      expect(await find()).toHaveLength(1);
      expect(await find({ from: undefined })).toHaveLength(1);
      expect(asked()).toEqual([CREATE, V2, V1, PROFILES, V1, PROFILES]);
      expect(asks(V1).map(({ params }) => [params['q'], params['sort']])).toEqual([
        ['tidal turbines', 'latest'],
        ['tidal turbines', 'latest'],
      ]);
    }
  });
});

describe('another AppView', () => {
  const proxyOf = async (appView: string | undefined) => {
    const { find, provider } = await startAdapter(
      (server) => bluesky({ handle: 'tove.example', appPassword: PASSWORD, server, appView }),
      tokens(1),
      posts(),
    );
    await find();
    return provider.requests.at(-1)?.headers['atproto-proxy'];
  };

  test('is asked by its name, or that of the server by none', async () => {
    expect(await proxyOf('did:web:view.example#bsky_appview')).toBe('did:web:view.example#bsky_appview');
    expect(await proxyOf('none')).toBeUndefined();
    expect(await proxyOf(undefined)).toBe('did:web:api.bsky.app#bsky_appview');
  });

  test('may leave out when an account was created: its profile says it, or nobody', async () => {
    const profile = {
      did: 'did:plc:author',
      handle: 'author.example',
      createdAt: '2023-05-01T00:00:00.000Z',
    };
    const created = async (profiles: object[]) => {
      const { find } = await startServer({ [V2]: [posts(view())], [PROFILES]: [json({ profiles })] });
      return (await find())[0]?.post?.user.created_at;
    };
    expect(await created([profile])).toBe('2023-05-01T00:00:00.000Z');
    expect(await created([])).toBeNull();
  });
});

test('a quoted post is read whole where the server returns it whole', async () => {
  const quoted = {
    $type: 'app.bsky.embed.record#viewRecord',
    uri: 'at://did:plc:other/app.bsky.feed.post/3kq',
    author: { did: 'did:plc:other', handle: 'other.example', displayName: 'Other' },
    value: { $type: 'app.bsky.feed.post', text: 'Quoted words.', createdAt: '2026-11-20T10:00:00.000Z' },
    likeCount: 7,
    indexedAt: '2026-11-20T10:00:01.000Z',
  };
  const quotedIn = async (embed: object) => {
    const { find } = await startServer({ [V2]: [posts(view({ embed }))] });
    return (await find())[0]?.quoted;
  };
  const expected = {
    id: 'did:plc:other:3kq',
    text: 'Quoted words.',
    like_count: 7,
    user: { username: 'other.example' },
    url: 'https://bsky.app/profile/other.example/post/3kq',
  };
  expect(await quotedIn({ record: quoted })).toMatchObject(expected);
  expect(await quotedIn({ record: { record: quoted } })).toMatchObject(expected);
  const { author: _, ...authorless } = quoted;
  expect(await quotedIn({ record: authorless })).toBeUndefined();
  expect(
    await quotedIn({ record: { ...quoted, author: { ...quoted.author, viewer: { blockedBy: true } } } }),
  ).toBeUndefined();
});

describe('the session', () => {
  test('is reused and shared by concurrent searches', async () => {
    const { find, asks } = await startServer();
    await Promise.all([1, 2, 3].map((limit) => find({ limit })));
    await find();
    expect(asks(CREATE)).toHaveLength(1);
    expect(asks(V2)).toHaveLength(4);
  });

  test.each([400, 401])('is refreshed once after it expired (%i)', async (status) => {
    const expired = problem(status, 'ExpiredToken');
    const { find, asked, provider } = await startServer({
      [V2]: [posts(), expired, posts(view())],
    });
    await find();
    expect(await find()).toHaveLength(1);
    expect(asked()).toEqual([CREATE, V2, V2, REFRESH, V2, PROFILES]);
    expect(provider.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      'Bearer access-1',
      'Bearer access-1',
      'Bearer refresh-1',
      'Bearer access-11',
      'Bearer access-11',
    ]);
  });

  test('is refreshed once for concurrent searches', async () => {
    const byToken: Answer = (request, response) =>
      (request.headers.authorization === 'Bearer access-1' ? problem(400, 'ExpiredToken') : posts())(
        request,
        response,
      );
    const { find, asks } = await startServer({ [V2]: [byToken] });
    await Promise.all([1, 2, 3, 4].map((limit) => find({ limit })));
    expect(asks(REFRESH)).toHaveLength(1);
    expect(asks(CREATE)).toHaveLength(1);
  });

  test('is created anew if the refresh fails or the refreshed one is rejected', async () => {
    const revoked = await startServer({
      [V2]: [problem(401, 'ExpiredToken'), posts()],
      [REFRESH]: [problem(400, 'ExpiredToken')],
    });
    await revoked.find();
    expect(revoked.asked()).toEqual([CREATE, V2, REFRESH, CREATE, V2]);

    const twice = await startServer({
      [V2]: [problem(401, 'ExpiredToken'), problem(401, 'ExpiredToken'), posts()],
    });
    await twice.find();
    expect(twice.asked()).toEqual([CREATE, V2, REFRESH, V2, CREATE, V2]);
  });

  test('that is always rejected ends the search, and no other is created for an hour: the daily number is limited', async () => {
    const { outage, clock, asks } = await startServer({ [V2]: [problem(401, 'InvalidToken')] });
    expect(await outage()).toMatchObject({
      code: 'source_refused',
      retryAfterMs: HOUR,
    });
    expect(asks(CREATE)).toHaveLength(2);
    clock.advance(HOUR - 1);
    expect(await outage()).toMatchObject({
      code: 'source_refused',
      unasked: true,
    });
    expect(asks(CREATE)).toHaveLength(2);
  });

  test('is not requested again within an hour after a refusal, and the password is not exposed', async () => {
    const { find, outage, clock, asks } = await startServer({
      [CREATE]: [problem(401, 'AuthenticationRequired'), tokens(1)],
    });
    const both = [outage(), outageOf(find({ limit: 1 }))];
    for (const down of await Promise.all(both)) {
      expect(down).toMatchObject({ code: 'source_refused', detail: 'sign-in failed: HTTP 401' });
      expect(everyWordOf(down)).not.toContain(PASSWORD);
    }
    clock.advance(HOUR - 1);
    expect(await outage()).toMatchObject({ unasked: true, retryAfterMs: 1 });
    expect(asks(CREATE)).toHaveLength(1);
    clock.advance(1);
    expect(await find()).toEqual([]);
    expect(asks(CREATE)).toHaveLength(2);
  });

  test('reports that an app password is required, and waits as long as the session rate limit says', async () => {
    const second = await startServer({ [CREATE]: [problem(401, 'AuthFactorTokenRequired')] });
    expect(await second.outage()).toMatchObject({
      code: 'source_refused',
      detail: 'an app password is needed',
    });

    const reset = String(NOW.getTime() / SECOND + 300);
    const limited = await startServer({
      [CREATE]: [problem(429, 'RateLimitExceeded', { 'ratelimit-reset': reset })],
    });
    const down = { code: 'source_busy', retryAfterMs: 5 * MINUTE };
    expect(await limited.outage()).toMatchObject(down);
    limited.clock.advance(4 * MINUTE);
    expect(await limited.outage()).toMatchObject({
      code: 'source_busy',
      retryAfterMs: MINUTE,
    });
    expect(limited.asks(CREATE)).toHaveLength(1);
  });

  test('is created by the next search if the first one disconnects', async () => {
    let arrived = () => {};
    const there = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const never: Answer = () => arrived();
    const { find, adapter, asks } = await startServer({
      [CREATE]: [never, tokens(2)],
      [V2]: [posts(view())],
    });
    const gone = new AbortController();
    const first = adapter.find(query(), startAsking(gone.signal).asking);
    await there;
    const second = find();
    gone.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect(await second).toHaveLength(1);
    expect(asks(CREATE)).toHaveLength(2);
  });
});

describe('pages', () => {
  test('end when the second is refused, and the first is returned', async () => {
    const { find, cuts } = await startServer({ [V2]: [full('c1'), problem(403, 'Forbidden')] });
    expect(await find({ limit: 500 })).toHaveLength(100);
    expect(cuts).toEqual([]);
  });

  test('end with one that is not full, even if it has a cursor', async () => {
    const { find, asks } = await startServer({ [V2]: [json({ cursor: 'c1', posts: [view()] })] });
    expect(await find()).toHaveLength(1);
    expect(asks(V2)).toHaveLength(1);
  });
});

describe('a Bluesky post', () => {
  test('has its counters, and its engagement is the sum of its reactions without bookmarks', async () => {
    const counted = view({ replyCount: 1, repostCount: 2, likeCount: 30, quoteCount: 4, bookmarkCount: 5 });
    const { find } = await startServer({
      [V2]: [posts(counted, view({ likeCount: -1, quoteCount: 1.5 }))],
    });
    const [first, second] = await find();
    expect(first).toMatchObject({
      engagement: 37,
      post: {
        reply_count: 1,
        repost_count: 2,
        like_count: 30,
        quote_count: 4,
        bookmark_count: 5,
        view_count: null,
      },
    });
    expect(second?.post).toMatchObject({ like_count: null, quote_count: null });
    expect(second).not.toHaveProperty('engagement');
  });

  test('has hashtags, mentions and links, with byte offsets', async () => {
    const said = 'Grüße 🌊 @tide.example und #Wellen, siehe hier';
    const at = (word: string) => ({
      byteStart: Buffer.byteLength(said.slice(0, said.indexOf(word))),
      byteEnd: Buffer.byteLength(said.slice(0, said.indexOf(word) + word.length)),
    });
    const post = await postOf(
      view(
        {
          embed: {
            $type: 'app.bsky.embed.external#view',
            external: { uri: 'https://card.example/x', title: 'Card' },
          },
        },
        {
          text: said,
          langs: ['de', 'en'],
          tags: ['Meer'],
          facets: [
            {
              index: at('@tide.example'),
              features: [{ $type: 'app.bsky.richtext.facet#mention', did: 'did:plc:tide' }],
            },
            { index: at('#Wellen'), features: [{ $type: 'app.bsky.richtext.facet#tag', tag: 'Wellen' }] },
            {
              index: at('hier'),
              features: [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://waves.example/1' }],
            },
            {
              index: at('hier'),
              features: [{ $type: 'app.bsky.richtext.facet#link', uri: 'javascript:alert(1)' }],
            },
            {
              index: at('siehe'),
              features: [{ $type: 'app.bsky.richtext.facet#mention', did: 'did:plc:renamed' }],
            },
            { index: 'nowhere' },
          ],
        },
      ),
    );
    expect(post.lang).toBe('de');
    expect(post.entities).toEqual({
      hashtags: [{ text: 'Wellen' }, { text: 'Meer' }],
      user_mentions: [{ screen_name: 'tide.example' }, { screen_name: 'did:plc:renamed' }],
      urls: ['https://waves.example/1', 'https://card.example/x'].map((url) => ({ url, expanded_url: url })),
    });
  });

  const quoted = {
    $type: 'app.bsky.embed.record#viewRecord',
    uri: 'at://did:plc:other/app.bsky.feed.post/3kq',
    author: { did: 'did:plc:other', handle: 'other.example' },
    value: { $type: 'app.bsky.feed.post', text: 'The words that are quoted.' },
  };
  const pictures = {
    $type: 'app.bsky.embed.images#view',
    images: [{ fullsize: 'https://cdn.example/1.jpg', thumb: 'https://cdn.example/t.jpg', alt: '' }],
  };
  const video = { $type: 'app.bsky.embed.video#view', cid: 'c', playlist: 'https://video.example/1.m3u8' };

  test.each([
    [
      'pictures',
      pictures,
      { media: [{ type: 'photo', media_url: 'https://cdn.example/1.jpg' }], is_quote_post: false },
    ],
    ['a video', video, { media: [{ type: 'video', media_url: 'https://video.example/1.m3u8' }] }],
    [
      'another post',
      { $type: 'app.bsky.embed.record#view', record: quoted },
      { is_quote_post: true, quoted_status_id: 'did:plc:other:3kq', quote: 'The words that are quoted.' },
    ],
    [
      'another post and pictures',
      { $type: 'app.bsky.embed.recordWithMedia#view', record: { record: quoted }, media: pictures },
      {
        media: [{ type: 'photo', media_url: 'https://cdn.example/1.jpg' }],
        quoted_status_id: 'did:plc:other:3kq',
        quote: 'The words that are quoted.',
      },
    ],
    [
      'a deleted post',
      {
        $type: 'app.bsky.embed.record#view',
        record: { $type: 'app.bsky.embed.record#viewNotFound', uri: quoted.uri, notFound: true },
      },
      { is_quote_post: true, quoted_status_id: null, quote: null },
    ],
    [
      'a post by a hidden author',
      {
        $type: 'app.bsky.embed.record#view',
        record: { ...quoted, author: { ...quoted.author, labels: [{ val: '!no-unauthenticated' }] } },
      },
      { is_quote_post: true, quoted_status_id: null, quote: null },
    ],
    [
      'a list instead of a post',
      {
        $type: 'app.bsky.embed.record#view',
        record: { uri: 'at://did:plc:other/app.bsky.graph.list/3kq', name: 'A list' },
      },
      { is_quote_post: false, quoted_status_id: null, media: [] },
    ],
    ['an unknown embed', { $type: 'app.bsky.embed.hologram#view', record: 7, images: 'no' }, { media: [] }],
  ])('has %s', async (_, embed, expected) => {
    expect(await postOf(view({ embed }))).toMatchObject(expected);
  });

  test('has its parent and the author of its parent', async () => {
    const reply = {
      root: { uri: 'at://did:plc:root/app.bsky.feed.post/3kr', cid: 'c' },
      parent: { uri: 'at://did:plc:parent/app.bsky.feed.post/3kp', cid: 'c' },
    };
    const post = await postOf(view({}, { reply }), [{ did: 'did:plc:parent', handle: 'parent.example' }]);
    expect(post).toMatchObject({
      conversation_id: 'did:plc:root:3kr',
      in_reply_to_status_id: 'did:plc:parent:3kp',
      in_reply_to_user_id: 'did:plc:parent',
      in_reply_to_screen_name: 'parent.example',
    });
  });

  test.each([
    ['2031-01-01T00:00:00Z', '2026-11-21T11:00:01.000Z', '2026-11-21T11:00:01.000Z'],
    ['2015-05-01T10:00:00+02:00', '2026-11-21T11:00:01.000Z', '2015-05-01T08:00:00.000Z'],
    ['yesterday', '2026-11-21T11:00:01.000Z', '2026-11-21T11:00:01.000Z'],
    ['0001-01-01T00:00:00Z', '2026-11-21T11:00:01.000Z', '2026-11-21T11:00:01.000Z'],
  ])('that says %s and was first seen %s is of %s', async (createdAt, indexedAt, expected) => {
    expect((await postOf(view({ indexedAt }, { createdAt }))).created_at).toBe(expected);
  });

  test('of an account with an invalid handle links to its permanent id', async () => {
    const post = await postOf(view({ author: { did: 'did:plc:lost', handle: 'handle.invalid' } }));
    expect(post.user.url).toBe('https://bsky.app/profile/did:plc:lost');
    expect(post.url).toMatch(/^https:\/\/bsky\.app\/profile\/did:plc:lost\/post\/key\d+$/);
  });

  test('has clean text', async () => {
    const post = await postOf(view({}, { text: 'a\u0000b\ud800 <b>&amp;</b>' }));
    expect(post.text).toBe('ab\ufffd <b>&amp;</b>');
  });
});

describe('skipped', () => {
  test.each([
    ['hidden by a moderator', { labels: [{ src: 'did:plc:mod', val: '!hide' }] }],
    ['labelled as spam', { labels: [{ val: 'spam' }] }],
    [
      'of an author who opted out of external display',
      { author: { did: 'did:plc:shy', handle: 'shy.example', labels: [{ val: '!no-unauthenticated' }] } },
    ],
    [
      'of an author who blocks the account',
      { author: { did: 'did:plc:b', handle: 'b.example', viewer: { blockedBy: true } } },
    ],
    ['without an author', { author: undefined }],
    ['without a time', { record: { text: 'Tidal' }, indexedAt: undefined }],
    ['with an invalid address', { uri: 'https://bsky.app/profile/a/post/b' }],
  ])('is a post %s', async (_, over) => {
    const { find } = await startServer({
      [V2]: [
        posts(
          view({
            uri: undefined,
            ...over,
            ...('uri' in over ? {} : { uri: 'at://did:plc:x/app.bsky.feed.post/k' }),
          }),
          view(),
        ),
      ],
    });
    const found = await find();
    expect(found.map(({ post }) => post?.user.username)).toEqual(['author.example']);
  });

  test('is a placeholder for a post, even if nothing else is found', async () => {
    const uri = 'at://did:plc:x/app.bsky.feed.post/k';
    const { find } = await startServer({
      [V2]: [
        posts(
          { $type: 'app.bsky.feed.defs#notFoundPost', uri, notFound: true },
          { uri, blocked: true, author: {} },
        ),
      ],
    });
    expect(await find()).toEqual([]);
  });

  test('is not a post whose label was removed or is harmless', async () => {
    const { find } = await startServer({
      [V2]: [
        posts(
          view({ labels: [{ val: 'spam' }, { val: 'spam', neg: true }, 7] }),
          view({ labels: [{ val: 'bot' }] }),
        ),
      ],
    });
    expect(await find()).toHaveLength(2);
  });
});

describe('profiles', () => {
  const author = (n: number) => ({ did: `did:plc:p${n}`, handle: `p${n}.example` });
  const profile = (n: number) => ({
    ...author(n),
    followersCount: 10 + n,
    postsCount: 100 + n,
    description: `I am ${n}`,
  });
  const all: Answer = (request, response) => {
    const dids = new URL(request.target, 'http://x').searchParams.getAll('actors');
    void json({ profiles: dids.map((did) => profile(Number(did.slice('did:plc:p'.length)))) })(
      request,
      response,
    );
  };

  test('add what a search lacks, twenty-five per request, and are cached for an hour', async () => {
    const views = Array.from({ length: 60 }, (_, n) => view({ author: author(n % 30) }));
    const { find, asks, clock } = await startServer({
      [V2]: [posts(...views)],
      [PROFILES]: [all],
    });
    const found = await find({ limit: 60 });
    expect(found).toHaveLength(60);
    expect(found[31]?.post?.user).toMatchObject({
      followers_count: 11,
      statuses_count: 101,
      description: 'I am 1',
    });
    const actors = () =>
      asks(PROFILES).map(({ target }) => new URL(target, 'http://x').searchParams.getAll('actors').length);
    expect(actors().sort((a, b) => b - a)).toEqual([25, 5]);
    clock.advance(HOUR - 1);
    await find({ limit: 60 });
    expect(actors()).toHaveLength(2);
    clock.advance(1);
    await find({ limit: 60 });
    expect(actors()).toHaveLength(4);
  });

  test('take at most a third of the remaining time, and cost no post', async () => {
    const { adapter, asking } = await startServer({ [V2]: [posts(view())] });
    const limits: (number | undefined)[] = [];
    const ask: typeof asking.ask = (question, timeoutMs) => {
      limits.push(timeoutMs);
      return asking.ask(question, timeoutMs);
    };
    await adapter.find(query(), { ...asking, ask });
    expect(limits).toEqual([undefined, undefined, 2_000]); // the session, the search, the profiles
  });

  test('that fail to load leave their counters unknown', async () => {
    const { find } = await startServer({ [V2]: [posts(view())], [PROFILES]: [text('oops', 502)] });
    const [found] = await find();
    expect(found?.post?.user).toMatchObject({
      followers_count: null,
      statuses_count: null,
      description: null,
    });
  });
});

test('a server without session support is a failure without its message', async () => {
  const { outage } = await startServer({ [CREATE]: [json({ accessJwt: CANARY })] });
  const down = await outage();
  expect(down.code).toBe('source_failed');
  expect(everyWordOf(down)).not.toContain(CANARY);
});
