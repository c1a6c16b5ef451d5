/**
 * Twelve days of a monitor, run through its own scans, leases, calls and saves up to now, with everything that goes
 * wrong in one: a day on which the service failed, a pause, an edit half-way, a time in which nothing ran, and an
 * answer that was cut at its limit.
 */
import { DAY, HOUR, SECOND } from '../../../src/lib/time.ts';
import { derivePending } from '../../../src/monitor/derive/follower.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { scan } from '../../../src/monitor/schedule/scan.ts';
import { createSearch, editSearch } from '../../../src/monitor/topics/save-search.ts';
import { changeSearch } from '../../../src/monitor/topics/search-state.ts';
import type { Search } from '../../../src/store/topics/searches.ts';
import { connect } from '../../../src/platform/postgres/connect.ts';
import { filledDatabase, type TestDatabase } from '../../database.ts';
import { startStub, type StubService } from '../../stub-service.ts';
import { makeWorld, type World } from '../../world.ts';
import { answerer } from './answers.ts';

const DAYS = 12;
const STEP_MS = 3 * HOUR;
/** From a slot to the lease of its run. */
export const LATE_SECONDS = 4;
export const COST_USD = 0.02;

/** In days after the first. */
export const PAUSED_DAY = 2;
export const EDITED_DAY = 4;
export const FAILED_DAY = 5;
export const STOPPED_DAY = 7;

export type History = {
  world: World;
  dayAt: (n: number) => Date;
  /** Scans at the next slot, three hours later, and executes its runs. */
  runNextSlot(): Promise<void>;
  close(): Promise<void>;
};

/** The last day is today, as far as it has come: questions ask from now() backwards. It is lived once for all files. */
export async function liveHistory(): Promise<History> {
  const database = await filledDatabase('history', async (fresh) => {
    const begin = Math.floor(Date.now() / DAY) * DAY - (DAYS - 1) * DAY;
    const history = await openHistory(fresh, { begin, next: begin, asked: [] });
    try {
      await liveThrough(history);
    } finally {
      await history.world.db.close();
      await history.stub.close();
    }
  });
  const lived = await openHistory(database, await readLived(database));
  return {
    ...lived,
    close: async () => {
      await lived.world.close();
      await lived.stub.close();
    },
  };
}

type Opened = Omit<History, 'close'> & { stub: StubService; now: () => number };

/** When its first day began and its next slot is, and the prompts to which there was an answer. */
type Lived = { begin: number; next: number; asked: string[] };

async function readLived({ url }: TestDatabase): Promise<Lived> {
  const client = await connect(url, 'test');
  const { rows } = await client.query<{ begin: Date; last: Date }>(
    `SELECT (SELECT min(created_at) FROM strandline.searches) AS begin, (SELECT max(slot_at) FROM strandline.runs) AS last`,
  );
  await client.end();
  const [lived] = rows;
  if (lived === undefined) throw new Error('a query without a row');
  const asked = ['night trains', 'night trains again', 'buses'];
  return { begin: lived.begin.getTime(), next: lived.last.getTime() + STEP_MS, asked };
}

async function openHistory(database: TestDatabase, { begin, next, asked }: Lived): Promise<Opened> {
  const dayAt = (n: number) => new Date(begin + n * DAY);
  let now = next;
  const within = (n: number) => now >= dayAt(n).getTime() && now < dayAt(n + 1).getTime();
  const answer = answerer({ now: () => now, dayAt }, asked);
  const stub = await startStub((request, response) => {
    const failing = within(FAILED_DAY) && request.body['prompt'] === 'night trains again';
    response.writeHead(failing ? 500 : 200, {
      'content-type': 'application/json',
      'x-service-cost-usd': String(COST_USD),
    });
    response.end(JSON.stringify(failing ? { detail: 'out of order' } : answer(request)));
  });
  const world = await makeWorld({ hosted: stub.url, env: { MAX_CALLS_PER_RUN: '1' }, database });
  world.clock.set(new Date(now - STEP_MS + LATE_SECONDS * SECOND));
  return {
    world,
    dayAt,
    stub,
    now: () => now,
    runNextSlot: async () => {
      world.clock.set(new Date(now + LATE_SECONDS * SECOND));
      if (!within(STOPPED_DAY)) {
        await scan(world.ctx);
        await runQueued(world);
      }
      now += STEP_MS;
    },
  };
}

async function liveThrough({ world, dayAt, now, runNextSlot }: Opened): Promise<void> {
  world.clock.set(dayAt(0));
  await makeSearches(world);
  while (now() + LATE_SECONDS * SECOND <= Date.now()) {
    world.clock.set(new Date(now()));
    if (now() === dayAt(PAUSED_DAY).getTime()) await changeSearch(world.ctx, 'trains-posts', 'pause');
    if (now() === dayAt(PAUSED_DAY + 1).getTime()) await changeSearch(world.ctx, 'trains-posts', 'resume');
    if (now() === dayAt(EDITED_DAY).getTime())
      await editSearch(world.ctx, 'trains-posts', { prompt: 'night trains again' });
    await runNextSlot();
  }
}

async function makeSearches(world: World): Promise<Search[]> {
  const often = { cron: '0 */3 * * *' };
  const less = { cron: '0 */6 * * *' };
  const seldom = { cron: '0 */12 * * *', operation: 'ai', date_filter: 'PAST_WEEK' } as const;
  const searches: Search[] = [];
  for (const written of [
    { slug: 'trains-posts', topic: 'trains', operation: 'microblog', prompt: 'night trains', ...often },
    { slug: 'buses-posts', topic: 'buses', operation: 'microblog', prompt: 'buses', ...less },
    { slug: 'trains-ai', topic: 'trains', prompt: 'night trains', ...seldom },
    { slug: 'trains-boards', topic: 'trains', prompt: 'night trains on boards', ...seldom },
  ] as const)
    searches.push((await createSearch(world.ctx, written)).search);
  await runQueued(world);
  return searches;
}

async function runQueued({ ctx, enqueued }: World): Promise<void> {
  for (let next = enqueued.shift(); next !== undefined; next = enqueued.shift())
    await executeRun(ctx, next.runId);
  await derivePending(ctx, { settleMs: null });
}
