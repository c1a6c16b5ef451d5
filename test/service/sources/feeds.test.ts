import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { variable } from '../../../src/config/variable.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import { readAllowed, type Resolve } from '../../../src/platform/network.ts';
import { feedList, listLocalLanguages, pageList } from '../../../src/service/sources/feeds/feed-list.ts';
import { openFeedParser } from '../../../src/service/sources/feeds/feed-parser.ts';
import { createLogger, type Logger } from '../../../src/platform/logger.ts';
import { NEWS_SITES } from '../../../src/service/sources/feeds/news-sites.ts';
import { MODEL_TIERS } from '../../../src/service/planning/model-tiers.ts';
import { retrieveFindings } from '../../../src/service/planning/retrieval.ts';
import type { SourceQuery } from '../../../src/service/sources/search-source.ts';
import { FEEDS, feeds } from '../../../src/service/sources/providers/feeds.ts';
import { makeDirectory } from '../../temporary.ts';
import { CANARY } from './provider-contract.ts';
import {
  type Answer,
  json,
  NOW,
  outageOf,
  type Provider,
  query,
  startAsking,
  startProvider,
  text,
} from './provider.ts';

const sample = (name: string) => readFileSync(new URL(`samples/${name}`, import.meta.url), 'utf8');
const rss = (...items: string[]) =>
  `<rss version="2.0"><channel>${items.map((members) => `<item>${members}</item>`).join('')}</channel></rss>`;
const news = (title: string, more = '<pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate>') =>
  rss(`<title>${title}</title><link>https://news.example/${encodeURIComponent(title)}</link>${more}`);
const feed = (body: string, headers: Record<string, string> = {}) => text(body, 200, headers);
const redirect = (to: string, status = 301) => text('', status, { location: to });

/** The process starts once for all tests of this file. */
const parser = openFeedParser(createLogger('silent'));
const shared = { ...parser, close: async () => {} };
beforeAll(async () => {
  const order = { address: 'https://a.example/', contentType: '' };
  const parse = () => parser.parse(Buffer.from('<rss><channel/></rss>'), order, new AbortController().signal);
  // A busy machine may take longer to start it than a document may take.
  await vi.waitFor(parse, { timeout: 280_000, interval: 100 });
});
afterAll(() => parser.close());

/** Serves answers by path; an address of this machine is allowed unless said otherwise. */
async function start(
  list: (provider: Provider) => string[],
  answers: Readonly<Record<string, Answer>>,
  means: {
    allow?: string;
    resolve?: Resolve;
    maxFeedMs?: number;
    maxMb?: number;
    pages?: (provider: Provider) => string[];
  } = {},
) {
  const { allow = '127.0.0.1', pages = () => [], ...more } = means;
  const provider = await startProvider((request, response) =>
    (answers[request.path] ?? text(CANARY, 404))(request, response),
  );
  const allowed = readAllowed(allow, 'FEEDS_ALLOW');
  const adapter = feeds({
    list: list(provider),
    pages: pages(provider),
    allowed,
    openParser: () => shared,
    ...more,
  });
  onTestFinished(() => adapter.close?.());
  const started = startAsking();
  const find = (over = {}) => adapter.find(query(over), started.asking);
  const titles = async (over = {}) => (await find(over)).map(({ title }) => title);
  /** The problem of the only feed that has one, without its address. */
  const problem = async () => {
    await find().catch(() => {});
    const [only = '', ...others] = adapter.problems?.() ?? [];
    expect(others).toEqual([]);
    expect(only).not.toContain(CANARY);
    return only.replace(/^http\S+: /, '');
  };
  return { provider, adapter, find, titles, problem, ...started };
}

/** One feed at `/feed`. */
const startOne = (answer: Answer, means = {}) =>
  start(({ url }) => [`${url}/feed`], { '/feed': answer }, means);
const TIDAL = { prompt: 'tidal turbines', keywords: ['tidal', 'turbines'] };

