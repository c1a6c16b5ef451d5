/** Engagement has one definition: what is summed here and what Postgres sums are the same, wherever a post came from. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENGAGEMENT_COUNTERS, engagementSql, sumEngagement } from '../../src/domain/counters.ts';
import { toFoundPost } from '../../src/service/sources/parse/post-fields.ts';
import { foundPost } from '../service/stub-source.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const counter = fc.oneof(
  fc.constantFrom(null, 0, -1, 1),
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
  fc.constant(2 ** 50),
);
const counters = fc.record(
  Object.fromEntries(ENGAGEMENT_COUNTERS.map((name) => [name, counter])) as Record<
    (typeof ENGAGEMENT_COUNTERS)[number],
    typeof counter
  >, // fromEntries forgets the names
);

test('ten thousand posts have the same engagement by the program and by Postgres', async () => {
  const rows = [
    ...fc.sample(counters, { numRuns: 9_999, seed: 16 }),
    { like_count: 2 ** 53, repost_count: null, reply_count: 0, quote_count: null },
  ];
  const { rows: summed } = await world.db.pool.query<{ engagement: string | null }>(
    `SELECT (${engagementSql('r.')})::text AS engagement
     FROM json_to_recordset($1) AS r(n integer, ${ENGAGEMENT_COUNTERS.map((name) => `${name} bigint`).join(', ')}) ORDER BY n`,
    [JSON.stringify(rows.map((row, n) => ({ n, ...row })))],
  );
  expect(summed.map(({ engagement }) => (engagement === null ? undefined : Number(engagement)))).toEqual(
    rows.map(sumEngagement),
  );
});

test('bookmarks are no engagement, of a post that a source gives as of one that is stored', () => {
  const { post } = foundPost('7', 0, { bookmark_count: 100 });
  expect(post && toFoundPost(post).map(({ engagement }) => engagement)).toEqual([0]);
});
