import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { FAILURE_CODES } from '../../../src/monitor/http/error-statuses.ts';
import { FAILURES } from '../../../src/api/openapi/components.ts';
import { RUN_CODE_NAMES } from '../../../src/model/errors.ts';
import { openStand } from './stand.ts';

const stand = await openStand();
const app = await stand.serve();
afterAll(() => stand.close());

const bodyOf = (response: { body: string }): Record<string, unknown> => JSON.parse(response.body);

test.each([
  ['invalid', 400, 'invalid_input'],
  ['missing', 404, 'not_found'],
  ['conflict', 409, 'conflict'],
  ['away', 503, 'unavailable'],
  ['tooLong', 503, 'unavailable'],
  ['noConnection', 503, 'unavailable'],
  ['slow', 503, 'rate_limited'],
  ['upstream', 502, 'upstream_5xx'],
  ['late', 504, 'timeout_body'],
  ['ours', 500, 'internal'],
])('an error %s is a problem with status %i, reported by %s', async (how, status, code) => {
  const response = await app.inject(`/api/v1/fails/${how}`);
  expect(response.statusCode).toBe(status);
  expect(response.headers['content-type']).toBe('application/problem+json');
  expect(bodyOf(response)).toMatchObject({ type: `urn:strandline:problem:${code}`, status });
  expect(response.body).not.toMatch(/10\.1\.2\.3|secret path/);
  expect(response.headers['x-content-type-options']).toBe('nosniff');
});

test('a retryable problem has the time to wait', async () => {
  expect((await app.inject('/api/v1/fails/slow')).headers['retry-after']).toBe('7');
  expect((await app.inject('/api/v1/fails/away')).headers['retry-after']).toBe('5');
  expect((await app.inject('/api/v1/fails/missing')).headers['retry-after']).toBeUndefined();
});

test('an error of an action, like one of a type, has its path', async () => {
  expect(bodyOf(await app.inject('/api/v1/fails/invalid'))['errors']).toEqual([
    { path: 'query.cron', given: 'x', expected: 'five fields' },
  ]);
  const body = await app.inject({ method: 'POST', url: '/api/v1/things', payload: { prompt: 'x', cost: 5 } });
  expect(body.statusCode).toBe(400);
  expect(bodyOf(body)['errors']).toEqual([
    { path: 'body.prompt', given: 'x', expected: 'text of at least 2 characters' },
    { path: 'body.cost', given: 5, expected: 'nothing: unknown member' },
  ]);
  const query = await app.inject('/api/v1/search/7?limit=500&token=st_secret');
  expect(bodyOf(query)['errors']).toEqual([
    { path: 'query.limit', given: '500', expected: 'at most 200' },
    { path: 'query.token', given: '(hidden)', expected: 'nothing: unknown member' },
  ]);
  expect(bodyOf(await app.inject('/api/v1/search/x'))['errors']).toEqual([
    { path: 'params.id', given: 'x', expected: 'an id' },
  ]);
});

test('an invalid enum value gets the allowed values, and a value of another type the expected type', async () => {
  const of = async (payload: object) =>
    bodyOf(await app.inject({ method: 'POST', url: '/api/v1/choice', payload }));
  expect(await of({ kind: 'nope', n: 1 })).toMatchObject({
    detail: 'body.kind: one of posts, links',
    errors: [{ path: 'body.kind', given: 'nope', expected: 'one of posts, links' }],
  });
  expect((await of({ kind: 'posts', n: 'x' }))['errors']).toMatchObject([{ expected: 'a number' }]);
  expect((await of({ kind: 'posts', n: 1.5 }))['errors']).toMatchObject([{ expected: 'a whole number' }]);
  expect((await of({ kind: 'posts', n: 1, size: 'x' }))['errors'], 'a union').toMatchObject([
    { expected: 'one of small, large or 7' },
  ]);
  expect((await of({ kind: 'posts', n: 1, own: 5 }))['errors']).toMatchObject([
    { expected: 'a name of ours' },
  ]);
});

test('an unsupported method gets the allowed ones', async () => {
  const put = await app.inject({ method: 'PUT', url: '/api/v1/things?x=1', payload: {} });
  expect([put.statusCode, put.headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
  expect(bodyOf(put)).toMatchObject({ type: 'urn:strandline:problem:method', status: 405 });
  expect((await app.inject({ method: 'DELETE', url: '/api/v1/search/7' })).headers['allow']).toBe(
    'GET, HEAD',
  );
});

test('an unknown address is a problem too, and so is one that cannot be decoded', async () => {
  const unknown = await app.inject('/api/v1/nothing');
  expect(unknown.statusCode).toBe(404);
  expect(bodyOf(unknown)).toMatchObject({ type: 'urn:strandline:problem:not_found' });
  const unreadable = await app.inject('/api/v1/%E0%A4%A');
  expect(unreadable.statusCode).toBe(400);
  expect(unreadable.headers['content-type']).toBe('application/problem+json');
});

test('a path parameter that is too long has its own problem type', async () => {
  const response = await app.inject(`/api/v1/search/${'7'.repeat(101)}`);
  expect(response.statusCode).toBe(414);
  expect(bodyOf(response)).toMatchObject({ type: 'urn:strandline:problem:path_too_long', status: 414 });
});

test('a request without a host is refused in the same form as any problem', async () => {
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect(Number(port), '127.0.0.1');
  socket.end('GET /api/v1/things HTTP/1.1\r\nConnection: close\r\n\r\n');
  const reply = await text(socket);
  expect(reply).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))).toMatchObject({
    type: 'urn:strandline:problem:invalid_input',
    errors: [{ path: 'headers.host' }],
  });
});

test('the documentation lists exactly the existing problem types', async () => {
  const page = await readFile(new URL('../../../docs/reference/access.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (\d{3}) +\| (.*)\|$/gm)];
  const kinds = rows.flatMap(([, , words = '']) =>
    [...words.matchAll(/`([a-z_\d]+)`/g)].map(([, kind]) => kind),
  );
  // How a call ends is a list of its own.
  const ofCalls = new Set<string>(RUN_CODE_NAMES);
  expect(FAILURE_CODES.filter((code) => !ofCalls.has(code) && !kinds.includes(code))).toEqual([]);
  expect(kinds.filter((kind) => !FAILURE_CODES.includes(kind ?? ''))).toEqual([]);
  expect(rows.map(([, status]) => Number(status))).toEqual(Object.keys(FAILURES).map(Number));
});

test('responses are JSON with ids that a number could not represent', async () => {
  const response = await app.inject('/api/v1/things');
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(bodyOf(response)).toMatchObject({ kind: 'local', id: '12345678901234567890' });
});
