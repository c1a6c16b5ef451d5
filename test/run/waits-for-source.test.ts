/** Sources that are reachable only later: runs wait for them without a call, and start by themselves. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { accessServices, type ProbeResult } from '../../src/app/service-access.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { WAITS_FOR_SOURCE } from '../../src/model/errors.ts';
import { readSearchStatuses } from '../../src/monitor/status/search-status.ts';
import { judgeSilence } from '../../src/monitor/status/search-silence.ts';
import type { Context } from '../../src/monitor/context.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { makeWorld } from '../world.ts';

/** An address at which nothing listens until `start`. */
async function reserveAddress() {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ hits: [], nbHits: 0 }));
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port; // it listens on a port
  };
  const port = await listen(0);
  server.close();
  await once(server, 'close');
  onTestFinished(() => void server.close());
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}`, start: () => listen(port), stop };
}

/** A world whose service starts before its only source is reachable; the source is probed again whenever somebody asks. */
async function makeEarlyWorld(sources: string) {
  const place = await reserveAddress();
  const world = await makeWorld({
    env: { SERVICE_SOURCES: sources, SERVICE_SOURCE_URLS: `hacker-news=${place.url}` },
    kind: 'real',
  });
  const { config, clock, log, db } = world.ctx;
  const services = accessServices({ config, clock, log, db, open: false, probeEveryMs: 1 });
  onTestFinished(async () => {
    await services.close();
    await world.close();
  });
  const ctx = { ...world.ctx, endpoint: services.endpoint, ownSources: services.ownSources };
  const rows = async (text: string) => (await db.pool.query(text)).rows;
  return { place, world, services, ctx, rows };
}

const TIDES = {
  slug: 'tides',
  prompt: 'tidal power',
  operation: 'ai',
  tools: ['News Forum Search'],
  date_filter: 'PAST_WEEK',
  every: '15m',
} as const;

/** Status and reason of the only search, and the number of silent ones. */
async function readStatus(ctx: Context) {
  const [search] = await readSearchStatuses(ctx);
  return [search?.status, search?.reason, (await judgeSilence(ctx)).total];
}

// A probe of all sources may take its ten seconds each time.
test.each([
  ['auto', 1],
  ['hacker-news', 40],
])(
  'with %s, runs wait without a call or a failure, and start when a source is reachable',
  async (sources, minutes) => {
    const { place, world, ctx, rows } = await makeEarlyWorld(sources);
    const { firstRunId, search } = await createSearch(ctx, TIDES);
    expect(search).toMatchObject({ service: 'own', state: 'active' });
    for (let minute = 0; minute < minutes; minute++) {
      expect(await executeRun(ctx, firstRunId)).toMatchObject({
        status: 'retry',
        code: 'sources_down',
        detail: WAITS_FOR_SOURCE,
        isWaiting: true,
      });
      // Not before the sources are probed again.
      expect(await executeRun(ctx, firstRunId)).toBeNull();
      expect(await readStatus(ctx)).toEqual(['waiting_for_source', WAITS_FOR_SOURCE, 0]);
      world.clock.advance(70_000);
      await world.scan();
    }
    expect(await rows('SELECT FROM strandline.calls')).toEqual([]);
    // One run waits; later slots are skipped, so there is no burst afterwards.
    expect(await rows(`SELECT status, reason FROM strandline.runs WHERE status <> 'skipped'`)).toEqual([
      { status: 'queued', reason: WAITS_FOR_SOURCE },
    ]);
    expect(await rows('SELECT state FROM strandline.searches')).toEqual([{ state: 'active' }]);

    await place.start();
    expect(await executeRun(ctx, firstRunId)).toMatchObject({ status: 'succeeded' });
    expect(await rows('SELECT state FROM strandline.calls')).toEqual([{ state: 'received' }]);
    expect(await readStatus(ctx)).toEqual(['ok', null, 0]);
  },
);

test('a run during which the network is lost waits, too; the search does not fail', async () => {
  const { place, world, ctx, rows } = await makeEarlyWorld('hacker-news');
  await place.start();
  const { firstRunId } = await createSearch(ctx, TIDES);
  expect(await ctx.ownSources()).toBe('answering');
  await place.stop();
  expect(await executeRun(ctx, firstRunId)).toMatchObject({ status: 'retry', detail: WAITS_FOR_SOURCE });
  expect(await readStatus(ctx)).toEqual(['waiting_for_source', WAITS_FOR_SOURCE, 0]);
  // Longer than three intervals.
  world.clock.advance(4 * HOUR);
  expect(await executeRun(ctx, firstRunId)).toMatchObject({ status: 'retry', isWaiting: true });
  expect(await readStatus(ctx)).toEqual(['waiting_for_source', WAITS_FOR_SOURCE, 0]);
  expect(await rows('SELECT count(*)::int AS calls FROM strandline.calls')).toEqual([{ calls: 1 }]);
  await place.start();
  world.clock.advance(2 * MINUTE);
  expect(await executeRun(ctx, firstRunId)).toMatchObject({ status: 'succeeded' });
  await world.derive();
  expect(await readStatus(ctx)).toEqual(['ok', null, 0]);
});

test('who watches is told once when a source is reachable', async () => {
  const { place, services } = await makeEarlyWorld('auto');
  expect(await services.ownSources()).toBe('unreachable');
  const told: (readonly ProbeResult[])[] = [];
  const reached = new Promise<void>((resolve) => {
    services.watchSources((probed) => {
      told.push(probed);
      resolve();
    });
  });
  await place.start();
  await reached;
  expect(told).toHaveLength(1);
  expect(told[0]?.filter(({ outcome }) => outcome === 'reachable').map(({ name }) => name)).toEqual([
    'hacker-news',
  ]);
  expect(await services.ownSources()).toBe('answering');
});
