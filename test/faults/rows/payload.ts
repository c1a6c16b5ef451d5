/** Items that come twice, malformed, changed, or not at all. How each is parsed is tested in test/read. */
import assert from 'node:assert/strict';
import { wirePost } from '../../stub-service.ts';
import { playCases, ONE_CALL } from '../cases.ts';
import type { Row } from '../row.ts';
import { gated, json, ownPosts, posts } from '../scripts.ts';
import type { Script } from '../service.ts';
import type { Stage } from '../stage.ts';

const ids = (n: number, from = 1) => Array.from({ length: n }, (_, i) => String(from + i));

/** Items as they stand on the wire, read or not. @param holds ids of those that can be read */
const items = (tweets: readonly unknown[], holds: readonly string[]): Script =>
  json({ miner_tweets: tweets }, { posts: holds });

/** Items that cannot be parsed into a post, each for another reason. */
const BAD: readonly unknown[] = [
  null,
  'a text',
  [],
  {},
  wirePost('', {}),
  wirePost('9', { id: true }),
  wirePost('9', { id: { $oid: '1' } }),
];

async function runAgain(stage: Stage, script: Script): Promise<bigint> {
  stage.service.answers(script);
  const runId = await stage.again(1);
  assert.equal((await stage.ended(runId)).status, 'succeeded');
  return runId;
}

const newIn = async (stage: Stage, runId: bigint): Promise<number> => {
  const [run] = await stage.rows('SELECT items_new FROM strandline.runs WHERE id = $1', [runId]);
  return Number(run.items_new);
};

