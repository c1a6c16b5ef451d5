/** Renames and moves on the command line, which accepts former slugs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, wirePost } from '../stub-service.ts';
import { makeStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
  stand.stub.answers(json({ miner_tweets: [wirePost('1')] }));
  const add = (slug: string, topic: string) =>
    stand.run([
      'search',
      'add',
      slug,
      '--operation',
      'microblog',
      '--prompt',
      slug,
      '--every',
      '1h',
      '--topic',
      topic,
    ]);
  await add('posts', 'old');
  await add('others', 'other');
});
afterAll(() => stand.close());

test('topic rename and search edit --slug change slugs; every command accepts the former ones and says the current ones', async () => {
  expect(await stand.run(['topic', 'rename', 'old', '--slug', 'new', '--name', 'New'])).toMatchObject({
    code: 0,
    stderr: 'old: now "New", new\n',
  });
  expect((await stand.run(['search', 'edit', 'posts', '--slug', 'finds'])).stderr).toBe(
    'posts: slug: posts → finds\n',
  );
  for (const argv of [
    ['topic', 'show', 'old'],
    ['new', '--topic', 'old'],
    ['posts', 'list', '--search', 'posts'],
    ['trends', '--compare', 'old,other'],
    ['trends', '--topic', 'old', 'rebuild'],
    ['export', 'posts', '--format', 'csv', '--search', 'posts', '--search', 'others'],
    ['search', 'run', 'posts', '--wait'],
  ]) {
    const { code, stderr } = await stand.run(argv);
    expect([argv, code, stderr.split('\n')[0]]).toEqual([
      argv,
      0,
      argv.includes('old') || argv.includes('old,other')
        ? 'the topic "old" is now "new"'
        : 'the search "posts" is now "finds"',
    ]);
  }
  expect(await stand.json('search', 'show', 'posts')).toMatchObject({ slug: 'finds', topic: 'new' });
});

test('search move changes the topic; a slug that leads elsewhere is taken with --reuse-slug', async () => {
  const moved = await stand.run(['search', 'move', 'finds', '--topic', 'other', '--json']);
  expect(moved.stderr).toBe('finds: moved from new to other\n');
  expect(JSON.parse(moved.stdout)).toMatchObject({ topic: 'other' });
  const taken = await stand.run(['search', 'edit', 'others', '--slug', 'posts']);
  expect(taken.code).toBe(1);
  expect(taken.stderr).toContain('"posts" is a former slug of the search "finds"');
  expect((await stand.run(['search', 'edit', 'others', '--slug', 'posts', '--reuse-slug'])).code).toBe(0);
  expect(await stand.json('search', 'show', 'posts')).toMatchObject({ slug: 'posts', prompt: 'others' });
  expect((await stand.run(['topic', 'rename', 'new'])).code).toBe(2);
});
