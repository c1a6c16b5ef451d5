import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEventStream } from '../../../src/api/event-routes.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { hashKey } from '../../../src/platform/keys.ts';
import {
  createToken,
  OPERATOR,
  revokeToken,
  rotateToken,
} from '../../../src/monitor/access/manage-tokens.ts';
import { revalidateSessions } from '../../../src/monitor/access/authentication.ts';
import { expandScopes, type Visitor } from '../../../src/monitor/access/visitor-scopes.ts';
import type { Id } from '../../../src/store/db/database.ts';
import { insertRun } from '../../../src/store/runs/run-states.ts';
import { makeWorld, type World } from '../../world.ts';
import { addSearch, readEvents, serve } from './stand.ts';

let world: World;
let app: App;
let address: string;
let ferries: Id;
beforeAll(async () => {
  world = await makeWorld();
  ({ app, address } = await serve(world));
  ferries = (await addSearch(world, 'ferries', { topic: 'harbour' })).id;
  await addSearch(world, 'trains', { topic: 'rail' });
});
afterAll(async () => {
  await app.close();
  await world.close();
});

let things = 1_000_000;
async function find(n: number): Promise<string[]> {
  const runId = await insertRun(world.db.pool, {
    searchId: ferries,
    trigger: 'manual',
    now: world.clock.now(),
  });
  await world.db.pool.query(`UPDATE strandline.runs SET status = 'cancelled', ended_at = $2 WHERE id = $1`, [
    runId,
    new Date(0),
  ]);
  things += n;
  const { rows } = await world.db.pool.query<{ id: Id }>(
    `INSERT INTO strandline.discoveries (search_id, run_id, kind, thing, baseline, at)
     SELECT $1, $2, 'link', $4::int - n, false, $3 FROM generate_series(1, $5::int) n RETURNING id`,
    [ferries, runId, world.clock.now(), things, n],
  );
  return rows.map(({ id }) => String(id));
}
const events = () => `${address}/api/v1/events`;

test('a stream declares its format, sends events with ids, and resumes after the last one', async () => {
  const reader = await readEvents(events());
  expect(reader.status).toBe(200);
  expect(reader.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(reader.headers.get('cache-control')).toContain('no-store');
  expect(reader.headers.get('x-content-type-options')).toBe('nosniff');
  const found = await find(3);
  const got = await reader.take(3);
  expect(got.map(({ event, id }) => [event, id])).toEqual(found.map((id) => ['discovery', id]));
  expect(got[0]?.data).toMatchObject({ id: found[0], kind: 'link', search: 'ferries', topic: 'harbour' });
  reader.leave();

  const missed = await find(2);
  const back = await readEvents(events(), { 'last-event-id': found[1] ?? '' });
  expect((await back.take(3)).map(({ id }) => id)).toEqual([found[2], ...missed]);
  const next = await find(1);
  expect((await back.take(1)).map(({ id }) => id)).toEqual(next);
  back.leave();
});

test('a client that is disconnected before its first event misses nothing when it reconnects', async () => {
  const before = await find(1);
  const reader = await readEvents(events());
  await expect.poll(() => reader.lastEventId()).toBe(before[0]);
  reader.leave();
  const missed = await find(2);
  const back = await readEvents(events(), { 'last-event-id': reader.lastEventId() });
  expect((await back.take(2)).map(({ id }) => id)).toEqual(missed);
  back.leave();
});

test('the header of a reconnecting client wins over the original address', async () => {
  const [first = '', second = ''] = await find(2);
  const reader = await readEvents(`${events()}?after=${first}`, { 'last-event-id': second });
  const [third] = await find(1);
  expect((await reader.take(1)).map(({ id }) => id)).toEqual([third]);
  reader.leave();
  const byAddress = await readEvents(`${events()}?after=${first}&topic=harbour`);
  expect((await byAddress.take(2)).map(({ id }) => id)).toEqual([second, third]);
  byAddress.leave();
});

test.each([
  ['?after=x', {}, 400],
  ['?after=-1', {}, 400],
  ['?after=999999999', {}, 400],
  ['', { 'last-event-id': 'run-7' }, 400],
  ['', { 'last-event-id': '-1' }, 400],
  ['', { 'last-event-id': '9999999999' }, 400],
  ['?topic=nothing', {}, 404],
  ['?search=nothing', {}, 404],
  ['?from=1', {}, 400],
])('%s with %o gets a %i before anything is streamed', async (query, headers, status) => {
  const response = await fetch(`${events()}${query}`, { headers });
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  await response.body?.cancel();
});

test('a stalled reader is disconnected before much is buffered', async () => {
  const frame = Buffer.alloc(64 * 1024, 'x');
  const waiting = new Promise<{ most: number; ended: boolean }>((resolve) => {
    const server = createServer((_, raw) => {
      raw.writeHead(200);
      const stream = openEventStream(raw);
      let most = 0;
      const write = (left: number) => {
        stream.write([frame]);
        most = Math.max(most, raw.writableLength);
        if (left > 0 && !stream.signal.aborted) return void setImmediate(() => write(left - 1));
        resolve({ most, ended: raw.writableEnded });
        raw.destroy();
        server.close();
      };
      write(2_000);
    });
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo; // it listens at a port
      const slow = request({ port, host: '127.0.0.1' }, (response) => response.pause());
      slow.on('error', () => {});
      slow.end();
    });
  });
  const { most, ended } = await waiting;
  expect(ended).toBe(true);
  expect(most).toBeLessThan(2 * 2 ** 20);
});

