/**
 * What a save costs, and what is derived from it, must not grow with what was saved before: each statement finds its rows by an index, whatever
 * the tables hold, and held when the plan was made. Where Postgres reads a table from end to end although it was told not to,
 * there is no index to use.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, KEEP_PLANS } from '../../src/store/db/database.ts';
import { intercepted } from '../intercepted.ts';
import { makeWorld, type World } from '../world.ts';
import { newSearch, run } from './live.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

type Statement = { text: string; values?: unknown[] };
type Plan = { 'Node Type': string; 'Relation Name'?: string; 'Index Cond'?: string; Plans?: Plan[] };

/** The same database, which writes down what is asked of it by name. */
function written(into: Map<string, Statement>): Database {
  return intercepted(world.db, {
    ofConnections: (query, given) => {
      const [statement] = given;
      if (typeof statement === 'object' && statement !== null && 'name' in statement)
        into.set(String(statement.name), statement as unknown as Statement); // one with a name has a text and values
      return query(...given);
    },
  });
}

/** Relations of the nodes that fit. */
const relationsOf = (plan: Plan, fits: (node: Plan) => boolean): string[] => [
  ...(fits(plan) ? [plan['Relation Name'] ?? ''] : []),
  ...(plan.Plans ?? []).flatMap((child) => relationsOf(child, fits)),
];
const isSequential = (node: Plan) => node['Node Type'] === 'Seq Scan';
/** Sequential, or all rows in the order of an index. */
const isWhole = (node: Plan) =>
  isSequential(node) ||
  (/^Index (?:Only )?Scan$/.test(node['Node Type']) && node['Index Cond'] === undefined);

/** As many rows as somebody made by hand, or as wait for the follower. */
const SMALL = /^(?:services|topics|searches|search_versions|forgotten.*|pending_derivations)$/;

test('no statement of a save or of deriving makes a sequential scan', async () => {
  const [one, two] = [await newSearch(world, 'plans-one'), await newSearch(world, 'plans-two')];
  const statements = new Map<string, Statement>();
  const db = written(statements);
  await run(
    world,
    one,
    0,
    [
      { id: '700', like_count: 1 },
      { id: '701', like_count: 1 },
    ],
    db,
  );
  await run(world, two, 1, [{ id: '700', like_count: 5 }], db);
  await run(world, one, 15, [{ id: '701', like_count: 9 }, { id: '702' }], db);
  expect([...statements.keys()]).toEqual(
    expect.arrayContaining([
      'save_authors',
      'save_posts',
      'save_counters',
      'find_stored',
      'sight',
      'append_discoveries',
      'find_later',
      'look_back',
      'save_coverage',
      'count_volume',
      'count_days',
      'count_post_names',
      'link_days',
      'count_steps',
      'count_again',
      'follow',
      'keep_sight',
      'count_unseen',
      'typical',
      'rising',
    ]),
  );
  const late = new Map<string, Statement>();
  await run(world, two, 14, [{ id: '701', like_count: 4 }], written(late));
  for (const name of ['save_late_post_counters', 'sum_gains', 'count_again']) {
    const statement = late.get(name);
    expect(statement, name).toBeDefined();
    if (statement !== undefined) statements.set(`${name} of a late copy`, statement);
  }
  const client = await world.db.pool.connect();
  /** Large tables of which a statement with so many parameters reads all. */
  const readWhole = async (text: string, parameters: number, reads = isSequential): Promise<string[]> => {
    await client.query(`PREPARE asked AS ${text}`);
    const nulls = parameters === 0 ? '' : `(${Array.from({ length: parameters }, () => 'NULL').join(', ')})`;
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (FORMAT json) EXECUTE asked${nulls}`,
    );
    await client.query('DEALLOCATE asked');
    return rows
      .flatMap((row) => relationsOf(row['QUERY PLAN'][0].Plan, reads))
      .filter((table) => !SMALL.test(table));
  };
  try {
    await client.query('BEGIN');
    await client.query(KEEP_PLANS);
    expect(await readWhole('SELECT FROM strandline.posts WHERE text = $1', 1), 'it would be seen').toEqual([
      'posts',
    ]);
    for (const [name, { text, values }] of statements)
      expect(await readWhole(text, values?.length ?? 0), name).toEqual([]);
    // A batch may write tens of thousands of quarters right after Postgres took note that there are none.
    await client.query('TRUNCATE strandline.volume; ANALYZE strandline.volume');
    const { text = '', values = [] } = statements.get('count_volume') ?? {};
    expect(await readWhole(text, values.length, isWhole)).toEqual([]);
  } finally {
    client.release(true);
  }
});

test('unchanged stored values are not sent again, a changed text is', async () => {
  const search = await newSearch(world, 'plans-hash');
  const sent = async (minutes: number, over: object) => {
    const statements = new Map<string, Statement>();
    await run(world, search, minutes, [{ id: '750', ...over }, { id: '751' }], written(statements));
    return ['save_authors', 'save_posts', 'save_counters'].filter((name) => statements.has(name));
  };
  expect(await sent(0, {})).toEqual(['save_authors', 'save_posts', 'save_counters']);
  expect(await sent(15, { like_count: 77 })).toEqual(['save_counters']);
  expect(await sent(30, { text: 'edited' })).toEqual(['save_posts', 'save_counters']);
});
