/** Rows that no current release writes: from an older one, a backup, or by hand. One of them harms only itself. */
import { expect, test } from 'vitest';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { scan } from '../../src/monitor/schedule/scan.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { freshDatabase } from '../database.ts';
import { makeWorld } from '../world.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { stub, world, rows } = await stubbedWorld();

const MINUTE = 60_000;

/** A search at each quarter of the hour, whose first look is over. */
async function quarterly(slug: string) {
  const written = { slug, operation: 'microblog', prompt: slug, cron: '*/15 * * * *' } as const;
  const { search, firstRunId } = await createSearch(world.ctx, written);
  await executeRun(world.ctx, firstRunId);
  return search;
}

const BROKEN = {
  state: 'broken',
  state_reason: 'the schedule is invalid; edit it',
  next_due_at: null,
  runs: [],
};
const latest = (status: string) => ({ status, slot_at: new Date('2026-11-21T12:15:00Z') });
const due = { state: 'active', next_due_at: new Date('2026-11-21T12:30:00Z'), runs: [latest('queued')] };

test.each<[what: string, column: 'cron' | 'tz' | 'next_due_at', value: string, expected: object]>([
  ['a cron expression with six fields', 'cron', '0 */15 * * * *', BROKEN],
  ['a cron expression with a shorthand', 'cron', '@hourly', BROKEN],
  ['a cron expression that never matches', 'cron', '0 0 30 2 *', BROKEN],
  ['an empty cron expression', 'cron', '', BROKEN],
  ['an oversized cron expression', 'cron', `${'1,'.repeat(50_000)}1 * * * *`, BROKEN],
  ['a removed time zone', 'tz', 'Mars/Phobos', BROKEN],
  ['an offset instead of a time zone', 'tz', '+14:99', BROKEN],
  ['no time zone', 'tz', '', BROKEN],
  ['a slot due the day before', 'next_due_at', '2026-11-20T12:15:00Z', due],
  ['a due time between two slots', 'next_due_at', '2026-11-21T12:14:30.123Z', due],
  ['a due time of -infinity', 'next_due_at', '-infinity', due],
  ['a due time before all valid dates', 'next_due_at', '0001-01-01T00:00:00Z', due],
])('a search with %s', async (what, column, value, expected) => {
  const slug = `spoilt-${what.replaceAll(/[^a-z]+/g, '-')}`;
  const search = await quarterly(slug);
  const beside = await quarterly(`beside-${slug}`.slice(0, 60));
  const sql =
    column === 'next_due_at'
      ? 'UPDATE strandline.searches SET next_due_at = $2 WHERE id = $1'
      : `UPDATE strandline.search_versions SET ${column} = $2 WHERE search_id = $1`;
  await rows(sql, [search.id, value]);
  world.clock.advance(15 * MINUTE + 6_000);
  await scan(world.ctx);
  expect((await seen(search.id)).runs.length).toBeLessThan(1_001);
  const { runs, ...state } = await seen(search.id);
  expect({ ...state, runs: runs.slice(0, 1) }).toMatchObject(expected);
  expect(await seen(beside.id)).toMatchObject(due);
  await rows('UPDATE strandline.searches SET archived_at = now(), next_due_at = NULL WHERE id = $1', [
    search.id,
  ]);
});

async function seen(searchId: bigint) {
  const [search] = await rows(
    'SELECT state, state_reason, next_due_at FROM strandline.searches WHERE id = $1',
    [searchId],
  );
  const runs = await rows(
    'SELECT status, slot_at FROM strandline.runs WHERE search_id = $1 AND slot_at IS NOT NULL ORDER BY slot_at DESC',
    [searchId],
  );
  return { ...search, runs };
}

test.each([
  ['with a lease that ends in the year 3000', '3000-01-01T00:00:00Z', 1],
  ['with an infinite lease', 'infinity', 1],
  ['with a lease that ended long ago', '-infinity', 1],
  ['with a negative fence', '2026-01-01T00:00:00Z', -7],
])('a run in progress %s is continued, and the search goes on', async (what, lease, fence) => {
  const slug = `run-${what.replaceAll(/[^a-z]+/g, '-')}`.slice(0, 50);
  const search = await quarterly(slug);
  const { runId } = await insertManualRun(world.ctx, slug);
  await rows(
    `UPDATE strandline.runs SET status = 'running', fence = $2, leases = 1, lease_until = $3, started_at = created_at, offer_at = NULL
     WHERE id = $1`,
    [runId, fence, lease],
  );
  await world.scanned();
  expect(await world.scan()).toEqual([runId]);
  expect(world.enqueued.at(-1)).toMatchObject({ runId, fence });
  expect(await executeRun(world.ctx, runId)).toMatchObject({ status: 'succeeded' });
  expect(await rows('SELECT fence FROM strandline.runs WHERE id = $1', [runId])).toEqual([
    { fence: fence + 1 },
  ]);
  world.clock.advance(15 * MINUTE + 6_000);
  await scan(world.ctx);
  expect(await seen(search.id)).toMatchObject(due);
});

test('a database with another time zone has the same slots', async () => {
  const database = await freshDatabase();
  const name = new URL(database.url).pathname.slice(1);
  await rows(`ALTER DATABASE "${name}" SET timezone = 'Asia/Kathmandu'`);
  const far = await makeWorld({ hosted: stub.url, database });
  try {
    const zone = await far.db.pool.query('SHOW timezone');
    expect(zone.rows, 'each connection says its own').toEqual([{ TimeZone: 'UTC' }]);
    const written = { slug: 'far', operation: 'microblog', prompt: 'far', cron: '*/15 * * * *' } as const;
    const { search, firstRunId } = await createSearch(far.ctx, written);
    await executeRun(far.ctx, firstRunId);
    far.clock.advance(15 * MINUTE + 6_000);
    await scan(far.ctx);
    const { rows: slots } = await far.db.pool.query(
      'SELECT status, slot_at FROM strandline.runs WHERE search_id = $1 AND slot_at IS NOT NULL',
      [search.id],
    );
    expect(slots).toEqual([latest('queued')]);
  } finally {
    await far.close();
  }
});