describe('what is found', () => {
  test('items of recorded feeds that have the words, in the window', async () => {
    const files = ['feed.rss2.xml', 'feed.rss1.xml', 'feed.atom.xml'];
    const { find, adapter } = await start(
      ({ url }) => files.map((file) => `${url}/${file}`),
      Object.fromEntries(files.map((file) => [`/${file}`, feed(sample(file))])),
    );
    const ever = { from: undefined };
    expect(await find({ prompt: 'tax evasion', keywords: ['evasion', 'tax'], ...ever })).toEqual([
      {
        source: 'web',
        title: 'UN urged to launch global effort to end offshore tax evasion',
        link: 'https://www.theguardian.com/business/2018/jan/30/un-urged-to-launch-global-effort-to-end-offshore-tax-evasion',
        snippet:
          'Campaign group launches financial secrecy index and warns UK is still protecting overseas territories',
        summaryDescription: '',
        publishedAt: new Date('2018-01-30T17:00:03Z'),
      },
    ]);
    expect(await find({ prompt: 'WildFly', keywords: ['wildfly'], ...ever })).toHaveLength(1);
    expect(await find({ prompt: 'kung fu', keywords: ['kung', 'fu'], ...ever })).toHaveLength(1);
    expect(await find({ prompt: 'tax evasion', keywords: ['evasion', 'tax'] })).toEqual([]);
    expect(adapter.problems?.()).toEqual([]);
    expect(adapter.title).toBe('RSS and Atom feeds (127.0.0.1)');
  });

  test('all of the best three words, otherwise of the best two; best first', async () => {
    const body = rss(
      ...['Tidal turbines turn', 'Tidal turbines and fish', 'Tidal turbines', 'Power of turbines'].map(
        (title, i) => `<title>${title}</title><link>/${i}</link>`,
      ),
    );
    const { titles } = await startOne(feed(body));
    const words = { prompt: 'tidal turbines fish', keywords: ['tidal', 'turbines', 'fish'] };
    expect(await titles(words)).toEqual(['Tidal turbines and fish']);
    expect(await titles({ ...words, keywords: ['tidal', 'turbines', 'whales'] })).toHaveLength(3);
    expect((await titles(TIDAL))[0]).toBe('Tidal turbines');
    // More than the limit: ranking chooses.
    expect(await titles({ ...TIDAL, limit: 2 })).toHaveLength(3);
    expect(await titles({ prompt: '?', keywords: [] })).toEqual([]);
  });

  test('of one site only, if asked so; never links into private networks', async () => {
    const of = (link: string) => `<title>Tidal turbines</title><link>${link}</link>`;
    const body = rss(
      of('https://news.example/1'),
      of('https://www.other.example/2'),
      of('http://10.0.0.1/3'),
    );
    const { find } = await startOne(feed(body));
    const links = async (prompt: string) => (await find({ ...TIDAL, prompt })).map(({ link }) => link);
    expect(await links('tidal turbines site:other.example')).toEqual(['https://www.other.example/2']);
    const domains = { include: ['other.example', 'news.example'], exclude: ['news.example'] };
    expect(await find({ ...TIDAL, domains, limit: 1 })).toMatchObject([
      { link: 'https://www.other.example/2' },
    ]);
    // Private addresses are kept where the operator reads feeds of such a network.
    expect(await links('tidal turbines')).toContain('http://10.0.0.1/3');
  });
});

