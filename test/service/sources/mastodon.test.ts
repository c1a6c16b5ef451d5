import { describe, expect, test } from 'vitest';
import { microblogPost } from '../../../src/protocol/specification.ts';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { chooseHashtags, isAboutQuery, mastodon } from '../../../src/service/sources/providers/mastodon.ts';
import { parseContent } from '../../../src/service/sources/providers/mastodon-post.ts';
import {
  type Answers,
  BARE_AUTHOR,
  BARE_POST,
  everyWordOf,
  json,
  type Request,
  sample,
  startAdapter,
  text,
} from './provider.ts';
import { CANARY, describeProvider } from './provider-contract.ts';
import { watchProcessor } from '../../processor.ts';

const TOKEN = `mastodon-${CANARY}`;
const TAGS = '/api/v1/timelines/tag/tidalturbines';
const SEARCH = '/api/v2/search';
const STATUS = sample('mastodon.status.json') as Record<string, unknown>; // the recorded status is an object
/** Ids count milliseconds, with 16 bits behind. */
const idAt = (time: string) => BigInt(Date.parse(time)) << 16n;

/** A status about the query of these tests; what is not said is as it was recorded. */
function status(over: Record<string, unknown> = {}) {
  return {
    ...STATUS,
    id: '113000000000000001',
    created_at: '2026-11-21T11:00:00.000Z',
    content: '<p>Tidal turbines turn.</p>',
    ...over,
  };
}

const make = (server: string) => mastodon({ server, token: undefined });
const startServer = (...answers: Answers) => startAdapter(make, ...answers);
/** The same with a token. */
const startSearch = (...answers: Answers) =>
  startAdapter((server) => mastodon({ server, token: TOKEN }), ...answers);

/** The one post that is found of a status. */
async function postOf(over: Record<string, unknown>) {
  const { find, provider } = await startServer(json([status(over)]));
  const found = await find();
  expect(found).toHaveLength(1);
  return {
    post: microblogPost.parse(found[0]?.post),
    quoted: found[0]?.quoted,
    host: new URL(provider.url).host,
  };
}

const all = ({ target }: Request, name: string) => new URL(target, 'http://x').searchParams.getAll(name);

const LINK =
  'https://www.theguardian.com/money/2019/dec/07/i-lost-my-193000-inheritance-with-one-wrong-digit-on-my-sort-code';
const LOSS = `Tidal turbines\n\n"I lost my inheritance with one wrong digit on my sort code"\n\n${LINK}`;
const reset = {
  'x-ratelimit-limit': '300',
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': '2026-11-21T12:03:20.000Z',
};
const closed = (n: number) => ({
  code: 'source_needs_key',
  detail: `HTTP ${n}`,
  retryAfterMs: 10 * MINUTE,
});

