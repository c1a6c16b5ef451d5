/** Connections shared by visitors: each has a share, and of those who wait the one with the fewest is next. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PoolClient } from 'pg';
import { createLogger } from '../../src/platform/logger.ts';
import { openDatabase } from '../../src/store/db/database.ts';
import { freshDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

/** A pool of four connections: three for visitors, two for each. */
function open(waitMs = 60_000) {
  let who: string | undefined;
  const shares = { who: () => who, all: 3, each: 2, waitMs };
  const db = openDatabase(database.url, { log: createLogger('silent'), max: 4, shares });
  return {
    db,
    as: async <T>(visitor: string | undefined, work: () => Promise<T>): Promise<T> => {
      who = visitor;
      const working = work();
      who = undefined;
      return working;
    },
  };
}

test('one consumer gets two of three, another the third, and the program always gets one', async () => {
  const { db, as } = open();
  const order: string[] = [];
  const take = async (visitor: string) => {
    const client = await as(visitor, () => db.pool.connect());
    order.push(visitor);
    return client;
  };
  const held: PoolClient[] = [await take('a'), await take('a')];
  const third = take('a');
  const later = take('a');
  held.push(await take('b'));
  const newcomer = take('c');
  const { rows } = await as(undefined, () => db.pool.query('SELECT 1 AS one'));
  expect(rows).toEqual([{ one: 1 }]);
  expect(order).toEqual(['a', 'a', 'b']);

  held[0]?.release();
  (await newcomer).release();
  (await third).release();
  (await later).release();
  expect(order, 'who holds nothing is before who came earlier').toEqual(['a', 'a', 'b', 'c', 'a', 'a']);
  held[1]?.release();
  held[2]?.release();
  await db.close();
});

test('statements release their place, even if they or their connection fail', async () => {
  const { db, as } = open();
  for (let n = 0; n < 5; n++) {
    await expect(as('a', () => db.pool.query('SELECT 1 / 0'))).rejects.toThrow('division by zero');
    await expect(
      as('a', () => db.pool.query('SELECT pg_terminate_backend(pg_backend_pid())')),
    ).rejects.toThrow();
  }
  const both = await Promise.all([1, 2].map((n) => as('a', () => db.pool.query('SELECT $1::int AS n', [n]))));
  expect(both.map(({ rows }) => rows)).toEqual([[{ n: 1 }], [{ n: 2 }]]);
  await db.close();
});

test('a statement that waits too long fails with a reason and leaves the queue', async () => {
  const { db, as } = open(20);
  const connect = (visitor: string) => as(visitor, () => db.pool.connect());
  const held = [await connect('a'), await connect('a')];
  await expect(connect('a')).rejects.toThrow(
    'your other requests are using all 2 database connections of one visitor',
  );
  held.push(await connect('b'));
  await expect(connect('b')).rejects.toThrow('all 3 database connections for requests are in use');
  for (const client of held) client.release();
  const again = [await connect('b'), await connect('b')];
  for (const client of again) client.release();
  await db.close();
});
