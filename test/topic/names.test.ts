/** Names of topics and searches: renames and former slugs. */
import { beforeEach, describe, expect, test } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { finishPurge, requestPurge } from '../../src/monitor/topics/purge-topic.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { createSearch, editSearch } from '../../src/monitor/topics/save-search.ts';
import { createTopic, renameTopic, watchTopic } from '../../src/monitor/topics/save-topic.ts';
import { changeSearch, changeTopic } from '../../src/monitor/topics/search-state.ts';
import { findSearch } from '../../src/store/topics/searches.ts';
import { findTopic } from '../../src/store/topics/topics.ts';
import { readDiscoveriesAfter } from '../../src/store/queries/discoveries.ts';
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

const add = (slug: string, topic: string) =>
  createSearch(ctx, { slug, topic, operation: 'microblog', prompt: slug, every: '15m' });
/** The current slug of what a slug leads to. */
const leadsTo = async (kind: 'topic' | 'search', slug: string) =>
  (await (kind === 'topic' ? findTopic : findSearch)(world.db.pool, slug))?.slug;

/** A run that finds posts; each test has its own. */
async function find(search: string, ...ids: string[]): Promise<void> {
  minutes += 1;
  clock.set(new Date(Date.parse(START) + minutes * MINUTE));
  stub.answers(json({ miner_tweets: ids.map((id) => wirePost(`${n}00${id}`)) }));
  await executeRun(ctx, (await insertManualRun(ctx, search)).runId);
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
    for (const slug of ['a', 'b', 'c']) expect(await leadsTo('topic', named(slug))).toBe(named('a'));
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

  test('a taken slug is refused with what has it: in use or removed', async () => {
    await add(named('x'), named('tx'));
    await add(named('y'), named('ty'));
    await expect(renameTopic(ctx, named('tx'), { slug: named('ty') })).rejects.toThrow(
      `the topic "${named('ty')}" already exists ("${named('ty')}"); choose another slug, such as ${named('ty')}-2 (--slug ${named('ty')}-2)`,
    );
    await expect(editSearch(ctx, named('x'), { slug: named('y') })).rejects.toThrow(
      `the search "${named('y')}" already exists (in the topic "${named('ty')}"); choose another slug, such as ${named('y')}-2`,
    );
    await changeSearch(ctx, named('y'), 'remove');
    await expect(add(named('y'), named('ty'))).rejects.toThrow(
      `strandline search remove ${named('y')} --purge`,
    );
    await changeTopic(ctx, named('ty'), 'remove');
    await expect(
      createTopic(ctx, { name: 'T', slug: named('ty'), searches: [{ prompt: 'p', every: '1h' }] }),
    ).rejects.toThrow(`strandline topic remove ${named('ty')} --purge`);
  });

  test('what takes a former slug has it from then on; what had it before keeps its others', async () => {
    await add(named('x'), named('t'));
    await editSearch(ctx, named('x'), { slug: named('y') });
    await editSearch(ctx, named('y'), { slug: named('z') });
    const { search } = await add(named('x'), named('t'));
    expect([search.slug, search.prompt]).toEqual([named('x'), named('x')]);
    expect(await leadsTo('search', named('x'))).toBe(named('x'));
    expect(await leadsTo('search', named('y'))).toBe(named('z'));
    await renameTopic(ctx, named('t'), { slug: named('u') });
    await watchTopic(ctx, { text: 'second', slug: named('t') });
    expect((await findTopic(world.db.pool, named('t')))?.name).toBe('second');
    await renameTopic(ctx, named('t'), { slug: named('v') });
    expect(await leadsTo('topic', named('t')), 'to the last that had it').toBe(named('v'));
  });

  test('each change of a renamed topic or search is made by its former slug, too, and recorded under the current one', async () => {
    await add(named('x'), named('t'));
    await renameTopic(ctx, named('t'), { slug: named('u') });
    await editSearch(ctx, named('x'), { slug: named('y') });
    const added = await add(named('x2'), named('t'));
    expect(added.search.topic).toBe(named('u'));
    expect((await changeSearch(ctx, named('x'), 'pause')).slug).toBe(named('y'));
    await changeTopic(ctx, named('t'), 'resume');
    expect((await editSearch(ctx, named('x'), { every: '30m' })).search).toMatchObject({
      slug: named('y'),
      topic: named('u'),
      every_seconds: 1_800,
    });
    expect(await renameTopic(ctx, named('t'), { name: 'Named' })).toBe(named('u'));
    await find(named('x'), '1');
    const subjects = await rows(
      `SELECT DISTINCT subject FROM strandline_analytics.audit_log WHERE kind IN ('topic', 'search') AND subject LIKE $1
       AND id > (SELECT max(id) FROM strandline_analytics.audit_log WHERE subject = $2 AND action = 'search.updated'
         AND changes ? 'slug') ORDER BY 1`,
      [`%-${n}`, named('x')],
    );
    expect(subjects.map(({ subject }) => subject)).toEqual([named('u'), named('x2'), named('y')]);
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
