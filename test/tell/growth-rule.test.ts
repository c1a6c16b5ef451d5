/** Rules on growth: a post that passes a number, or has far more engagement than others of its age. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { derivePending } from '../../src/monitor/derive/follower.ts';
import { DiscoveriesMessage } from '../../src/monitor/alerts/message.ts';
import { summarizeMessage } from '../../src/monitor/alerts/channels/message-summary.ts';
import { changeRule } from '../../src/monitor/alerts/manage-rules.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import { readNewestDiscoveries } from '../../src/store/queries/discoveries.ts';
import { describeDiscoveries } from '../../src/store/queries/described-discoveries.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const messagesOf = (path: string) =>
  stage.receiver.received
    .filter((one) => one.path === `/${path}`)
    .map(({ body }) => DiscoveriesMessage.parse(JSON.parse(body)));
const grownOf = (path: string) =>
  messagesOf(path).flatMap(({ data }) =>
    data.discoveries.map((each) =>
      each.kind === 'growth'
        ? `${each.growth.post.external_id} ${each.growth.condition} ${each.growth.value}`
        : each.kind,
    ),
  );

/** A run with posts of these likes, an hour after the previous, and what the follower does. */
async function sees(
  search: Search,
  likes: Readonly<Record<string, number | null>>,
  more = {},
): Promise<void> {
  stage.world.clock.advance(HOUR);
  await stage.finds(
    search,
    Object.entries(likes).map(([id, like_count]) => ({ id, text: `post ${id}`, like_count, ...more })),
  );
  await derivePending(stage.world.ctx, { settleMs: null });
}

test('a post is reported once, at the response in which it passes a number', async () => {
  const channel = await stage.channel('likes');
  const search = await stage.search('likes');
  await stage.rule('likes', 'likes', {
    on: ['growth'],
    growth: ['likes>=100', 'engagement>=1000'],
    topic: 'likes',
  });
  const steps: Record<string, number | null>[] = [
    { '1': 40, '2': 99, '3': null },
    { '1': 120, '2': 100, '3': 500 }, // the number of 3 was unknown before
    { '1': 300, '2': 90, '3': 600, '4': 101 }, // 4 is new
    { '1': 900, '2': 140, '4': 1_200 }, // 2 passes again
  ];
  const sent: string[][] = [];
  for (const step of steps) {
    const before = grownOf('likes').length;
    await sees(search, step);
    await stage.tell(channel);
    sent.push(grownOf('likes').slice(before).toSorted());
  }
  expect(sent).toEqual([
    [],
    ['1 likes>=100 120', '2 likes>=100 100'],
    ['4 likes>=100 101'],
    ['4 engagement>=1000 1200'],
  ]);
  const [message] = messagesOf('likes');
  expect(summarizeMessage(message ?? expect.fail('no message'))).toMatchObject({
    title: 'likes: 2 growing posts',
    items: [
      { title: 'Passed 100 likes: 120.', text: 'post 1' },
      { title: 'Passed 100 likes: 100.', text: 'post 2' },
    ],
  });
  const rows = await describeDiscoveries(
    stage.world.db,
    await readNewestDiscoveries(stage.world.db, { search: 'likes', kind: 'growth', limit: 1 }),
  );
  expect(rows).toMatchObject([
    { text: 'Passed 1,000 reactions: 1,200. post 4', url: expect.stringContaining('status') },
  ]);
});

