/** Renames on the command line, which accepts former slugs. */
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

test('topic rename and search edit --slug change slugs; every command accepts the former ones', async () => {
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
    ['runs', 'list', '--topic', 'old'],
    ['digest', '--topic', 'old', '--since', '1d'],
    ['trends', '--compare', 'old,other'],
    ['trends', '--topic', 'old', 'rebuild'],
    ['export', 'posts', '--format', 'csv', '--search', 'posts', '--search', 'others'],
    ['search', 'run', 'posts', '--wait'],
  ]) {
    const { code, stderr } = await stand.run(argv);
    expect([argv, code], stderr).toEqual([argv, 0]);
  }
  expect(await stand.json('search', 'show', 'posts')).toMatchObject({ slug: 'finds', topic: 'new' });
});

test('what is read by a former slug is what is read by the current one', async () => {
  const reads = [
    ['posts', 'list', '--search', 'posts'],
    ['runs', 'list', '--search', 'posts'],
    ['topic', 'show', 'old'],
  ];
  for (const argv of reads) {
    const current = argv.map((word) => ({ old: 'new', posts: 'finds' })[word] ?? word);
    current[0] = argv[0] ?? '';
    const [former, now] = [await stand.json(...argv), await stand.json(...current)];
    expect(former, argv.join(' ')).toEqual(now);
    expect(JSON.stringify(former).length).toBeGreaterThan(20);
  }
  const csv = async (...more: string[]) =>
    (await stand.run(['export', 'posts', '--format', 'csv', ...more])).stdout;
  expect(await csv('--search', 'posts')).toBe(await csv('--search', 'finds'));
  expect((await csv('--search', 'posts', '--topic', 'old')).split('\n').length).toBeGreaterThan(2);
});

test('a search that takes a former slug has it from then on', async () => {
  expect((await stand.run(['search', 'edit', 'others', '--slug', 'posts'])).code).toBe(0);
  expect(await stand.json('search', 'show', 'posts')).toMatchObject({ slug: 'posts', prompt: 'others' });
  expect((await stand.run(['topic', 'rename', 'new'])).code).toBe(2);
});
