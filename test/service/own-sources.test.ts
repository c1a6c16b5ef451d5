/** Feeds and pages that a request names, and sources of the service that it leaves out. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { steppedClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { readAllowed, type Resolve } from '../../src/platform/network.ts';
import {
  MAX_OWN_ADDRESS,
  MAX_OWN_SOURCES,
  normalizeOwnAddress,
  type OwnSource,
} from '../../src/protocol/own-sources.ts';
import { directParser } from './sources/direct-parser.ts';
import { createOwnSourceReader } from '../../src/service/sources/feeds/own-sources.ts';
import { KEY, NOON, startForTest } from './running.ts';
import { type Answer, type Provider, startProvider, text } from './sources/provider.ts';
import { foundPost, stubSource } from './stub-source.ts';

const log = createLogger('silent');

type Entry = { title: string; at?: string };
const item = ({ title, at = 'Sat, 21 Nov 2026 09:00:00 GMT' }: Entry) =>
  `<item><title>${title}</title><link>https://news.example/${encodeURIComponent(title)}</link><pubDate>${at}</pubDate></item>`;
const rss = (titles: readonly string[], name = 'Harbor news') =>
  text(
    `<rss version="2.0"><channel><title>${name}</title>${titles.map((title) => item({ title })).join('')}</channel></rss>`,
  );
const atom = (titles: readonly string[]) =>
  text(
    `<feed xmlns="http://www.w3.org/2005/Atom"><title>Search</title>${titles
      .map(
        (title) =>
          `<entry><title>${title}</title><link href="https://atom.example/${encodeURIComponent(title)}"/><updated>2026-11-21T08:00:00Z</updated></entry>`,
      )
      .join('')}</feed>`,
  );
const html = (body: string, head = '') =>
  text(`<html><head><title>City notices</title>${head}</head><body>${body}</body></html>`);

const HOST = 'city.example';
const resolve: Resolve = async (host) =>
  host === HOST
    ? [{ address: '127.0.0.1', family: 4 }]
    : Promise.reject(Object.assign(new Error(host), { code: 'ENOTFOUND' }));

/** A service whose own sources may be on this machine, and the web server with them. */
async function start(
  answers: Readonly<Record<string, Answer>>,
  { allow = HOST, live = [] as Parameters<typeof stubSource>[] } = {},
) {
  const started = await startProvider((request, response) =>
    (answers[request.path] ?? text('no', 404))(request, response),
  );
  // Results never lead to this machine, so it has another name.
  const provider: Provider = { ...started, url: started.url.replace('127.0.0.1', HOST) };
  const own = createOwnSourceReader({
    allowed: readAllowed(allow, 'FEEDS_ALLOW'),
    maxMb: 1,
    clock: steppedClock(NOON),
    who: 'strandline/test',
    log,
    openParser: () => directParser,
    maxFeedMs: 60_000,
    resolve,
  });
  const sources = live.map((each) => stubSource(...each));
  const service = await startForTest({ sources, live: sources, own, webGroup: true });
  onTestFinished(async () => {
    await service.close();
    await own.close();
  });
  const ask = async (own_sources: unknown, more: object = {}, path = '/live/search/ai/search') => {
    const response = await service.post(path, {
      prompt: 'harbor ferry strike',
      tools: ['Web Search'],
      model: 'HORIZON',
      date_filter: 'PAST_WEEK',
      result_type: 'ONLY_LINKS',
      own_sources,
      ...more,
    });
    const body = (await response.json()) as {
      web_search_results?: { organic_results: { title: string; link: string }[] };
      own_sources?: {
        id: string;
        state: string;
        entries: number;
        title: string;
        problem?: string;
        newest?: string;
      }[];
      warnings?: { code: string; message: string }[];
      detail?: { loc: unknown[]; msg: string }[];
    };
    const titles = (body.web_search_results?.organic_results ?? []).map(({ title }) => title);
    return { status: response.status, ...body, titles };
  };
  const check = async (address: string) =>
    (await (await service.post('/live/sources/check', { address })).json()) as Record<string, unknown>;
  return { provider, service, ask, check };
}