describe('reading', () => {
  test('each feed at most every 15 minutes, and only if it changed', async () => {
    const headers = { etag: '"v1"', 'last-modified': 'Fri, 20 Nov 2026 08:00:00 GMT' };
    let answer = feed(news('Tidal turbines turn'), headers);
    const { provider, titles, clock } = await startOne((...args) => answer(...args));
    expect(await titles()).toEqual(['Tidal turbines turn']);
    expect(provider.requests[0]?.headers).toMatchObject({ 'user-agent': 'strandline-test' });
    answer = text('', 304);
    await titles();
    clock.advance(14 * MINUTE);
    await titles();
    expect(provider.requests).toHaveLength(1);
    clock.advance(MINUTE);
    expect(await titles()).toEqual(['Tidal turbines turn']);
    expect(provider.requests[1]?.headers).toMatchObject({
      'if-none-match': '"v1"',
      'if-modified-since': headers['last-modified'],
    });
    answer = feed(news('Tidal turbines stop'), { 'cache-control': 'public, max-age=86400' });
    clock.advance(15 * MINUTE);
    expect(await titles()).toEqual(['Tidal turbines stop']);
    clock.advance(59 * MINUTE);
    await titles();
    expect(provider.requests).toHaveLength(3);
    clock.advance(MINUTE);
    await titles();
    expect(provider.requests).toHaveLength(4);
  });

  test.each([
    'Sat, 21 Nov 2026 15:00:00 GMT',
    'Wed, 25 Nov 2026 08:00:00 GMT',
    'Fri, 01 Jan 2100 00:00:00 GMT',
  ])('an entry dated ahead, %s, is returned at once, dated by its first reading', async (ahead) => {
    const { find, provider, clock } = await startOne(
      feed(news('Tidal turbines', `<pubDate>${ahead}</pubDate>`)),
    );
    const noon = clock.now();
    expect(await find({ ...TIDAL, to: noon })).toMatchObject([{ publishedAt: noon }]);
    // Its time stays while it is ahead, also if the feed has changed.
    provider.answers(feed(news('Tidal turbines', `<pubDate>${ahead}</pubDate><description>x</description>`)));
    clock.advance(15 * MINUTE);
    expect(await find({ ...TIDAL, to: clock.now() })).toMatchObject([{ snippet: 'x', publishedAt: noon }]);
    // The reading may end after the window that it is for.
    expect(await find({ ...TIDAL, to: new Date(noon.getTime() - 1) })).toEqual([]);
  });

  test('an entry that is first seen by the reading for a query is part of its answer', async () => {
    const ahead = '<pubDate>Wed, 25 Nov 2026 08:00:00 GMT</pubDate>';
    const { find, clock } = await startOne(feed(news('Tidal turbines', ahead)));
    const to = new Date(clock.now().getTime() - 900);
    expect(await find({ ...TIDAL, to })).toMatchObject([{ publishedAt: to }]);
  });

  test('a site names its feed; next time only the feed is read', async () => {
    const page =
      '<html><head><link rel="alternate" type="application/rss+xml" href="feed.xml"></head></html>';
    const { provider, titles, clock, adapter } = await start(({ url }) => [`${url}/`], {
      '/': feed(page, { 'content-type': 'text/html' }),
      '/feed.xml': feed(news('Tidal turbines')),
    });
    expect(await titles()).toEqual(['Tidal turbines']);
    clock.advance(15 * MINUTE);
    await titles();
    expect(provider.requests.map(({ path: at }) => at)).toEqual(['/', '/feed.xml', '/feed.xml']);
    expect(adapter.problems?.()).toEqual([]);
  });

  test('a slow feed costs its own items, and only briefly', async () => {
    const { asking, cuts, adapter } = await start(({ url }) => [`${url}/a`, `${url}/slow`], {
      '/a': feed(news('Tidal turbines')),
      '/slow': () => {},
    });
    const hurried = { ...asking, leftMs: () => 1 };
    expect(await adapter.find(query(TIDAL), hurried)).toHaveLength(1);
    expect(cuts).toMatchObject([{ code: 'source_timeout', detail: '1 of 2 feeds', unasked: true }]);
  });

  test('one that was too slow is not waited for again', async () => {
    const answers: Record<string, Answer> = { '/a': feed(news('Tidal turbines')), '/slow': () => {} };
    const { titles, cuts, clock } = await start(({ url }) => [`${url}/a`, `${url}/slow`], answers, {
      maxFeedMs: 1_500,
    });
    expect(await titles()).toHaveLength(1);
    expect(cuts).toEqual([]);
    clock.advance(15 * MINUTE);
    expect(await titles()).toHaveLength(1);
    expect(cuts).toMatchObject([{ detail: '1 of 2 feeds' }]);
  });

  test('a feed that fails keeps its entries while others work; once none works, that is a failure', async () => {
    const answers: Record<string, Answer> = {
      '/a': feed(news('Tidal turbines')),
      '/b': feed(news('Tidal turbines again')),
    };
    const { titles, find, clock, adapter } = await start(({ url }) => [`${url}/a`, `${url}/b`], answers);
    expect(await titles()).toHaveLength(2);
    answers['/a'] = text('', 500);
    clock.advance(15 * MINUTE);
    expect(await titles()).toHaveLength(2);
    expect(adapter.problems?.()).toHaveLength(1);
    answers['/b'] = text('', 500);
    clock.advance(15 * MINUTE);
    expect(await outageOf(find())).toMatchObject({ code: 'source_failed', detail: 'HTTP 500' });
    answers['/a'] = feed(news('Tidal turbines'));
    clock.advance(15 * MINUTE);
    expect(await titles()).toHaveLength(2);
  });

  test('waits as long as a busy server asks, and a minute without a network', async () => {
    const { provider, find, clock } = await startOne(text(CANARY, 503, { 'retry-after': '1800' }));
    const outage = () => outageOf(find());
    expect(await outage()).toMatchObject({ code: 'source_failed', detail: 'HTTP 503' });
    clock.advance(29 * MINUTE);
    await outage();
    expect(provider.requests).toHaveLength(1);
    clock.advance(MINUTE);
    await outage();
    expect(provider.requests).toHaveLength(2);
  });

  test('the probe succeeds if any feed can be read, and names the others', async () => {
    const { adapter, asking, provider } = await start(
      ({ url }) => [`${url}/a`, `${url}/gone?key=${CANARY}`],
      { '/a': feed(news('x')), '/gone': text(CANARY, 410) },
    );
    await adapter.probe?.(asking);
    expect(adapter.problems?.()).toEqual([`${provider.url}/gone: gone (HTTP 410); remove it from FEEDS`]);
  });
});

