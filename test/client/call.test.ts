import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import type { ServiceRequest } from '../../src/monitor/client/service-request.ts';
import { call, KEY, outcome, withService, withSocket } from './server.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const send =
  (status: number, headers: Record<string, string>, body = '') =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);

/** The request that a server receives. */
const sentBy = (request: ServiceRequest, other: Parameters<typeof call>[1] = {}) =>
  withService(send(200, JSON_TYPE, '{}'), async (url, heard) => {
    expect(outcome(await call(url, { request, ...other }))).toBe('answer');
    return heard[0] ?? { url: '', headers: {}, body: '{}' };
  });

describe('requests', () => {
  const ai: ServiceRequest = {
    operation: 'ai',
    prompt: 'tide',
    tools: ['Web Search', 'Microblog Search'],
    model: 'NOVA',
    date_filter: null,
    streaming: false,
  };
  it('send the raw key, the members of the specification, and always the streaming flag', async () => {
    const { url, headers, body } = await sentBy(ai);
    expect(url).toBe('/search/ai/search');
    expect(headers).toMatchObject({ authorization: KEY, 'content-type': 'application/json' });
    expect(headers['user-agent']).toMatch(/^strandline\/\d+\.\d+\.\d+/);
    expect(JSON.parse(body)).toEqual({
      prompt: 'tide',
      tools: ['Web Search', 'Microblog Search'],
      model: 'NOVA',
      streaming: false,
    });
  });

  it('use the names of the dialect, under its prefix or the configured one', async () => {
    const named = await sentBy(ai, { dialect: loadDialect('named') });
    expect(named.url).toBe('/desearch/ai/search');
    expect(JSON.parse(named.body)).toMatchObject({ tools: ['Web Search', 'Twitter Search'] });
    const moved = await sentBy({ ...ai, operation: 'microblog' }, { prefix: 'v2/find' });
    expect(moved.url).toBe('/v2/find/ai/search/links/microblog');
    expect(JSON.parse(moved.body)).toEqual({ prompt: 'tide', model: 'NOVA' });
  });

  it('pass extra members on, except those of the specification', async () => {
    const extra = { count: 50, prompt: 'other', streaming: true, date_filter: 'PAST_YEAR', deep: { a: [1] } };
    const { body } = await sentBy({ ...ai, extra });
    expect(JSON.parse(body)).toMatchObject({ prompt: 'tide', streaming: false, count: 50, deep: { a: [1] } });
    expect(JSON.parse(body)).not.toHaveProperty('date_filter');
  });

  it('pass configured headers on, except those that would change the call', async () => {
    const { headers } = await sentBy(ai, {
      headers: { 'x-run-id': '7', Authorization: 'other', Host: 'other' },
    });
    expect(headers).toMatchObject({ 'x-run-id': '7', authorization: KEY });
    expect(headers.host).toMatch(/^127/);
  });

  it('keep the path of the base address', async () => {
    await withService(send(200, JSON_TYPE, '{}'), async (url, heard) => {
      await call(`${url}/api/`);
      expect(heard[0]?.url).toBe('/api/search/ai/search/links/microblog');
    });
  });

  it('send no authorization without a key, and are not sent with an invalid one', async () => {
    await withService(send(200, JSON_TYPE, '{}'), async (url, heard) => {
      await call(url, { key: undefined });
      expect(heard[0]?.headers).not.toHaveProperty('authorization');
      expect(await call(url, { key: 'a\nb' })).toMatchObject({ kind: 'failed', code: 'auth', sent: false });
      expect(heard).toHaveLength(1);
    });
  });
});

test('a response carries everything that is stored', async () => {
  const headers = { ...JSON_TYPE, 'X-Service-Cost-Usd': '0.0125', 'X-Service-Usage-Count': '10' };
  const result = await withService(send(200, headers, '{"miner_microblog_posts":[]}'), (url) => call(url));
  expect(result).toMatchObject({
    kind: 'answer',
    httpStatus: 200,
    contentType: 'application/json',
    bytes: 28,
    costUsd: 0.0125,
    usageCount: 10,
    sent: true,
  });
  expect(result.kind === 'answer' && result.body.toString()).toBe('{"miner_microblog_posts":[]}');
  expect(result.latencyMs).toBeGreaterThanOrEqual(0);
});

