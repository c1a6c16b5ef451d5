/** What only a listening server can show: host names, slowness, overload, and shutdown. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { Limits } from '../../../src/monitor/http/server-limits.ts';
import { type ServerRoutes, startHttpServer, type WebServer } from '../../../src/app/http-server.ts';
import type { RouteContext } from '../../../src/monitor/http/route-types.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createToken, OPERATOR, revokeToken } from '../../../src/monitor/access/manage-tokens.ts';
import { openStand, PROBES } from './stand.ts';

const stand = await openStand();
const { ctx } = stand.world;
const opened: WebServer[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});
afterAll(() => stand.close());

/** At a free port, with what else stands in the environment. */
async function start(env: Record<string, string> = {}, limits?: Partial<Limits>, doors = PROBES, over = {}) {
  const config = { ...ctx.config, http: { ...readConfig({ PORT: '0', ...env }).http, ...over } };
  const home: RouteContext = { ...stand.home, ctx: { ...ctx, config } };
  const server = await startHttpServer(home, doors, { limits });
  opened.push(server);
  return server;
}

/** Speaks HTTP by hand. @param localAddress as whom: another address of loopback is another network */
function dial(
  { port }: WebServer,
  localAddress = '127.0.0.1',
): { socket: Socket; heard: () => string; ended: Promise<unknown> } {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  socket.on('error', () => {}); // cut off, which is told by its end
  return { socket, heard: () => text, ended: once(socket, 'close') };
}

async function say(server: WebServer, ...lines: string[]): Promise<string> {
  const { socket, heard, ended } = dial(server);
  socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  await ended;
  return heard();
}

test('a request with a foreign host gets only that error, whatever it requests', async () => {
  const server = await start();
  for (const what of ['/', '/livez', '/api/v1/things', '/nothing']) {
    expect(await say(server, `GET ${what} HTTP/1.1`, 'Host: evil.example')).toMatch(/^HTTP\/1\.1 421 /);
    expect(await say(server, `GET ${what} HTTP/1.1`, `Host: evil.example:${server.port}`)).toMatch(/ 421 /);
  }
  expect(await say(server, 'GET /livez HTTP/1.1', 'Host: localhost:1')).toMatch(/ 421 /);
  expect(await say(server, 'GET /livez HTTP/1.1', `Host: localhost:${server.port}`)).toMatch(/ 200 /);
  expect(await say(server, 'GET /livez HTTP/1.1')).toMatch(/ 400 /);
  const absolute = await say(
    server,
    'GET http://evil.example/api/v1/things HTTP/1.1',
    `Host: localhost:${server.port}`,
  );
  expect(absolute).toMatch(/^HTTP\/1\.1 421 /);
});

test.each<[Record<string, string>]>([[{ HOST: '0.0.0.0' }], [{ BASE_URL: 'https://tide.example' }]])(
  'on a public address (%j) it starts only with a token, and requires one even after it is revoked',
  async (env) => {
    await expect(start(env)).rejects.toThrow(/no token exists\. Create one first: strandline token create/);
    const { key, prefix } = await createToken(ctx, { name: 'first', scopes: ['read'] }, OPERATOR);
    const { url, port } = await start(env);
    const local = `http://127.0.0.1:${port}`;
    expect(url).toBe(local);
    const ask = (headers: Record<string, string>) => fetch(`${local}/api/v1/things`, { headers });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ authorization: `Bearer ${key}` })).status).toBe(200);
    await revokeToken(ctx, prefix);
    expect((await ask({})).status).toBe(401);
  },
);

test('with an https BASE_URL, HSTS is on and the cookie is secure', async () => {
  const { key, prefix } = await createToken(ctx, { name: 'tls', scopes: ['read'] }, OPERATOR);
  const server = await start({ BASE_URL: 'https://tide.example' });
  const page = await say(server, 'GET /livez HTTP/1.1', 'Host: tide.example');
  expect(page).toMatch(/\r\nstrict-transport-security: max-age=31536000\r\n/i);
  expect(page).not.toMatch(/upgrade-insecure/);
  await revokeToken(ctx, prefix);
  expect(key).toContain(prefix);
});

test('a configured port in use is an error; the default moves on', async () => {
  const first = await start();
  await expect(start({ PORT: String(first.port) })).rejects.toThrow(
    `port ${first.port} on 127.0.0.1 is in use; stop the other program, or set another port for the dashboard, such as PORT=`,
  );
  const moved = await start({}, {}, PROBES, { port: first.port, portAsked: false });
  expect(moved.port).toBeGreaterThan(first.port);
});

test('a body that does not arrive times out', async () => {
  const server = await start({}, { requestMs: 400 });
  const { socket, heard, ended } = dial(server);
  socket.write(
    `POST /api/v1/anything HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":`,
  );
  await ended;
  expect(heard()).toMatch(/^HTTP\/1\.1 408 /);
  expect(problemIn(heard())).toMatchObject({ status: 408, type: 'urn:strandline:problem:too_slow' });
});

