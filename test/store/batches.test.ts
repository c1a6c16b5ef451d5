import { expect, test } from 'vitest';
import { createLogger } from '../../src/engine/logger.ts';
import { batched } from '../../src/store/batches.ts';
import { openDatabase } from '../../src/store/database.ts';

/** Never asked: it only says whose batches they are. */
const world = { db: openDatabase('postgres://127.0.0.1:1/none', { log: createLogger('silent') }) };
const limits = { most: 3, alone: true };

test('whoever asks alone is served at once, and who comes meanwhile is served together', async () => {
  const seen: number[][] = [];
  const double = batched<number, number>((_db, batch) => {
    seen.push([...batch]);
    return Promise.resolve(batch.map((n) => n * 2));
  }, limits);
  const outcomes = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => double(world.db, n)));
  expect(outcomes).toEqual([2, 4, 6, 8, 10, 12]);
  expect(seen).toEqual([[1], [2, 3, 4], [5, 6]]);
});

test('a batch is no larger than it may be; what is larger by itself goes alone', async () => {
  const seen: number[][] = [];
  const take = batched<number, number>(
    (_db, batch) => {
      seen.push([...batch]);
      return Promise.resolve(batch);
    },
    { most: 8, size: (n) => n, mostSize: 10, alone: true },
  );
  await Promise.all([1, 4, 6, 5, 99, 2].map((n) => take(world.db, n)));
  expect(seen).toEqual([[1], [4, 6], [5], [99], [2]]);
});

test('one bad input fails alone, where each may be tried again', async () => {
  const refuse = (_db: unknown, batch: readonly number[]) =>
    batch.includes(3) ? Promise.reject(new Error('three')) : Promise.resolve(batch);
  const outcome = async (alone: boolean) => {
    const take = batched<number, number>(refuse, { most: 8, alone });
    const ended = await Promise.allSettled([1, 2, 3, 4].map((n) => take(world.db, n)));
    return ended.map(({ status }) => status);
  };
  expect(await outcome(true)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await outcome(false)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
});

test('after a failure the next ones are served', async () => {
  let failures = 1;
  const take = batched<number, number>((_db, batch) => {
    failures -= 1;
    return failures >= 0 ? Promise.reject(new Error('once')) : Promise.resolve(batch);
  }, limits);
  await expect(take(world.db, 1)).rejects.toThrow('once');
  expect(await take(world.db, 2)).toBe(2);
});
