/** Clients that disconnect before their reply, however early: nothing is started or retained for them. */
import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { apiRoutes } from '../../../src/api/api-routes.ts';
import { abortUnlessIdempotent } from '../../../src/api/idempotency-key.ts';
import { abortOnClose } from '../../../src/platform/http/raw-reply.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { until } from '../../processes.ts';
import { openStand } from '../access/stand.ts';

const stand = await openStand();
const { pool } = stand.world.db;
let app: App;
const route = new EventEmitter();
const isReached = () => once(route, 'reached');
/** What a route does once its client has left. */
let afterwards: (
  request: Parameters<typeof abortUnlessIdempotent>[0],
  reply: Parameters<typeof abortUnlessIdempotent>[1],
) => void;
beforeAll(async () => {
  stand.home.readerUrl = () => stand.world.database.readerUrl;
  const written = { slug: 'ferry-posts', topic: 'ferry', operation: 'microblog', prompt: 'ferry' } as const;
  await createSearch(stand.world.ctx, { ...written, every: '1h' });
  app = await stand.serve({
    api: [
      apiRoutes,
      (api) => {
        api.get('/api/v1/late', { config: { scope: 'read' } }, async (request, reply) => {
          const left = once(reply.raw, 'close');
          route.emit('reached');
          await left;
          afterwards(request, reply);
          return {};
        });
      },
    ],
    pages: [],
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  // A connection whose request was given up is none of those that a server closes by itself.
  app.server.closeAllConnections();
  await stand.close();
});

/** Sends a request and leaves as soon as it is in progress; done when the server has noticed. */
async function askAndLeave(url: string, inProgress: () => Promise<unknown>): Promise<void> {
  const { port } = app.server.address() as AddressInfo; // a TCP server's address is never a string
  const requested = once(app.server, 'request') as Promise<[unknown, ServerResponse]>; // what a server emits
  const begun = inProgress();
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${url} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  const [, response] = await requested;
  await begun;
  const noticed = once(response, 'close');
  socket.destroy();
  await noticed;
}

test.each([
  ['events', '/api/v1/events?topic=ferry'],
  ['exports', '/api/v1/exports/posts?topic=ferry'],
] as const)('%s: a client that left during the filter lookup holds no place', async (what, url) => {
  let held = 0;
  const share = app.shares[what];
  const take = share.take.bind(share);
  const taken = vi.spyOn(share, 'take').mockImplementation((request) => {
    const leave = take(request);
    held += 1;
    let there = true;
    return () => {
      if (there) held -= 1;
      there = false;
      leave();
    };
  });
  const locker = await pool.connect();
  await locker.query('BEGIN; LOCK TABLE strandline.topics IN ACCESS EXCLUSIVE MODE');
  const waiting = async () => {
    const { rowCount } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return (rowCount ?? 0) > 0;
  };
  await askAndLeave(url, () => until('it waits for the topic', waiting));
  await locker.query('ROLLBACK');
  locker.release();
  await until('nothing waits any more', async () => !(await waiting()));

  // Whoever comes next is answered behind the one who left.
  const { port } = app.server.address() as AddressInfo; // as above
  const next = await fetch(`http://127.0.0.1:${port}${url}`);
  expect(next.status).toBe(200);
  await next.body?.cancel();
  await vi.waitFor(() => expect(held).toBe(0), { timeout: 60_000 });
  taken.mockRestore();
});

test('a statement of a client that left is not started, and takes no place', async () => {
  const taken = vi.spyOn(app.shares.statements, 'take');
  const ended = new Promise((resolve) => {
    afterwards = (request, reply) =>
      void app.statements
        .ask(request, { sql: 'select 1', form: 'json', signal: abortOnClose(reply) })
        .then(resolve, (error: Error) => resolve(error.message));
  });
  const asked = vi.spyOn(app.statements, 'ask');
  await askAndLeave('/api/v1/late', isReached);
  expect(await ended).toBe('canceled: the client disconnected');
  expect(asked).toHaveBeenCalledOnce();
  expect(taken).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

test('a signal created after the disconnect is aborted', async () => {
  const ended = new Promise((resolve) => {
    afterwards = (request, reply) =>
      resolve([abortUnlessIdempotent(request, reply).aborted, abortOnClose(reply).aborted]);
  });
  await askAndLeave('/api/v1/late', isReached);
  expect(await ended).toEqual([true, true]);
});
