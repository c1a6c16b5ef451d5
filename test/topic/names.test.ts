/** Names of topics and searches: renames, former slugs, and moves of a search to another topic. */
import { beforeEach, describe, expect, test } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { derivePending } from '../../src/monitor/derive/follower.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { finishPurge, requestPurge } from '../../src/monitor/topics/purge-topic.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { createSearch, editSearch } from '../../src/monitor/topics/save-search.ts';
import { createTopic, renameTopic, watchTopic } from '../../src/monitor/topics/save-topic.ts';
import { changeSearch, changeTopic } from '../../src/monitor/topics/search-state.ts';
import { findRenamed } from '../../src/store/topics/former-slugs.ts';
import { readDiscoveriesAfter } from '../../src/store/queries/discoveries.ts';
import { readDerived, readRebuilt } from '../derived.ts';
import { json, wirePost } from '../stub-service.ts';
import { stubbedWorld } from '../stubbed-world.ts';
import { START } from '../world.ts';

const { stub, world, rows } = await stubbedWorld();
const { ctx, clock } = world;

let n = 0;
let minutes = 0;
/** A slug of no other test. */
const named = (slug: string) => `${slug}-${n}`;
beforeEach(() => {
  n += 1;
  minutes = 0;
});

const add = (slug: string, topic: string, more: { reuse_slug?: boolean } = {}) =>
  createSearch(ctx, { slug, topic, operation: 'microblog', prompt: slug, every: '15m', ...more });
const leadsTo = async (kind: 'topic' | 'search', slug: string) =>
  (await findRenamed(world.db.pool, [{ kind, slug }]))[0]?.slug;

/** A run that finds posts; each test has its own. */
async function find(search: string, ...ids: string[]): Promise<void> {
  minutes += 1;
  clock.set(new Date(Date.parse(START) + minutes * MINUTE));
  stub.answers(json({ miner_tweets: ids.map((id) => wirePost(`${n}00${id}`)) }));
  await executeRun(ctx, (await insertManualRun(ctx, search)).runId);
}

/** Posts of a topic in order, with the search that reports each, and `*` if first in the topic. */
async function reported(topic: string): Promise<string[]> {
  const found = await rows(
    `SELECT d.search, p.external_id, d.first_in_topic FROM strandline_analytics.discoveries d
     JOIN strandline.posts p ON p.id = d.post_id WHERE d.topic = $1 ORDER BY d.id`,
    [topic],
  );
  return found.map(
    (row) =>
      `${row.search} ${row.external_id.slice(`${n}00`.length)}${row.first_in_topic === true ? '*' : ''}`,
  );
}

describe('rename', () => {
  test('a topic and a search keep their former slugs through several renames, until one returns to it', async () => {
    await add(named('posts'), named('a'));
    expect(await renameTopic(ctx, named('a'), { slug: named('b'), name: 'B' })).toBe(named('b'));
    await renameTopic(ctx, named('b'), { slug: named('c') });
    await editSearch(ctx, named('posts'), { slug: named('finds') });
    expect(await leadsTo('topic', named('a'))).toBe(named('c'));
    expect(await leadsTo('topic', named('b'))).toBe(named('c'));
    expect(await leadsTo('search', named('posts'))).toBe(named('finds'));
    await renameTopic(ctx, named('c'), { slug: named('a') });
    expect(await leadsTo('topic', named('a'))).toBeUndefined();
    expect(await leadsTo('topic', named('c'))).toBe(named('a'));
    const audit = await rows(
      `SELECT action, subject, changes FROM strandline_analytics.audit_log WHERE subject = ANY ($1) AND action LIKE '%.updated' ORDER BY id`,
      [[named('a'), named('posts')]],
    );
    expect(audit).toEqual([
      {
        action: 'topic.updated',
        subject: named('a'),
        changes: {
          slug: { before: named('a'), after: named('b') },
          name: { before: named('a'), after: 'B' },
        },
      },
      {
        action: 'search.updated',
        subject: named('posts'),
        changes: { slug: { before: named('posts'), after: named('finds') } },
      },
    ]);
  });

  test('a taken slug is refused with what has it: in use, removed, or given up', async () => {
    await add(named('x'), named('tx'));
    await add(named('y'), named('ty'));
    await expect(renameTopic(ctx, named('tx'), { slug: named('ty') })).rejects.toThrow(
      `the topic "${named('ty')}" already exists ("${named('ty')}"); choose another slug, such as ${named('ty')}-2 (--slug ${named('ty')}-2)`,
    );
    await expect(editSearch(ctx, named('x'), { slug: named('y') })).rejects.toThrow(
      `the search "${named('y')}" already exists (in the topic "${named('ty')}"); choose another slug, such as ${named('y')}-2`,
    );
    await changeSearch(ctx, named('y'), 'remove');
    await expect(add(named('y'), named('ty'))).rejects.toThrow(`strandline search purge ${named('y')}`);
    await changeTopic(ctx, named('ty'), 'remove');
    await expect(
      createTopic(ctx, { name: 'T', slug: named('ty'), searches: [{ prompt: 'p', every: '1h' }] }),
    ).rejects.toThrow(`strandline topic purge ${named('ty')}`);
    await renameTopic(ctx, named('tx'), { slug: named('tz') });
    await expect(watchTopic(ctx, { text: 'tx', slug: named('tx') })).rejects.toThrow(
      `"${named('tx')}" is a former slug of the topic "${named('tz')}"; choose another slug, such as ${named('tx')}-2 (--slug ${named('tx')}-2), or take it over: --reuse-slug`,
    );
    expect(await rows('SELECT FROM strandline.topics WHERE slug = $1', [named('tx')])).toHaveLength(0);
  });

  test('a former slug is taken over on request only, and then leads to its new owner', async () => {
    await add(named('x'), named('t'));
    await editSearch(ctx, named('x'), { slug: named('y') });
    await expect(add(named('x'), named('t'))).rejects.toMatchObject({ kind: 'conflict' });
    await add(named('x'), named('t'), { reuse_slug: true });
    expect(await leadsTo('search', named('x'))).toBeUndefined();
  });

  test('searches of a watched text avoid slugs that are taken or lead elsewhere', async () => {
    await add(named('w-posts').replace(`-posts-${n}`, `-${n}-posts`), named('t'));
    const { created } = await watchTopic(ctx, { text: 'w', slug: named('w') });
    expect(created.map(({ search }) => search.slug)).toEqual([`${named('w')}-posts-2`, `${named('w')}-ai`]);
  });

  test('a purge frees the slugs that a topic and its searches had', async () => {
    await watchTopic(ctx, { text: 'p', slug: named('demo') });
    await renameTopic(ctx, named('demo'), { slug: named('demonstration') });
    await editSearch(ctx, `${named('demo')}-ai`, { slug: named('demoai') });
    const target = { kind: 'topic', slug: named('demonstration') } as const;
    expect(await finishPurge(world.db, await requestPurge(ctx, target))).toBe(true);
    expect(await rows('SELECT FROM strandline.former_slugs WHERE slug LIKE $1', [`demo-${n}%`])).toHaveLength(
      0,
    );
    await watchTopic(ctx, { text: 'p', slug: named('demo') });
  });

  test('somebody who polls by a former slug continues', async () => {
    await add(named('x'), named('t'));
    await find(named('x'), '1');
    await renameTopic(ctx, named('t'), { slug: named('u') });
    await editSearch(ctx, named('x'), { slug: named('y') });
    const of = async (filter: object) =>
      (await readDiscoveriesAfter(world.db, { ...filter, after: 0n, limit: 9 })).length;
    expect([await of({ topic: named('t') }), await of({ search: named('x') })]).toEqual([1, 1]);
  });
});

