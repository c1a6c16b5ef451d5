/** The foundation that other tests rely on. */
import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { connect } from '../../src/platform/postgres/connect.ts';
import { onRedis } from '../backends.ts';
import { freshDatabase } from '../database.ts';
import { query } from './stage.ts';

const database = await freshDatabase();
afterAll(() => database.drop());

test('a fresh database has the tables and views, and no rows', async () => {
  expect(await query(database.url, 'SELECT count(*)::int FROM strandline.topics')).toEqual([{ count: 0 }]);
  expect(await query(database.readerUrl, 'SELECT count(*)::int FROM strandline_analytics.topics')).toEqual([
    { count: 0 },
  ]);
});

test('databases are isolated from each other', async () => {
  const other = await freshDatabase();
  await query(other.url, 'CREATE TABLE public.mine (n int)');
  expect(await query(database.url, `SELECT to_regclass('public.mine') AS mine`)).toEqual([{ mine: null }]);
  await other.drop();
});

test('a leaked connection fails the file that leaked it, and is named', async () => {
  const other = await freshDatabase();
  const forgotten = await connect(other.url, 'forgotten one');
  await forgotten.query('SELECT 1 AS last_words');
  await expect(other.drop()).rejects.toThrow(
    /still connected .*forgotten one .*idle: SELECT 1 AS last_words/,
  );
  await forgotten.end();
});

onRedis('redis', (redisUrl) => {
  test('gives this file an empty database', async () => {
    const client = new Redis(redisUrl);
    expect(await client.dbsize()).toBe(0);
    await client.quit();
  });
});
