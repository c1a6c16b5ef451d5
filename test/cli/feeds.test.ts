/** Feeds by commands: an address is shown once, and names its feed when it is revoked. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
});
afterAll(() => stand.close());

test('add, list and remove; a pasted address names its feed', async () => {
  const added = await stand.run(['feeds', 'add', '"night ferry" -cancelled', '--name', 'Ferries']);
  const [, base, key] = /^(http:\/\/\S+)\/feeds\/(fd_\w+)\.atom\n$/.exec(added.stdout) ?? [];
  expect(base).toBe('http://127.0.0.1:7810');
  expect(added.stderr).toMatch(
    /^Feed \w{8} \("Ferries"\): address shown once\. .*\.rss instead of \.atom\.\n$/,
  );
  const [feed] = await stand.json<{ prefix: string; url?: string }[]>('feeds', 'list');
  expect(feed).toMatchObject({ name: 'Ferries', query: '"night ferry" -cancelled', topic: null });
  expect(JSON.stringify(feed)).not.toContain(key);

  const removed = await stand.run(['feeds', 'remove', `${base}/feeds/${key}.rss`]);
  expect(removed).toMatchObject({ code: 0, stdout: '' });
  expect(removed.stderr).toBe(`${feed?.prefix} ("Ferries"): revoked 2026-11-21 12:00:00Z\n`);
  expect((await stand.run(['feeds', 'list'])).stdout).toMatch(/Ferries +all +"night ferry".*2026-11-21/);
});

test.each([
  [['feeds', 'add', '"open'], 'query'],
  [['feeds', 'add', '--topic', 'no-such'], 'no-such'],
  [['feeds', 'add', '--topic', 'a', '--search', 'b'], 'a topic or a search, not both'],
  [['feeds', 'add', '--name', 'x'.repeat(101)], 'name'],
  [['feeds', 'remove', '99'], 'there is no such feed'],
  [['feeds', 'remove', '9'.repeat(20)], 'an id'],
])('%j is refused', async (argv, words) => {
  const { code, stderr } = await stand.run(argv);
  expect(code).not.toBe(0);
  expect(stderr).toContain(words);
});
