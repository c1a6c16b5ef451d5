import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { createBackOff } from '../../../src/monitor/access/back-off.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { createBlockList } from '../../../src/lib/networks.ts';
import { readClientAddress } from '../../../src/platform/client-address.ts';
import { makeKey } from '../../../src/platform/keys.ts';
import { steppedClock } from '../../../src/platform/clock.ts';
import { buildHttpServer, type ServerRoutes } from '../../../src/app/http-server.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { openStand, PROBES } from './stand.ts';

const stand = await openStand();
const { clock, ctx, db } = stand.world;
afterAll(() => stand.close());

type Reply = { status: number; headers: Record<string, string | string[] | undefined>; body: string };
type Send = (path: string, more?: { headers?: Record<string, string>; body?: string }) => Promise<Reply>;

/** A reverse proxy as usual: it appends the address of its client, here given by the header `x-test-client`. */
async function startProxy(app: App): Promise<Send> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const target = (app.server.address() as AddressInfo).port; // it listens on a port
  const proxy = createServer((incoming, outgoing) => {
    const { 'x-test-client': client = '198.51.100.1', ...headers } = incoming.headers;
    const seen = [incoming.headers['x-forwarded-for'], client].filter((one) => one !== undefined).join(', ');
    const onward = httpRequest(
      {
        port: target,
        host: '127.0.0.1',
        path: incoming.url,
        method: incoming.method,
        headers: { ...headers, host: `127.0.0.1:${target}`, 'x-forwarded-for': seen },
      },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo; // it listens on a port
  return async (path, { headers = {}, body } = {}) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers,
      ...(body === undefined ? {} : { body }),
    });
    return { status: reply.status, headers: Object.fromEntries(reply.headers), body: await reply.text() };
  };
}

async function serve(trusted = '', doors: ServerRoutes = PROBES, perMinute = 1_000_000): Promise<App> {
  const config = { ...ctx.config, trustedProxies: readConfig({ TRUSTED_PROXIES: trusted }).trustedProxies };
  const app = await buildHttpServer({ ...stand.home, ctx: { ...ctx, config } }, doors, { perMinute });
  onTestFinished(() => app.close());
  return app;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const wrong = () => bearer(makeKey('st').key);

test('a stranger who sends wrong tokens from the address of all others keeps nobody out, also after a restart', async () => {
  for (let start = 0; start < 2; start++) {
    const send = await startProxy(await serve());
    const refused: number[] = [];
    for (let second = 0; second < 10; second++) {
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => send('/api/v1/things', { headers: wrong() })),
      );
      refused.push(...replies.map(({ status }) => status));
      const token = await stand.token('read');
      expect((await send('/api/v1/things', { headers: bearer(token) })).status).toBe(200);
      clock.advance(1_000);
    }
    expect(new Set(refused)).toEqual(new Set([401, 429]));
    expect(refused.filter((status) => status === 429).length).toBeGreaterThan(150);
  }
});

