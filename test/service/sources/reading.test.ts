import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DAY, MINUTE } from '../../../src/lib/time.ts';
import { SourceDown } from '../../../src/service/sources/outage.ts';
import {
  extractSite,
  formatDay,
  joinBestWords,
  pickShortestPeriod,
  shortenPrompt,
  shortenWithDomains,
} from '../../../src/service/sources/provider-query.ts';
import { parsePublishedAt } from '../../../src/service/sources/parse/published-at.ts';
import {
  parseFittingItems,
  optionalField,
  parsePayload,
  tryParsePayload,
} from '../../../src/service/sources/parse/payload.ts';
import { buildEndpoint, toShownLink } from '../../../src/service/sources/parse/provider-addresses.ts';
import { toResult, toWebResult } from '../../../src/service/sources/parse/results.ts';

describe('the time of an item', () => {
  test.each([
    ['2026-11-20T08:30:15.5Z', '2026-11-20T08:30:15.500Z'],
    ['2026-11-20T08:30:15.123456', '2026-11-20T08:30:15.123Z'],
    ['2026-11-20T08:30:15+02:00', '2026-11-20T06:30:15.000Z'],
    ['2026-11-20 08:30:15 -0530', '2026-11-20T14:00:15.000Z'],
    ['2026-11-20T08:30', '2026-11-20T08:30:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['Fri, 20 Nov 2026 08:30:15 GMT', '2026-11-20T08:30:15.000Z'],
  ])('%s', (text, iso) => {
    expect(parsePublishedAt(text)?.toISOString()).toBe(iso);
  });

  test.each([
    undefined,
    '',
    '0',
    '2026-13-01',
    '2026-11-20T25:00:00Z',
    'Fri, 99 Nov 2026 08:30:15 GMT',
    '2026-02-31',
    '2026-02-29T10:00:00Z',
    '2026-04-31 10:00:00 +02:00',
    'Tue, 31 Feb 2026 08:30:15 GMT',
  ])('rejects %s', (text) => {
    expect(parsePublishedAt(text)).toBeUndefined();
  });
});

describe('a citable link', () => {
  test.each([
    ['https://a.example/x?y=1#z', 'https://a.example/x?y=1#z'],
    ['HTTP://A.example', 'http://a.example/'],
    // As the provider gave it, unless a character may not stand in an address.
    ['https://a.example', 'https://a.example'],
    ['https://wiki.example/Tide_(film)?x=[1]', 'https://wiki.example/Tide_(film)?x=[1]'],
    ['https://wiki.example/Größe%20x', 'https://wiki.example/Größe%20x'],
    [' https://a.example/a b"c ', 'https://a.example/a%20b%22c'],
    ['https://a.example\\b', 'https://a.example/b'],
    // Only text: nobody here fetches it.
    ['http://192.168.0.1/admin', 'http://192.168.0.1/admin'],
  ])('%s', (text, link) => {
    expect(toShownLink(text)).toBe(link);
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://a.example/',
    'https://user:pass@a.example/',
    'https://user@a.example/',
    '/relative',
    'https://',
    '',
    `https://a.example/${'x'.repeat(2_100)}`,
    `https://a.example/${'é'.repeat(1_000)}`,
  ])('rejects %s', (text) => {
    expect(toShownLink(text)).toBeUndefined();
  });
});

test('an address on a server keeps the base path of the server', () => {
  expect(buildEndpoint('https://a.example', 'search', { q: 'x y&z' }).href).toBe(
    'https://a.example/search?q=x+y%26z',
  );
  expect(buildEndpoint('https://a.example/proxy/', 'api/v3').href).toBe('https://a.example/proxy/api/v3');
  expect(buildEndpoint('https://a.example/proxy', 'api/v3').href).toBe('https://a.example/proxy/api/v3');
});

test('a response of an unexpected shape is reported without quoting it', () => {
  const frame = z.object({ items: z.array(z.unknown()) });
  for (const text of ['', '<html>secret</html>', '{"items":"secret"}', '[]', 'null']) {
    const read = () => parsePayload(text, frame);
    expect(read).toThrow(SourceDown);
    expect(read).toThrow(/^failed: (?:the response is not JSON|unexpected response format)$/);
  }
});

test('a text that is not JSON is nothing, even to a schema that takes nothing', () => {
  const anything = z.optional(z.string()).default('x');
  expect(['', '<html>', '"y"', '1'].map((text) => tryParsePayload(text, anything))).toEqual([
    undefined,
    undefined,
    'y',
    undefined,
  ]);
});

test('a malformed item is skipped; if all are, the response format has changed', () => {
  const item = z.object({ url: z.string(), title: optionalField(z.string()) });
  expect(parseFittingItems([{ url: 'a' }, { url: 1 }, null, { url: 'b', title: null }], item)).toEqual([
    { url: 'a' },
    { url: 'b' },
  ]);
  expect(parseFittingItems([], item)).toEqual([]);
  expect(() => parseFittingItems([{ link: 'a' }], item)).toThrow('unexpected item format');
});

test('a web result without a title is named after its host', () => {
  const bare = { title: ' ', text: undefined, published: undefined, periodOnly: false };
  expect(toWebResult({ ...bare, url: 'https://a.example/x' })).toMatchObject([
    { title: 'a.example', snippet: '' },
  ]);
  expect(toWebResult({ ...bare, url: 'magnet:?xt=1' })).toEqual([]);
});

test('the texts of a result that cannot be displayed are not read', () => {
  const readItem = () => {
    throw new Error('read');
  };
  expect(toResult('magnet:?xt=1', readItem)).toEqual([]);
});

test('a public search must not return private addresses; your own search may', () => {
  const bare = { title: 'Wiki', text: undefined, published: undefined, periodOnly: false };
  const result = { ...bare, url: 'http://192.168.0.9/wiki' };
  expect(toWebResult(result)).toEqual([]);
  expect(toWebResult({ ...result, intranet: true })).toMatchObject([{ link: result.url }]);
});

test('the shortest period that covers the window is selected', () => {
  const periods = [
    ['day', 1],
    ['week', 7],
    ['year', 365],
  ] as const;
  const now = new Date('2026-11-21T12:00:00Z');
  const back = (days: number, ms = 0) =>
    pickShortestPeriod(periods, new Date(now.getTime() - days * DAY - ms), now);
  expect([1, 2, 7, 14, 365, 730].map((days) => back(days))).toEqual([
    'day',
    'week',
    'week',
    'year',
    'year',
    undefined,
  ]);
  expect(back(1, MINUTE)).toBe('day');
  expect(pickShortestPeriod(periods, undefined, now)).toBeUndefined();
  expect(formatDay(now)).toBe('2026-11-21');
});

test('the words of a query', () => {
  const query = { prompt: 'Which tidal Turbines turn?', keywords: ['turbines', 'tidal', 'turn', 'which'] };
  expect(joinBestWords(query, 2)).toBe('tidal turbines');
  expect(joinBestWords({ prompt: ' ??  ! ', keywords: [] }, 2)).toBe('?? !');

  expect(shortenPrompt('a\n b\t c')).toBe('a b c');
  expect(shortenPrompt('w '.repeat(80)).split(' ')).toHaveLength(50);
  expect(shortenPrompt('twelve chars '.repeat(40)).length).toBeLessThanOrEqual(400);
  expect(shortenPrompt('twelve chars '.repeat(40))).toMatch(/(?:twelve|chars)$/);
  expect(shortenPrompt(`x${'😀'.repeat(300)}`)).toBe(`x${'😀'.repeat(199)}`);

  const many = (name: string) => Array.from({ length: 50 }, (_, i) => `${name}${i}.example`);
  const fitted = shortenWithDomains({
    prompt: 'tidal power',
    domains: { include: many('a'), exclude: many('b') },
  });
  expect(fitted).toMatch(
    /^site:a0\.example (?:OR site:a\d+\.example )+tidal power(?: -site:b\d+\.example)*$/,
  );
  expect(fitted).toBe(shortenPrompt(fitted));
  const long = 'w '.repeat(80);
  expect(shortenWithDomains({ prompt: long, domains: { include: ['a.example'], exclude: [] } })).toBe(
    shortenPrompt(long),
  );

  expect(extractSite('site:reddit.com tidal power')).toEqual({ words: 'tidal power', site: 'reddit.com' });
  expect(extractSite('tidal website:x power')).toEqual({ words: 'tidal website:x power', site: undefined });
});
