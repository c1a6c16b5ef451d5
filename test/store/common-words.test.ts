/** Words in very many documents: the newest are ranked, and matches far back are still found. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ArchiveQuestion, findCandidates } from '../../src/store/archive/archive-candidates.ts';
import { MAX_DOCUMENTS_SCANNED, readQuestion } from '../../src/store/archive/archive-question.ts';
import { makeWorld, type World } from '../world.ts';

const MANY = MAX_DOCUMENTS_SCANNED + 5_000;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  const { pool } = world.db;
  // The older half of the documents says "lantern", all of them say "harbour".
  await pool.query(
    `INSERT INTO strandline.archive_documents (kind, thing, at, config, tsv)
     SELECT 'post', n, timestamptz '2026-01-01Z' + n * interval '1 minute', 'english',
       setweight(to_tsvector('english', CASE WHEN n <= $1 THEN 'harbour lantern' ELSE 'harbour' END), 'B')
     FROM generate_series(1, 2 * $1) n`,
    [MANY],
  );
});
afterAll(() => world.close());

async function find(asked: Partial<ArchiveQuestion> & { text: string }): Promise<bigint[]> {
  const question = await readQuestion(world.db, asked.text);
  const found = await findCandidates(world.db, { limit: 100, ...asked }, question);
  return found.map(({ thing }) => thing);
}

const newest = (from: number) => Array.from({ length: 100 }, (_, i) => BigInt(from - i));

test('a word in every document finds the newest of them', async () => {
  expect(await find({ text: 'harbour' })).toEqual(newest(2 * MANY));
});

test('a match far back in time is found', async () => {
  expect(await find({ text: 'lantern' })).toEqual(newest(MANY));
});

test('finds the same when the planner knows how frequent the words are', async () => {
  await world.db.pool.query('ANALYZE strandline.archive_documents');
  const { looked } = await readQuestion(world.db, 'lantern');
  expect(looked.fewest).toBeGreaterThan(MANY * 0.9);
  expect(looked.fewest).toBeLessThan(MANY * 1.1);
  expect(await find({ text: 'lantern' })).toEqual(newest(MANY));
  expect(await find({ text: 'harbour' })).toEqual(newest(2 * MANY));
  expect(await find({ text: 'harbour lantern' })).toEqual(newest(MANY));
});

test('respects a time range', async () => {
  const to = new Date(Date.UTC(2026, 0, 1) + 999 * 60_000);
  expect(await find({ text: 'harbour', to })).toEqual(newest(999));
});