test('refuses headers over 16 kB', async () => {
  const server = await start();
  const long = await say(
    server,
    'GET /livez HTTP/1.1',
    `Host: localhost:${server.port}`,
    `X: ${'x'.repeat(17_000)}`,
  );
  expect(long).toMatch(/^HTTP\/1\.1 431 /);
  expect(problemIn(long)).toMatchObject({ status: 431, title: 'Request Header Fields Too Large' });
});

test('a request that is not HTTP gets an error in the same form as any problem', async () => {
  const server = await start();
  for (const line of ['GET / HTTP/9.9', 'hello', 'GET /livez HTTP/1.1\r\nContent-Length: -1', '\x16\x03\x01'])
    expect(problemIn(await say(server, line)), line).toMatchObject({
      status: 400,
      detail: 'not an HTTP/1.1 request',
      instance: expect.stringMatching(/^urn:strandline:request:/) as unknown,
    });
});

test('a client that does not speak HTTP and stays connected takes no place', async () => {
  const server = await start({}, { connections: 1 });
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {}).resume();
  socket.write('hello\r\n\r\n');
  await once(socket, 'end');
  await expect
    .poll(() => say(server, 'GET /livez HTTP/1.1', `Host: localhost:${server.port}`))
    .toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
});

/** The problem that an answer of HTTP holds. */
function problemIn(answer: string): unknown {
  expect(answer).toContain('content-type: application/problem+json');
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
}

/** A stream that has no end. */
const ENDLESS: ServerRoutes = {
  pages: [],
  api: [
    (app) => {
      app.get('/api/v1/endless', { config: { scope: 'read' } }, (_request, reply) => {
        reply.hijack();
        reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
        reply.raw.write(': here\n\n');
      });
    },
  ],
};

const head = ({ port }: WebServer, url: string) => `GET ${url} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;

/** Asks on a connection that stays open. */
async function askOn(server: WebServer, { socket }: { socket: Socket }, url: string): Promise<void> {
  socket.write(head(server, url));
  await once(socket, 'data');
}

test('a visitor who opens thousands of connections closes their own: others keep theirs, and new ones find room', async () => {
  const server = await start({}, { connections: 8 });
  const resting = dial(server);
  await askOn(server, resting, '/livez');
  const many: ReturnType<typeof dial>[] = [];
  for (let n = 0; n < 40; n++) {
    const one = dial(server, '127.0.0.2');
    await once(one.socket, 'connect');
    many.push(one);
  }
  // Behind the same address as those forty, where others may be as well.
  const newcomer = dial(server, '127.0.0.2');
  await askOn(server, newcomer, '/livez');
  expect(newcomer.heard()).toMatch(/^HTTP\/1\.1 200 /);
  await Promise.all(many.slice(0, 40 - 6).map(({ ended }) => ended));
  expect(many.slice(40 - 6).map(({ socket }) => socket.closed)).toEqual(Array(6).fill(false));
  await askOn(server, resting, '/livez');
  expect(resting.heard().match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  for (const { socket } of [resting, newcomer, ...many]) socket.destroy();
});

test('a connection with a running request is never closed for another: if all have one, the next is closed immediately', async () => {
  const server = await start({}, { connections: 2 }, ENDLESS);
  const kept = [dial(server), dial(server)];
  for (const one of kept) await askOn(server, one, '/api/v1/endless');
  const third = dial(server, '127.0.0.2');
  third.socket.write(head(server, '/livez'));
  await third.ended;
  expect(third.heard()).toBe('');
  expect(kept.map(({ socket }) => socket.closed)).toEqual([false, false]);
  kept[0]?.socket.destroy();
  await expect
    .poll(() => say(server, 'GET /livez HTTP/1.1', `Host: localhost:${server.port}`))
    .toMatch(/^HTTP\/1\.1 200 /);
  for (const { socket } of kept) socket.destroy();
});

test('closes with idle connections and endless streams, and completes running responses', async () => {
  let finish = () => {};
  const server = await start(
    {},
    {},
    {
      pages: [],
      api: [
        (app) => {
          app.get('/api/v1/slow', { config: { scope: 'read' } }, async () => {
            await new Promise<void>((resolve) => {
              finish = resolve;
            });
            return { done: true };
          });
        },
        ...ENDLESS.api,
      ],
    },
  );
  const resting = dial(server);
  await askOn(server, resting, '/livez');
  const endless = dial(server);
  await askOn(server, endless, '/api/v1/endless');
  const slow = fetch(`${server.url}/api/v1/slow`);
  await expect.poll(() => finish.length === 0 && String(finish)).not.toBe('() => {}');
  const closing = server.close();
  finish();
  expect(await (await slow).json()).toEqual({ done: true });
  await Promise.all([closing, resting.ended, endless.ended]);
});