test('one visitor has a limited number of streams, others still find some, and a disconnect frees a place', async () => {
  const own = await serve(world);
  const { key: many } = await createToken(world.ctx, { name: 'many', scopes: ['read'] }, OPERATOR);
  const { key: other, prefix } = await createToken(world.ctx, { name: 'other', scopes: ['read'] }, OPERATOR);
  const follow = (key: string) =>
    readEvents(`${own.address}/api/v1/events`, { authorization: `Bearer ${key}` });
  const readers = await Promise.all(Array.from({ length: 60 }, () => follow(many)));
  expect(readers.filter(({ status }) => status === 200)).toHaveLength(50);
  const refused = readers.filter(({ status }) => status === 429);
  expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(Array(10).fill('5'));
  readers.push(await follow(other));
  expect(readers.at(-1)?.status).toBe(200);
  readers.find(({ status }) => status === 200)?.leave();
  await expect
    .poll(async () => {
      const reader = await follow(many);
      readers.push(reader);
      return reader.status;
    })
    .toBe(200);
  for (const reader of readers) reader.leave();
  // A connection that was never asked anything is none of those that a server closes by itself.
  own.app.server.closeAllConnections();
  await own.app.close();
  for (const token of [prefix, many.slice(3, 11)]) await revokeToken(world.ctx, token);
});

test('streams end with the server', async () => {
  const own = await serve(world);
  const reader = await readEvents(`${own.address}/api/v1/events`);
  await own.app.close();
  await reader.ended();
});

test('a stream ends when its token is revoked, its session ends, or anonymous access is closed', async () => {
  const visitor = (over: Partial<Visitor>): Visitor => ({
    kind: 'local',
    scopes: expandScopes(['read']),
    name: null,
    ...over,
  });
  const local = visitor({});
  expect([...(await revalidateSessions(world.ctx, [local]))]).toEqual([local]);
  const { prefix, key } = await createToken(world.ctx, { name: 'a', scopes: ['read'] }, OPERATOR);
  const byToken = visitor({ kind: 'token', name: prefix, keyHash: hashKey(key) });
  const bySession = visitor({ kind: 'session', name: prefix, session: 4_711n });
  expect([...(await revalidateSessions(world.ctx, [local, byToken, bySession]))]).toEqual([byToken]);
  const { key: next } = await rotateToken(world.ctx, prefix, 60);
  const byNext = visitor({ kind: 'token', name: prefix, keyHash: hashKey(next) });
  expect([...(await revalidateSessions(world.ctx, [byToken, byNext]))]).toEqual([byToken, byNext]);
  world.clock.advance(60_000);
  expect([...(await revalidateSessions(world.ctx, [byToken, byNext]))]).toEqual([byNext]);
  await revokeToken(world.ctx, prefix);
  expect([...(await revalidateSessions(world.ctx, [local, byToken]))]).toEqual([local]);
});
