/** What commands know of operations is what the operations declare. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Subject, SUBJECTS } from '../../../src/app/operations.ts';
import { listSpecs } from '../../../src/cli/operation-specs.ts';
import { type AnyOperation, listShapes } from '../../../src/monitor/operation.ts';
import { printSpecs, SPECS_FILE } from './print.ts';

test('the printed operations are current (npm run -s operations:print writes them)', async () => {
  expect(await readFile(SPECS_FILE, 'utf8')).toBe(await printSpecs());
});

test('a member whose text cannot be read is refused as an object, so that nothing is done', async () => {
  const read = listSpecs().flatMap(({ id, subject, members }) =>
    members.filter((member) => member.read !== undefined).map(({ name }) => ({ id, subject, name })),
  );
  expect(read.length).toBeGreaterThan(10);
  const accepting: string[] = [];
  for (const { id, subject, name } of read) {
    const operations: readonly AnyOperation[] = await SUBJECTS[subject satisfies Subject]();
    const shapes = listShapes(operations.find((each) => each.id === id)?.input ?? expect.fail(id));
    if (
      shapes.some((each) =>
        each.safeParse({ [name]: {} }).error?.issues.every(({ path }) => path[0] !== name),
      )
    )
      accepting.push(`${id}.${name}`);
  }
  expect(accepting).toEqual([]);
});
