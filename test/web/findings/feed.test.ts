import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Feed, type FeedEvent, openFeed } from '../../../src/monitor/events/live-feed.ts';
import type { Id } from '../../../src/store/db/database.ts';
import { insertRun } from '../../../src/store/runs/run-states.ts';
import { makeWorld, type World } from '../../world.ts';
import { addSearch } from './stand.ts';

let world: World;
let ferries: Id;
let trains: Id;
let feed: Feed<string>;
let leaving: AbortController;
beforeAll(async () => {
  world = await makeWorld();
  ferries = (await addSearch(world, 'ferries', { topic: 'harbour' })).id;
  trains = (await addSearch(world, 'trains', { topic: 'rail' })).id;
});
afterAll(() => world.close());
beforeEach(() => {
  feed = openFeed(world.ctx, told);
  leaving = new AbortController();
  return async () => {
    leaving.abort();
    await feed.close();
  };
});

const told = ({ event, row }: FeedEvent) =>
  event === 'run' ? `run ${row.search} ${row.status}` : `${row.id}`;
let things = 0;

/** Adds discoveries of a run of the search. @returns their ids */
async function find(searchId: Id, n: number): Promise<string[]> {
  const runId = await insertRun(world.db.pool, { searchId, trigger: 'manual', now: world.clock.now() });
  await world.db.pool.query(`UPDATE strandline.runs SET status = 'cancelled', ended_at = $2 WHERE id = $1`, [
    runId,
    new Date(0),
  ]);
  things += n;
  const { rows } = await world.db.pool.query<{ id: Id }>(
    `INSERT INTO strandline.discoveries (search_id, run_id, kind, thing, baseline, at)
     SELECT $1, $2, 'post', $4::int - n, false, $3 FROM generate_series(1, $5::int) n RETURNING id`,
    [searchId, runId, world.clock.now(), things, n],
  );
  return rows.map(({ id }) => String(id));
}

async function end(searchId: Id, at: Date): Promise<void> {
  const runId = await insertRun(world.db.pool, { searchId, trigger: 'manual', now: at });
  await world.db.pool.query(`UPDATE strandline.runs SET status = 'cancelled', ended_at = $2 WHERE id = $1`, [
    runId,
    at,
  ]);
}

function listener(filter: { topic?: string; search?: string } = {}) {
  const heard: string[] = [];
  const hear = {
    filter,
    replay: async (events: readonly string[]) => void heard.push(...events),
    tell: (events: readonly string[]) => void heard.push(...events),
  };
  return { heard, hear };
}

test('listeners get new discoveries in feed order, filtered as requested', async () => {
  await find(ferries, 2);
  const all = listener();
  const rail = listener({ topic: 'rail' });
  const none = listener({ topic: 'rail', search: 'ferries' });
  for (const { hear } of [all, rail, none])
    await feed.listen(hear, { after: await feed.startOf(undefined), signal: leaving.signal });
  const before = await find(ferries, 2);
  const after = await find(trains, 3);
  await feed.poll();
  await feed.poll();
  expect(all.heard).toEqual([...before, ...after]);
  expect(rail.heard).toEqual(after);
  expect(none.heard).toEqual([]);
});

test('missed discoveries are replayed in pages, without gaps or duplicates where live ones begin', async () => {
  const [first = '0'] = await find(ferries, 1);
  const missed = await find(ferries, 1_203);
  const others = await find(trains, 5);
  const busy = listener();
  await feed.listen(busy.hear, { after: await feed.startOf(undefined), signal: leaving.signal });
  const { heard, hear } = listener({ search: 'ferries' });
  const during: string[] = [];
  // While pages are replayed, more is found and the others are told of it.
  const slow = {
    ...hear,
    replay: async (events: readonly string[]) => {
      heard.push(...events);
      if (during.length < 6) {
        during.push(...(await find(ferries, 2)));
        await feed.poll();
      }
    },
  };
  await feed.listen(slow, { after: BigInt(first), signal: leaving.signal });
  const later = await find(ferries, 2);
  await feed.poll();
  expect(during.length).toBeGreaterThan(4);
  expect(heard).toEqual([...missed, ...during, ...later]);
  expect(busy.heard).toEqual([...during, ...later]);
  expect(others).toHaveLength(5);
});

test('a discovery already received from another process is not sent again', async () => {
  const first = listener();
  await feed.listen(first.hear, { after: await feed.startOf(undefined), signal: leaving.signal });
  const seen = await find(ferries, 3);
  const { heard, hear } = listener();
  await feed.listen(hear, { after: BigInt(seen[1] ?? 0), signal: leaving.signal });
  await feed.poll();
  expect(first.heard).toEqual(seen);
  expect(heard).toEqual([seen[2]]);
});

test('a discovery made while the feed starts is sent: its reader is connected', async () => {
  await find(ferries, 1);
  const after = await feed.startOf(undefined);
  const meanwhile = await find(ferries, 2);
  const { heard, hear } = listener();
  await feed.listen(hear, { after, signal: leaving.signal });
  await feed.poll();
  expect(heard).toEqual(meanwhile);
});

test('an id beyond the last discovery is refused, with the last one', async () => {
  const [last] = (await find(ferries, 1)).slice(-1);
  await expect(feed.startOf(BigInt(last ?? 0) + 1n)).rejects.toThrow(`the newest is ${last}`);
  expect(await feed.startOf(BigInt(last ?? 0))).toBe(BigInt(last ?? 0));
  expect(await feed.startOf(undefined)).toBe(BigInt(last ?? 0));
});

test('runs are sent once when they end, even if the end is recorded late', async () => {
  const now = world.clock.now();
  await end(ferries, now);
  const { heard, hear } = listener({ topic: 'harbour' });
  await feed.listen(hear, { after: await feed.startOf(undefined), signal: leaving.signal });
  await end(ferries, new Date(now.getTime() + 2_000));
  await end(trains, new Date(now.getTime() + 2_000));
  await feed.poll();
  await end(ferries, new Date(now.getTime() + 1_000));
  await feed.poll();
  await feed.poll();
  expect(heard).toEqual(['run ferries cancelled', 'run ferries cancelled']);
});

test('a disconnected client gets nothing more, and events without listeners are dropped', async () => {
  const { heard, hear } = listener();
  await feed.listen(hear, { after: await feed.startOf(undefined), signal: leaving.signal });
  leaving.abort();
  await find(ferries, 2);
  await feed.poll();
  const again = listener();
  const back = new AbortController();
  await feed.listen(again.hear, { after: await feed.startOf(undefined), signal: back.signal });
  const [next] = await find(ferries, 1);
  await feed.poll();
  back.abort();
  expect(heard).toEqual([]);
  expect(again.heard).toEqual([next]);
});