const feed = (id: string, address: string, more: Partial<OwnSource> = {}): OwnSource => ({
  id,
  kind: 'feed',
  address,
  ...more,
});

describe('what a request reads', () => {
  test('feeds, sites and pages: items with the words, or all; each with its state', async () => {
    const { provider, ask } = await start({
      '/feed': rss(['Harbor ferry strike ends', 'A recipe for soup']),
      '/all': rss(['Nothing of the kind', 'Old bridge closed'], 'Bridges'),
      '/site': html('', '<link rel="alternate" type="application/rss+xml" href="found">'),
      '/found': rss(['Ferry strike in the harbor']),
      '/page': html(
        '<main><p>The harbor ferry strike goes into its third week.</p><p>Office hours are from nine to five.</p></main>',
      ),
    });
    const at = (path: string) => `${provider.url}/${path}`;
    const found = await ask({
      read: [
        feed('1', at('feed')),
        feed('2', at('all'), { all: true }),
        feed('3', at('site')),
        { id: '4', kind: 'page', address: at('page') },
        feed('5', at('gone')),
      ],
    });
    expect(found.titles.toSorted()).toEqual([
      'Ferry strike in the harbor',
      'Harbor ferry strike ends',
      'Nothing of the kind',
      'Old bridge closed',
      'The harbor ferry strike goes into its third week.',
    ]);
    expect(found.own_sources).toEqual([
      { id: '1', state: 'read', title: 'Harbor news', entries: 2, newest: '2026-11-21T09:00:00.000Z' },
      { id: '2', state: 'read', title: 'Bridges', entries: 2, newest: '2026-11-21T09:00:00.000Z' },
      { id: '3', state: 'read', title: 'Harbor news', entries: 1, newest: '2026-11-21T09:00:00.000Z' },
      { id: '4', state: 'read', title: 'City notices', entries: 2 },
      { id: '5', state: 'failed', title: '', entries: 0, problem: 'HTTP 404' },
    ]);
    // The next request reads none of them again.
    const before = provider.requests.length;
    await ask({ read: [feed('a', at('feed')), feed('b', at('feed'), { all: true })] });
    expect(provider.requests).toHaveLength(before);
  });

  test('searches of three engines get the words of the question, encoded; fewer if they find nothing', async () => {
    const asked: string[] = [];
    const engine =
      (name: string, answer: (words: string) => Answer): Answer =>
      (request, response) => {
        asked.push(`${name}: ${request.target}`);
        return answer(request.params.q ?? decodeURIComponent(request.path.split('/').at(-1) ?? ''))(
          request,
          response,
        );
      };
    const { provider, ask } = await start({
      '/rss/search': engine('news', (words) => rss([`${words} in the news`])),
      '/search': engine('web', (words) =>
        words.split(' ').length > 3 ? rss([]) : rss(['Ferries stand still', 'Crews walk out']),
      ),
      '/s/strike%20%22harbor%20ferry%22.atom': engine('path', () => atom([])),
    });
    const found = await ask(
      {
        read: [
          feed('news', `${provider.url}/rss/search?q={query}&hl=en-US&gl=US`),
          feed('web', `${provider.url}/search?format=rss&q=%7Bquery%7D`),
          feed('opensearch', `${provider.url}/atom/{searchTerms}`),
        ],
      },
      { prompt: 'Why are harbor pilots of Rotterdam on strike & since when?' },
    );
    // What an engine finds needs no words of the question.
    expect(found.titles).toEqual(expect.arrayContaining(['Ferries stand still', 'Crews walk out']));
    const words = asked.map((line) =>
      decodeURIComponent(new URL(line.split(': ')[1] ?? '', 'http://x').searchParams.get('q') ?? ''),
    );
    expect(
      words.every((each) => /harbor|pilots|rotterdam|strike/.test(each) && !/&|\?|why|since/.test(each)),
    ).toBe(true);
    expect(asked[0]).toContain('&hl=en-US&gl=US');
    expect(asked.filter((line) => line.startsWith('news'))).toHaveLength(1);
    expect(asked.filter((line) => line.startsWith('web'))).toHaveLength(2);
    expect(found.own_sources?.map(({ id, state }) => `${id} ${state}`)).toEqual([
      'news read',
      'web read',
      'opensearch failed',
    ]);
  });

  test('sources of the service can be left out, one or all, for both operations', async () => {
    const web = async () => [
      {
        source: 'web' as const,
        title: 'From the engine',
        link: 'https://engine.example/1',
        snippet: 'harbor ferry strike',
        summaryDescription: '',
        publishedAt: new Date(NOON),
      },
    ];
    const { provider, ask, service } = await start(
      { '/feed': rss(['Harbor ferry strike ends']) },
      {
        live: [
          ['web', web, 'engine'],
          ['microblog', async () => [foundPost('1', 5)], 'chirp'],
          ['microblog', async () => [foundPost('2', 6)], 'tweeter'],
        ],
      },
    );
    const read = [feed('1', `${provider.url}/feed`)];
    expect((await ask({ read })).titles.toSorted()).toEqual(['From the engine', 'Harbor ferry strike ends']);
    expect((await ask({ read, without: ['engine', 'no-such'] })).titles).toEqual([
      'Harbor ferry strike ends',
    ]);
    expect((await ask({ read, without: ['all'] })).titles).toEqual(['Harbor ferry strike ends']);
    expect((await ask({ without: ['all'] })).warnings?.map(({ code }) => code)).toContain('tool_unanswered');
    const posts = await service.post('/live/search/ai/search/links/microblog', {
      prompt: 'ferry',
      own_sources: { without: ['chirp'] },
    });
    expect((await posts.json()) as object).toMatchObject({ miner_microblog_posts: [{ id: '2' }] });
  });
});