test('what was above the number at the start is never reported, nor what passed it before the rule or during its pause', async () => {
  const channel = await stage.channel('start');
  const { search } = await createSearch(stage.world.ctx, {
    slug: 'start',
    topic: 'start',
    operation: 'microblog',
    prompt: 'start',
    every: '1d',
  });
  await stage.world.db.pool.query('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  await sees(search, { '51': 500, '52': 50, '53': 50, '54': 50 });
  await sees(search, { '51': 510, '52': 150, '53': 50, '54': 50 });
  await stage.rule('start', 'start', { on: ['growth'], growth: ['likes>=100'], search: 'start' });
  await sees(search, { '51': 600, '52': 200, '53': 60, '54': 50 });
  await changeRule(stage.world.ctx, 'start', 'pause');
  await sees(search, { '51': 700, '52': 300, '53': 160, '54': 50 });
  await changeRule(stage.world.ctx, 'start', 'resume');
  await sees(search, { '51': 800, '52': 400, '53': 260, '54': 100 });
  await stage.tell(channel);
  expect(grownOf('start')).toEqual(['54 likes>=100 100']);
});

test('of two searches of a topic, the first that shows it reports it; a rule on the other reports its own', async () => {
  const [channel, own] = [await stage.channel('both'), await stage.channel('own')];
  const [one, two] = [await stage.search('one', 'pair'), await stage.search('two', 'pair')];
  await stage.rule('both', 'both', { on: ['growth'], growth: ['likes>=100'], topic: 'pair' });
  await stage.rule('own', 'own', { on: ['growth'], growth: ['likes>=100'], search: 'two' });
  await sees(one, { '61': 10 });
  await sees(two, { '61': 20 });
  await sees(one, { '61': 130 });
  await sees(two, { '61': 140 });
  await stage.tell(channel, own);
  expect(grownOf('both')).toEqual(['61 likes>=100 130']);
  expect(grownOf('own')).toEqual(['61 likes>=100 140']);
});

test('an unusual post has far more engagement than those of its age', async () => {
  const channel = await stage.channel('unusual');
  const search = await stage.search('unusual');
  await stage.rule('unusual', 'unusual', { on: ['growth'], topic: 'unusual' });
  const ids = Array.from({ length: 60 }, (_, i) => String(700 + i));
  const created_at = stage.world.clock.now().toISOString();
  const likes = (of: (i: number) => number) => Object.fromEntries(ids.map((id, i) => [id, of(i)]));
  for (let hour = 1; hour <= 4; hour++)
    await sees(
      search,
      likes((i) => (i === 7 ? hour * 40 : 1 + (i % 4))),
      { created_at },
    );
  await stage.tell(channel);
  expect(grownOf('unusual')).toHaveLength(1);
  expect(messagesOf('unusual')[0]?.data.discoveries).toMatchObject([
    {
      kind: 'growth',
      growth: { condition: 'unusual', usual: 2.5, compared_with: 60, post: { external_id: '707' } },
    },
  ]);
});

test('without a rule on growth, nothing is stored; a forgotten author is in no report', async () => {
  const channel = await stage.channel('gone');
  const search = await stage.search('gone');
  const grown = { user: { id: '9777', username: 'grown', name: 'Grown' } };
  const counted = async () =>
    (
      await stage.rows('SELECT count(*)::int AS n FROM strandline.growth_reports WHERE search_id = $1', [
        search.id,
      ])
    )[0].n;
  await sees(search, { '81': 10 }, grown);
  await sees(search, { '81': 5_000 }, grown);
  expect(await counted()).toBe(0);
  await stage.rule('gone', 'gone', { on: ['growth'], growth: ['views>=10', 'likes>=6000'], topic: 'gone' });
  stage.world.clock.advance(MINUTE);
  await sees(search, { '81': 7_000 }, grown);
  expect(await counted()).toBe(1);
  await stage.tell(channel);
  expect(grownOf('gone')).toEqual(['81 likes>=6000 7000']);

  const author = await findAuthor(stage.world.db, 'hosted', '@grown');
  await forgetAuthor(stage.world.ctx, author ?? expect.fail('unknown author'));
  expect(await counted()).toBe(0);
  expect(
    await stage.rows("SELECT FROM strandline.discoveries WHERE search_id = $1 AND kind = 'growth'", [
      search.id,
    ]),
  ).toEqual([]);
});