describe('a feed that cannot be read is named, and the others go on', () => {
  test.each<[string, Answer, string]>([
    ['gone', text(CANARY, 410), 'gone (HTTP 410); remove it from FEEDS'],
    ['missing', text(CANARY, 404), 'HTTP 404'],
    ['a page', feed(`<html><body>${CANARY}`), 'is a page, not a feed, and names no feed'],
    ['JSON of another kind', json({ words: CANARY }), 'is neither a feed nor a page'],
    ['empty', feed(''), 'is neither a feed nor a page'],
    ['unchanged, though never read', text('', 304), 'HTTP 304'],
    [
      'entities',
      feed(`<!DOCTYPE rss [<!ENTITY a "${CANARY}">]>${news('&a;')}`),
      'uses entities that it declares, which are not expanded',
    ],
    ['more than 10 MB', feed(`<rss>${'x'.repeat(10_000_001)}`), 'larger than 10 MB'],
    [
      'more than 10 MB, compressed',
      (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(gzipSync(Buffer.alloc(11_000_000)));
      },
      'larger than 10 MB',
    ],
    [
      'elsewhere, but not on the web',
      redirect('file:///etc/passwd'),
      'leads to an address that is not http or https',
    ],
    [
      'elsewhere, with a password',
      redirect('https://user:secret@news.example/'),
      'leads to an address that is not http or https',
    ],
    ['elsewhere, where it is gone', redirect('/0/feed', 302), 'gone (HTTP 410)'],
    ['broken off', (_request, response) => void response.socket?.destroy(), 'no response (UND_ERR_SOCKET)'],
  ])('%s', async (_, answer, words) => {
    const { problem } = await startOne(answer);
    expect(await problem()).toMatch(words);
    const { titles, adapter } = await start(({ url }) => [`${url}/feed`, `${url}/good`], {
      '/feed': answer,
      '/good': feed(news('Tidal turbines')),
    });
    expect(await titles()).toEqual(['Tidal turbines']);
    expect(adapter.problems?.()).toHaveLength(1);
  });

  test('a page that names a feed that is gone', async () => {
    const page = feed('<html><link rel="alternate" type="application/rss+xml" href="/x">');
    const { problem } = await startOne(page);
    expect(await problem()).toBe('gone (HTTP 410); remove it from FEEDS');
  });

  test('a page that names itself is read once', async () => {
    const page = feed('<html><link rel="alternate" type="application/rss+xml" href="feed">');
    const { provider, problem } = await startOne(page, { maxFeedMs: 2_000 });
    expect(await problem()).toBe('is a page, not a feed, and names no feed; PAGES watches its text');
    expect(provider.requests).toHaveLength(1);
  });

  test('one that redirects forever', async () => {
    const { provider, problem } = await startOne(text(''));
    provider.answers(redirect(`${provider.url}/feed`, 302));
    expect(await problem()).toBe('redirects more than 5 times');
    expect(provider.requests).toHaveLength(6);
  });

  test('one that never ends', async () => {
    const { problem } = await startOne(
      (_request, response) => {
        response.writeHead(200);
        response.write('<rss><channel>');
      },
      { maxFeedMs: 50 },
    );
    expect(await problem()).toBe('no complete response in 0.05 s');
  });

  test('one that moved is read, and its new address named; a temporary redirect is not', async () => {
    const { provider, titles, adapter } = await start(({ url }) => [`${url}/old`, `${url}/temporary`], {
      '/old': (request, response) => redirect(`${provider.url}/new`, 308)(request, response),
      '/temporary': (request, response) => redirect(`${provider.url}/new`, 302)(request, response),
      '/new': feed(news('Tidal turbines')),
    });
    expect(await titles()).toEqual(['Tidal turbines', 'Tidal turbines']);
    expect(adapter.problems?.()).toEqual([
      `${provider.url}/old: moved permanently to ${provider.url}/new; change it in FEEDS`,
    ]);
  });

  test('none: the reason, if all have the same', async () => {
    const same = await start(({ url }) => [`${url}/a`, `${url}/b`], {});
    expect(await outageOf(same.find())).toMatchObject({ code: 'source_failed', detail: 'HTTP 404' });
    const several = await start(({ url }) => [`${url}/a`, `${url}/b`], { '/b': text('', 500) });
    expect(await outageOf(several.find())).toMatchObject({ detail: 'none of 2 feeds could be read' });
  });
});

describe.each(['FEEDS', 'PAGES'] as const)('addresses that people give in %s', (list) => {
  const lookup =
    (...addresses: string[]): Resolve =>
    () =>
      Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
  const open = (
    address: (provider: Provider) => string,
    answers: Readonly<Record<string, Answer>>,
    means: { allow?: string; resolve?: Resolve },
  ) =>
    list === 'FEEDS'
      ? start((provider) => [address(provider)], answers, means)
      : start(() => [], answers, { ...means, pages: (provider) => [address(provider)] });
  const document = feed(
    list === 'FEEDS' ? news('Tidal turbines') : '<html><p>Tidal turbines turn again.</p>',
  );

  test('private ones are refused and receive nothing, whatever name leads there', async () => {
    const literal = await open(({ url }) => `${url}/a`, { '/a': document }, { allow: '' });
    expect(await literal.problem()).toMatch(
      /^127\.0\.0\.1 is not a public address\. To allow it, add it to FEEDS_ALLOW/,
    );
    expect(literal.provider.requests).toEqual([]);
    const refused = async (address: string, ...addresses: string[]) =>
      (await open(() => address, {}, { allow: '', resolve: lookup(...addresses) })).problem();
    for (const inner of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fe80::1', 'fd00::1'])
      expect(await refused('https://site.example/', inner)).toMatch(
        `site.example resolves to ${inner}, which is not a public`,
      );
    expect(await refused('https://site.example/', '93.184.216.34', '::1')).toMatch(
      /::1, which is not a public/,
    );
    expect(await refused('http://site.example/', '93.184.216.34')).toMatch(/requires https/);
  });

  test('each redirect is checked like the first', async () => {
    const inner = await startProvider(document);
    const host = (url: string) => url.replace('127.0.0.1', 'site.example');
    const names: Resolve = (name) => lookup(name === 'site.example' ? '127.0.0.1' : '10.0.0.1')(name);
    const means = { allow: 'site.example', resolve: names };
    const redirected = async (to: string) => {
      const opened = await open(({ url }) => `${host(url)}/a`, { '/a': redirect(to) }, means);
      const problem = await opened.problem();
      expect(opened.provider.requests).toHaveLength(1);
      return problem;
    };
    expect(await redirected(`${inner.url}/x`)).toMatch(/^127\.0\.0\.1 is not a public address/);
    expect(await redirected('https://inner.example/')).toMatch(/^inner\.example resolves to 10\.0\.0\.1/);
    expect(inner.requests).toEqual([]);
  });

  test('the address that was checked is the one connected to', async () => {
    const resolve = vi.fn(lookup('10.0.0.1')).mockImplementationOnce(lookup('127.0.0.1'));
    const { find, provider } = await open(
      ({ url }) => `${url}/a`.replace('127.0.0.1', 'site.example'),
      { '/a': document },
      { allow: 'site.example', resolve },
    );
    expect(await find(TIDAL)).toHaveLength(1);
    expect(provider.requests).toHaveLength(1);
    expect(resolve).toHaveBeenCalledTimes(1);
  });
});

test('an error of the program while it reads is not taken for a feed that is slow', async () => {
  const { adapter, asking } = await startOne(text('', 404));
  const log = createLogger('silent');
  log.info = () => {
    throw new TypeError('a mistake');
  };
  await expect(adapter.find(query(), { ...asking, log })).rejects.toThrow('a mistake');
});

test('a feed that a page names is checked like the page', async () => {
  const inner = await startProvider(feed(news('x')));
  const page = feed(`<html><link rel="alternate" type="application/rss+xml" href="${inner.url}/x">`);
  const { problem } = await start(
    ({ url }) => [`${url}/a`.replace('127.0.0.1', 'site.example')],
    { '/a': page },
    { allow: 'site.example', resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) },
  );
  expect(await problem()).toMatch(/^127\.0\.0\.1 is not a public address/);
  expect(inner.requests).toEqual([]);
});

