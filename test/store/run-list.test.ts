import { drizzle } from 'drizzle-orm/node-postgres';
import { expect, test } from 'vitest';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { readRunPage } from '../../src/store/queries/run-list.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { world, rows } = await stubbedWorld();

test('runs of a code are found among the failed ones, not among all', async () => {
  const { search } = await createSearch(world.ctx, {
    slug: 'codes',
    operation: 'microblog',
    prompt: 'codes',
    every: '15m',
  });
  await rows(
    `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, code, created_at, started_at, ended_at)
     SELECT $1, 1, 1, 'manual', CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'succeeded' END,
       CASE WHEN n = 50 THEN 'auth' WHEN n % 50 = 0 THEN 'timeout_read' END, now(), now(), now()
     FROM generate_series(1, 20000) n`,
    [search.id],
  );
  await rows('ANALYZE strandline.runs');
  const asked: { sql: string; values: unknown[] }[] = [];
  const logger = { logQuery: (sql: string, values: unknown[]) => asked.push({ sql, values }) };
  const db = { ...world.db, orm: drizzle(world.db.pool, { logger }) };
  const page = await readRunPage(db, { code: 'auth', limit: 5 });
  expect(page).toMatchObject({ runs: [{ code: 'auth' }], more: false });
  const lines = await rows(`EXPLAIN ${asked[0]?.sql}`, asked[0]?.values);
  const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
  expect(plan).toContain('runs_amiss');
});

test('since a time means by creation, also for runs that were written later', async () => {
  const { search } = await createSearch(world.ctx, {
    slug: 'backdated',
    operation: 'microblog',
    prompt: 'backdated',
    every: '15m',
  });
  const written = ['2026-11-21T12:00Z', '2026-11-18T12:00Z', '2026-11-21T13:00Z'];
  for (const at of written)
    await rows(
      `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, reason, slot_at, created_at, ended_at)
       VALUES ($1, 1, 1, 'schedule', 'skipped', 'overlap', $2::timestamptz, $2, $2)`,
      [search.id, at],
    );
  const since = new Date('2026-11-21T00:00Z');
  const { runs } = await readRunPage(world.db, { search: 'backdated', since, limit: 5 });
  expect(runs.flatMap(({ reason, created_at }) => (reason === 'overlap' ? [created_at] : []))).toEqual(
    [written[2], written[0]].map((at) => new Date(at ?? '')),
  );
});
