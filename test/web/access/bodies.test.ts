import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { measureJson } from '../../../src/api/json-body.ts';
import { openStand } from './stand.ts';

const stand = await openStand();
const app = await stand.serve();
afterAll(() => stand.close());

const send = (payload: string) =>
  app.inject({
    method: 'POST',
    url: '/api/v1/anything',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    payload,
  });
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.each([
  ['sixty-four levels', nested(64), 200],
  ['sixty-five', nested(65), 400],
  ['a hundred thousand unclosed levels', '['.repeat(100_000), 400],
  ['brackets in strings', JSON.stringify({ text: `"${'[{'.repeat(500)}\\` }), 200],
  ['no body', '', 200],
  ['a byte order mark', '\uFEFF{"a":1}', 200],
  ['a byte order mark alone', '\uFEFF', 200],
  ['invalid JSON', '{"a":', 400],
  ['an invalid number', '{"a":NaN}', 400],
  ['a prototype', '{"a":{"__proto__":{"admin":true}}}', 400],
  ['a prototype in escaped letters', String.raw`{"\u005f_proto__":{"admin":true}}`, 400],
  ['a constructor', '{"constructor":{"prototype":{"admin":true}}}', 400],
])('%s', async (_what, payload, status) => {
  const response = await send(payload);
  expect(response.statusCode).toBe(status);
  if (status === 400) expect(response.json()).toMatchObject({ errors: [{ path: 'body' }] });
});

test('distinguishes invalid JSON from JSON of an invalid form', async () => {
  const expected = async (payload: string) => (await send(payload)).json().errors[0].expected;
  expect(await expected('{bad')).toBe('valid JSON');
  const prototypes = 'JSON without a member __proto__ or constructor.prototype';
  expect(await expected('{"__proto__":{}}')).toBe(prototypes);
  expect(await expected('{"constructor":{"prototype":{}}}')).toBe(prototypes);
});

test.each([
  [String.raw`{"a":["x",{"b":"\ud800"}]}`, 'body.a.1.b'],
  [String.raw`{"a":"\uDC00x"}`, 'body.a'],
  [String.raw`{"\ud83d":1}`, 'body'],
])('refuses text that UTF-8 cannot represent: %s', async (payload, path) => {
  const response = await send(payload);
  expect(response.statusCode).toBe(400);
  expect(response.json().errors).toEqual([
    { path, given: null, expected: 'text without unpaired surrogates' },
  ]);
});

test('accepts a surrogate pair as a character, and a backslash before one as text', async () => {
  for (const payload of [String.raw`{"a":"\ud83d\ude00"}`, String.raw`{"a":"\\ud800"}`])
    expect((await send(payload)).statusCode).toBe(200);
});

test('refuses invalid UTF-8 instead of storing something else', async () => {
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/anything',
    headers: { 'content-type': 'application/json' },
    payload: Buffer.from([...Buffer.from('{"a":"'), 0xff, ...Buffer.from('"}')]),
  });
  expect(response.statusCode).toBe(400);
  expect(response.json().errors).toEqual([{ path: 'body', given: null, expected: 'JSON in UTF-8' }]);
});

test('accepts a body of one megabyte and refuses one byte more', async () => {
  const of = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));
  expect((await send(of(1_000_000))).statusCode).toBe(200);
  const more = await send(of(1_000_001));
  expect([more.statusCode, more.json()]).toEqual([
    413,
    expect.objectContaining({ type: 'urn:strandline:problem:body_too_large' }),
  ]);
});

test('computes the depth of any JSON like its parser', () => {
  const deep = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(deep)) : 0;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      expect(measureJson(JSON.stringify(value)).depth).toBe(deep(value));
    }),
  );
});

test('compresses long responses, and refuses compressed requests', async () => {
  const long = JSON.stringify({ text: 'ferry '.repeat(1_000) });
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/anything',
    headers: { 'content-type': 'application/json', 'accept-encoding': 'br, gzip' },
    payload: long,
  });
  expect(response.headers['content-encoding']).toBe('br');
  expect(response.rawPayload.length).toBeLessThan(200);
  const bomb = await app.inject({
    method: 'POST',
    url: '/api/v1/anything',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    payload: gzipSync(long),
  });
  expect(bomb.statusCode).toBe(400);
});