// F50: status, headers, body; code, wait in ms.
test.each<[number, Record<string, string>, string, string, number | undefined]>([
  [200, JSON_TYPE, '', 'bad_json', undefined],
  [201, JSON_TYPE, '', 'bad_json', undefined],
  [202, JSON_TYPE, '{}', 'schema_mismatch', undefined],
  [204, {}, '', 'schema_mismatch', undefined],
  [206, { 'content-type': 'text/html' }, '<html>', 'bad_content_type', undefined],
  [299, JSON_TYPE, '{}', 'schema_mismatch', undefined],
  [301, { location: '/other' }, '', 'redirect', undefined],
  [304, {}, '', 'redirect', undefined],
  [400, {}, '', 'invalid_request', undefined],
  [401, JSON_TYPE, '{"detail":"Unauthorized"}', 'auth', undefined],
  [402, JSON_TYPE, '{"detail":"Insufficient balance"}', 'payment', undefined],
  [403, {}, 'Forbidden', 'auth', undefined],
  [404, {}, '', 'invalid_request', undefined],
  [405, {}, '', 'invalid_request', undefined],
  [408, {}, '', 'timeout_headers', undefined],
  [410, {}, '', 'invalid_request', undefined],
  [
    422,
    JSON_TYPE,
    '{"detail":[{"loc":["body","tools"],"msg":"wrong","type":"x"}]}',
    'invalid_request',
    undefined,
  ],
  [429, {}, '', 'rate_limited', undefined],
  [429, { 'retry-after': '7' }, '', 'rate_limited', 7_000],
  [429, { 'retry-after': '0' }, '', 'rate_limited', 0],
  [429, { 'retry-after': '-7' }, '', 'rate_limited', undefined],
  [429, { 'retry-after': 'abc' }, '', 'rate_limited', undefined],
  [429, { 'retry-after': '1000000000000' }, '', 'rate_limited', 3_600_000],
  [429, { 'retry-after': 'Sat, 21 Nov 2026 12:01:30 GMT' }, '', 'rate_limited', 90_000],
  [429, JSON_TYPE, '{"detail":{"error_code":429,"retry_after":"60 seconds"}}', 'rate_limited', 60_000],
  [429, { 'retry-after': '5' }, '{"detail":{"retry_after":"60 seconds"}}', 'rate_limited', 5_000],
  [500, {}, '<h1>no</h1>', 'upstream_5xx', undefined],
  [502, {}, '', 'upstream_5xx', undefined],
  [503, { 'retry-after': '30' }, '', 'upstream_5xx', 30_000],
  [504, {}, '', 'upstream_5xx', undefined],
  [599, {}, '', 'upstream_5xx', undefined],
])('HTTP %d %j %s fails with %s', async (status, headers, body, code, wait) => {
  const result = await withService(send(status, headers, body), (url) => call(url));
  expect(result).toMatchObject({ kind: 'failed', code, retryAfterMs: wait, httpStatus: status, sent: true });
});

test.each([200, 201, 206])('HTTP %d with a valid body is a response', async (status) => {
  const result = await withService(send(status, JSON_TYPE, '{"a":1}'), (url) => call(url));
  expect(result).toMatchObject({ kind: 'answer', httpStatus: status, body: Buffer.from('{"a":1}') });
});

test('never follows a redirect or contacts its target', async () => {
  await withService(send(200, JSON_TYPE, '{}'), async (target, heardThere) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const result = await withService(send(status, { location: `${target}/x` }), (url) => call(url));
      expect(result).toMatchObject({ code: 'redirect', detail: `HTTP ${status}: to ${target}/x` });
    }
    expect(heardThere).toHaveLength(0);
  });
});

// F55: content type, body, outcome.
test.each<[string | undefined, string | Buffer, string]>([
  ['application/json', '\uFEFF  {"a":1}', 'answer'],
  ['text/plain', '{"a":1}', 'answer'],
  ['text/html', ' [1]', 'answer'],
  [undefined, '"{}"', 'answer'],
  ['application/json', 'null', 'answer'],
  ['application/problem+json; charset=utf-8', 'null', 'answer'],
  ['text/plain', 'null', 'bad_content_type'],
  ['text/html', '<html>busy</html>', 'bad_content_type'],
  [undefined, '<html>busy</html>', 'bad_content_type'],
  ['application/json', '<html>busy</html>', 'bad_json'],
  ['application/json', 'oops', 'bad_json'],
  ['text/html', '', 'bad_json'],
  [undefined, '   \n', 'bad_json'],
  // In UTF-16 and still compressed: the parser of responses decodes both.
  ['application/json', Buffer.from('\uFEFF{"a":1}', 'utf16le'), 'answer'],
  [undefined, Buffer.from('{"a":1}', 'utf16le'), 'answer'],
  ['application/json; charset=utf-16', Buffer.from('\uFEFF{"a":1}', 'utf16le').swap16(), 'answer'],
  ['text/plain', Buffer.from('{"a":1}', 'utf16le').swap16(), 'answer'],
  ['application/json', gzipSync('{"a":1}'), 'answer'],
])('200 %s %j fails with %s', async (type, body, expected) => {
  const result = await withService(
    (response) => void response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(body),
    (url) => call(url),
  );
  expect(outcome(result)).toBe(expected);
});