test('sign-in lets a right token in while strangers at the same address fail, or use up all requests of it', async () => {
  const send = await startProxy(await serve('', WEB, 30));
  const form = async (token: string) => {
    const page = await send('/sign-in');
    expect(page.status).toBe(200);
    const formToken = /name="form_token" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    return send('/sign-in', {
      body: new URLSearchParams({ form_token: formToken, token, next: '/new' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    });
  };
  const strangers: number[] = [];
  for (let i = 0; i < 40; i++) strangers.push((await send('/api/v1/topics')).status);
  expect(strangers.slice(-5)).toEqual([429, 429, 429, 429, 429]);
  for (let i = 0; i < 10; i++) {
    const failed = (await form(makeKey('st').key)).status;
    expect(i < 5 ? 403 : 429).toBe(failed);
    const entered = await form(await stand.token('read'));
    expect(entered.status).toBe(303);
    const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? '';
    expect((await send('/about', { headers: { cookie } })).status).not.toBe(429);
  }
});

test('however many wrong tokens and cookies arrive at once, they use one connection, and a right token passes', async () => {
  const app = await serve();
  const token = await stand.token('read');
  let statements = 0;
  const count = () => void (statements += 1);
  db.pool.on('acquire', count);
  onTestFinished(() => void db.pool.off('acquire', count));
  const flood = Array.from({ length: 400 }, (_, i) =>
    app.inject({
      url: '/api/v1/things',
      headers: i % 2 === 0 ? wrong() : { cookie: `strandline=${'x'.repeat(40)}${100 + i}` },
    }),
  );
  const right = await app.inject({ url: '/api/v1/things', headers: bearer(token) });
  await Promise.all(flood);
  expect(right.statusCode).toBe(200);
  expect(statements).toBeLessThan(40);
});

test('a token created a moment after it was refused is accepted', async () => {
  const app = await serve();
  const ask = (key: string) => app.inject({ url: '/api/v1/things', headers: bearer(key) });
  const key = await stand.token('read');
  await db.pool.query('UPDATE strandline.tokens SET revoked_at = now() WHERE prefix = $1', [
    key.slice(3, 11),
  ]);
  expect((await ask(key)).statusCode).toBe(401);
  await db.pool.query('UPDATE strandline.tokens SET revoked_at = NULL WHERE prefix = $1', [key.slice(3, 11)]);
  expect((await ask(key)).statusCode).toBe(200);
});

test('with TRUSTED_PROXIES each client has its own failures and limits', async () => {
  const app = await serve('127.0.0.1', PROBES, 3);
  const send = await startProxy(app);
  const fail = (client: string) =>
    send('/api/v1/things', { headers: { ...wrong(), 'x-test-client': client } });
  for (let i = 0; i < 5; i++) expect((await fail('203.0.113.1')).status).toBe(401);
  expect((await fail('203.0.113.1')).status).toBe(429);
  expect((await fail('203.0.113.2')).status).toBe(401);
  const ask = (client: string, forged?: string) =>
    send('/explore', {
      headers: { 'x-test-client': client, ...(forged === undefined ? {} : { 'x-forwarded-for': forged }) },
    });
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) statuses.push((await ask('2001:db8:0:1::1', `192.0.2.${i}`)).status);
  // Another address of the same network; then another network.
  statuses.push((await ask('2001:db8:0:1::2')).status, (await ask('2001:db8:0:2::1')).status);
  expect(statuses).toEqual([303, 303, 303, 429, 429, 303]);
});

test('failures of 100,000 addresses take bounded memory, and the oldest are forgotten first', () => {
  const time = steppedClock(new Date('2026-03-01T12:00:00Z'));
  const backOff = createBackOff(time);
  for (let i = 0; i < 100_000; i++) backOff.fail(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
  expect(backOff.size).toBe(10_000);
  for (let i = 0; i < 5; i++) expect(backOff.fail('192.0.2.1')).toBe(0);
  expect(backOff.fail('192.0.2.1')).toBe(1_000);
});

const trusted = createBlockList(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);
test.each([
  ['127.0.0.1', undefined, '127.0.0.1'],
  ['127.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['::ffff:127.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['127.0.0.1', '192.0.2.66, 203.0.113.7', '203.0.113.7'],
  ['127.0.0.1', '192.0.2.66, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
  ['127.0.0.1', '192.0.2.66, 10.9.9.9, fd00::5', '192.0.2.66'],
  ['127.0.0.1', '10.9.9.9, 10.1.2.3', '10.9.9.9'],
  ['127.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
  ['127.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
  ['127.0.0.1', '"[2001:db8::7]"', '127.0.0.1'],
  ['127.0.0.1', '2001:db8::7', '2001:db8::7'],
  ['127.0.0.1', 'unknown', '127.0.0.1'],
  ['127.0.0.1', '203.0.113.7, unknown', '127.0.0.1'],
  ['127.0.0.1', '203.0.113.7, , 10.1.2.3', '10.1.2.3'],
  ['127.0.0.1', '', '127.0.0.1'],
  ['127.0.0.1', '999.1.1.1', '127.0.0.1'],
  ['127.0.0.1', '0x7f.1', '127.0.0.1'],
  ['127.0.0.1', '10.0.0.1,'.repeat(1_000), '127.0.0.1'],
  ['192.0.2.1', '203.0.113.7', '192.0.2.1'],
  ['192.0.2.1', '127.0.0.1', '192.0.2.1'],
  [undefined, '203.0.113.7', ''],
])('a connection from %s with X-Forwarded-For %s is of the client %s', (remoteAddress, forwarded, client) => {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  expect(readClientAddress({ socket: { remoteAddress }, headers }, trusted)).toBe(client);
  expect(readClientAddress({ socket: { remoteAddress }, headers }, undefined)).toBe(remoteAddress ?? '');
});

test.each([
  'proxy.lan',
  '10.0.0.0/33',
  '10.0.0.0/0',
  '::/0',
  '10.0.0.0/8/9',
  '::ffff:10.0.0.1',
  'fe80::1%eth0',
  '10.0.0',
  '10.0.0.0/',
  '10.0.0.1 10.0.0.2',
  '0.0.0.0/00',
])('TRUSTED_PROXIES refuses %s and names what is accepted', (given) => {
  expect(() => readConfig({ TRUSTED_PROXIES: given })).toThrow(/TRUSTED_PROXIES.*10\.0\.0\.0\/8/);
});
