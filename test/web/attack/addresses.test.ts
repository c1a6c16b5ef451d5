/** Requests that two parsers may understand differently, over the wire and in their paths. */
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WebServer } from '../../../src/app/http-server.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { startWeb } from '../../../src/app/web-server.ts';
import { homeOf } from '../../cli/stand.ts';
import { makeWorld } from '../../world.ts';

const world = await makeWorld({ hosted: 'http://127.0.0.1:1', env: { PORT: '0' } });
let web: WebServer;
beforeAll(async () => {
  const written = { slug: 'ferry-posts', topic: 'ferry', operation: 'microblog', prompt: 'ferry' } as const;
  await createSearch(world.ctx, { ...written, every: '1h' });
  web = await startWeb(homeOf(world));
});
afterAll(async () => {
  await web.close();
  await world.close();
});

/** Sends lines as they are. @returns the status, 0 where the connection is closed without one */
async function status(...lines: string[]): Promise<number> {
  const socket = connect(web.port, '127.0.0.1');
  socket.write(Buffer.from(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`, 'latin1'));
  let answer = '';
  // A connection that breaks off was answered with what came before.
  await socket.forEach((piece: Buffer) => void (answer += piece.toString('latin1'))).catch(() => {});
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}
const ours = () => `127.0.0.1:${web.port}`;

test('accepts only its own host name, given once', async () => {
  const path = 'GET /api/v1/topics HTTP/1.1';
  expect(await status(path, `Host: ${ours()}`)).toBe(200);
  for (const lines of [
    [path, `Host: ${ours()}`, 'Host: evil.example'],
    [path, 'Host: evil.example', `Host: ${ours()}`],
    [path, `Host: ${ours()}`, `Host: ${ours()}`],
    [path, 'Host: evil.example', `X-Forwarded-Host: ${ours()}`, `Forwarded: host=${ours()}`],
    [path, `Host: ${ours()}\tevil.example`],
    [path, `Host: ours@${ours()}`],
    [path, `Host: localhost.evil.example:${web.port}`],
    [path, `Host: 127.0.0.1.evil.example:${web.port}`],
    [`GET http://${ours()}/api/v1/topics HTTP/1.1`, `Host: ${ours()}`],
    ['GET http://evil.example/livez HTTP/1.1', `Host: ${ours()}`],
    ['GET /livez HTTP/1.0'],
    ['OPTIONS * HTTP/1.1', `Host: ${ours()}`],
  ])
    expect(await status(...lines), lines.join(' | ')).toBe(421);
  expect(await status('CONNECT evil.example:443 HTTP/1.1', 'Host: evil.example')).toBe(0);
});

test.each([
  ['/api/v1/topics/..;/tokens', 404],
  ['//api/v1/topics', 404],
  ['/api//v1/topics', 404],
  ['/API/v1/topics', 404],
  ['/api/v1/topics;x', 404],
  ['/api/v1/x/../topics', 404],
  ['/livez/../api/v1/tokens', 404],
  ['/livez%2f..%2fsystem', 404],
  ['/assets/..%2f..%2fpackage.json', 404],
  ['/assets/%2e%2e/package.json', 404],
  ['/topics/%00', 400],
  ['/topics/ferry%00', 400],
  ['/searches/%00', 400],
  ['/searches/%00/edit', 400],
  ['/topics/%00/remove', 400],
  ['/alerts/rules/%00', 400],
  ['/alerts/channels/%00', 400],
  ['/explore?q=%00', 400],
  ['/explore?q=a&author=%00', 400],
  ['/compare?topics=%00', 400],
  ['/runs?search=%00', 400],
  ['/new?text=%00', 400],
  ['/posts/9223372036854775808', 404],
  ['/runs/99999999999999999999999', 404],
  ['/runs?since=%2B275760-09-13T00:00:00Z', 303],
  ['/topics/%E0%A4%A', 400],
  ['/topics/\u00ff', 400],
])('%s gets a %i', async (path, expected) => {
  expect(await status(`GET ${path} HTTP/1.1`, `Host: ${ours()}`)).toBe(expected);
});

test('method overrides in other methods and headers have no effect', async () => {
  for (const method of ['OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'SEARCH', 'COPY'])
    expect(await status(`${method} /api/v1/topics HTTP/1.1`, `Host: ${ours()}`), method).toBe(405);
  const override = ['X-HTTP-Method-Override: DELETE', 'X-Original-URL: /livez', 'X-Rewrite-URL: /livez'];
  expect(await status('GET /api/v1/topics/ferry HTTP/1.1', `Host: ${ours()}`, ...override)).toBe(200);
  expect(await status('GET /api/v1/topics/ferry HTTP/1.1', `Host: ${ours()}`)).toBe(200);
});

test('refuses a form field with NUL', async () => {
  const page = await (await fetch(`${web.url}/topics/ferry/edit`)).text();
  const token = /name="form_token" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const answer = await fetch(`${web.url}/topics/ferry/rename`, {
    method: 'POST',
    body: new URLSearchParams({ form_token: token, name: 'a\0b' }),
    redirect: 'manual',
  });
  expect(answer.status).toBe(400);
});
