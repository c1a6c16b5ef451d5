/** Statements on the server: who may send one, and how many at a time. The process that runs them: statement-process.test.ts. */
import { afterAll, expect, test, vi } from 'vitest';
import { WEB } from '../../src/app/web-server.ts';
import { openStand } from '../web/access/stand.ts';

const stand = await openStand();
stand.home.readerUrl = () => stand.world.database.readerUrl;
afterAll(() => stand.close());

/** How many statements of visitors Postgres runs. */
async function active(): Promise<number> {
  const { rowCount } = await stand.world.db.pool.query(
    `SELECT FROM pg_stat_activity WHERE application_name = 'strandline sql' AND datname = current_database()`,
  );
  return rowCount ?? 0;
}

test('a visitor has two statements at a time, all visitors together four; a cancelled one frees its place', async () => {
  const app = await stand.serve(WEB);
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const leaving = new AbortController();
  const tokens = await Promise.all([1, 2, 3].map(() => stand.token('sql')));
  const sleep = (token: string | undefined, sql = 'select pg_sleep(25)') =>
    fetch(`${address}/api/v1/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ sql }),
      signal: leaving.signal,
    });
  const held = tokens.slice(0, 2).flatMap((token) => [sleep(token), sleep(token)]);
  const ended = Promise.allSettled(held);
  await vi.waitFor(async () => expect(await active()).toBe(4), { timeout: 60_000 });
  expect((await sleep(tokens[0], 'select 1')).status).toBe(429);
  expect((await sleep(tokens[2], 'select 1')).status).toBe(503);
  const onPage = async (token: string | undefined) => {
    const { statusCode, headers, body } = await app.inject({
      method: 'POST',
      url: '/explore/sql',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Bearer ${token}`,
      },
      payload: 'sql=select+4711',
    });
    return {
      statusCode,
      retryAfter: headers['retry-after'],
      keeps: body.includes('>select 4711</textarea>'),
    };
  };
  expect(await onPage(tokens[0])).toEqual({ statusCode: 429, retryAfter: '5', keeps: true });
  expect(await onPage(tokens[2])).toEqual({ statusCode: 503, retryAfter: '5', keeps: true });
  leaving.abort();
  await ended;
  const again = async () =>
    (
      await app.inject({
        method: 'POST',
        url: '/api/v1/sql',
        headers: { authorization: `Bearer ${tokens[0]}` },
        payload: { sql: 'select 1' },
      })
    ).statusCode;
  await vi.waitFor(async () => expect(await again()).toBe(200), { timeout: 60_000, interval: 100 });
});

test('statements require the scope sql, and are not offered without it', async () => {
  const app = await stand.serve(WEB);
  const seen = async (url: string, ...scopes: Parameters<typeof stand.token>) => {
    const { statusCode, body } = await app.inject({
      url,
      headers: { authorization: `Bearer ${await stand.token(...scopes)}` },
    });
    return { statusCode, offers: body.includes('/explore/sql') };
  };
  for (const url of ['/explore', '/system']) {
    expect(await seen(url, 'read', 'write', 'run')).toEqual({ statusCode: 200, offers: false });
    expect(await seen(url, 'sql')).toEqual({ statusCode: 200, offers: true });
  }
  expect((await seen('/explore/sql', 'read', 'write', 'run')).statusCode).toBe(403);
  expect((await seen('/explore/sql', 'sql')).statusCode).toBe(200);
  expect((await seen('/explore/sql', 'admin')).statusCode).toBe(200);
});