describeProvider({
  make,
  recorded: [json([{ ...STATUS, content: `<p>Tidal turbines</p>${String(STATUS['content'])}` }])],
  found: [
    {
      source: 'microblog',
      title: expect.stringMatching(/^Tidal turbines/),
      link: 'https://mastodon.social/@Gargron/103270115826048975',
      snippet: LOSS,
      summaryDescription: expect.stringMatching(/^Tidal turbines/),
      publishedAt: new Date('2019-12-08T03:48:33.901Z'),
      engagement: 24,
      post: {
        ...BARE_POST,
        user: {
          ...BARE_AUTHOR,
          id: expect.stringMatching(/^1@127\.0\.0\.1:\d+$/),
          url: 'https://mastodon.social/@Gargron',
          name: 'Eugen',
          username: 'Gargron',
          created_at: '2016-03-16T14:34:26.392Z',
          description:
            'Developer of Mastodon and administrator of mastodon.social. I post service announcements, development updates, and personal stuff.',
          followers_count: 322_930,
          profile_image_url:
            'https://files.mastodon.social/accounts/avatars/000/000/001/original/d96d39a0abb45b92.jpg',
          statuses_count: 61_323,
          verified: true,
        },
        id: '103270115826048975',
        text: LOSS,
        reply_count: 5,
        repost_count: 6,
        like_count: 11,
        quote_count: 2,
        url: 'https://mastodon.social/@Gargron/103270115826048975',
        created_at: '2019-12-08T03:48:33.901Z',
        lang: 'en',
        conversation_id: '103270115826048975',
        entities: { hashtags: [], user_mentions: [], urls: [{ url: LINK, expanded_url: LINK }] },
        summary_description: expect.stringMatching(/^Tidal turbines/),
      },
    },
  ],
  asked: [{ path: TAGS }],
  terms: { pauseMs: 5 * MINUTE },
  empty: json([]),
  frame: json({ statuses: [] }),
  misfits: json(sample('mastodon.tag-timeline.json')),
  statuses: { 401: closed(401), 403: closed(403) },
  outages: {
    'an older server that wants a login': [json({ error: CANARY }, 422), closed(422)],
    'too many requests, until when': [json({}, 429, reset), { code: 'source_busy', retryAfterMs: 200_000 }],
    'too many, for longer': [
      json({}, 429, { ...reset, 'retry-after': '600' }),
      { code: 'source_busy', retryAfterMs: 600_000 },
    ],
    'too many, without an end': [json({}, 429), { code: 'source_busy', retryAfterMs: undefined }],
    'too many, until next year': [
      json({}, 429, { 'x-ratelimit-reset': '2027-01-01T00:00:00Z' }),
      { code: 'source_busy', retryAfterMs: HOUR },
    ],
    'a server that moved': [
      text('', 301, { location: 'https://elsewhere.example/' }),
      { code: 'source_failed', detail: 'HTTP 301' },
    ],
  },
  pages: {
    of: (page) =>
      json(
        Array.from({ length: 40 }, (_, i) =>
          status({ id: String(113_000_000_000_000_000 - 1_000 * (40 * page + i)) }),
        ),
      ),
    size: 40,
    limit: 100,
    param: 'max_id',
    // Below the last of the page before.
    values: [String(idAt('2026-11-21T12:00:00.001Z')), '112999999999961000'],
  },
  probe: {
    asked: { path: '/api/v1/timelines/tag/mastodon', params: { limit: '1' } },
    answer: json([STATUS]),
  },
});

describe('a search without a token', () => {
  test('reads the timeline of the joined hashtag and its parts, newest first, within the window', async () => {
    const { find, provider } = await startServer(json([]));
    expect(await find()).toEqual([]);
    const [asked] = provider.requests;
    expect(provider.requests).toHaveLength(1);
    expect(asked?.path).toBe(TAGS);
    expect(asked && all(asked, 'any[]')).toEqual(['tidal', 'turbines']);
    expect(asked?.params).toMatchObject({ limit: '40' });
    expect(asked?.params).not.toHaveProperty('min_id');
    expect(asked?.headers).not.toHaveProperty('authorization');
    // A post of the first and of the last millisecond is inside, one before or after is not.
    const [since, below] = [BigInt(asked?.params['since_id'] ?? 0), BigInt(asked?.params['max_id'] ?? 0)];
    expect(since < idAt('2026-11-14T12:00:00.000Z')).toBe(true);
    expect(since >= idAt('2026-11-14T11:59:59.999Z')).toBe(true);
    expect(below > idAt('2026-11-21T12:00:00.000Z') + 0xffffn).toBe(true);
    expect(below <= idAt('2026-11-21T12:00:00.001Z')).toBe(true);
  });

  test('goes back as far as possible without a start', async () => {
    const { find, provider } = await startServer(json([]));
    await find({ from: undefined });
    expect(provider.requests[0]?.params).not.toHaveProperty('since_id');
  });

  test('ends with a page that is not full', async () => {
    const { find, provider } = await startServer(json([status()]));
    await find({ limit: 40 });
    expect(provider.requests).toHaveLength(1);
  });

  test('sends nothing if the prompt has no word for a hashtag', async () => {
    const { find, provider } = await startServer(json([status()]));
    expect(await find({ prompt: '2026', keywords: ['2026'] })).toEqual([]);
    expect(await find({ prompt: '🎉', keywords: [] })).toEqual([]);
    expect(provider.requests).toEqual([]);
  });
});