export const PAYLOAD: readonly Row[] = [
  {
    id: 'F60',
    title:
      'the same post three times in one response, and in five searches that save it concurrently: stored once, new once for each',
    core: true,
    play: async (stage) => {
      const same = [
        wirePost('11', { text: 'one' }),
        wirePost('11', { text: 'two' }),
        wirePost('11'),
        wirePost('12'),
      ];
      const gate = gated(items(same, ['11', '12']));
      stage.service.answers(gate.script);
      await stage.start();
      await stage.start();
      const made = await Promise.all([1, 2, 3, 4, 5].map((prompt) => stage.add(prompt)));
      await stage.until('all calls are under way', () => Promise.resolve(stage.service.asked.length === 5));
      gate.open();
      for (const { runId } of made) {
        const run = await stage.ended(runId);
        assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
        assert.equal(await newIn(stage, runId), 2);
      }
      assert.deepEqual(await stage.rows('SELECT external_id FROM strandline.posts ORDER BY 1'), [
        { external_id: '11' },
        { external_id: '12' },
      ]);
    },
  },
  {
    id: 'F60 link',
    title: 'the same link from two tools in three spellings: one link, new once',
    core: true,
    play: async (stage) => {
      const links = [
        'https://a.example/one',
        'https://A.example/one#top',
        'https://a.example/one?utm_source=x',
      ];
      const result = (link: string) => ({ title: 'one', link, snippet: 'a' });
      const [first = ''] = links;
      stage.service.answers(
        json(
          { completion: 'one', search: links.map(result), hacker_news_search: [result(first)] },
          { links: [first] },
        ),
      );
      await stage.start();
      const { runId } = await stage.add(1, { operation: 'ai', tools: ['Web Search', 'News Forum Search'] });
      assert.equal((await stage.ended(runId)).status, 'succeeded');
      assert.equal(await newIn(stage, runId), 1);
      assert.deepEqual(await stage.rows('SELECT canonical FROM strandline.links'), [{ canonical: first }]);
    },
  },
  {
    id: 'F61',
    title:
      'one malformed item among ninety-nine good ones becomes a reject with its path; more malformed than good ones make the response invalid',
    core: true,
    everyCommit: 'postgres',
    env: ONE_CALL,
    play: async (stage) => {
      const good = ids(99, 1_000);
      const mixed = (n: number) => [...BAD, ...ids(n, 2_000).map((id) => wirePost(id))];
      const runs = await playCases(stage, [
        [
          'one bad',
          items(
            [
              ...good.slice(0, 50).map((id) => wirePost(id)),
              null,
              ...good.slice(50).map((id) => wirePost(id)),
            ],
            good,
          ),
          'succeeded',
        ],
        ['as many', items(mixed(BAD.length), ids(BAD.length, 2_000)), 'succeeded'],
        ['more bad than good', items(mixed(BAD.length - 1), []), 'schema_mismatch'],
        ['nothing but bad ones', items(BAD, []), 'schema_mismatch'],
      ]);
      const counted = await stage.rows(
        `SELECT r.items_new::int AS new, r.rejected::int AS rejected, (SELECT count(*)::int FROM strandline.rejects x WHERE x.run_id = r.id) AS kept
         FROM strandline.runs r WHERE r.id = ANY ($1) ORDER BY r.id`,
        [runs],
      );
      assert.deepEqual(counted.slice(0, 2), [
        { new: 99, rejected: 1, kept: 1 },
        { new: BAD.length, rejected: BAD.length, kept: BAD.length },
      ]);
      assert.deepEqual(
        counted.slice(2).map(({ kept }) => kept),
        [BAD.length, BAD.length],
      );
      const [reject] = await stage.rows('SELECT path FROM strandline.rejects WHERE run_id = $1', [runs[0]]);
      assert.equal(reject.path, 'miner_tweets[50]');
    },
  },
  {
    id: 'F61 after',
    title: 'a response of malformed items after a good one removes nothing and notifies nobody',
    core: true,
    play: async (stage) => {
      await stage.alert('channel');
      stage.service.answers(posts(ids(20, 100)));
      await stage.start();
      await stage.ended((await stage.add(1)).runId);
      stage.service.answers(items(BAD, []));
      assert.equal((await stage.ended(await stage.again(1))).code, 'schema_mismatch');
      assert.equal(await newIn(stage, await runAgain(stage, posts(ids(20, 100)))), 0);
      assert.deepEqual(stage.receiver.received, []);
    },
  },
  {
    id: 'F62',
    title:
      'a post that returns with another type of id, is edited, loses likes, disappears and returns is never new again',
    core: false,
    play: async (stage) => {
      await stage.alert('channel');
      const over = (members: Record<string, unknown>) => items([wirePost('111', members)], ['111']);
      stage.service.answers(over({ id: 111, like_count: 50 }));
      await stage.start();
      await stage.ended((await stage.add(1)).runId);
      for (const script of [
        over({ id: '111', like_count: 40 }),
        over({ text: 'edited', like_count: 40 }),
        items([], []),
        over({ text: 'edited', like_count: 30 }),
      ])
        assert.equal(await newIn(stage, await runAgain(stage, script)), 0);
      const [post] = await stage.rows(
        'SELECT text, like_count::int AS likes FROM strandline_analytics.posts',
      );
      assert.deepEqual(post, { text: 'edited', likes: 30 });
      const history = await stage.rows(
        'SELECT like_count::int AS likes FROM strandline.post_snapshots ORDER BY observed_at',
      );
      assert.deepEqual(
        history.map(({ likes }) => likes),
        [50, 40, 30],
      );
      assert.deepEqual(stage.receiver.received, []);
    },
  },
  {
    id: 'F63',
    title: 'no results after a hundred posts, then the same hundred: no alert, and none of them new',
    core: false,
    play: async (stage) => {
      await stage.alert('channel');
      stage.service.answers(posts(ids(100, 100)));
      await stage.start();
      await stage.ended((await stage.add(1)).runId);
      for (const script of [posts([]), posts(ids(100, 100))])
        assert.equal(await newIn(stage, await runAgain(stage, script)), 0);
      assert.deepEqual(stage.receiver.received, []);
      // That it would have told: one that is new.
      assert.equal(await newIn(stage, await runAgain(stage, posts([...ids(100, 100), '500']))), 1);
      await stage.until('the message is there', () => Promise.resolve(stage.receiver.received.length > 0));
      assert.equal(stage.receiver.taken('/channel').length, 1);
    },
  },
  {
    id: 'F61 hostile',
    title:
      'a post with content that breaks Postgres, terminals or spreadsheets is stored clean, and the next search continues',
    core: true,
    play: async (stage) => {
      const nasty = '\u0000\ud800\u001b[2J=HYPERLINK("http://x")\u202e\u2028' + 'e\u0301'.repeat(50_000);
      const over = {
        text: nasty,
        created_at: '+275760-09-13T00:00:00Z',
        like_count: 1e30,
        url: 'javascript:alert(1)',
        media: 'none',
        entities: { urls: [{ expanded_url: 'data:text/html,x', indices: [-1, 1e9] }] },
        lang: 'x'.repeat(10_000),
        user: { id: '9', username: '../../etc', name: nasty, followers_count: -1 },
      };
      stage.service.answers(items([wirePost('11', over)], ['11']), '1');
      stage.service.answers(ownPosts, '2');
      await stage.start();
      const [hostile, next] = [await stage.add(1), await stage.add(2)];
      assert.equal((await stage.ended(hostile.runId)).status, 'succeeded');
      assert.equal((await stage.ended(next.runId)).status, 'succeeded');
      const [post] = await stage.rows(
        `SELECT text, like_count, created_at FROM strandline_analytics.posts WHERE external_id = '11'`,
      );
      assert.ok(!post.text.includes('\u0000'));
      assert.equal(post.text.toWellFormed(), post.text);
      assert.equal(post.like_count, null);
      assert.equal(post.created_at, null);
    },
  },
];
