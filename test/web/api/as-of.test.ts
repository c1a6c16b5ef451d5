/** Readers of figures learn up to when they are derived: in the API and in SQL. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiRoutes } from '../../../src/api/api-routes.ts';
import { readerQuery } from '../../../src/store/reader/reader-query.ts';
import { at, newSearch, run } from '../../store/live.ts';
import { openStand, type Stand } from '../access/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => stand.close());

const DERIVED = [
  '',
  '/volume',
  '/growth',
  '/gains',
  '/ages',
  '/typical',
  '/rising/posts',
  '/rising/hashtags',
  '/rising/domains',
  '/tops/authors',
  '/tops/domains',
  '/tops/hashtags',
  '/tops/languages',
];

const inSql = async (search: string) =>
  (
    await readerQuery({
      url: stand.world.database.readerUrl,
      sql: `select topic, as_of, waiting from derived_until where search = '${search}'`,
    })
  ).rows;

test('figures have an as-of time while derivation is pending, and null otherwise', async () => {
  const { world } = stand;
  const [behind, current] = [
    await newSearch(world, 'behind', { topic: 'late' }),
    await newSearch(world, 'current', { topic: 'in-time' }),
  ];
  await run(world, current, 0, [{ id: '1' }]);
  await run(world, behind, 15, [{ id: '2' }], null);
  await run(world, behind, 30, [{ id: '3' }], null);
  const app = await stand.serve({ api: [apiRoutes], pages: [] });
  const asOf = async (path: string) => {
    const reply = await app.inject({ url: `/api/v1/trends${path}` });
    expect(reply.statusCode, `${path} ${reply.body}`).toBe(200);
    return reply.json().as_of;
  };
  const late = at(15).toISOString();
  for (const path of DERIVED) {
    expect(await asOf(`${path}?topic=late`), path).toBe(late);
    expect(await asOf(`${path}?search=behind`), path).toBe(late);
    expect(await asOf(path), path).toBe(late);
    expect(await asOf(`${path}?topic=in-time`), path).toBeNull();
  }
  expect(await asOf('/voices?topics=in-time,late')).toBe(late);
  expect(await asOf('/voices?topics=in-time')).toBeNull();
  expect(await inSql('behind')).toEqual([['late', expect.anything(), expect.anything()]]);
  expect(String((await inSql('behind'))[0])).toMatch(/late,.*12:15.*,2$/);
  expect(await inSql('current')).toEqual([['in-time', null, expect.anything()]]);

  await world.derive();
  for (const path of [...DERIVED, '/voices?topics=late']) expect(await asOf(path), path).toBeNull();
  expect(String((await inSql('behind'))[0])).toBe('late,,0');
});