test.each([
  ['{"a":1}', 'answer'],
  ['', 'bad_json'],
  ['<html>busy</html>', 'bad_content_type'],
])('any white space may keep the connection alive before the body %j', async (body, expected) => {
  for (const start of ['', '\uFEFF']) {
    const result = await withService(send(200, {}, `${start}${' \r\n'.repeat(2_000)}${body}`), (url) =>
      call(url),
    );
    expect(outcome(result)).toBe(expected);
  }
});

const CHUNKED = 'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n';
// What arrives of a body before it breaks off, the code, and how much of it is kept.
test.each<[string, (socket: Socket) => void, string, string | undefined]>([
  [
    'resets',
    (s) => s.write(`${CHUNKED}\r\n3\r\n{"a\r\n`, () => setTimeout(() => s.resetAndDestroy(), 30)),
    'conn_reset',
    '{"a',
  ],
  ['closes', (s) => s.end(`${CHUNKED}\r\n3\r\n{"a\r\n`), 'conn_reset', '{"a'],
  ['stalls', (s) => s.write(`${CHUNKED}\r\n3\r\n{"a\r\n`), 'timeout_body', '{"a'],
  ['closes before the first byte', (s) => s.end(`${CHUNKED}\r\n`), 'conn_reset', undefined],
  [
    'closes in the body of an error',
    (s) => s.end(`${CHUNKED.replace('200 OK', '500 No')}\r\n3\r\n{"a\r\n`),
    'upstream_5xx',
    '{"a',
  ],
])('a body whose connection %s keeps the bytes that arrived', async (_, behave, code, partial) => {
  const result = await withSocket(behave, (url) => call(url, { timeoutMs: 150 }));
  expect(outcome(result)).toBe(code);
  expect(result.kind === 'failed' ? result.partial?.toString() : null).toBe(partial);
});

test('a body over the limit is not stored in part', async () => {
  const result = await withService(send(200, JSON_TYPE, `{"a":"${'x'.repeat(100)}"}`), (url) =>
    call(url, { maxBytes: 50 }),
  );
  expect(result).toMatchObject({ code: 'too_large', partial: undefined });
});

describe('the cost of a call', () => {
  it.each<[Record<string, string | string[]>, number | null, number | null]>([
    [{}, null, null],
    [{ 'x-any-name-cost-usd': '0', 'x-any-usage-count': '0' }, 0, 0],
    [{ 'cost-usd': '0.5' }, null, null],
    [{ 'X-S-COST-USD': ' 0.5 ' }, 0.5, null],
    [{ 'x-s-cost-usd': 'NaN', 'x-s-usage-count': '1.5' }, null, null],
    [{ 'x-s-cost-usd': '-1', 'x-s-usage-count': '-1' }, null, null],
    [{ 'x-s-cost-usd': '1e9', 'x-s-usage-count': '99999999999' }, null, null],
    [{ 'x-s-cost-usd': '1000000' }, null, null],
    [{ 'x-s-cost-usd': '5e-3' }, 0.005, null],
    [{ 'x-s-cost-usd': ['0.1', '0.2'] }, null, null],
    [{ 'y-s-cost-usd': '1' }, null, null],
  ])('%j', async (headers, costUsd, usageCount) => {
    for (const status of [200, 500]) {
      const result = await withService(
        (response) => void response.writeHead(status, headers).end('{}'),
        (url) => call(url),
      );
      expect(result).toMatchObject({ costUsd, usageCount });
    }
  });
});

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
// F52 and broken HTTP: what the socket does, the code, whether the request was sent.
test.each<[string, (socket: Socket) => void, string]>([
  ['resets before the headers', (s) => s.resetAndDestroy(), 'conn_reset'],
  ['closes before the headers', (s) => s.end(), 'conn_reset'],
  [
    'resets in the headers',
    (s) => s.write('HTTP/1.1 200 OK\r\nx: ', () => s.resetAndDestroy()),
    'conn_reset',
  ],
  [
    'resets in the body',
    (s) => s.write(`${HEAD}content-length: 9\r\n\r\n{`, () => s.resetAndDestroy()),
    'conn_reset',
  ],
  ['sends less than announced', (s) => s.end(`${HEAD}content-length: 9\r\n\r\n{}`), 'conn_reset'],
  [
    'truncates a chunked body and closes',
    (s) => s.end(`${HEAD}connection: close\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`),
    'conn_reset',
  ],
  [
    'truncates a chunked body',
    (s) => s.end(`${HEAD}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`),
    'conn_reset',
  ],
  ['does not speak HTTP', (s) => s.end('-ERR unknown command\r\n'), 'decode_error'],
  [
    'sends two content lengths',
    (s) => s.end(`${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`),
    'conn_reset',
  ],
  ['sends 64 kB of headers', (s) => s.end(`${HEAD}x: ${'x'.repeat(65_536)}\r\n\r\n{}`), 'decode_error'],
  ['sends NUL in a header', (s) => s.end(`${HEAD}x: a\0b\r\n\r\n{}`), 'decode_error'],
  ['ends its body by closing the connection', (s) => s.end('HTTP/1.0 200 OK\r\n\r\n{"a":1}'), 'answer'],
  [
    'sends two hundred cookies',
    (s) => s.end(`${HEAD}${'set-cookie: a=b\r\n'.repeat(200)}content-length: 2\r\n\r\n{}`),
    'answer',
  ],
  [
    'folds a header over two lines',
    (s) => s.end(`${HEAD}x-a: b\r\n c\r\ncontent-length: 2\r\n\r\n{}`),
    'decode_error',
  ],
  [
    'ends with trailers',
    (s) => s.end(`${HEAD}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx-cost-usd: 9\r\n\r\n`),
    'answer',
  ],
  ['sends a negative content length', (s) => s.end(`${HEAD}content-length: -1\r\n\r\n{}`), 'decode_error'],
  ['switches protocols', (s) => s.end('HTTP/1.1 101 Switching\r\nupgrade: h2c\r\n\r\n'), 'conn_reset'],
  [
    'sends early hints first',
    (s) => s.end(`${'HTTP/1.1 103 Early\r\n\r\n'.repeat(50)}${HEAD}content-length: 2\r\n\r\n{}`),
    'answer',
  ],
])('a connection that %s', async (_, behave, expected) => {
  const result = await withSocket(behave, (url) => call(url));
  expect(outcome(result)).toBe(expected);
  expect(result.sent).toBe(true);
});

