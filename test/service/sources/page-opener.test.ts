import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { steppedClock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { readAllowed, type Resolve } from '../../../src/platform/network.ts';
import type { PageCache } from '../../../src/service/ports.ts';
import { createMemoryPageCache } from '../../../src/service/sources/pages/memory-cache.ts';
import { createPageOpener } from '../../../src/service/sources/pages/page-opener.ts';
import { openPageReader } from '../../../src/service/sources/pages/page-reader.ts';
import { NOW } from './provider.ts';
import { hang, html, type SiteAnswer, startSite } from './site.ts';

const TEXT = 'The barrage at the mouth of the river has produced power from the tides since 1966.';
const PAGE = `<!doctype html><html><title>Barrage</title><main><p>${TEXT}</p></main>`;
const robots = (rules: string): SiteAnswer => html(rules, { 'content-type': 'text/plain' });
const IN_TIME = 60 * SECOND;

/** The processes start once for all tests of this file. */
const reader = openPageReader(createLogger('silent'), { readMs: IN_TIME });
beforeAll(async () => {
  // A busy machine may take longer to start one than it may take.
  const read = () =>
    reader.read(Buffer.from(PAGE), { contentType: '', robots: '' }, new AbortController().signal);
  await vi.waitFor(read, { timeout: 280_000, interval: 100 });
});
afterAll(() => reader.close());

function start({
  allow = '127.0.0.1',
  resolve,
  cache = createMemoryPageCache(),
}: {
  allow?: string;
  resolve?: Resolve;
  cache?: PageCache;
} = {}) {
  const clock = steppedClock(NOW);
  const lines: string[] = [];
  const opener = createPageOpener({
    who: 'strandline/1.0 (test)',
    clock,
    log: createLogger('debug', [], { write: (line) => lines.push(line) }),
    cache,
    allowed: readAllowed(allow, 'TESTED'),
    reader: { ...reader, close: async () => {} },
    ...(resolve && { resolve }),
  });
  onTestFinished(() => opener.close());
  const open = async (addresses: readonly string[], limitMs = IN_TIME) =>
    [...(await opener.open(addresses, limitMs, new AbortController().signal)).values()].map(
      ({ page, why }) => page?.paragraphs[0] ?? why,
    );
  return { opener, clock, open, lines };
}

describe('a page', () => {
  test('is read, with what robots.txt of its site permits', async () => {
    const site = await startSite({
      '/robots.txt': robots(
        'User-agent: *\nDisallow: /\n\nUser-agent: Strandline\nDisallow: /private\nAllow: /',
      ),
      '/a': html(PAGE),
      '/private/b': html(PAGE),
    });
    const { open } = start();
    expect(await open([`${site.url}/a`, `${site.url}/private/b`])).toEqual([
      TEXT,
      'is forbidden by robots.txt',
    ]);
    expect(site.paths().sort()).toEqual(['/a', '/robots.txt']);
    expect(site.asked[0]?.headers['user-agent']).toBe('strandline/1.0 (test)');
  });

  test.each<[string, SiteAnswer, string]>([
    ['missing', html('', {}, 404), TEXT],
    ['of HTML', html('<html><p>User-agent: you</p>'), TEXT],
    ['of bytes', html(Buffer.from([0, 255, 1, 254])), TEXT],
    ['empty', robots(''), TEXT],
    ['failing', html('', {}, 503), 'has no readable robots.txt (HTTP 503)'],
    ['for nobody', html('', {}, 429), 'has no readable robots.txt (HTTP 429)'],
    [
      'cut off',
      (response) =>
        void response.writeHead(200, { 'content-length': '99' }).end('User-agent', () => response.destroy()),
      'has no readable robots.txt',
    ],
    ['larger than any', robots('# nothing\n'.repeat(60_000)), 'has no readable robots.txt'],
    [
      'a bomb',
      html(gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' }),
      'has no readable robots.txt',
    ],
  ])('with a robots.txt that is %s', async (_, answer, expected) => {
    const site = await startSite({ '/robots.txt': answer, '/': html(PAGE) });
    const { open } = start();
    expect(await open([`${site.url}/`])).toEqual([expected]);
  });

  test('whose robots.txt hangs costs no more than the limit, and is not asked for a second time', async () => {
    const site = await startSite({ '/robots.txt': hang, '/a': html(PAGE), '/b': html(PAGE) });
    const { open } = start();
    expect(await open([`${site.url}/a`, `${site.url}/b`], 300)).toEqual(
      Array(2).fill('was not read in time'),
    );
    expect(site.paths()).toEqual(['/robots.txt']);
  });

  test('is asked for no more often than robots.txt says', async () => {
    const site = await startSite({
      '/robots.txt': robots('User-agent: *\nCrawl-delay: 30'),
      '/a': html(PAGE),
      '/b': html(PAGE),
    });
    const { open, clock } = start();
    expect(await open([`${site.url}/a`])).toEqual([TEXT]);
    expect(await open([`${site.url}/b`])).toEqual(['asks for a pause between requests']);
    clock.advance(31 * SECOND);
    expect(await open([`${site.url}/b`])).toEqual([TEXT]);
  });

  test.each<[string, SiteAnswer, string]>([
    [
      'is of another type',
      html('%PDF-1.7', { 'content-type': 'application/pdf' }),
      'is no page (application/pdf)',
    ],
    ['lies about its type', html('%PDF-1.7 and so on'), 'is a PDF'],
    ['has no type', (response) => void response.writeHead(200).end(PAGE), TEXT],
    [
      'has a hostile type',
      html(PAGE, { 'content-type': `text/<b>${'x'.repeat(500)}` }),
      'is no page (of an unknown type)',
    ],
    [
      'lies about its charset',
      html(Buffer.from(PAGE.replace('The', 'Ðe'), 'utf8'), { 'content-type': 'text/html; charset=us-ascii' }),
      TEXT.replace('The', 'Ðe'),
    ],
    ['is huge', html('<p>word '.repeat(400_000)), 'is larger than 2 MB'],
    [
      'is a gzip bomb',
      html(gzipSync(Buffer.alloc(100_000_000, '<')), { 'content-encoding': 'gzip' }),
      'is larger than 2 MB',
    ],
    [
      'is not gzip',
      html(PAGE, { 'content-encoding': 'gzip' }),
      expect.stringMatching(/^no response \(\w+\)$/),
    ],
    ['nests 20,000 deep', html(`<html>${'<div>'.repeat(20_000)}`), 'nests elements more than 256 deep'],
    ['fails', html('', {}, 500), 'HTTP 500'],
    ['asks not to be quoted', html(PAGE, { 'x-robots-tag': 'nosnippet' }), 'asks not to be quoted'],
    [
      'resets the connection',
      (response) => response.socket?.resetAndDestroy(),
      expect.stringMatching(/^no response \(\w+\)$/),
    ],
    ['redirects for ever', html('', { location: '/' }, 302), 'redirects more than 5 times'],
    [
      'redirects to a private address',
      html('', { location: 'http://10.0.0.1/' }, 302),
      'leads to an address that is not public',
    ],
    [
      'redirects to metadata of a cloud',
      html('', { location: 'http://169.254.169.254/latest/' }, 302),
      'leads to an address that is not public',
    ],
    [
      'redirects to a file',
      html('', { location: 'file:///etc/passwd' }, 302),
      'leads to an address that is not http or https',
    ],
  ])('that %s', async (_, answer, expected) => {
    const site = await startSite({ '/': answer });
    const { open } = start();
    expect(await open([`${site.url}/`])).toEqual([expected]);
  });

  test('may redirect, where the other site permits it', async () => {
    const other = await startSite({
      '/robots.txt': robots('User-agent: *\nDisallow: /closed'),
      '/open': html(PAGE),
      '/closed': html(PAGE),
    });
    const site = await startSite({
      '/a': html('', { location: `${other.url}/open` }, 301),
      '/b': html('', { location: `${other.url}/closed` }, 301),
    });
    const { open } = start();
    expect(await open([`${site.url}/a`, `${site.url}/b`])).toEqual([TEXT, 'is forbidden by robots.txt']);
    expect(other.paths().sort()).toEqual(['/open', '/robots.txt']);
  });

  test('at an address that is not public is never asked for', async () => {
    const site = await startSite({ '/': html(PAGE) });
    const { open } = start({ allow: '', resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    const port = new URL(site.url).port;
    expect(
      await open([`${site.url}/`, `http://names.example:${port}/`, `https://names.example:${port}/`]),
    ).toEqual(Array(3).fill('leads to an address that is not public'));
    expect(site.asked).toEqual([]);
  });

  test('that hangs delays no other, and is left alone for a while', async () => {
    const site = await startSite({
      '/hang': hang,
      '/drip': (response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        const drip = setInterval(() => response.write('<p>'), 10);
        response.on('close', () => clearInterval(drip));
      },
      '/a': html(PAGE),
    });
    const { open, clock } = start();
    const addresses = ['/hang', '/drip', '/a'].map((path) => `${site.url}${path}`);
    const late = 'was not read in time';
    // Long enough for the page that answers on a busy machine.
    expect(await open(addresses, 5 * SECOND)).toEqual([late, late, TEXT]);
    const asked = site.asked.length;
    expect(await open(addresses)).toEqual([late, late, TEXT]);
    expect(site.asked.length).toBe(asked);
    clock.advance(11 * MINUTE);
    site.answers['/hang'] = html(PAGE);
    expect(await open([addresses[0] ?? ''])).toEqual([TEXT]);
  });

  test('of which the client no longer waits is forgotten', async () => {
    const site = await startSite({ '/': hang });
    const { opener, open } = start();
    const leaving = new AbortController();
    const opened = opener.open([`${site.url}/`], IN_TIME, leaving.signal);
    await vi.waitFor(() => expect(site.paths()).toContain('/'), { timeout: IN_TIME });
    leaving.abort(new Error('the client left'));
    await expect(opened).rejects.toThrow('the client left');
    site.answers['/'] = html(PAGE);
    expect(await open([`${site.url}/`])).toEqual([TEXT]);
  });
});

describe('a page that was read', () => {
  test('is asked for again after a while, with its validators', async () => {
    const seen: (string | undefined)[] = [];
    const answer: SiteAnswer = (response, { headers }) => {
      seen.push(headers['if-none-match']);
      if (headers['if-none-match'] === '"1"') return void response.writeHead(304).end();
      html(PAGE, { etag: '"1"', 'last-modified': 'Fri, 20 Nov 2026 08:00:00 GMT' })(response, {} as never); // unused
    };
    const site = await startSite({ '/': answer });
    const { open, clock } = start();
    for (const ms of [0, 10 * MINUTE, 10 * MINUTE, HOUR]) {
      clock.advance(ms);
      expect(await open([`${site.url}/`])).toEqual([TEXT]);
    }
    expect(seen).toEqual([undefined, '"1"', '"1"']);
    expect(site.asked.at(-1)?.headers['if-modified-since']).toBe('Fri, 20 Nov 2026 08:00:00 GMT');
  });

  test('may stay for up to an hour, or not at all', async () => {
    const site = await startSite({
      '/hour': html(PAGE, { 'cache-control': 'public, max-age=999999' }),
      '/own': html(PAGE, { 'cache-control': 'private' }),
    });
    const { open, clock } = start();
    const both = [`${site.url}/hour`, `${site.url}/own`];
    await open(both);
    clock.advance(59 * MINUTE);
    await open(both);
    clock.advance(2 * MINUTE);
    await open(both);
    const paths = site.paths();
    expect(paths.filter((path) => path === '/hour')).toHaveLength(2);
    expect(paths.filter((path) => path === '/own')).toHaveLength(3);
  });

  test('is read all the same while the cache fails', async () => {
    const fail = () => Promise.reject(new Error('no database'));
    const site = await startSite({ '/': html(PAGE) });
    expect(await start({ cache: { read: fail, write: fail } }).open([`${site.url}/`])).toEqual([TEXT]);
  });
});

test('a page that takes its process too long is killed, and others are read by the next', async () => {
  const strict = openPageReader(createLogger('silent'), { readMs: 250 });
  onTestFinished(() => strict.close());
  const read = (page: string) =>
    strict.read(Buffer.from(page), { contentType: '', robots: '' }, new AbortController().signal);
  // As many texts as a page may have.
  const heavy = `<html><p>${'&amp;'.repeat(99_000)}`;
  await vi.waitFor(() => read(PAGE), { timeout: 280_000, interval: 100 });
  await expect(read(heavy)).rejects.toMatchObject({
    kind: 'unavailable',
    message: 'the page did not end within 0.25 s; its process was killed',
  });
  await vi.waitFor(async () => expect(await read(PAGE)).toMatchObject({ kind: 'page' }), {
    timeout: 280_000,
    interval: 100,
  });
});
