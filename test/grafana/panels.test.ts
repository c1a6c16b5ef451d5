/** Every statement of every dashboard, run as the reader over a history that has something for each. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/platform/postgres/connect.ts';
import type { ReaderResult } from '../../src/store/reader/reader-query.ts';
import { freshDatabase, type TestDatabase } from '../database.ts';
import { type StubService, startStub } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';
import { ask, type Choice, choicesOf, emptiness, searchingNothing, undrawable } from './ask.ts';
import { type Dashboard, readDashboards, statementsOf } from './dashboards.ts';
import { fillIn } from './fill-in.ts';
import { FROM, PAUSED, seedHistory, TO } from './seed.ts';

const range = { from: FROM, to: TO };
let stub: StubService;
let world: World;
let blank: TestDatabase;
let url: string;
beforeAll(async () => {
  stub = await startStub();
  world = await makeWorld({ hosted: stub.url });
  blank = await freshDatabase();
  url = world.database.readerUrl;
  await seedHistory(world, stub);
});
afterAll(async () => {
  await world.close();
  await blank.drop();
  await stub.close();
});

/** One result over all choices. */
async function askAll(sql: string, choices: readonly Choice[]) {
  // One after the other, as Grafana asks by its one connection.
  const results: ReaderResult[] = [];
  for (const variables of choices) results.push(await ask(url, sql, { range, variables }));
  const [first] = results;
  if (first === undefined) throw new Error('there is nothing to choose');
  return { results, all: { columns: first.columns, rows: results.flatMap(({ rows }) => rows) } };
}

describe.each(readDashboards())('$file', ({ dashboard }) => {
  let choices: Choice[];
  beforeAll(async () => {
    choices = await choicesOf(url, dashboard, range);
  });

  test.each(dashboard.panels.map((panel) => [panel.title, panel] as const))('%s', async (_title, panel) => {
    for (const { rawSql, format } of panel.targets) {
      const { results, all } = await askAll(rawSql, choices);
      expect(emptiness(all)).toBeNull();
      if (format === 'time_series') expect(results.map(undrawable).filter((why) => why !== null)).toEqual([]);
      const known = all.columns.map(({ name }) => name);
      // A column's settings go by its name; series are named by their metric.
      if (!known.includes('metric'))
        for (const { matcher } of panel.fieldConfig.overrides) expect(known).toContain(matcher.options);
    }
  });

  test.each(dashboard.annotations.list.map(({ name, target }) => [name, target.rawSql]))(
    'annotation %s',
    async (_name, sql) => {
      const { all } = await askAll(sql, choices);
      expect(emptiness(all)).toBeNull();
      expect(all.columns.map(({ name }) => name)).toEqual(expect.arrayContaining(['time', 'text']));
    },
  );

  test('no statement fails on an empty database', async () => {
    const [variables = {}] = await choicesOf(blank.readerUrl, dashboard, range, { empty: true });
    const client = await connect(searchingNothing(blank.readerUrl), 'test');
    try {
      for (const { of, sql } of statementsOf(dashboard))
        await expect(client.query(fillIn(sql, { range, variables })), of).resolves.toBeDefined();
    } finally {
      await client.end();
    }
  });
});

describe('unobserved time', () => {
  const named = (uid: string, title: string): { dashboard: Dashboard; sql: string } => {
    const found = readDashboards().find(({ dashboard }) => dashboard.uid === uid)?.dashboard;
    const sql = found?.panels.find((panel) => panel.title === title)?.targets[0]?.rawSql;
    if (found === undefined || sql === undefined) throw new Error(`${uid} has no panel ${title}`);
    return { dashboard: found, sql };
  };
  const variables = {
    topic: ['cargo-bikes'],
    search: ['cargo-bikes-posts'],
    interval: '1h',
  };
  /** Half a day in the middle of the rest: no run of afterwards reaches into it. */
  const rest = {
    from: new Date(PAUSED.from.getTime() + 6 * 3_600_000),
    to: new Date(PAUSED.to.getTime() - 12 * 3_600_000),
  };

  test('is shaded and has no count, while an observed hour without posts counts zero', async () => {
    const { sql } = named('strandline-search', 'Posts and coverage');
    const one = { ...variables, search: 'cargo-bikes-posts' };
    const resting = await ask(url, sql, { range: rest, variables: one });
    expect(resting.columns.map(({ name }) => name)).toEqual(['time', 'posts', 'at least', 'not observed']);
    expect(resting.rows).toHaveLength(7);
    for (const [, posts, , dark] of resting.rows) expect([posts, dark]).toEqual([null, 1]);
    const { rows } = await ask(url, sql, { range: { from: PAUSED.to, to: TO }, variables: one });
    expect(rows.map(([, posts, , dark]) => [posts, dark])).toContainEqual([0, 0]);
  });

  test('is a gap in the run results', async () => {
    const { sql } = named('strandline-runs', 'Run results');
    const { rows } = await ask(url, sql, { range, variables });
    const during = rows.filter(
      ([at]) => String(at) > PAUSED.from.toISOString() && String(at) < PAUSED.to.toISOString(),
    );
    expect(during.map(([, search, status]) => [search, status])).toEqual([['cargo-bikes-posts', null]]);
  });

  test('is null, not zero, among discoveries', async () => {
    const { sql } = named('strandline-overview', 'Discoveries');
    const { rows } = await ask(url, sql, { range: rest, variables });
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(([, , found]) => found)).toEqual(rows.map(() => null));
  });
});

describe('the test refuses a statement', () => {
  const variables = { search: ['ferry-posts'] };
  test.each([
    ['that reads a table', 'SELECT id FROM strandline.posts', /permission denied/],
    ['that omits the schema', 'SELECT id FROM posts', /"posts" does not exist/],
    ['that is invalid', 'SELECT nothing FROM strandline_analytics.posts', /"nothing" does not exist/],
  ])('%s', async (_what, sql, why) => {
    await expect(ask(url, sql, { range, variables })).rejects.toThrow(why);
  });

  test.each([
    ['SELECT id FROM strandline_analytics.posts WHERE $__timeFilter(created_at) AND false', 'no rows'],
    ['SELECT id, NULL::text AS word FROM strandline_analytics.posts', 'nothing but null in word'],
  ])('that returns nothing: %s', async (sql, why) => {
    expect(emptiness(await ask(url, sql, { range, variables }))).toBe(why);
  });

  test.each([
    ['SELECT 1 AS n', 'there is no column time'],
    ['SELECT now()::date AS "time", 1 AS n', 'time is date'],
    [
      `SELECT now() AS "time", 'a' AS name, 1 AS n`,
      'a series is named by one column, metric, beside time and one value',
    ],
    [`SELECT now() AS "time", true AS n`, 'n is boolean'],
    ['SELECT * FROM (VALUES (2.0, 1), (1.0, 1)) v ("time", n)', 'rows are not in the order of time'],
    ['SELECT * FROM (VALUES (1.0, 1), (1.0, 2)) v ("time", n)', 'a series has two values at one time'],
  ])('that cannot be drawn: %s', async (sql, why) => {
    expect(undrawable(await ask(url, sql, { range, variables }))).toBe(why);
  });
});
