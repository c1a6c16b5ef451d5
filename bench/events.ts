/**
 * `/api/v1/events` with many listeners: how much of a core the server takes, waiting and telling, and how long a
 * discovery is on its way from its commit to each of them. Listeners live in a process of their own.
 *
 *   node --import tsx bench/events.ts [--listeners 200] [--each 20] [--seconds 20]
 */
import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { apiRoutes } from '../src/api/api-routes.ts';
import { buildHttpServer } from '../src/app/http-server.ts';
import type { RouteContext } from '../src/monitor/http/route-types.ts';
import { readConfig } from '../src/config/config.ts';
import { systemClock } from '../src/platform/clock.ts';
import { createLogger } from '../src/platform/logger.ts';
import type { Context } from '../src/monitor/context.ts';
import type { Id } from '../src/store/db/database.ts';
import { insertRun } from '../src/store/runs/run-states.ts';
import { furnish, openStage } from './stage.ts';

const { values } = parseArgs({
  options: {
    listeners: { type: 'string', default: '200' },
    each: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '20' },
    listen: { type: 'string' },
  },
});
const listeners = Number(values.listeners);
const each = Number(values.each);
const seconds = Number(values.seconds);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

if (values.listen !== undefined) await listen(values.listen);
else await serve();

async function serve(): Promise<void> {
  const stage = await openStage(6);
  try {
    const { db } = stage;
    const { searchIds } = await furnish(db, 'events', 1);
    const searchId = searchIds[0] ?? 0n;
    const runId = await insertRun(db.pool, { searchId, trigger: 'manual', now: systemClock.now() });
    const log = createLogger('silent');
    const ctx = {
      config: readConfig({}),
      clock: systemClock,
      log,
      db,
      random: Math.random,
    } as unknown as Context; // what the API's reads stand on
    const home = { ctx } as unknown as RouteContext; // the same
    const app = await buildHttpServer(
      home,
      { api: [apiRoutes], pages: [] },
      { perMinute: 1_000_000, runsPerMinute: 1 },
    );
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    const child = fork(new URL(import.meta.url), [
      '--listen',
      `${address}/api/v1/events`,
      '--listeners',
      String(listeners),
    ]);
    await new Promise((resolve) => child.once('message', resolve));
    await pause(3_000);
    const idle = await share(seconds * 500, () => Promise.resolve());
    let thing = 0;
    const telling = await share(seconds * 1_000, async () => {
      await add(searchId, runId, (thing += each));
    });
    const result = new Promise((resolve) => child.once('message', resolve));
    child.send('enough');
    const { p50, p95, most, events } = (await result) as {
      [name in 'p50' | 'p95' | 'most' | 'events']: number;
    };
    const { rss } = process.memoryUsage();
    process.stdout.write(
      `${listeners} listeners, ${each} discoveries a second: ${(idle * 100).toFixed(1)} % of a core waiting, ${(telling * 100).toFixed(1)} % telling; ` +
        `${events} events arrived, after p50 ${p50} ms, p95 ${p95} ms, most ${most} ms (a look a second included); ${Math.round(rss / 2 ** 20)} MB\n`,
    );
    child.kill();
    await app.close();

    async function add(search: Id, run: Id, until: number): Promise<void> {
      await db.pool.query(
        `INSERT INTO strandline.discoveries (search_id, run_id, kind, thing, baseline, at)
         SELECT $1, $2, 'link', n, false, clock_timestamp() FROM generate_series($3::int - $4::int + 1, $3::int) n`,
        [search, run, until, each],
      );
    }
  } finally {
    await stage.close();
  }
}

/** The share of a core that this process takes while `work` is done at odd moments, about once a second. */
async function share(ms: number, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  const begun = performance.now();
  while (performance.now() - begun < ms) {
    await work();
    await pause(500 + Math.random() * 1_000);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / (performance.now() - begun);
}

async function listen(url: string): Promise<void> {
  const took: number[] = [];
  const opened = Array.from({ length: listeners }, async () => {
    const response = await fetch(url);
    if (response.status !== 200) throw new Error(`a listener got ${response.status}`);
    void read(response).catch(() => {});
  });
  await Promise.all(opened);
  process.send?.('ready');
  process.once('message', () => {
    setTimeout(() => {
      took.sort((a, b) => a - b);
      const at = (part: number) =>
        Math.round(took[Math.min(took.length - 1, Math.floor(part * took.length))] ?? 0);
      process.send?.({ p50: at(0.5), p95: at(0.95), most: at(1), events: took.length });
    }, 2_000);
  });

  async function read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      const now = Date.now();
      for (const [, at] of decoder.decode(piece, { stream: true }).matchAll(/"at":"([^"]+)"/g))
        took.push(now - Date.parse(at ?? ''));
    }
  }
}
