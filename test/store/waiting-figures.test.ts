/** Figures that are not computed after each response of a busy search: `takeDaysToName`, `takeSearchesToRise`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { derivePending } from '../../src/monitor/derive/follower.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { makeWorld, type World } from '../world.ts';
import { at, newSearch, type Post, run } from './live.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const SECONDS = 1 / 60;

/** Posts of one day with one hashtag. */
const tagged = (from: number, count: number): Post[] =>
  Array.from({ length: count }, (_, i) => ({
    id: String(from + i),
    created_at: at(-60).toISOString(),
    entities: { hashtags: [{ tag: 'harbor' }] },
  }));

async function countTagged(search: Search): Promise<number> {
  const { rows } = await world.db.pool.query<{ posts: number }>(
    `SELECT posts FROM strandline.search_tops WHERE search_id = $1 AND kind = 'hashtag' AND name = 'harbor'`,
    [search.id],
  );
  return rows[0]?.posts ?? 0;
}

async function follow(minutes: number): Promise<void> {
  world.clock.set(at(minutes));
  await derivePending(world.ctx);
}

test('names of a day are counted when its posts are two per cent more, or after five minutes', async () => {
  const search = await newSearch(world, 'busy', { every: '1m' });
  await run(world, search, 0, tagged(1_000, 200), null);
  await follow(3 * SECONDS);
  expect(await countTagged(search), 'the first posts of the day').toBe(200);

  await run(world, search, 1, tagged(2_000, 3), null);
  await follow(1 + 3 * SECONDS);
  expect(await countTagged(search), 'one and a half per cent more').toBe(200);
  await run(world, search, 2, tagged(3_000, 2), null);
  await follow(2 + 3 * SECONDS);
  expect(await countTagged(search), 'two and a half per cent more').toBe(205);

  await run(world, search, 3, tagged(4_000, 1), null);
  await follow(3 + 3 * SECONDS);
  await run(world, search, 5, tagged(5_000, 1), null);
  await follow(5 + 3 * SECONDS);
  expect(await countTagged(search), 'less than five minutes').toBe(205);
  await follow(8 + 4 * SECONDS);
  expect(await countTagged(search), 'five minutes after the first that waits, without a response').toBe(207);
  await follow(9);
  const { rows } = await world.db.pool.query(
    'SELECT FROM strandline.search_days WHERE names_wait_since IS NOT NULL',
  );
  expect(rows, 'days that wait').toHaveLength(0);
});

test('rising posts are computed again four minutes after they were, by the times of responses or by the clock', async () => {
  const search = await newSearch(world, 'rising', { every: '1m' });
  const readAsOf = async () => {
    const { rows } = await world.db.pool.query<{ as_of: Date; gained: number }>(
      'SELECT as_of, gained::int FROM strandline.search_rising WHERE search_id = $1',
      [search.id],
    );
    return rows.map(({ as_of, gained }) => [as_of.toISOString(), gained]);
  };
  const like = async (minutes: number, likes: number) => {
    await run(
      world,
      search,
      minutes,
      [{ id: '77', created_at: at(-600).toISOString(), like_count: likes }],
      null,
    );
    await follow(minutes + 3 * SECONDS);
  };
  await like(100, 0);
  await like(130, 10);
  expect(await readAsOf()).toEqual([[at(130).toISOString(), 10]]);
  await like(131, 20);
  await follow(135 + 2 * SECONDS);
  expect(await readAsOf(), 'four minutes have not passed').toEqual([[at(130).toISOString(), 10]]);
  await follow(135 + 4 * SECONDS);
  expect(await readAsOf(), 'by the clock').toEqual([[at(131).toISOString(), 20]]);
  await like(136, 30);
  expect(await readAsOf(), 'by the time of the response').toEqual([[at(136).toISOString(), 30]]);
});

test('a response is derived two seconds after it was received; one from hours ahead waits for no clock', async () => {
  const search = await newSearch(world, 'settled', { every: '1m' });
  const countPending = async () => {
    const { rows } = await world.db.pool.query(
      'SELECT FROM strandline.pending_derivations WHERE search_id = $1',
      [search.id],
    );
    return rows.length;
  };
  await run(world, search, 200, tagged(6_000, 2), null);
  await follow(200 + SECONDS);
  expect(await countPending(), 'an earlier one may still be saved').toBe(1);
  await follow(200 + 2 * SECONDS);
  expect(await countPending()).toBe(0);
  await run(world, search, 320, tagged(7_000, 2), null);
  await follow(320 - SECONDS);
  expect(await countPending(), 'from a clock that is a second ahead').toBe(1);
  await follow(200 + 3 * SECONDS);
  expect(await countPending(), 'the clock was set back by two hours').toBe(0);
});
