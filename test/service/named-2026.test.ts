/** The flat dialect: what the public clients of 2026 send and demand, and which requests get it; what clients can ask for. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { servedAiResponse, servedMicroblogResponse } from '../../src/protocol/extensions.ts';
import { fromWire } from '../../src/protocol/wire.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import type { SourceQuery } from '../../src/service/sources/search-source.ts';
import { type Client, startForTest } from './running.ts';
import { foundItem, foundPost, stubSource } from './stub-source.ts';
import { z } from 'zod';

const A = '/desearch/ai/search';
const B = '/desearch/ai/search/links/twitter';
/** As the public clients name themselves: JavaScript (undici) and Python (aiohttp). */
const CLIENTS = ['undici', 'Python/3.12 aiohttp/3.13.3'] as const;
const SHORT = ['web', 'hackernews', 'reddit', 'wikipedia', 'youtube', 'twitter', 'arxiv'];

// What the clients demand of an answer. Members may be added; a demanded one that is missing or of another type makes
// the Python client raise, and leaves the JavaScript one without a documented member.
const int = z.int();
const text = z.string().nullish();
const optionalInt = int.nullish();
const flag = z.boolean().nullish();
const indices = z.array(int);
const demandedUser = z.object({
  id: z.string(),
  username: z.string(),
  url: text,
  name: text,
  created_at: text,
  description: text,
  favourites_count: optionalInt,
  followers_count: optionalInt,
  listed_count: optionalInt,
  media_count: optionalInt,
  profile_image_url: text,
  statuses_count: optionalInt,
  verified: flag,
  is_blue_verified: flag,
  can_dm: flag,
  can_media_tag: flag,
  location: text,
});
const demandedTweet = z.object({
  user: demandedUser.nullish(),
  id: z.string(),
  text: z.string(),
  reply_count: int,
  retweet_count: int,
  like_count: int,
  quote_count: int,
  bookmark_count: int,
  view_count: optionalInt,
  url: text,
  created_at: z.string(),
  media: z.array(z.object({ media_url: z.string().optional(), type: z.string().optional() })).nullish(),
  is_quote_tweet: flag,
  is_retweet: flag,
  lang: text,
  conversation_id: text,
  in_reply_to_screen_name: text,
  in_reply_to_status_id: text,
  in_reply_to_user_id: text,
  quoted_status_id: text,
  get quote() {
    return demandedTweet.nullish();
  },
  entities: z
    .object({
      hashtags: z.array(z.object({ text: z.string(), indices })).nullish(),
      symbols: z.array(z.object({ text: z.string(), indices })).nullish(),
      urls: z
        .array(z.object({ display_url: z.string(), expanded_url: text, url: z.string(), indices }))
        .nullish(),
      user_mentions: z
        .array(z.object({ id_str: z.string(), name: z.string(), screen_name: z.string(), indices }))
        .nullish(),
    })
    .nullish(),
});
const demandedItems = z.array(z.record(z.string(), z.union([z.string(), z.number()]))).nullish();
const demandedAnswer = z.object({
  hacker_news_search: demandedItems,
  reddit_search: demandedItems,
  search: demandedItems,
  youtube_search: demandedItems,
  tweets: z.array(demandedTweet).nullish(),
  text,
  completion: text,
});
const demandedPosts = z.object({ miner_tweets: z.array(demandedTweet) });

/** The dialect in which an answer is. */
const problem = z.object({ detail: z.array(z.object({ loc: z.array(z.unknown()), msg: z.string() })) });

let service: Client;
beforeAll(async () => {
  service = await startForTest();
});
afterAll(() => service.close());

async function ask(
  path: string,
  body: object,
  userAgent: string = CLIENTS[0],
  by = service,
): Promise<unknown> {
  const response = await by.post(path, body, { 'user-agent': userAgent });
  return response.json();
}