test('a source has a process of its own, which can start before the first query and ends with it', async () => {
  const opened: string[] = [];
  const { titles, adapter, provider } = await startOne(feed(news('Tidal turbines')), {
    openParser: (log: Logger) => {
      const own = openFeedParser(log);
      const prepare = () => {
        opened.push('prepared');
        own.prepare();
      };
      return { ...own, prepare };
    },
  });
  await adapter.prepare?.(createLogger('silent'));
  expect([opened, provider.requests]).toEqual([['prepared'], []]);
  expect(await titles()).toEqual(['Tidal turbines']);
  await adapter.close?.();
});

test('a document that ends the process fails alone, also right after the start', async () => {
  const fragile = openFeedParser(createLogger('silent'));
  onTestFinished(() => fragile.close());
  const { signal } = new AbortController();
  const parse = (document: string, address = 'https://news.example/') =>
    fragile.parse(Buffer.from(document), { address, contentType: '' }, signal);
  // The frame is larger than any that the process accepts.
  const deadly = parse(rss(), 'x'.repeat(200_000));
  const next = parse(news('Tidal turbines'));
  await expect(deadly).rejects.toThrow('the feed process ended');
  expect(await next).toMatchObject({ kind: 'feed', entries: [{ title: 'Tidal turbines' }] });
});

test('the largest page that is watched is parsed: five hundred texts, each with its address and the title', async () => {
  const body = Array.from({ length: 500 }, (_, i) => `<p>${i} ${'潮'.repeat(600)}</p>`).join('');
  const document = Buffer.from(`<title>${'港'.repeat(1_000)}</title><main>${body}</main>`);
  const order = {
    address: `https://a.example/${'a'.repeat(2_000)}`,
    contentType: 'text/html',
    isWatched: true,
  };
  const parsed = await parser.parse(document, order, new AbortController().signal);
  expect(parsed.kind === 'text' && parsed.entries).toHaveLength(500);
});

