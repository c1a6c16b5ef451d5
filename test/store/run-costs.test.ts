/** What searches cost: each call of a run counts once, whatever else the run had. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import type { Id } from '../../src/store/db/database.ts';
import { readSearchCosts } from '../../src/store/queries/run-costs.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

async function newSearch(slug: string): Promise<Id> {
  const { search } = await createSearch(world.ctx, {
    slug,
    topic: slug,
    operation: 'microblog',
    prompt: slug,
    every: '1h',
  });
  await world.db.pool.query('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search.id;
}

/** A run that ended so many days ago. @param costs of its calls in dollars; null: not reported */
async function addRun(
  searchId: Id,
  {
    daysAgo = 1,
    status = 'succeeded',
    baseline = false,
    found = 0,
    costs,
  }: { daysAgo?: number; status?: string; baseline?: boolean; found?: number; costs: (number | null)[] },
): Promise<void> {
  const endedAt = new Date(world.clock.now().getTime() - daysAgo * DAY);
  const { rows } = await world.db.pool.query<{ id: Id }>(
    `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, fence, baseline, items_new, created_at, started_at, ended_at, code)
     VALUES ($1, 1, 1, 'manual', $2, 1, $3, $4, $5, $5, $5, CASE WHEN $2 = 'failed' THEN 'timeout' END) RETURNING id`,
    [searchId, status, baseline, found, endedAt],
  );
  for (const [i, cost] of costs.entries())
    await world.db.pool.query(
      `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at, cost_usd)
       SELECT $1, $2, service_id, 1, 'received', $3, $4 FROM strandline.searches WHERE id = $5`,
      [rows[0]?.id, i + 1, endedAt, cost, searchId],
    );
}

test('runs, calls, cost and new items of each search, the dearest first', async () => {
  const [dear, cheap, silent] = [
    await newSearch('dear'),
    await newSearch('cheap'),
    await newSearch('silent'),
  ];
  await addRun(dear, { baseline: true, found: 20, costs: [0.5] });
  await addRun(dear, { found: 3, costs: [0.25, 0.25] });
  await addRun(dear, { status: 'failed', costs: [0.25, null] });
  await addRun(dear, { daysAgo: 8, found: 100, costs: [9] });
  await addRun(cheap, { found: 2, costs: [0.125] });
  await addRun(cheap, { costs: [] });
  await addRun(silent, { found: 1, costs: [null, null] });
  const since = new Date(world.clock.now().getTime() - 7 * DAY);
  const service = 'hosted';
  expect(await readSearchCosts(world.db, { since, limit: 10 })).toEqual([
    {
      search: 'dear',
      service,
      runs: 3,
      calls: 5,
      cost_usd: 1.25,
      uncosted: 1,
      new_items: 3,
      later_cost_usd: 0.75,
    },
    {
      search: 'cheap',
      service,
      runs: 2,
      calls: 1,
      cost_usd: 0.125,
      uncosted: 0,
      new_items: 2,
      later_cost_usd: 0.125,
    },
    {
      search: 'silent',
      service,
      runs: 1,
      calls: 2,
      cost_usd: null,
      uncosted: 2,
      new_items: 1,
      later_cost_usd: null,
    },
  ]);
  expect(await readSearchCosts(world.db, { since, limit: 1 })).toMatchObject([{ search: 'dear' }]);
});
