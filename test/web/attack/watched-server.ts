/**
 * The dashboard and the API as `strandline api` serves them, in a process of its own that watches how long each turn of
 * its event loop computes. Beside them it executes runs when it is told to, as `strandline up` does.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readConfig } from '../../../src/config/config.ts';
import { HOUR } from '../../../src/lib/time.ts';
import { steppedClock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import type { Context } from '../../../src/monitor/context.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { scan } from '../../../src/monitor/schedule/scan.ts';
import { openDatabase } from '../../../src/store/db/database.ts';
import { startWeb } from '../../../src/app/web-server.ts';
import { webHomeOn } from '../../../bench/pages/web-home.ts';
import { watchMainThread } from '../../processor.ts';

/** To the process. `slot`: an hour passes, and what is due is executed. */
export type Order = { serve: { url: string; readerUrl: string; at: string } } | 'slot' | 'figures';
/** From the process. */
export type Word = { port: number } | { executed: number } | Figures;
/** Since the figures before. */
export type Figures = {
  /** Turns of the event loop. */
  turns: number;
  /** What the longest of them computed, in milliseconds. */
  longestMs: number;
};

let serving: { ctx: Context; clock: ReturnType<typeof steppedClock>; enqueued: bigint[] } | undefined;
let figures: Figures = { turns: 0, longestMs: 0 };

process.on('message', (order: Order) => void obey(order));
process.once('disconnect', () => process.exit(0));

async function obey(order: Order): Promise<void> {
  if (order === 'figures') {
    say(figures);
    figures = { turns: 0, longestMs: 0 };
  } else if (order === 'slot') say({ executed: await executeSlot() });
  else say({ port: await serve(order.serve) });
}

function say(word: Word): void {
  process.send?.(word);
}

async function serve({
  url,
  readerUrl,
  at,
}: {
  url: string;
  readerUrl: string;
  at: string;
}): Promise<number> {
  const db = openDatabase(url, { log: createLogger('silent'), max: 14 });
  const service = createServer((_request, response) => response.end('{"miner_tweets":[]}'));
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`; // it listens at a port
  const home = webHomeOn(db, { url, readerUrl });
  const clock = steppedClock(at);
  const enqueued: bigint[] = [];
  const ctx: Context = {
    ...home.ctx,
    clock,
    config: readConfig({
      DATABASE_URL: url,
      PORT: '0',
      REQUESTS_PER_MINUTE: '1000000',
      CALLS_PER_DAY: '1000000',
      SEARCH_API_URL: baseUrl,
    }),
    endpoint: () => Promise.resolve({ baseUrl, prefix: undefined, key: 'k' }),
    queue: {
      ...home.ctx.queue,
      enqueueRuns: (runs) => {
        enqueued.push(...runs.map(({ runId }) => runId));
        return Promise.resolve();
      },
    },
  };
  serving = { ctx, clock, enqueued };
  const web = await startWeb({ ...home, ctx, databaseUrl: url });
  watchTurns();
  return web.port;
}

async function executeSlot(): Promise<number> {
  if (serving === undefined) throw new Error('nothing is served yet');
  const { ctx, clock, enqueued } = serving;
  clock.advance(HOUR);
  await scan(ctx);
  const runs = enqueued.splice(0);
  for (const runId of runs) await executeRun(ctx, runId);
  return runs.length;
}

/** Comes with each turn of the loop and makes none: where nothing happens it waits with the loop. */
function watchTurns(): void {
  let computed = watchMainThread();
  const turn = () => {
    figures = { turns: figures.turns + 1, longestMs: Math.max(figures.longestMs, computed()) };
    computed = watchMainThread();
    setImmediate(turn).unref();
  };
  turn();
}
