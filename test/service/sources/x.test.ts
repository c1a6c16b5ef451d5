import { describe, expect, test } from 'vitest';
import { microblogPost } from '../../../src/protocol/specification.ts';
import { HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { SourceDown } from '../../../src/service/sources/outage.ts';
import type { SourceQuery } from '../../../src/service/sources/search-source.ts';
import type { AdapterContext } from '../../../src/service/sources/adapter.ts';
import { computeWorstCost, x } from '../../../src/service/sources/providers/x.ts';
import {
  type Answer,
  type Answers,
  BARE_AUTHOR,
  BARE_POST,
  json,
  NOW,
  outageOf,
  query,
  sample,
  startAdapter,
  startAsking,
  text,
} from './provider.ts';
import { CANARY, describeProvider } from './provider-contract.ts';

const BEARER = `x-bearer-${CANARY}`;
const NOTHING = json({ meta: { result_count: 0 } });
/** What ten posts may cost at worst: each with two others beside it, its author and four pictures. */
const TEN = 450_000;

const person = (id: string, over: Record<string, unknown> = {}) => ({
  id,
  username: `user_${id}`,
  name: `User ${id}`,
  ...over,
});
const post = (id: string, over: Record<string, unknown> = {}) => ({
  id,
  author_id: '7',
  text: 'Tidal turbines turn.',
  created_at: '2026-11-21T11:00:00.000Z',
  public_metrics: {
    retweet_count: 1,
    reply_count: 2,
    like_count: 3,
    quote_count: 4,
    bookmark_count: 5,
    impression_count: 600,
  },
  ...over,
});
const answer = (data: unknown[], includes: Record<string, unknown> = { users: [person('7')] }, rest = {}) =>
  json({ data, includes, meta: { result_count: data.length }, ...rest });
const badStart = json(
  {
    errors: [
      {
        parameters: { start_time: ['2026-11-14T12:10Z'] },
        message:
          "Invalid 'start_time':'2026-11-14T12:10Z'. 'start_time' must be on or after 2026-11-14T12:20Z.",
      },
    ],
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: 'https://api.twitter.com/2/problems/invalid-request',
  },
  400,
);

/** With a purse that holds so much; `left` is what is in it. */
async function startX(answers: Answers, purse = 5_000_000) {
  const started = await startAdapter(
    (at) => x({ bearerToken: BEARER, usdPerDay: purse / 1e6, at }),
    ...answers,
  );
  const { spend } = started.asking;
  const left = () => started.spent.reduce((rest, units) => rest - units, purse);
  const asking: AdapterContext = {
    ...started.asking,
    spend: async (units) => {
      if (units > left()) throw new SourceDown('source_quota', { unasked: true });
      await spend(units);
    },
  };
  const find = (over: Partial<SourceQuery> = {}) => started.adapter.find(query(over), asking);
  return { ...started, asking, find, outage: () => outageOf(find()), left };
}

/** The one post that is found of an answer. */
async function postOf(data: Record<string, unknown>, includes: Record<string, unknown> = {}) {
  const { find } = await startX([answer([data], { users: [person('7')], ...includes })]);
  const found = await find();
  expect(found).toHaveLength(1);
  return microblogPost.parse(found[0]?.post);
}

const reset = (seconds: number) => ({
  'x-rate-limit-limit': '450',
  'x-rate-limit-remaining': '0',
  'x-rate-limit-reset': String(NOW.getTime() / SECOND + seconds),
});

describeProvider({
  make: (at) => x({ bearerToken: BEARER, usdPerDay: 5, at }),
  recorded: [json(sample('x.recent-search.json'))],
  found: [
    {
      source: 'microblog',
      title: 'Just started learning Python and loving it!',
      link: 'https://x.com/pythondev/status/1234567890123456789',
      snippet: 'Just started learning Python and loving it!',
      summaryDescription: 'Just started learning Python and loving it!',
      publishedAt: new Date('2024-01-15T10:30:00.000Z'),
      engagement: 50,
      post: {
        ...BARE_POST,
        user: {
          ...BARE_AUTHOR,
          id: '9876543210',
          url: 'https://x.com/pythondev',
          name: 'pythondev',
          username: 'pythondev',
          is_blue_verified: null,
        },
        id: '1234567890123456789',
        text: 'Just started learning Python and loving it!',
        reply_count: 2,
        repost_count: 5,
        like_count: 42,
        quote_count: 1,
        url: 'https://x.com/pythondev/status/1234567890123456789',
        created_at: '2024-01-15T10:30:00.000Z',
        summary_description: 'Just started learning Python and loving it!',
      },
    },
  ],
  // Of the last seven days, which is where it looks by itself; an end that lies less than ten seconds back is an error.
  asked: [
    {
      path: '/2/tweets/search/recent',
      params: {
        query: 'tidal turbines -is:retweet',
        max_results: '10',
        sort_order: 'recency',
        'tweet.fields':
          'created_at,public_metrics,entities,lang,conversation_id,in_reply_to_user_id,referenced_tweets,attachments,note_tweet',
        expansions: 'author_id,attachments.media_keys,referenced_tweets.id',
        'user.fields':
          'created_at,description,public_metrics,verified,verified_type,location,profile_image_url',
        'media.fields': 'url,preview_image_url',
      },
      headers: { authorization: `Bearer ${BEARER}` },
    },
  ],
  // A post and its author were read.
  spent: [TEN, -(TEN - 15_000)],
  terms: { allowance: { most: 5_000_000, unit: 'micro-dollars', zone: 'UTC' }, pauseMs: 15 * MINUTE },
  empty: NOTHING,
  frame: json({ errors: [{ title: CANARY }] }),
  misfits: answer([{ id: '1' }, { id: '2' }]),
  outages: {
    'no credits': [json({ title: 'CreditsDepleted' }, 402), { code: 'source_quota', retryAfterMs: HOUR }],
    'too many requests': [json({}, 429, reset(600)), { code: 'source_busy', retryAfterMs: 10 * MINUTE }],
    'too many, although there is room again': [
      json({}, 429, reset(-5)),
      { code: 'source_busy', retryAfterMs: undefined },
    ],
    'the cap of the month': [
      json({ title: 'UsageCapExceeded', period: 'Monthly' }, 429),
      { code: 'source_quota', retryAfterMs: HOUR },
    ],
    'a query it does not take': [
      json({ errors: [{ parameters: { query: [CANARY] } }] }, 400),
      { code: 'source_refused', detail: 'HTTP 400' },
    ],
    'a start that was not named': [badStart, { code: 'source_refused', detail: 'HTTP 400' }],
    'an address that is gone': [text(CANARY, 404), { code: 'source_failed', detail: 'HTTP 404' }],
  },
});

describe('an X search', () => {
  test.each([
    [1, '10'],
    [10, '10'],
    [55, '55'],
    [400, '100'],
  ])('requests, for %i, %s posts', async (limit, expected) => {
    const { find, provider } = await startX([NOTHING]);
    await find({ limit });
    expect(provider.requests[0]?.params['max_results']).toBe(expected);
  });

  test('sorts by newest without a start, and ends with the window', async () => {
    const { find, provider } = await startX([NOTHING]);
    await find({ from: undefined, to: new Date('2026-11-20T12:00:00Z') });
    expect(provider.requests[0]?.params).toMatchObject({
      sort_order: 'recency',
      end_time: '2026-11-20T12:00:00Z',
    });
    expect(provider.requests[0]?.params).not.toHaveProperty('start_time');
  });

  test('goes back at most the available seven days', async () => {
    const { find, provider } = await startX([NOTHING]);
    for (const back of [30, 7]) {
      await find({ from: new Date(NOW.getTime() - back * 24 * HOUR) });
      expect(provider.requests.at(-1)?.params).not.toHaveProperty('start_time');
    }
    await find({ from: new Date('2026-11-14T12:10:00Z') });
    expect(provider.requests.at(-1)?.params['start_time']).toBe('2026-11-14T12:10:00Z');
  });

  test('sends nothing and costs nothing if there can be no results', async () => {
    const { find, provider, spent } = await startX([NOTHING]);
    const [from, to] = [new Date('2026-10-01T00:00:00Z'), new Date('2026-11-01T00:00:00Z')];
    expect(await find({ from, to })).toEqual([]);
    expect(await find({ prompt: '🎉', keywords: [] })).toEqual([]);
    expect(provider.requests).toEqual([]);
    expect(spent).toEqual([]);
  });

  test('quotes words that would be operators', async () => {
    const { find, provider } = await startX([NOTHING]);
    const keywords = ['night trains', 'covid-19', '#europe', '@tide'];
    await find({ prompt: '"night trains" covid-19 #europe @tide', keywords });
    expect(provider.requests[0]?.params['query']).toBe('"night trains" "covid-19" #europe @tide -is:retweet');
  });

  test('retries once without a start if clocks differ, and pays once', async () => {
    const { find, provider, spent } = await startX([badStart, answer([post('1')])]);
    const from = new Date('2026-11-14T12:10:00Z');
    expect(await find({ from })).toHaveLength(1);
    expect(provider.requests.map(({ params }) => 'start_time' in params)).toEqual([true, false]);
    expect(spent).toEqual([TEN, -(TEN - 15_000)]);

    const never = await startX([badStart]);
    expect(await outageOf(never.find({ from }))).toMatchObject({
      code: 'source_refused',
    });
    expect(never.provider.requests).toHaveLength(2);
    expect(never.left()).toBe(5_000_000);
  });
});

describe('the budget', () => {
  test('is reserved for the maximum in advance, and the rest is refunded', async () => {
    const includes = {
      users: [person('7'), person('8')],
      media: [{ media_key: 'm1', type: 'photo', url: 'https://pbs.example/1.jpg' }],
      tweets: [{ id: '90', text: 'before' }],
    };
    const started = await startX([
      (request, response) => {
        // By now the worst is taken.
        expect(started.spent).toEqual([TEN]);
        return answer([post('1'), post('2', { author_id: '8' })], includes)(request, response);
      },
    ]);
    await started.find();
    // Three posts and a picture at half a cent, two people at one cent.
    expect(started.left()).toBe(5_000_000 - 4 * 5_000 - 2 * 10_000);
    expect(started.spent).toEqual([TEN, -(TEN - 40_000)]);
  });

  test('is spent on malformed posts too', async () => {
    const { find, left } = await startX([answer([post('1'), { id: '2' }])]);
    expect(await find()).toHaveLength(1);
    expect(left()).toBe(5_000_000 - 2 * 5_000 - 10_000);
  });

  test('used up: nothing is sent', async () => {
    for (const purse of [0, TEN - 1]) {
      const { find, provider, left } = await startX([answer([post('1')])], purse);
      expect(await outageOf(find({ limit: 40 }))).toMatchObject({
        code: 'source_quota',
      });
      expect(provider.requests).toEqual([]);
      expect(left()).toBe(purse);
    }
  });

  test('that does not suffice for a full page is spent on the minimum', async () => {
    const { find, provider, spent } = await startX([NOTHING], computeWorstCost(40) - 1);
    await find({ limit: 40 });
    expect(provider.requests[0]?.params['max_results']).toBe('10');
    expect(spent).toEqual([TEN, -TEN]);
  });

  test('is not retried with fewer posts if counting fails for another reason', async () => {
    const { adapter, asking, provider } = await startX([NOTHING]);
    let asked = 0;
    const spend = () => {
      asked += 1;
      return Promise.reject(new SourceDown('source_failed', { unasked: true }));
    };
    expect((await outageOf(adapter.find(query({ limit: 40 }), { ...asking, spend }))).code).toBe(
      'source_failed',
    );
    expect(asked).toBe(1);
    expect(provider.requests).toEqual([]);
  });

  test('is refunded in full if the request is refused', async () => {
    for (const status of [400, 401, 402, 403, 429, 500, 503]) {
      const { outage, left } = await startX([json({ title: 'No' }, status)]);
      await outage();
      expect(left()).toBe(5_000_000);
    }
  });

  test.each<[string, Answer]>([
    ['a broken connection', (_, response) => void response.destroy()],
    ['an unreadable response', text('<html>')],
    ['errors instead of posts', json({ errors: [{ title: 'Not Found Error' }] })],
  ])('stays spent after %s: it may have been charged', async (_, broken) => {
    const { outage, left } = await startX([broken]);
    expect((await outage()).code).toBe('source_failed');
    expect(left()).toBe(5_000_000 - TEN);
  });

  test('stays spent when the client disconnects meanwhile', async () => {
    const gone = new AbortController();
    const { adapter } = await startX([() => gone.abort(new Error('gone'))]);
    const { asking, spent } = startAsking(gone.signal);
    await expect(adapter.find(query(), asking)).rejects.toThrow('gone');
    expect(spent).toEqual([TEN]);
  });
});

describe('an X post', () => {
  test('in the documented form is joined with its author, and its picture is not a link', async () => {
    const documented = sample('x.post-object.json') as { data: unknown[]; includes: object }; // as documented
    const includes = {
      ...documented.includes,
      users: [person('2244994945', { username: 'XDevelopers' })],
      media: [
        {
          media_key: '16_1211797899316740096',
          type: 'animated_gif',
          preview_image_url: 'https://pbs.example/p.jpg',
        },
      ],
    };
    const { find, left } = await startX([answer(documented.data, includes)]);
    const [found] = await find();
    expect(found?.post).toMatchObject({
      id: '1212092628029698048',
      view_count: 1_250,
      impression_count: 1_250,
      bookmark_count: 2,
      lang: 'en',
      in_reply_to_status_id: '1212092627178287104',
      in_reply_to_user_id: '2244994945',
      in_reply_to_screen_name: 'XDevelopers',
      is_quote_post: false,
      media: [{ type: 'animated_gif', media_url: 'https://pbs.example/p.jpg' }],
      entities: { hashtags: [], user_mentions: [], urls: [] },
    });
    expect(found?.engagement).toBe(7 + 3 + 38 + 1);
    expect(left()).toBe(5_000_000 - 3 * 5_000 - 10_000);
  });

  test('has the known details of its author', async () => {
    const user = person('7', {
      name: 'Tove \u0000T',
      created_at: '2013-12-14T04:35:55.000Z',
      description: 'Tides',
      location: 'Osk',
      profile_image_url: 'https://pbs.example/t.jpg',
      verified: true,
      verified_type: 'blue',
      public_metrics: {
        followers_count: 10,
        following_count: 11,
        tweet_count: 12,
        listed_count: 13,
        like_count: 14,
        media_count: 15,
      },
    });
    expect((await postOf(post('1'), { users: [user] })).user).toEqual({
      id: '7',
      url: 'https://x.com/user_7',
      name: 'Tove T',
      username: 'user_7',
      created_at: '2013-12-14T04:35:55.000Z',
      description: 'Tides',
      favourites_count: 14,
      followers_count: 10,
      listed_count: 13,
      media_count: 15,
      profile_image_url: 'https://pbs.example/t.jpg',
      statuses_count: 12,
      verified: true,
      is_blue_verified: true,
      can_dm: null,
      can_media_tag: null,
      location: 'Osk',
    });
    const { user: business } = await postOf(post('1'), {
      users: [person('7', { verified_type: 'business' })],
    });
    expect(business.is_blue_verified).toBe(false);
  });

  test('that is long has its full text, with the entities of the full text', async () => {
    const long = await postOf(
      post('1', {
        text: 'Tidal tur… https://t.co/x',
        entities: { hashtags: [{ tag: 'cut' }] },
        note_tweet: {
          text: 'Tidal turbines &amp; &lt;waves&gt; &amp;lt;',
          entities: {
            hashtags: [{ start: 0, end: 5, tag: 'Tidal' }],
            mentions: [{ username: 'tide', id: '8' }],
            urls: [
              {
                url: 'https://t.co/1',
                expanded_url: 'https://short.example/1',
                unwound_url: 'https://long.example/1',
              },
              { url: 'https://t.co/2', expanded_url: 'https://plain.example/2' },
              { url: 'https://t.co/3' },
            ],
          },
        },
      }),
    );
    expect(long.text).toBe('Tidal turbines & <waves> &lt;');
    expect(long.entities).toEqual({
      hashtags: [{ text: 'Tidal' }],
      user_mentions: [{ screen_name: 'tide' }],
      urls: ['https://long.example/1', 'https://plain.example/2'].map((url) => ({ url, expanded_url: url })),
    });
  });

  test('includes the quoted text if available', async () => {
    const quoting = post('1', { referenced_tweets: [{ type: 'quoted', id: '90' }] });
    const there = { tweets: [{ id: '90', text: 'cut', note_tweet: { text: 'The whole &amp; all' } }, 7] };
    expect(await postOf(quoting, there)).toMatchObject({
      is_quote_post: true,
      quoted_status_id: '90',
      quote: 'The whole & all',
    });
    expect(await postOf(quoting)).toMatchObject({ is_quote_post: true, quoted_status_id: '90', quote: null });
  });

  test('includes the quoted post whole if its author is known', async () => {
    const quoting = post('1', { referenced_tweets: [{ type: 'quoted', id: '90' }] });
    const quotedBy = async (author_id: string) => {
      const includes = { users: [person('7')], tweets: [post('90', { author_id, text: 'Quoted.' })] };
      const { find } = await startX([answer([quoting], includes)]);
      return (await find())[0];
    };
    expect((await quotedBy('7'))?.quoted).toMatchObject({ id: '90', text: 'Quoted.', like_count: 3 });
    const stranger = await quotedBy('8');
    expect(stranger?.post?.quote).toBe('Quoted.');
    expect(stranger).not.toHaveProperty('quoted');
  });

  test('replies to the mentioned user with that id', async () => {
    const entities = {
      mentions: [
        { username: 'other', id: '9' },
        { username: 'tide', id: '8' },
      ],
    };
    const answering = post('1', { in_reply_to_user_id: '8', conversation_id: '50', entities });
    expect(await postOf(answering)).toMatchObject({ in_reply_to_screen_name: 'tide', conversation_id: '50' });
    expect((await postOf(post('1', { in_reply_to_user_id: '8' }))).in_reply_to_screen_name).toBe(null);
  });

  test.each([
    ['de', 'de'],
    ['und', null],
    ['zxx', null],
    ['qme', null],
  ])('in %s has the language %s', async (lang, expected) => {
    expect((await postOf(post('1', { lang }))).lang).toBe(expected);
  });

  test('that is a repost says so', async () => {
    expect(
      (await postOf(post('1', { referenced_tweets: [{ type: 'retweeted', id: '90' }] }))).is_repost,
    ).toBe(true);
  });

  test('has no counters if they are invalid', async () => {
    const {
      like_count: likes,
      reply_count: replies,
      view_count: views,
    } = await postOf(post('1', { public_metrics: { like_count: '3', reply_count: -1 } }));
    expect([likes, replies, views]).toEqual([null, null, null]);
    expect((await postOf(post('1', { public_metrics: undefined }))).like_count).toBe(null);
  });
});

describe('a partial response', () => {
  test('may have errors next to the posts: a post without its author is skipped', async () => {
    const errors = [
      {
        value: '8',
        detail: 'User has been suspended',
        title: 'Forbidden',
        resource_type: 'user',
        parameter: 'author_id',
      },
    ];
    const { find } = await startX([
      answer([post('1', { author_id: '8' }), post('2')], undefined, { errors }),
    ]);
    expect((await find()).map(({ post: found }) => found?.id)).toEqual(['2']);
  });

  test('may have malformed posts: the rest stay', async () => {
    const { find } = await startX([
      answer([post('1', { created_at: 'soon' }), post('2', { id: 2 }), post('3')], {
        users: [person('7'), { id: 9 }],
        media: 'none',
      }),
    ]);
    expect((await find()).map(({ post: found }) => found?.id)).toEqual(['3']);
  });
});