describe('a feed with more entries than are returned', () => {
  const entry = (n: number, minutesAgo: number, words = 'Tidal turbines') =>
    `<title>${words} ${n}</title><link>https://news.example/${n}</link><pubDate>${new Date(NOW.getTime() - minutesAgo * MINUTE).toUTCString()}</pubDate>`;
  const sixty = Array.from({ length: 60 }, (_, n) => entry(n, (n + 1) * 60));
  const newest = entry(99, 1, 'Second accident with turbines of a tidal power station, says the operator');

  test.each([
    ['NOVA', 'PAST_24_HOURS'],
    ['NOVA', 'PAST_WEEK'],
    ['ORBIT', 'PAST_WEEK'],
    ['HORIZON', 'PAST_2_YEARS'],
  ] as const)('shows %s the newest in %s, and says how many match', async (model, dateFilter) => {
    const { adapter, asking } = await startOne(feed(rss(...sixty, newest)));
    const source = {
      name: 'feeds',
      source: 'web' as const,
      state: 'live' as const,
      wordings: 'own' as const,
      find: (asked: SourceQuery) =>
        adapter.find(asked, { ...asking, report: (notice) => asked.report?.(notice) }),
    };
    const { findings, warnings } = await retrieveFindings(
      { sources: [source], log: createLogger('silent') },
      { prompt: 'tidal turbines', selected: ['web'], model, dateFilter, at: NOW },
      new AbortController().signal,
    );
    const found = findings.get('web') ?? [];
    expect(found).toHaveLength(Math.min(MODEL_TIERS[model].items, dateFilter === 'PAST_24_HOURS' ? 25 : 61));
    expect(found.map(({ title }) => title)).toContainEqual(expect.stringContaining('Second accident'));
    const matching = dateFilter === 'PAST_24_HOURS' ? 25 : 61;
    expect(warnings).toEqual([
      {
        code: 'list_full',
        tool: 'Web Search',
        message: expect.stringMatching(
          new RegExp(
            `^returned \\d+ of \\d+ or more results, the newest among them; feeds has ${matching} matching entries$`,
          ),
        ) as string,
      },
    ]);
  });

  test('names entries that are left out', async () => {
    const long = Array.from({ length: 250 }, (_, n) => entry(n, n + 1));
    const { find, notices, adapter } = await startOne(
      feed(
        rss(
          ...long,
          '<title>Tidal turbines without address</title>',
          '<title>Other</title>',
          '<title>Tidal turbines</title><link>/u</link><pubDate>soon</pubDate>',
        ),
      ),
    );
    await find({ ...TIDAL, limit: 300 });
    expect(notices).toEqual([
      { code: 'entries_left_out', message: 'left out 1 matching entry without an address' },
      { code: 'entries_left_out', message: 'read only the newest entries of 1 feed in this period' },
    ]);
    expect(adapter.problems?.()).toEqual([
      expect.stringMatching(
        /: 53 of 253 entries left out: 2 without an address, 51 older than the newest 200; entries dated when first seen: 1 with a date that cannot be read$/,
      ),
    ]);
  });

  test('dates entries without a date by when they were first seen', async () => {
    const undated = (...ns: number[]) =>
      rss(...ns.map((n) => `<title>Tidal turbines ${n}</title><link>/${n}</link>`));
    const { find, provider, clock } = await startOne(feed(undated(1, 2)));
    const read = async () =>
      (await find({ ...TIDAL, to: clock.now() })).map(({ title, publishedAt, periodVouched }) => [
        title.at(-1),
        publishedAt?.toISOString(),
        periodVouched,
      ]);
    expect(await read()).toEqual([
      ['1', undefined, true],
      ['2', undefined, true],
    ]);
    provider.answers(feed(undated(3, 1, 2)));
    clock.advance(15 * MINUTE);
    const seen = clock.now().toISOString();
    expect(await read()).toEqual(
      expect.arrayContaining([
        ['3', seen, undefined],
        ['1', undefined, true],
      ]),
    );
    clock.advance(15 * MINUTE);
    expect(await read()).toEqual(
      expect.arrayContaining([
        ['3', seen, undefined],
        ['2', undefined, true],
      ]),
    );
    // In a period of the past, it is not vouched for.
    const past = { from: new Date(NOW.getTime() - 90 * MINUTE), to: new Date(NOW.getTime() - 60 * MINUTE) };
    for (const item of await find({ ...TIDAL, ...past })) expect(item).not.toHaveProperty('periodVouched');
  });

  test('of a size is read up to a setting', async () => {
    const large = feed(news('Tidal turbines') + ' '.repeat(2_500_000));
    expect(await (await startOne(large)).titles()).toEqual(['Tidal turbines']);
    expect(await (await startOne(large, { maxMb: 2 })).problem()).toBe('is larger than 2 MB');
  });
});