describe('a search with a token', () => {
  test('searches posts, by whole days on both ends', async () => {
    const { find, provider } = await startSearch(json({ accounts: [], statuses: [status()], hashtags: [] }));
    expect(await find({ limit: 60 })).toHaveLength(1);
    expect(provider.requests).toHaveLength(1);
    expect(provider.requests[0]).toMatchObject({
      path: SEARCH,
      params: { q: 'tidal turbines after:2026-11-13 before:2026-11-22', type: 'statuses', limit: '40' },
      headers: { authorization: `Bearer ${TOKEN}` },
    });
  });

  test('falls back to hashtags if the server returns no posts', async () => {
    const { find, provider } = await startSearch(
      json({ accounts: [], statuses: [], hashtags: [] }),
      json([status()]),
    );
    expect(await find()).toHaveLength(1);
    expect(provider.requests.map(({ path }) => path)).toEqual([SEARCH, TAGS]);
    expect(provider.requests[1]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  test('reports a rejected token without showing it', async () => {
    const { outage } = await startSearch(json({ error: `The access token ${TOKEN} is invalid` }, 401));
    const down = await outage();
    expect(down).toMatchObject({ code: 'source_refused', detail: 'HTTP 401' });
    expect(everyWordOf(down)).not.toContain(TOKEN);
  });
});

describe('hashtags', () => {
  test.each<[string, string[], string[]]>([
    ['ai agents', ['agents', 'ai'], ['aiagents', 'agents', 'ai']],
    ['sourdough', ['sourdough'], ['sourdough']],
    ['New York City', ['york', 'city', 'new'], ['newyorkcity', 'york', 'city']],
    [
      'cheap night trains to Vienna',
      ['vienna', 'trains', 'night', 'cheap'],
      ['trainsvienna', 'vienna', 'trains'],
    ],
    ['covid-19', ['covid-19'], ['covid19']],
    ['"night trains" #europe', ['night trains', '#europe'], ['nighttrainseurope', 'nighttrains', 'europe']],
    ['Qualitätskatzen', ['qualitätskatzen'], ['qualitätskatzen']],
    ['2026 budget', ['budget', '2026'], ['2026budget', 'budget']],
    ['2026', ['2026'], []],
    ['c++', ['c++'], ['c']],
  ])('of "%s"', (prompt, keywords, expected) => {
    expect(chooseHashtags({ prompt, keywords })).toEqual(expected);
  });

  const asked = { prompt: 'ai agents', keywords: ['agents', 'ai'] };
  test.each<[boolean, string, string[]]>([
    [true, 'Look at this.', ['AIAgents']],
    [true, 'An AI that is an agent.', []],
    [true, 'Look at this.', ['ai', 'agents']],
    [true, 'My agent writes its own code.', ['ai']],
    [false, 'The secret agents of the north.', ['agents']],
    [false, 'He said it again.', ['ai']],
    [false, 'Agents that aim high.', ['agents']],
  ])('%s: on topic for agents of that kind: %s', (expected, said, tags) => {
    expect(isAboutQuery({ text: said, tags }, asked)).toBe(expected);
  });

  test('match phrases and scripts without spaces', () => {
    const phrase = { prompt: '"night trains" vienna', keywords: ['night trains', 'vienna'] };
    expect(isAboutQuery({ text: 'Two trains a night reach Vienna', tags: [] }, phrase)).toBe(true);
    expect(isAboutQuery({ text: 'See Vienna', tags: ['nighttrains'] }, phrase)).toBe(true);
    expect(isAboutQuery({ text: 'Trains to Vienna', tags: [] }, phrase)).toBe(false);
    const japanese = { prompt: '潮力発電', keywords: ['潮力', '発電'] };
    expect(isAboutQuery({ text: '新しい潮力の発電所です', tags: [] }, japanese)).toBe(true);
    expect(isAboutQuery({ text: '新しい発電所です', tags: ['発電'] }, japanese)).toBe(false);
  });

  test('exclude posts unrelated to the prompt', async () => {
    const { find } = await startServer(
      json([
        status({ id: '2', content: '<p>The wind <b>turbines</b> of the north</p>' }),
        status({ id: '3' }),
      ]),
    );
    expect((await find()).map(({ post }) => post?.id)).toEqual(['3']);
  });
});

describe('a Mastodon post', () => {
  test('of the recorded timeline has hashtags and mentions, and its text in lines', async () => {
    const recorded = sample('mastodon.tag-timeline.json') as Record<string, unknown>[]; // a list of objects
    const statuses = recorded.map((one) => ({ ...STATUS, ...one }));
    const { find } = await startServer(json(statuses));
    const found = await find({ prompt: 'cats', keywords: ['cats'] });
    expect(found.map(({ snippet }) => snippet)).toEqual([
      '#cats',
      'Caught on the hop. 😺\n\n#Qualitätskatzen #cats #mastocats #catsofmastodon #Greece #Agistri\n(photo: @kernpanik | license: CC BY-NC-SA 4.0)',
    ]);
    expect(found[1]?.post?.entities).toEqual({
      hashtags: ['qualitätskatzen', 'cats', 'mastocats', 'catsofmastodon', 'greece', 'agistri'].map(
        (tag) => ({
          text: tag,
        }),
      ),
      user_mentions: [],
      urls: [],
    });
  });

  test('of the recorded search has its text in lines, and its warning', async () => {
    const recorded = sample('mastodon.search.json') as { statuses: Record<string, unknown>[] }; // as documented
    const statuses = recorded.statuses.map((one) => ({ ...STATUS, ...one }));
    const { find } = await startSearch(json({ ...recorded, statuses }));
    const found = await find({ prompt: 'cats', keywords: ['cats'] });
    expect(found.map(({ snippet }) => snippet)).toEqual([
      'cats\ncats never change',
      'Cats\n\nCats are inherently good at self-care.\n\n#cats',
    ]);
  });

  test('of a remote account has the full handle, and is verified only by a link that links back', async () => {
    const account = sample('mastodon.account.json') as Record<string, unknown>; // the recorded account is an object
    const { post, host } = await postOf({ account });
    expect(post.user).toMatchObject({
      id: `23634@${host}`,
      username: 'noiob@awoo.space',
      url: 'https://awoo.space/@noiob',
      verified: true,
    });
    expect(post.user.description).toContain('#awoo.space #admin ~ #bi');
    const unproven = await postOf({
      account: { ...account, fields: [{ name: 'Alt', value: 'x', verified_at: null }] },
    });
    expect(unproven.post.user.verified).toBe(false);
  });

  test('has its warning before its text', async () => {
    const { post } = await postOf({ sensitive: true, spoiler_text: 'tidal power, long' });
    expect(post.text).toBe('tidal power, long\n\nTidal turbines turn.');
  });

  test('has its parent and the author of its parent', async () => {
    const mentions = [
      { id: '77', username: 'ida', acct: 'ida@sea.example', url: 'https://sea.example/@ida' },
    ];
    const { post, host } = await postOf({ in_reply_to_id: '5', in_reply_to_account_id: '77', mentions });
    expect(post).toMatchObject({
      in_reply_to_status_id: '5',
      in_reply_to_user_id: `77@${host}`,
      in_reply_to_screen_name: 'ida@sea.example',
      conversation_id: null,
      entities: { user_mentions: [{ screen_name: 'ida@sea.example' }] },
    });
    const own = await postOf({ in_reply_to_id: '5', in_reply_to_account_id: '1' });
    expect(own.post.in_reply_to_screen_name).toBe('Gargron');
    const unknown = await postOf({ in_reply_to_id: '5', in_reply_to_account_id: '9' });
    expect(unknown.post.in_reply_to_screen_name).toBe(null);
  });

  test.each([
    [
      'a post',
      { state: 'accepted', quoted_status: status({ id: '9', content: '<p>What is quoted</p>' }) },
      { is_quote_post: true, quoted_status_id: '9', quote: 'What is quoted' },
    ],
    [
      'a post for followers only',
      { state: 'accepted', quoted_status: status({ id: '9', visibility: 'private' }) },
      { is_quote_post: true, quoted_status_id: '9', quote: null },
    ],
    [
      'a post with a truncated quote chain',
      { state: 'accepted', quoted_status_id: '9' },
      { quoted_status_id: '9', quote: null },
    ],
    ['a revoked quote', { state: 'revoked', quoted_status: null }, { is_quote_post: false, quote: null }],
  ])('quotes %s', async (_, quote, expected) => {
    const { post, quoted } = await postOf({ quote });
    expect(post).toMatchObject(expected);
    expect(quoted?.text ?? null).toBe(expected.quote);
  });

  test('has its media, from their origin', async () => {
    const { post } = await postOf({
      media_attachments: [
        { id: '1', type: 'image', url: 'https://files.example/1.png', remote_url: null },
        { id: '2', type: 'gifv', url: null, remote_url: 'https://far.example/2.mp4' },
        { id: '3', type: 'unknown', url: 'https://files.example/3' },
        { id: '4', type: 'video', url: null },
      ],
    });
    expect(post.media).toEqual([
      { type: 'photo', media_url: 'https://files.example/1.png' },
      { type: 'animated_gif', media_url: 'https://far.example/2.mp4' },
      { type: 'unknown', media_url: 'https://files.example/3' },
    ]);
  });

  test('has unknown counters if its server hides or lacks them', async () => {
    const { post } = await postOf({
      quotes_count: undefined,
      favourites_count: '11',
      account: { id: '1', acct: 'x', followers_count: -1 },
    });
    expect(post).toMatchObject({ quote_count: null, like_count: null, reply_count: 5 });
    expect(post.user).toMatchObject({
      followers_count: null,
      statuses_count: null,
      created_at: null,
      verified: false,
    });
  });
});

describe('skipped', () => {
  test.each([
    ['a boost', { reblog: status() }],
    ['a post for followers', { visibility: 'private' }],
    ['a direct message', { visibility: 'direct' }],
    ['a post with unknown visibility', { visibility: undefined }],
    ['a post without an author', { account: null }],
    ['a post without a time', { created_at: 'recently' }],
    ['a post without an openable address', { url: null, uri: 'tag:mastodon.social,2026:1' }],
  ])('is %s', async (_, over) => {
    const { find } = await startSearch(
      json({ statuses: [status({ id: '2', ...over }), status({ id: '3' })] }),
    );
    expect((await find()).map(({ post }) => post?.id)).toEqual(['3']);
  });
});

describe('text of a post', () => {
  test.each([
    ['<p>One</p><p>Two<br>Three<br />Four</p>', 'One\n\nTwo\nThree\nFour'],
    ['<p>a &lt;b&gt; &amp;amp; &#x1F30A; &nbsp;c</p>', 'a <b> &amp; 🌊 \u00a0c'],
    ['<p>1 < 2 and 3 > 2</p>', '1 < 2 and 3 > 2'],
    ['<p>  many \n  blanks\t</p>', 'many blanks'],
    ['<ul><li>one</li><li>two</li></ul><p>end</p>', 'one\ntwo\n\nend'],
    ['x<script>alert("<p>")</script><style>p{}</style><!-- <p>no</p> -->y', 'xy'],
    ['x<script>never closed', 'x'],
    ['<p onclick="x">a&#0;b\u0000c&#xD800;d</p>', 'a\ufffdbc\ufffdd'],
    ['', ''],
  ])('is parsed from %j', (html, expected) => {
    expect(parseContent(html).text).toBe(expected);
  });

  test('keeps links that open, without hashtags and mentions', () => {
    const html = `<p><a class="u-url mention" href="https://a.example/@b">@<span>b</span></a>
      <a href="https://a.example/tags/c" class="mention hashtag">#<span>c</span></a>
      <a href="https://ok.example/?a=1&amp;b=2" rel="nofollow">ok</a> <a href="javascript:alert(1)">no</a>
      <a href='https://single.example'>no</a> <a href="https://user:pw@secret.example/">no</a></p>`;
    expect(parseContent(html).links).toEqual(['https://ok.example/?a=1&b=2']);
  });

  test.each([
    ['tags that never close', '<a '.repeat(40_000)],
    ['scripts that never close', '<script '.repeat(12_000)],
    ['comments that never close', '<!--'.repeat(25_000)],
    ['blanks', `a${' '.repeat(99_000)}b`],
    ['attributes', `<a ${'class="'.repeat(14_000)}>`],
    ['references', '&#32;'.repeat(20_000)],
  ])('with %s takes no noticeable time', (_, html) => {
    const computed = watchProcessor();
    parseContent(html);
    expect(computed()).toBeLessThan(1_000);
  });
});