describe('the public clients of 2026', () => {
  test.each(CLIENTS)('get what they demand for every tool, below each path (%s)', async (client) => {
    const bare = { prompt: 'harbour festival', tools: SHORT, streaming: false };
    const nulls = { date_filter: null, start_date: null, end_date: null, count: null };
    for (const below of ['', '/sandbox']) {
      for (const body of [bare, { ...bare, ...nulls, result_type: null, system_message: null }]) {
        const answer = await ask(`${below}${A}`, body, client);
        const read = demandedAnswer.parse(answer);
        expect(read.completion).toMatch(/\[1\]\(https:/);
        for (const group of [
          read.search,
          read.hacker_news_search,
          read.reddit_search,
          read.youtube_search,
          read.tweets,
        ])
          expect(group?.length).toBeGreaterThan(0);
        expect(answer).toHaveProperty('wikipedia_search.0.link');
        expect(answer).toHaveProperty('arxiv_search');
        expect(answer).not.toHaveProperty('text_chunks');
      }
    }
  });

  test.each(CLIENTS)('get whole posts, with quoted ones and places of entities (%s)', async (client) => {
    for (const prompt of ['harbour festival', 'tidal power']) {
      const read = demandedPosts.parse(await ask(`/sandbox${B}`, { prompt, count: 200 }, client));
      expect(read.miner_tweets.length).toBeGreaterThan(40);
      const quotes = read.miner_tweets.filter(({ is_quote_tweet: isQuote }) => isQuote);
      expect(quotes.length).toBeGreaterThan(0);
      expect(
        read.miner_tweets.some(({ entities }) => entities?.hashtags?.some((tag) => tag.indices.length === 2)),
      ).toBe(true);
      for (const { quote, quoted_status_id } of quotes) expect(quote?.id).toBe(quoted_status_id);
      for (const { text: shown, entities } of read.miner_tweets) {
        for (const {
          text: tag,
          indices: [from, to],
        } of entities?.hashtags ?? [])
          if (from !== undefined) expect(Array.from(shown).slice(from, to).join('')).toBe(`#${tag}`);
        for (const {
          url,
          indices: [from, to],
        } of entities?.urls ?? [])
          if (from !== undefined) expect(Array.from(shown).slice(from, to).join('')).toBe(url);
      }
    }
  });

  test.each(CLIENTS)(
    'may be clients of the specification: without count, posts are valid for both (%s)',
    async (client) => {
      const answer = await ask(B, { prompt: 'harbour festival' }, client);
      const read = demandedPosts.parse(answer);
      expect(read.miner_tweets.some(({ quoted_status_id: quoted }) => quoted !== null)).toBe(true);
      const posts = fromWire(loadDialect('named'), 'microblog-answer', answer);
      expect(() => servedMicroblogResponse.strict().parse(posts)).not.toThrow();
      const other = fromWire(
        loadDialect('named'),
        'microblog-answer',
        await ask(B, { prompt: 'harbour festival', model: 'NOVA' }, client),
      );
      const [own, specified] = [posts, other].map(
        (each) => servedMicroblogResponse.parse(each).miner_microblog_posts,
      );
      expect(own?.map((post) => ({ ...post, quote: null, entities: {} }))).toEqual(
        specified?.map((post) => ({ ...post, quote: null, entities: {} })),
      );
    },
  );

  test('are read by the monitor like any other service', async () => {
    const body = JSON.stringify(await ask(A, { prompt: 'harbour festival', tools: SHORT }));
    const read = parseResponse({
      operation: 'ai',
      body,
      contentType: null,
      dialect: loadDialect('named-2026'),
    });
    expect(read.rejects).toEqual([]);
    expect(read.posts.length).toBeGreaterThan(0);
    expect(new Set(read.links.map(({ source }) => source)).size).toBeGreaterThan(4);
    expect(read.completion?.claims.some(({ citations }) => citations.some(({ returned }) => returned))).toBe(
      true,
    );
  });

  test('get the same answer as a stream, which the monitor reads', async () => {
    const request = { prompt: 'harbour festival', tools: SHORT };
    const whole = await ask(A, request);
    const response = await service.post(A, { ...request, streaming: true }, { 'user-agent': 'undici' });
    const stream = await response.text();
    expect(stream).toContain('data: {"type":"tweets","content":[{');
    expect(stream).toContain('data: {"type":"search","content":[{');
    const events = stream.split('\n\n').filter((event) => event.startsWith('data: {'));
    const [completion, result] = events
      .slice(-2)
      .map((event) => JSON.parse(event.slice(6)) as { content: unknown });
    expect(result?.content).toEqual(whole);
    expect(whole).toHaveProperty('completion', completion?.content);
    const dialect = loadDialect('named-2026');
    const read = parseResponse({ operation: 'ai', body: stream, contentType: null, dialect });
    expect(read.posts.length).toBe(demandedAnswer.parse(whole).tweets?.length);
  });
});

describe('every other request', () => {
  const body = { prompt: 'harbour festival', tools: ['web', 'twitter'] };

  test.each([
    ['the clients of 2025', body, 'axios/1.9.0'],
    ['the clients of 2025', body, 'python-requests/2.32.3'],
    ['an unknown client', body, 'curl/8.14.1'],
    ['a request with a model', { ...body, model: 'NOVA' }, CLIENTS[0]],
    ['a request with labels of 2025', { ...body, tools: ['Web Search'] }, CLIENTS[1]],
    ['a request with names of the specification', { ...body, tools: ['Microblog Search'] }, CLIENTS[1]],
  ])('gets the specification: %s', async (_, request, userAgent) => {
    const named = loadDialect('named');
    const answer = fromWire(named, 'ai-answer', await ask(A, request, userAgent));
    expect(() => servedAiResponse.strict().parse(answer)).not.toThrow();
    const { tools: _tools, ...asked } = request;
    if (userAgent === CLIENTS[1]) return; // operation B has no tools
    const posts = fromWire(named, 'microblog-answer', await ask(B, asked, userAgent));
    expect(() => servedMicroblogResponse.strict().parse(posts)).not.toThrow();
  });

  test('gets the flat dialect below /2026, whoever asks', async () => {
    for (const below of ['/2026', '/sandbox/2026']) {
      const answer = await ask(`${below}${A}`, { ...body, tools: ['Web Search'], model: 'ORBIT' }, 'curl/8');
      expect(demandedAnswer.parse(answer).search?.length).toBeGreaterThan(0);
      demandedPosts.parse(await ask(`${below}${B}`, { prompt: 'tide' }, 'curl/8'));
    }
    expect((await service.post(`/2026/search/ai/search`, body)).status).toBe(404);
  });
});

describe('what a client asks for', () => {
  const queries: SourceQuery[] = [];
  const pages = [
    foundItem('https://news.bbc.com/old', { publishedAt: new Date('2025-05-02T10:00:00.000Z') }),
    foundItem('https://bbc.com/new', { publishedAt: new Date('2026-11-21T11:00:00.000Z') }),
    foundItem('https://notbbc.com/other', { publishedAt: new Date('2026-11-21T11:00:00.000Z') }),
    foundItem('https://en.wiki.example/Hello_(film)', { publishedAt: new Date('2026-11-21T10:00:00.000Z') }),
  ];
  const sources = [
    stubSource('web', async (query) => {
      queries.push(query);
      return pages;
    }),
    stubSource('microblog', async (query) =>
      Array.from({ length: Math.min(query.limit, 60) }, (_, n) => foundPost(String(n + 100), n)),
    ),
  ];
  let stubbed: Client;
  beforeAll(async () => {
    stubbed = await startForTest({ sources });
  });
  afterAll(() => stubbed.close());

  const links = async (more: object) => {
    queries.length = 0;
    const answer = await ask(A, { prompt: 'tide', tools: ['web'], ...more }, CLIENTS[1], stubbed);
    return demandedAnswer
      .parse(answer)
      .search?.map(({ link }) => link)
      .toSorted();
  };

  test('is honored: dates', async () => {
    const dates = { start_date: '2025-05-01T00:00:00Z', end_date: '2025-05-08T00:00:00Z' };
    expect(await links(dates)).toEqual(['https://news.bbc.com/old']);
    expect(queries).toMatchObject([{ from: new Date(dates.start_date), to: new Date(dates.end_date) }]);
    expect(await links({ end_date: '2025-06-01' })).toEqual(['https://news.bbc.com/old']);
    expect(await links({ start_date: '2025-01-01T00:00:00Z' })).toHaveLength(4);
    expect(await links({})).toHaveLength(3);
    // What has not happened yet: no source is asked for a window that ends before it starts.
    expect(await links({ start_date: '2100-01-01T00:00:00Z' })).toEqual([]);
    expect(queries[0]?.from).toEqual(queries[0]?.to);
  });

  test('is honored: domains and their subdomains', async () => {
    const all = { start_date: '2025-01-01T00:00:00Z' };
    expect(await links({ ...all, include_domains: ['BBC.com'] })).toEqual([
      'https://bbc.com/new',
      'https://news.bbc.com/old',
    ]);
    expect(queries).toMatchObject([{ domains: { include: ['bbc.com'], exclude: [] } }]);
    expect(await links({ ...all, exclude_domains: ['bbc.com', 'wiki.example'] })).toEqual([
      'https://notbbc.com/other',
    ]);
    await links({ include_domains: ['Bücher.example'] });
    expect(queries).toMatchObject([{ domains: { include: ['xn--bcher-kva.example'] } }]);
  });

  test('is honored: the number of results, and only links', async () => {
    await links({ count: 150 });
    expect(queries).toMatchObject([{ limit: 150 }]);
    const posts = demandedPosts.parse(await ask(B, { prompt: 'tide', count: 12 }, CLIENTS[0], stubbed));
    expect(posts.miner_tweets).toHaveLength(12);
    const only = { prompt: 'tide', tools: ['web'], result_type: 'ONLY_LINKS' };
    expect(await ask(A, only, CLIENTS[0], stubbed)).toMatchObject({ completion: null, text: null });
  });

  test.each([
    ['system_message', { system_message: 'Answer in verse.' }, 'is not supported here'],
    ['scoring_system_message', { scoring_system_message: 'x' }, 'is not supported here'],
    ['count', { count: 9 }, 'greater than or equal to 10'],
    ['count', { count: 201 }, 'less than or equal to 200'],
    ['count', { count: '20' }, 'a valid integer'],
    ['start_date', { start_date: 'last week' }, 'a time such as'],
    ['end_date', { start_date: '2026-05-02', end_date: '2026-05-01' }, 'before start_date'],
    ['date_filter', { date_filter: 'PAST_WEEK', end_date: '2026-05-01' }, 'cannot be combined'],
    ['date_filter', { date_filter: 'YESTERDAY' }, "'PAST_24_HOURS'"],
    ['result_type', { result_type: 'LINKS_WITH_SUMMARIES' }, "'LINKS_WITH_FINAL_SUMMARY' or 'ONLY_LINKS'"],
    ['include_domains', { include_domains: ['https://bbc.com/x'] }, 'a domain such as'],
    ['exclude_domains', { exclude_domains: ['xn--a.example'] }, 'a domain such as'],
    ['tools', { tools: ['tea'] }, "'web', 'hackernews'"],
    ['tools', { tools: [{ toString: 1 }] }, "'web', 'hackernews'"],
  ])('is refused by name if it cannot be honored: %s', async (member, more, message) => {
    const refused = problem.parse(
      await ask(A, { prompt: 'tide', tools: ['web'], ...more }, CLIENTS[0], stubbed),
    );
    expect(refused.detail).toHaveLength(1);
    expect(refused.detail[0]?.loc.slice(0, 2)).toEqual(['body', member]);
    expect(refused.detail[0]?.msg).toContain(message);
  });

  test('an empty system message asks for nothing', async () => {
    expect(await links({ system_message: '', scoring_system_message: '' })).toHaveLength(3);
  });

  test.each([
    ['neutral', '/search/ai/search', '/search/ai/search/links/microblog', 'curl/8.14.1'],
    ['named', A, B, 'axios/1.9.0'],
    ['named', A, B, 'python-requests/2.32.3'],
    ['named-2026', `/2026${A}`, `/2026${B}`, 'curl/8.14.1'],
  ] as const)('is honored or refused in every dialect: %s (%s)', async (name, ai, microblog, client) => {
    const dialect = loadDialect(name);
    const request = async (more: object) => {
      queries.length = 0;
      const reply = await ask(ai, { prompt: 'tide', tools: ['Web Search'], ...more }, client, stubbed);
      return fromWire(dialect, 'ai-answer', reply);
    };
    const dates = { start_date: '2025-05-01T00:00:00Z', end_date: '2025-05-08T00:00:00Z' };
    await request({ ...dates, count: 150, include_domains: ['bbc.com'], exclude_domains: [] });
    expect(queries).toMatchObject([
      {
        from: new Date(dates.start_date),
        to: new Date(dates.end_date),
        limit: 150,
        domains: { include: ['bbc.com'], exclude: [] },
      },
    ]);
    const answer = await request({ result_type: 'ONLY_LINKS' });
    expect(answer).toMatchObject({ completion_writer: 'none' });
    if (name !== 'named-2026') {
      const { completion, completion_links, search_completion_links } = servedAiResponse.parse(answer);
      for (const part of Object.values(completion)) expect(part).toHaveLength(0);
      expect(completion_links).toEqual([]);
      expect(search_completion_links).toHaveLength(3);
      // The clients of 2025 know these, too.
      for (const result_type of ['', 'LINKS_WITH_SUMMARIES'])
        expect(await request({ result_type })).toMatchObject({ completion_writer: 'extractive' });
    }
    const refused = async (path: string, more: object) =>
      problem.parse(await ask(path, { prompt: 'tide', ...more }, client, stubbed)).detail[0]?.loc;
    const system = { system_message: 'Answer in verse.' };
    expect(await refused(ai, { tools: ['Web Search'], ...system })).toEqual(['body', 'system_message']);
    for (const [member, value] of Object.entries({ ...dates, ...system, include_domains: ['bbc.com'] }))
      expect(await refused(microblog, { [member]: value })).toEqual(['body', member]);
    const empty = { start_date: null, system_message: '', include_domains: [], count: 12 };
    expect(
      fromWire(
        dialect,
        'microblog-answer',
        await ask(microblog, { prompt: 'tide', ...empty }, client, stubbed),
      ),
    ).toHaveProperty('miner_microblog_posts.11');
  });
});

test('unknown members are null, and a required counter that is unknown is named', async () => {
  const bare = foundPost('77', 1, {
    view_count: null,
    reply_count: null,
    lang: null,
    text: 'See @tove@tide.example at 🌊 tide.example/a/very… #Tide #tides ＃Tide',
    entities: {
      hashtags: [{ text: 'tide' }, null, { text: 7 }],
      user_mentions: [
        { screen_name: 'tove@tide.example' },
        { screen_name: 'absent', id_str: '9', name: 'A' },
      ],
      urls: [
        {
          url: 'https://www.tide.example/a/very/long/path',
          expanded_url: 'https://www.tide.example/a/very/long/path',
        },
      ],
    },
  });
  const user = { ...bare.post?.user, created_at: null, followers_count: null };
  const source = stubSource('microblog', async () => [
    { ...bare, post: { ...bare.post, user } as typeof bare.post & object },
  ]);
  const one = await startForTest({ sources: [source] });
  const answer = await ask(B, { prompt: 'tide', count: 40 }, CLIENTS[1], one);
  demandedPosts.parse(answer);
  expect(answer).toMatchObject({
    miner_tweets: [
      {
        view_count: null,
        reply_count: 0,
        unknown_counters: ['reply_count'],
        lang: null,
        user: { created_at: null, followers_count: null },
        entities: {
          hashtags: [{ text: 'tide', indices: [49, 54] }],
          user_mentions: [
            { id_str: '', name: 'tove@tide.example', screen_name: 'tove@tide.example', indices: [4, 22] },
            { id_str: '9', name: 'A', screen_name: 'absent', indices: [] },
          ],
          urls: [{ display_url: 'tide.example/a/very/long/path', indices: [28, 48] }],
        },
      },
    ],
  });
  await one.close();
});
