import { expect, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { batched } from '../../src/store/db/batches.ts';
import { openDatabase } from '../../src/store/db/database.ts';

/** Never asked: it only says whose batches they are. */
const world = { db: openDatabase('postgres://127.0.0.1:1/none', { log: createLogger('silent') }) };
const limits = { most: 3, alone: true };

test('requests of one event loop turn, or during a batch, are batched', async () => {
  const seen: number[][] = [];
  const later: Promise<number>[] = [];
  const double = batched<number, number>((db, batch) => {
    if (seen.length === 0) later.push(...[7, 8].map((n) => double(db, n)));
    seen.push([...batch]);
    return Promise.resolve(batch.map((n) => n * 2));
  }, limits);
  expect(await double(world.db, 1)).toBe(2);
  const outcomes = await Promise.all([2, 3, 4, 5].map((n) => double(world.db, n)));
  expect([...outcomes, ...(await Promise.all(later))]).toEqual([4, 6, 8, 10, 14, 16]);
  expect(seen).toEqual([[1], [7, 8, 2], [3, 4, 5]]);
});

test('a batch stays within its limit; an item over the limit goes alone', async () => {
  const seen: number[][] = [];
  const take = batched<number, number>(
    (_db, batch) => {
      seen.push([...batch]);
      return Promise.resolve(batch);
    },
    { most: 8, size: (n) => n, mostSize: 10, alone: true },
  );
  await Promise.all([1, 4, 6, 5, 99, 2].map((n) => take(world.db, n)));
  expect(seen).toEqual([[1, 4], [6], [5], [99], [2]]);
});

test('one bad input fails alone if each can be retried', async () => {
  const refuse = (_db: unknown, batch: readonly number[]) =>
    batch.includes(3) ? Promise.reject(new Error('three')) : Promise.resolve(batch);
  const outcome = async (alone: boolean) => {
    const take = batched<number, number>(refuse, { most: 8, alone });
    const ended = await Promise.allSettled([1, 2, 3, 4].map((n) => take(world.db, n)));
    return ended.map(({ status }) => status);
  };
  expect(await outcome(true)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await outcome(false)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
});

test('a failure does not affect later batches', async () => {
  let failures = 1;
  const take = batched<number, number>((_db, batch) => {
    failures -= 1;
    return failures >= 0 ? Promise.reject(new Error('once')) : Promise.resolve(batch);
  }, limits);
  await expect(take(world.db, 1)).rejects.toThrow('once');
  expect(await take(world.db, 2)).toBe(2);
});

test('two concurrent batches share the waiting items without duplicates', async () => {
  const seen: number[] = [];
  let underWay = 0;
  let most = 0;
  const take = batched<number, number>(
    async (_db, batch) => {
      expect(batch.length).toBeGreaterThan(0);
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      seen.push(...batch);
      underWay -= 1;
      return batch;
    },
    { most: 2, alone: true, atOnce: 2 },
  );
  const inputs = Array.from({ length: 9 }, (_, n) => n);
  expect(await Promise.all(inputs.map((n) => take(world.db, n)))).toEqual(inputs);
  expect(seen.toSorted((a, b) => a - b)).toEqual(inputs);
  expect(most).toBe(2);
});
