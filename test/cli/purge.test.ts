/** `topic remove --purge` and `search remove --purge`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, wirePost } from '../stub-service.ts';
import { collector, makeStand, type Stand } from './stand.ts';
import { Readable } from 'node:stream';

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
  stand.stub.answers(json({ miner_tweets: [wirePost('1'), wirePost('2')] }));
  for (const slug of ['ferry', 'harbour'])
    await stand.run(['search', 'add', slug, '--operation', 'microblog', '--prompt', 'p', '--every', '15m']);
  stand.stub.answers(json({ miner_tweets: [wirePost('3')] }));
  await stand.run(['search', 'run', 'ferry', '--wait']);
});
afterAll(() => stand.close());

const posts = async () => (await stand.json<unknown[]>('posts', 'list')).length;
const FERRY =
  'ferry with 1 search, 2 runs, 0 completions, 1 post and 0 links; keeps what other searches found';

test('--dry-run shows what would go', async () => {
  expect(await stand.run(['topic', 'remove', 'ferry', '--purge', '--dry-run', '--json'])).toEqual({
    code: 0,
    stdout: '{"topic":"ferry","purged":false,"searches":1,"runs":2,"completions":0,"posts":1,"links":0}\n',
    stderr: `Would delete ${FERRY}.\n`,
  });
  expect(await posts()).toBe(3);
});

test('its options mean nothing without --purge', async () => {
  for (const option of ['--yes', '--dry-run'])
    expect(await stand.run(['topic', 'remove', 'ferry', option])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: --dry-run and --yes need --purge\n',
    });
  expect((await stand.json<unknown[]>('topic', 'list')).length).toBeGreaterThan(0);
  expect(await posts()).toBe(3);
});

test('without a terminal it needs --yes; a person confirms', async () => {
  const { code, stderr } = await stand.run(['topic', 'remove', 'ferry', '--purge']);
  expect([code, stderr]).toEqual([
    2,
    `Deletes ${FERRY}. This cannot be undone.\nNothing deleted. To delete, add --yes.\n`,
  ]);
  const answer = async (typed: string) => {
    const stdin = Object.assign(Readable.from([typed]), { isTTY: true });
    const shown = collector();
    const { code: ended } = await stand.run(['topic', 'remove', 'ferry', '--purge'], {
      stdin,
      stderr: Object.assign(shown.stream, { isTTY: true }),
    });
    return [ended, shown.text().split('\n').slice(1).join('\n')];
  };
  expect(await answer('\n')).toEqual([2, 'Purge ferry? [y/N] Nothing deleted.\n']);
  expect(await posts()).toBe(3);
  expect(await answer('y\n')).toEqual([0, 'Purge ferry? [y/N] ferry: deleted; its name is free\n']);
  expect(await posts()).toBe(2);
});

test('the name is free afterwards, also that of a removed search', async () => {
  const add = ['search', 'add', 'harbour', '--operation', 'microblog', '--prompt', 'p', '--every', '15m'];
  await stand.run(['search', 'remove', 'harbour']);
  expect((await stand.run(add)).code).toBe(1);
  expect((await stand.run(['search', 'remove', 'harbour', '--purge', '--yes'])).code).toBe(0);
  expect((await stand.run(add)).code).toBe(0);
  const { code, stderr } = await stand.run(['search', 'remove', 'harbuor', '--purge', '--yes']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('did you mean harbour?')]);
});

test('a rule on a removed topic says so, and its scope can be given again, but not to another rule', async () => {
  await stand.run(['channels', 'add', 'ops', '--webhook', 'https://93.184.215.14/hook']);
  for (const [rule, ...scope] of [['old', '--topic', 'harbour'], ['all']])
    await stand.run(['rules', 'add', rule ?? '', '--channel', 'ops', ...scope]);
  await stand.run(['topic', 'remove', 'harbour']);
  const edit = (rule: string) => stand.run(['rules', 'edit', rule, '--topic', 'harbour', '--name', 'New']);
  const removed =
    /^The topic was removed on \S+\. This rule finds nothing new until its scope is changed\.$/m;
  expect(await edit('old')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^name +New$/m) as unknown,
    stderr: expect.stringMatching(removed) as unknown,
  });
  expect((await stand.run(['rules', 'show', 'old'])).stderr).toMatch(removed);
  const { code, stderr } = await edit('all');
  expect([code, stderr]).toEqual([1, expect.stringContaining('there is no topic "harbour"')]);
});
