/** Names of a day that grows are not counted after each response: see `takeDaysToName`. */
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
    hashtags: ['harbor'],
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
