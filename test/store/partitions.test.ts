import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { type Database, openDatabase } from '../../src/store/db/database.ts';
import { ensurePartitions } from '../../src/store/maintenance/partitions.ts';
import { freshDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
let pools: Database[];
beforeAll(async () => {
  database = await freshDatabase();
  pools = Array.from({ length: 8 }, () =>
    openDatabase(database.url, { log: createLogger('silent'), max: 1 }),
  );
  await Promise.all(pools.map((db) => db.pool.query('SELECT 1')));
});
afterAll(async () => {
  await Promise.all(pools.map((db) => db.close()));
  await database.drop();
});

test('processes that need a new month concurrently create its partitions once', async () => {
  for (let year = 2030; year < 2040; year += 1) {
    await Promise.all(pools.map((db) => ensurePartitions(db, new Date(Date.UTC(year, 5, 15)))));
  }
  const { rows } = (await pools[0]?.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_inherits WHERE inhparent = 'strandline.post_snapshots'::regclass`,
  )) ?? { rows: [] };
  expect(rows[0]?.n).toBeGreaterThanOrEqual(20);
});

test('a snapshot at the edge of a month in UTC belongs to that month, whatever the session time zone', async () => {
  const db = pools[0];
  if (db === undefined) throw new Error('no pool');
  await db.pool.query(`SET timezone TO 'Pacific/Kiritimati'`);
  const last = new Date('2041-01-31T23:59:59.999Z');
  await ensurePartitions(db, last);
  await db.pool.query(
    'INSERT INTO strandline.post_snapshots (post_id, observed_at) VALUES (1, $1), (1, $2)',
    [last, new Date('2041-02-01T00:00:00Z')],
  );
  const { rows } = await db.pool.query<{ part: string }>(
    'SELECT tableoid::regclass::text AS part FROM strandline.post_snapshots ORDER BY observed_at',
  );
  expect(rows.map((row) => row.part)).toEqual([
    'strandline.post_snapshots_2041_01',
    'strandline.post_snapshots_2041_02',
  ]);
});