describe('move', () => {
  test('nothing is reported again in either topic, and each of them reports an item once', async () => {
    const [from, to] = [named('from'), named('to')];
    const [moved, left, there] = [named('moved'), named('left'), named('there')];
    await add(moved, from);
    await add(there, to);
    await find(moved, '1');
    await find(there, '1');
    await add(left, from);
    await find(left, '1');
    await find(moved, '2', '3');
    await find(left, '2');
    await find(there, '3');
    await editSearch(ctx, moved, { topic: to });
    expect(await reported(from)).toEqual([`${left} 1*`, `${left} 2*`]);
    expect(await reported(to)).toEqual([
      `${moved} 1`,
      `${there} 1*`,
      `${moved} 2*`,
      `${moved} 3`,
      `${there} 3*`,
    ]);
    // Neither topic reports what it reported before, whichever search finds it.
    await find(there, '2', '4');
    await find(left, '3');
    expect((await reported(to)).slice(5)).toEqual([`${there} 2`, `${there} 4*`]);
    expect((await reported(from)).slice(2)).toEqual([`${left} 3`]);
  });

  test('what is derived equals a rebuild', async () => {
    const [from, to] = [named('from'), named('to')];
    const [moved, left, there] = [named('moved'), named('left'), named('there')];
    await add(moved, from);
    await add(left, from);
    await add(there, to);
    for (const search of [moved, left, there]) await find(search, '1', search === left ? '2' : '3');
    await derivePending(ctx, { settleMs: null });
    const firsts = async () =>
      rows(
        `SELECT s.slug, d.topic_posts FROM strandline.search_days d JOIN strandline.searches s ON s.id = d.search_id
         WHERE s.slug = ANY ($1) AND d.topic_posts > 0 ORDER BY 1`,
        [[moved, left, there]],
      );
    const before = await firsts();
    await editSearch(ctx, moved, { topic: to });
    await derivePending(ctx, { settleMs: null });
    expect(await firsts()).not.toEqual(before);
    expect(await readDerived(ctx)).toEqual(await readRebuilt(ctx));
  });

  test('a search moves to a topic that exists, empty or not', async () => {
    await add(named('first'), named('t'));
    await add(named('other'), named('empty'));
    await expect(editSearch(ctx, named('first'), { topic: named('none') })).rejects.toMatchObject({
      kind: 'not_found',
    });
    await editSearch(ctx, named('first'), { topic: named('t'), every: '30m' });
    await editSearch(ctx, named('other'), { topic: named('t') });
    await editSearch(ctx, named('first'), { topic: named('empty') });
    expect(
      await rows(
        `SELECT s.slug, t.slug AS topic FROM strandline.searches s JOIN strandline.topics t ON t.id = s.topic_id
         WHERE s.slug LIKE $1 ORDER BY 1`,
        [`%-${n}`],
      ),
    ).toEqual([
      { slug: named('first'), topic: named('empty') },
      { slug: named('other'), topic: named('t') },
    ]);
  });
});