describe('what is refused', () => {
  test('addresses that are not public, also behind redirects and in pages; each alone', async () => {
    const leads = (to: string) => text('', 302, { location: to });
    const { provider, ask } = await start({
      '/ok': rss(['Harbor ferry strike ends']),
      '/to-metadata': leads('http://169.254.169.254/latest/meta-data'),
      '/site': html('', '<link rel="alternate" type="application/rss+xml" href="http://10.0.0.1/feed">'),
    });
    const { own_sources = [], titles } = await ask({
      read: [
        feed('0', `${provider.url}/ok`),
        ...[
          'http://169.254.169.254/',
          'https://10.1.2.3/feed',
          'https://[::1]:9/feed',
          'http://0xA9FEA9FE/',
          `${provider.url}/to-metadata`,
          `${provider.url}/site`,
        ].map((address, i) => feed(String(i + 1), address)),
      ],
    });
    expect(titles).toEqual(['Harbor ferry strike ends']);
    expect(own_sources.map(({ state }) => state)).toEqual([
      'read',
      ...Array.from({ length: 6 }, () => 'failed'),
    ]);
    expect(own_sources.map(({ problem = '' }) => problem).slice(1)).toEqual([
      expect.stringContaining('is not a public address. To allow it, add it to FEEDS_ALLOW.'),
      expect.stringContaining('is not a public address'),
      expect.stringContaining('is not a public address'),
      expect.stringContaining('is not a public address'),
      expect.stringContaining('is not a public address'),
      expect.stringContaining('is not a public address'),
    ]);
  });

  test('more of them, longer ones, and what is no address, each by its place; the largest request is accepted', async () => {
    const { provider, ask } = await start({});
    const long = (length: number) =>
      `https://news.example/${'a'.repeat(length - 'https://news.example/'.length)}`;
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => feed(String(i), `${provider.url}/${i}`));
    const detail = async (read: unknown[], more = {}) => {
      const { status, detail: problems = [] } = await ask({ read, ...more });
      return [status, problems.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`)];
    };
    expect(await detail(many(MAX_OWN_SOURCES + 1))).toEqual([
      422,
      [expect.stringContaining('own_sources.read: List should have at most 100 items')],
    ]);
    expect(await detail([feed('1', long(MAX_OWN_ADDRESS + 1))])).toEqual([
      422,
      [expect.stringContaining('own_sources.read.0.address')],
    ]);
    for (const wrong of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'https://user:pw@news.example/',
      'https://{query}.example/',
      'feed',
      'ftp://news.example/',
    ])
      expect(await detail([feed('1', wrong)])).toEqual([
        422,
        [expect.stringContaining('an address such as')],
      ]);
    expect(await detail([], { without: ['No Such'] })).toEqual([
      422,
      [expect.stringContaining('own_sources.without.0')],
    ]);
    const largest = Array.from({ length: MAX_OWN_SOURCES }, (_, i) => ({
      ...feed(String(i).padStart(20, '9'), long(MAX_OWN_ADDRESS)),
      all: true,
    }));
    const { status } = await ask(
      { read: largest },
      { prompt: 'ü'.repeat(2_000), tools: ['Encyclopedia Search'] },
    );
    expect(status).toBe(200);
  });

  test('the simulation reads nothing, and says so', async () => {
    const { provider, ask } = await start({ '/feed': rss(['Harbor ferry strike ends']) });
    const { own_sources } = await ask(
      { read: [feed('1', `${provider.url}/feed`)] },
      {},
      '/sandbox/search/ai/search',
    );
    expect(own_sources).toEqual([{ id: '1', state: 'unasked', title: '', entries: 0 }]);
    expect(provider.requests).toEqual([]);
  });
});

test('says what an address is, for who adds it', async () => {
  const { provider, check, service } = await start({
    '/feed': rss(['One', 'Two']),
    '/site': html('', '<link rel="alternate" type="application/rss+xml" href="feed">'),
    '/page': html('<p>The harbor ferry strike goes into its third week.</p>'),
    '/picture': text('\u0000\u0001PNG'),
    '/search': rss(['Any news']),
  });
  const at = (path: string) => `${provider.url}/${path}`;
  const newest = { title: 'One', at: '2026-11-21T09:00:00.000Z' };
  expect(await check(at('feed'))).toEqual({
    found: 'feed',
    feed: null,
    title: 'Harbor news',
    entries: 2,
    newest,
    problem: null,
  });
  expect(await check(at('site'))).toMatchObject({ found: 'feed', feed: at('feed'), entries: 2 });
  expect(await check(at('page'))).toMatchObject({
    found: 'page',
    title: 'City notices',
    entries: 1,
    problem: null,
  });
  expect(await check(at('picture'))).toMatchObject({
    found: 'none',
    problem: 'is neither a feed nor a page',
  });
  expect(await check(at('gone'))).toMatchObject({ found: 'none', problem: 'HTTP 404' });
  expect(await check(at('search?q={query}'))).toMatchObject({ found: 'feed', entries: 1 });
  expect(provider.requests.at(-1)?.target).toBe('/search?q=news');
  expect(await check('https://10.0.0.1/')).toMatchObject({
    found: 'none',
    problem: expect.stringContaining('not a public address'),
  });
  expect(await check('nonsense')).toHaveProperty('detail');
  const anonymous = await service.post(
    '/live/sources/check',
    { address: at('feed') },
    { authorization: `${KEY}x` },
  );
  expect(anonymous.status).toBe(401);
});

test('addresses are stored as they are sent', () => {
  const cases: [given: string, stored: string | undefined][] = [
    [' https://News.Example ', 'https://news.example/'],
    ['https://news.example/feed#top', 'https://news.example/feed'],
    ['https://engine.example/?q=%7Bquery%7D&x=1#a', 'https://engine.example/?q={query}&x=1'],
    ['https://engine.example/{searchTerms?}/rss', 'https://engine.example/{query}/rss'],
    ['https://engine.example/#{query}', undefined],
    ['https://engine{query}.example/', undefined],
    ['https://engine.example:{query}/', undefined],
    ['https://a b.example/', undefined],
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
    ['news.example', undefined],
  ];
  expect(cases.map(([given]) => normalizeOwnAddress(given))).toEqual(cases.map(([, stored]) => stored));
});
