/** Engagement has one definition: the program and Postgres compute the same sum, wherever a post came from. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENGAGEMENT_COUNTERS, engagementSql, sumEngagement } from '../../src/model/counters.ts';
import { toFoundPost } from '../../src/service/sources/parse/post-fields.ts';
import { readViews } from '../../src/store/db/migrations-folder.ts';
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

test('the program, its statements and the views compute the same engagement for ten thousand posts', async () => {
  const rows = [
    ...fc.sample(counters, { numRuns: 9_999, seed: 16 }),
    { like_count: 2 ** 53, repost_count: null, reply_count: 0, quote_count: null },
  ];
  const call = `strandline_analytics.engagement(${ENGAGEMENT_COUNTERS.map((name) => `r.${name}`).join(', ')})`;
  const { rows: summed } = await world.db.pool.query<{ statement: string | null; view: string | null }>(
    `SELECT (${engagementSql('r.')})::text AS statement, ${call}::text AS view
     FROM json_to_recordset($1) AS r(n integer, ${ENGAGEMENT_COUNTERS.map((name) => `${name} bigint`).join(', ')}) ORDER BY n`,
    [JSON.stringify(rows.map((row, n) => ({ n, ...row })))],
  );
  const read = (engagement: string | null) => (engagement === null ? undefined : Number(engagement));
  expect(summed.map(({ statement }) => read(statement))).toEqual(rows.map(sumEngagement));
  expect(summed.map(({ view }) => read(view))).toEqual(rows.map(sumEngagement));
});

const views = (await readViews())?.files.filter(({ name }) => name !== 'engagement') ?? [];

test('views sum the engagement counters in their order, without a hand-written sum', () => {
  const calls = views.flatMap(({ text }) =>
    [...text.matchAll(/strandline_analytics\.engagement\(([^)]*)\)/g)].map(([, columns = '']) =>
      columns.split(', ').map((column) => column.replace(/^\w+\.(?:gained_)?/, '')),
    ),
  );
  expect(calls.length).toBeGreaterThan(7);
  expect(new Set(calls.map(String))).toEqual(new Set([String(ENGAGEMENT_COUNTERS)]));
  expect(views.filter(({ text }) => /_count(?:, 0\))? \+/.test(text)).map(({ name }) => name)).toEqual([]);
});

test('Postgres inlines the engagement function', async () => {
  const summing = views.filter(({ text }) => text.includes('strandline_analytics.engagement('));
  for (const { name } of summing) {
    const { rows } = await world.db.pool.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (VERBOSE) SELECT * FROM strandline_analytics.${name}`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/COALESCE\(/);
    expect(plan).not.toMatch(/engagement\(/);
  }
  expect(summing.length).toBeGreaterThan(5);
});

test('bookmarks do not count as engagement, for posts of a source and for stored posts', () => {
  const { post } = foundPost('7', 0, { bookmark_count: 100 });
  expect(post && toFoundPost(post).map(({ engagement }) => engagement)).toEqual([0]);
});