test.each([
  ['http://127.0.0.1:1', 'conn_refused'],
  ['http://nowhere.invalid', 'conn_refused'],
  ['not an address', 'internal'],
])('%s is unreachable: %s, and nothing was sent', async (baseUrl, code) => {
  expect(await call(baseUrl)).toMatchObject({ kind: 'failed', code, sent: false, httpStatus: null });
});

test('a server without TLS breaks the connection', async () => {
  const result = await withSocket(
    (socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n'),
    (url) => call(url.replace('http:', 'https:')),
  );
  expect(result).toMatchObject({ code: 'conn_reset', sent: false });
});

describe('the key', () => {
  const leaks = [
    (text: string) => JSON.stringify({ detail: `bad key ${text}` }),
    (text: string) => `<p>bad key ${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}</p>`,
    (text: string) => `bad key ${encodeURIComponent(text)} ${Buffer.from(text).toString('base64')}`,
    (text: string) => JSON.stringify({ detail: text.split('').join('\0') }),
    (text: string) => `${'x'.repeat(1_980)}${text}`,
    (text: string) => `${'x'.repeat(1_995)}${text}`,
  ];
  it.each(leaks)('appears in no result, whatever the service echoes: %s', async (leak) => {
    for (const status of [200, 302, 401, 500]) {
      const headers = { location: `http://x/?k=${encodeURIComponent(KEY)}`, 'content-type': `text/${KEY}` };
      const result = await withService(send(status, headers, leak(KEY)), (url) => call(url));
      const shown =
        JSON.stringify(result.kind === 'answer' ? { ...result, body: null } : result) + inspect(result);
      expect(shown).not.toContain(KEY.slice(0, 8));
      expect(shown).not.toContain(Buffer.from(KEY).toString('base64'));
    }
  });

  it('appears in no result of a broken connection', async () => {
    const result = await withSocket(
      (socket) => socket.resetAndDestroy(),
      (url) => call(url),
    );
    expect(JSON.stringify(result) + inspect(result, { depth: 9, showHidden: true })).not.toContain('canary');
  });
});

test('error messages of a service are cleaned and truncated', async () => {
  const body = JSON.stringify({ detail: `upstream said: \u0000\ud800${'x'.repeat(100_000)}` });
  const result = await withService(send(500, JSON_TYPE, body), (url) => call(url));
  const detail = result.kind === 'failed' ? (result.detail ?? '') : '';
  expect(detail).toMatch(/^HTTP 500: /);
  expect(detail.length).toBeLessThanOrEqual(2_000);
  expect(detail).not.toContain('\0');
});