describe('a watched page', () => {
  const notices = (...texts: string[]) =>
    `<html><title>Notices of the harbour</title><link rel="alternate" type="application/rss+xml" href="/feed"><main>${texts.map((each) => `<p>${each}</p>`).join('')}</main>`;
  const BRIDGE = 'The bridge is closed until further notice.';
  const FERRY = 'From Monday the ferry leaves at nine.';
  const HARBOUR = { prompt: 'harbour ferry', keywords: ['harbour', 'ferry'] };

  async function watch(first: Answer, means: { allow?: string } = {}) {
    const started = await start(
      () => [],
      { '/feed': text(CANARY, 500) },
      {
        ...means,
        pages: ({ url }) => [`${url}/`],
      },
    );
    started.provider.answers(first);
    return started;
  }

  test('says what it says now, in every period that ends now; of what appears later, when that was', async () => {
    const { find, provider, clock } = await watch(feed(notices(BRIDGE, FERRY)));
    const [ferry, ...others] = await find(HARBOUR);
    expect(others).toEqual([]);
    expect(ferry).toEqual({
      source: 'web',
      title: FERRY,
      link: expect.stringMatching(/#![\da-f]{12}:~:text=From%20Monday/),
      snippet: FERRY,
      summaryDescription: '',
      publishedAt: undefined,
      periodVouched: true,
    });
    // The feed that it names is not read.
    expect(provider.requests.map((request) => request.path)).toEqual(['/']);
    const later = 'On Friday the ferry to the harbour does not sail.';
    provider.answers(feed(notices(BRIDGE, FERRY, later)));
    clock.advance(15 * MINUTE);
    const to = clock.now();
    expect(await find({ ...HARBOUR, to })).toMatchObject([
      { snippet: later, publishedAt: to },
      { snippet: FERRY, link: ferry?.link, publishedAt: undefined, periodVouched: true },
    ]);
    // It says nothing about a period of the past.
    const past = { from: new Date(to.getTime() - 90 * MINUTE), to: new Date(to.getTime() - 60 * MINUTE) };
    const [then, ...more] = await find({ ...HARBOUR, ...past });
    expect(more).toEqual([]);
    expect(then).not.toHaveProperty('periodVouched');
  });

  test('a text that goes and comes back is the same link', async () => {
    const { find, provider, clock } = await watch(feed(notices(FERRY)));
    provider.answers(feed(notices(FERRY)), feed(notices(BRIDGE)), feed(notices(FERRY)));
    const links: string[][] = [];
    for (let i = 0; i < 3; i++) {
      links.push(
        (await find({ prompt: 'ferry nine', keywords: ['ferry', 'nine'], to: clock.now() })).map(
          ({ link }) => link,
        ),
      );
      clock.advance(15 * MINUTE);
    }
    expect(links.map((all) => all.length)).toEqual([1, 0, 1]);
    expect(links[2]).toEqual(links[0]);
  });

  test('keeps its texts and their times while it cannot be read', async () => {
    const { find, provider, clock, adapter } = await watch(feed(notices(BRIDGE)));
    await find(HARBOUR);
    provider.answers(feed(notices(FERRY)), text('', 500), text('', 304), feed(notices(FERRY, BRIDGE)));
    const times: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      clock.advance(15 * MINUTE);
      const found = await find({ ...HARBOUR, to: clock.now() }).catch(() => []);
      times.push(found.map(({ publishedAt }) => publishedAt?.toISOString()));
      if (i === 1) expect(adapter.problems?.()).toEqual([expect.stringContaining('HTTP 500')]);
    }
    const appeared = '2026-11-21T12:15:00.000Z';
    expect(times).toEqual([[appeared], [], [appeared], [appeared]]);
  });

  test('is all found by its site alone; others find what is about them, with the words of its title', async () => {
    const { find } = await watch(feed(notices(BRIDGE, FERRY)));
    const site = { prompt: 'site:127.0.0.1', keywords: ['127.0.0.1'] };
    expect((await find(site)).map(({ snippet }) => snippet)).toEqual([BRIDGE, FERRY]);
    expect(await find({ prompt: 'tidal turbines', keywords: ['tidal', 'turbines'] })).toEqual([]);
  });

  test('without text is named, as is one that is gone, and it is fetched by the rules of feeds', async () => {
    const scripts = await watch(
      feed('<html><div id="app"></div><script>render("The bridge is closed")</script>'),
    );
    await scripts.find(HARBOUR).catch(() => {});
    expect(scripts.adapter.problems?.()).toEqual([
      expect.stringContaining('has no text: scripts may write it'),
    ]);
    const gone = await watch(text('', 410));
    await gone.find(HARBOUR).catch(() => {});
    expect(gone.adapter.problems?.()).toEqual([
      expect.stringContaining('gone (HTTP 410); remove it from PAGES'),
    ]);
    const hidden = await watch(feed(notices(FERRY)), { allow: '' });
    await hidden.find(HARBOUR).catch(() => {});
    expect(hidden.adapter.problems?.()).toEqual([expect.stringMatching(/public|https/)]);
    expect(hidden.provider.requests).toEqual([]);
  });
});

