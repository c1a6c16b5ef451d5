/** Saved views by commands. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
});
afterAll(() => stand.close());

test('add, list and remove, by name', async () => {
  const added = await stand.run(['views', 'add', 'Ferries, this week', '/topics/ferry?range=7d']);
  expect(added).toMatchObject({
    code: 0,
    stderr: 'Saved view "Ferries, this week": /topics/ferry?range=7d\n',
  });
  expect(await stand.json('views', 'list')).toMatchObject([
    { name: 'Ferries, this week', address: '/topics/ferry?range=7d' },
  ]);
  expect((await stand.run(['views', 'list'])).stdout).toContain('/topics/ferry?range=7d');
  expect((await stand.run(['views', 'remove', 'Ferries, this week'])).stderr).toBe(
    'Removed view "Ferries, this week"\n',
  );
  expect((await stand.run(['views', 'list'])).stderr).toContain('No saved views. Add one');
});

test.each([
  [['views', 'add', 'Elsewhere', '//evil.example'], 'address'],
  [['views', 'add', ' ', '/runs'], 'name'],
  [['views', 'remove', 'nope'], 'there is no such saved view'],
])('%j is refused', async (argv, words) => {
  const { code, stderr } = await stand.run(argv);
  expect(code).not.toBe(0);
  expect(stderr).toContain(words);
});
