import { expect, test } from 'vitest';
import { SourceDown } from '../../../src/service/sources/outage.ts';
import { createSharedWork } from '../../../src/service/sources/resilience/coalescing.ts';
import { pending } from './living.ts';

/** Several callers of the same work, each of whom would start it with a promise that the test settles. */
function waiting(people: number) {
  const shared = createSharedWork<string>();
  let kept: string | undefined;
  const works: ReturnType<typeof pending<string>>[] = [];
  const ask = () =>
    shared(
      () => kept,
      async () => {
        const work = pending<string>();
        works.push(work);
        return (kept = await work.promise);
      },
    );
  return { works, ask, all: Array.from({ length: people }, ask) };
}

test('one caller does the work for all; a later one does not need it', async () => {
  const { works, ask, all } = waiting(3);
  expect(works).toHaveLength(1);
  works[0]?.resolve('token');
  expect(await Promise.all(all)).toEqual(['token', 'token', 'token']);
  expect(await ask()).toBe('token');
  expect(works).toHaveLength(1);
});

test('a failure of the source fails for all callers, and the next one starts again', async () => {
  const { works, ask, all } = waiting(3);
  const down = new SourceDown('source_refused');
  works[0]?.reject(down);
  expect(await Promise.all(all.map((one) => one.catch((error: unknown) => error)))).toEqual([
    down,
    down,
    down,
  ]);
  expect(works).toHaveLength(1);
  const next = ask();
  works[1]?.resolve('token');
  expect(await next).toBe('token');
});

test.each([
  new Error('the client left'),
  new SourceDown('source_timeout'),
  new SourceDown('source_busy', { unasked: true }),
])('a failure of one caller fails for that one only, and another starts again: %s', async (failure) => {
  const { works, all } = waiting(3);
  works[0]?.reject(failure);
  await expect(all[0]).rejects.toBe(failure);
  await new Promise(setImmediate); // the others have heard of it
  expect(works).toHaveLength(2);
  works[1]?.resolve('token');
  expect(await Promise.all(all.slice(1))).toEqual(['token', 'token']);
});
