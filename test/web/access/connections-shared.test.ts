/** Visitors share the connections of the database: one who uses all of theirs delays only themselves. */
import { afterAll, expect, test } from 'vitest';
import { getCurrentVisitorKey } from '../../../src/monitor/http/visitor-shares.ts';
import { eventRoutes } from '../../../src/api/event-routes.ts';
import { buildHttpServer, type ServerRoutes } from '../../../src/app/http-server.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { openDatabase } from '../../../src/store/db/database.ts';
import { until } from '../../processes.ts';
import { json, startStub } from '../../stub-service.ts';
import { readEvents } from '../findings/stand.ts';
import { openStand } from './stand.ts';

const LOCK = 4_711;
const stub = await startStub(json({ miner_tweets: [] }));
const stand = await openStand({ hosted: stub.url });
const { ctx, db: own } = stand.world;
const db = openDatabase(stand.world.database.url, {
  log: createLogger('silent'),
  name: 'of visitors',
  max: 10,
  shares: { all: 8, each: 4, waitMs: 60_000, who: getCurrentVisitorKey },
});
afterAll(async () => {
  await db.close();
  await stand.close();
  await stub.close();
});

const slow = () =>
  db.pool.query(`SELECT pg_advisory_lock_shared(${LOCK}), pg_advisory_unlock_shared(${LOCK})`);
const as = (token: string) => ({ authorization: `Bearer ${token}` });
const inUse = async () => {
  const { rows } = await own.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'of visitors' AND wait_event = 'advisory'`,
  );
  return rows[0]?.n;
};

const SLOW: ServerRoutes = {
  pages: [],
  api: [
    (app) => {
      app.get('/api/v1/slow', { config: { scope: 'read' } }, async () => {
        // Like a page, it asks for several things at once.
        await Promise.all([slow(), slow(), slow()]);
        return { done: true };
      });
      app.post('/api/v1/slow', { config: { scope: 'write' } }, async ({ body }) => {
        await slow();
        return body ?? {};
      });
      app.get('/api/v1/quick', { config: { scope: 'read' } }, async () => {
        const { rows } = await db.pool.query<{ one: number }>('SELECT 1 AS one');
        return rows[0];
      });
    },
  ],
};

test('two hundred slow requests of one visitor: runs are executed, and another visitor gets responses', async () => {
  const { search, firstRunId } = await createSearch(ctx, {
    slug: 'ferry',
    operation: 'microblog',
    prompt: 'ferry',
    every: '1h',
    service: 'hosted',
  });
  const app = await stand.serve(SLOW);
  const [hostile, other] = [await stand.token('write'), await stand.token('read')];
  const holder = await own.pool.connect();
  await holder.query(`SELECT pg_advisory_lock(${LOCK})`);
  const requests = Array.from({ length: 200 }, (_, n) =>
    n % 2 === 0
      ? app.inject({ url: '/api/v1/slow', headers: as(hostile) })
      : app.inject({ method: 'POST', url: '/api/v1/slow', headers: as(hostile), payload: { n } }),
  );
  await until('all that one visitor may have are in use', async () => (await inUse()) === 4);

  expect((await app.inject({ url: '/api/v1/quick', headers: as(other) })).json()).toEqual({ one: 1 });
  expect((await app.inject('/readyz')).statusCode).toBe(200);
  await executeRun(ctx, firstRunId);
  for (let slot = 0; slot < 3; slot++) {
    stand.world.clock.advance(3_600_000);
    for (const runId of await stand.world.scan()) await executeRun(ctx, runId);
  }
  const { rows } = await own.pool.query<{ status: string; n: number }>(
    'SELECT status, count(*)::int AS n FROM strandline.runs WHERE search_id = $1 GROUP BY status',
    [search.id],
  );
  expect(rows).toEqual([{ status: 'succeeded', n: 4 }]);
  expect(await inUse(), 'all the while').toBe(4);

  await holder.query(`SELECT pg_advisory_unlock(${LOCK})`);
  holder.release();
  expect(new Set((await Promise.all(requests)).map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
});

test('a visitor who uses all their connections delays neither the end of their requests nor the events of others', async () => {
  let busy: Promise<unknown>[] = [];
  const home = { ...stand.home, ctx: { ...ctx, db } };
  const app = await buildHttpServer(home, {
    pages: [],
    api: [
      eventRoutes,
      (api) => {
        api.post('/api/v1/busy', { config: { scope: 'write', idempotent: true } }, () => {
          busy = [slow(), slow(), slow(), slow()];
          return { done: true };
        });
      },
    ],
  });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const [hostile, other] = [await stand.token('write', 'read'), await stand.token('read')];
  await own.pool.query(
    `INSERT INTO strandline.discoveries (search_id, run_id, kind, thing, baseline, at)
     SELECT search_id, id, 'link', 1, false, created_at FROM strandline.runs LIMIT 1`,
  );
  const holder = await own.pool.connect();
  await holder.query(`SELECT pg_advisory_lock(${LOCK})`);
  const request = {
    method: 'POST',
    url: '/api/v1/busy',
    headers: { ...as(hostile), 'idempotency-key': 'busy' },
  } as const;

  expect((await app.inject(request)).statusCode, 'its reply is stored').toBe(200);
  await until('all of the visitor are in use', async () => (await inUse()) === 4);
  // The feed begins with the first who listens; what the second one missed is told as soon as it has begun.
  const first = await readEvents(`${address}/api/v1/events`, as(hostile));
  const second = await readEvents(`${address}/api/v1/events?after=0`, as(other));
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(await second.take(1)).toMatchObject([{ event: 'discovery' }]);
  expect(await inUse(), 'all the while').toBe(4);

  await holder.query(`SELECT pg_advisory_unlock(${LOCK})`);
  holder.release();
  await Promise.all(busy);
  const replayed = await app.inject(request);
  expect([replayed.statusCode, replayed.headers['idempotency-replayed']]).toEqual([200, 'true']);
  for (const reader of [first, second]) reader.leave();
  app.server.closeAllConnections();
  await app.close();
});