describe('FEEDS', () => {
  const read = (value: string): unknown =>
    readConfig({ FEEDS: value }).settings.read(variable('FEEDS', feedList, '', { default: 'en' }));

  test.each<[string, unknown]>([
    ['https://a.example/feed, http://b.example', ['https://a.example/feed', 'http://b.example/']],
    ['en', expect.arrayContaining(['https://www.theguardian.com/world/rss'])],
    ['en,-theguardian.com', expect.not.arrayContaining(['https://www.theguardian.com/world/rss'])],
    ['https://a.example/x,https://a.example/x', ['https://a.example/x']],
    ['none', []],
    [
      'https://www.youtube.com/channel/UC9PBzalIcEQCsiIkq36PyUA/videos',
      ['https://www.youtube.com/feeds/videos.xml?channel_id=UC9PBzalIcEQCsiIkq36PyUA'],
    ],
    [
      'https://m.youtube.com/playlist?list=PL590L5WQmH8fJ54F369BLDSqIwcs-TCfs',
      ['https://www.youtube.com/feeds/videos.xml?playlist_id=PL590L5WQmH8fJ54F369BLDSqIwcs-TCfs'],
    ],
    ['https://old.reddit.com/r/rust', ['https://www.reddit.com/r/rust/new/.rss']],
    ['https://www.reddit.com/u/spez/', ['https://www.reddit.com/user/spez/submitted/.rss']],
    ['https://www.reddit.com/r/rust/.rss', ['https://www.reddit.com/r/rust/.rss']],
    ['https://bsky.app/profile/ada.example', ['https://bsky.app/profile/ada.example/rss']],
    ['https://bsky.app/profile/did:plc:abc', ['https://bsky.app/profile/did:plc:abc/rss']],
    ['https://bsky.app/profile/did%3Aplc%3Aabc', ['https://bsky.app/profile/did:plc:abc/rss']],
    ['http://BSKY.app/profile/ada.example/?x=1#posts', ['https://bsky.app/profile/ada.example/rss']],
    ['https://bsky.app/profile/ada.example/rss', ['https://bsky.app/profile/ada.example/rss']],
    [
      'https://music.YouTube.com/channel/UC9PBzalIcEQCsiIkq36PyUA/?si=x',
      ['https://www.youtube.com/feeds/videos.xml?channel_id=UC9PBzalIcEQCsiIkq36PyUA'],
    ],
    [
      'https://www.youtube.com/playlist/?list=PL590L5WQmH8fJ54F369BLDSqIwcs-TCfs',
      ['https://www.youtube.com/feeds/videos.xml?playlist_id=PL590L5WQmH8fJ54F369BLDSqIwcs-TCfs'],
    ],
    ['http://M.Reddit.com/r/rust/?utm_source=share', ['https://www.reddit.com/r/rust/new/.rss']],
    ['https://np.reddit.com/r/rust/new/', ['https://www.reddit.com/r/rust/new/.rss']],
    ['https://www.reddit.com/user/spez/submitted/', ['https://www.reddit.com/user/spez/submitted/.rss']],
    ['https://www.reddit.com/r/rust/comments/', ['https://www.reddit.com/r/rust/comments/']],
    ['https://bsky.app/profile/ada.example/post/1', ['https://bsky.app/profile/ada.example/post/1']],
    ['https://www.youtube.com/@handle', ['https://www.youtube.com/@handle']],
    [
      'https://youtube.com.example/channel/UC9PBzalIcEQCsiIkq36PyUA',
      ['https://youtube.com.example/channel/UC9PBzalIcEQCsiIkq36PyUA'],
    ],
  ])('%s', (value, expected) => {
    expect(read(value)).toEqual(expected);
  });

  test.each(Object.entries(NEWS_SITES))(
    'the starting list for %s has public addresses, each once',
    (language, addresses) => {
      expect(read(language)).toEqual(addresses);
      expect(addresses.every((address) => address.startsWith('https://'))).toBe(true);
    },
  );

  test.each(['xx', 'ftp://a.example', 'https://u:p@a.example/', '/no/such/file', 'en, nonsense'])(
    'refuses %s',
    (value) => {
      expect(() => read(value)).toThrow(/FEEDS/);
    },
  );

  test('a file, with one a line or as OPML', async () => {
    const directory = await makeDirectory();
    const lines = path.join(directory, 'feeds.txt');
    await writeFile(lines, '# my feeds\nhttps://a.example/feed\r\n\n-bbci.co.uk\nen\n');
    expect(read(lines)).toEqual(
      expect.arrayContaining(['https://a.example/feed', 'https://feeds.npr.org/1001/rss.xml']),
    );
    expect(String(read(lines))).not.toContain('bbci');
    const opml = path.join(directory, 'feeds.opml');
    await writeFile(
      opml,
      `<?xml version="1.0"?><opml version="2.0"><body><outline text="a"><outline type="rss" xmlUrl="https://a.example/?x=1&amp;y=2"/></outline><outline xmlUrl='https://b.example/'/></body></opml>`,
    );
    expect(read(opml)).toEqual(['https://a.example/?x=1&y=2', 'https://b.example/']);
    const many = path.join(directory, 'many.txt');
    await writeFile(many, Array.from({ length: 101 }, (_, i) => `https://a.example/${i}`).join('\n'));
    expect(() => read(many)).toThrow(/at most 100/);
    await writeFile(
      many,
      `-b.example\n${Array.from({ length: 100 }, (_, i) => `https://a.example/${i}`).join('\n')}\nhttps://b.example`,
    );
    expect(read(many)).toHaveLength(100);
  });

  test('and PAGES say what is accepted', () => {
    expect(feedList.description).toMatch(/URLs of feeds/);
    expect(pageList.description).toMatch(/URLs of pages/);
  });

  test('by default the language of the machine and English', () => {
    const locales = ['de-AT', 'pt_BR', 'en-US', 'C', 'tlh', 'zh-Hant-TW'];
    expect(locales.map((locale) => listLocalLanguages(locale).join())).toEqual([
      'de,en',
      'pt,en',
      'en',
      'en',
      'en',
      'zh,en',
    ]);
  });

  test('PAGES lists addresses only, as they are', async () => {
    const pages = (value: string): unknown =>
      readConfig({ PAGES: value }).settings.read(variable('PAGES', pageList, '', { default: 'none' }));
    expect(pages('none')).toEqual([]);
    expect(pages('https://www.reddit.com/r/rust, https://a.example/x')).toEqual([
      'https://www.reddit.com/r/rust',
      'https://a.example/x',
    ]);
    expect(() => pages('en')).toThrow(/PAGES.*not so entry 1/);
  });

  test('none turns the source off', () => {
    const options = { at: undefined, version: '1' };
    expect(FEEDS.open(readConfig({ FEEDS: 'none' }).settings.read, options)).toBeUndefined();
    expect(() => FEEDS.open(readConfig({ FEEDS_ALLOW: 'a b' }).settings.read, options)).toThrow(
      /FEEDS_ALLOW/,
    );
  });
});
