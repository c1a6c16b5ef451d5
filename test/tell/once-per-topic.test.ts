/** Rules report each item once per topic, whichever search found it and whichever rule matched. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { backtestRule, previewRule } from '../../src/monitor/alerts/backtest.ts';
import { createRule } from '../../src/monitor/alerts/manage-rules.ts';
import { evaluateRules } from '../../src/monitor/alerts/rule-evaluation.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { readNewestDiscoveries } from '../../src/store/queries/discoveries.ts';
import { describeLinks } from '../../src/store/queries/named-posts.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { saveBody } from '../store/finds.ts';
import { wirePost } from '../stub-service.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const address = (id: string) => `https://x.com/someone/status/${id}`;

async function newSearch(slug: string, topic: string, operation: 'ai' | 'microblog'): Promise<Search> {
  stage.world.clock.advance(HOUR);
  const { search } = await createSearch(stage.world.ctx, {
    slug,
    topic,
    operation,
    prompt: slug,
    every: '1h',
  });
  await stage.rows('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search;
}

/** A run that found these items: as posts, or as links by an AI search. */
async function finds(search: Search, ...ids: string[]): Promise<void> {
  stage.world.clock.advance(HOUR);
  const body =
    search.operation === 'ai'
      ? { hacker_news_search_results: { organic_results: ids.map((id) => ({ link: address(id) })) } }
      : { miner_tweets: ids.map((id) => wirePost(id, { url: address(id), text: `post ${id}` })) };
  await saveBody(stage.world, search, body);
}

/** The items in the messages to a channel, in the order of the feed: `rule kind ID`. */
async function sentTo(channel: string): Promise<string[]> {
  await evaluateRules(stage.world.ctx);
  const found = await stage.rows(
    `SELECT r.slug, d.kind, substring(d.url FROM '[0-9]+$') AS id FROM strandline.delivery_discoveries x
     JOIN strandline.rules r ON r.id = x.rule_id JOIN strandline.channels c ON c.id = x.channel_id
     JOIN strandline_analytics.discoveries d ON d.id = x.discovery_id WHERE c.slug = $1 ORDER BY d.id, r.id`,
    [channel],
  );
  return found.map(({ slug, kind, id }) => `${slug} ${kind} ${id}`);
}

describe('two searches of a topic, a rule on one of them and a rule on the topic', () => {
  let [micro, ai]: [Search, Search] = [undefined as never, undefined as never]; // set before the tests
  beforeAll(async () => {
    await stage.channel('both');
    await stage.channel('posts');
    micro = await newSearch('t1-micro', 't1', 'microblog');
    ai = await newSearch('t1-ai', 't1', 'ai');
    await finds(micro, '1');
    await finds(ai, '2');
    await stage.rule('topic', 'both', { topic: 't1', on: ['post', 'link'] });
    await stage.rule('search', 'both', { search: 't1-ai', on: ['post', 'link'] });
    await stage.rule('posts', 'posts', { topic: 't1', on: ['post'] });
    await stage.rule('words', 'posts', { topic: 't1', on: ['post', 'link'], filter: 'post' });
  });

  test('a channel gets an item once; what the first baselines contained is not reported', async () => {
    await finds(micro, '2', '3');
    await finds(ai, '1', '3', '4');
    expect(await sentTo('both')).toEqual(['topic post 3', 'search link 1', 'topic link 4']);
  });

  test('a rule on posts, or with words, reports an item that was first a link, once it is a post', async () => {
    expect(await sentTo('posts')).toEqual(['posts post 3']);
    await finds(micro, '4');
    expect(await sentTo('posts')).toEqual(['posts post 3', 'posts post 4']);
    expect((await sentTo('both')).length).toBe(3);
  });

  test('a link that names a known post is that post: in messages, in `new`, and for filters', async () => {
    await stage.channel('named');
    await stage.rule('named', 'named', { search: 't1-ai', on: ['link'], filter: 'author:user_5' });
    await finds(micro, '5');
    await finds(ai, '5', '6');
    expect(await sentTo('named')).toEqual(['named link 5']);
    const rows = await readNewestDiscoveries(stage.world.db, { search: 't1-ai', limit: 2 });
    expect(await describeLinks(stage.world.db, rows.toReversed())).toMatchObject([
      { kind: 'link', text: 'post 5', author_username: 'user_5', like_count: 1 },
      { kind: 'link', text: null, author_username: null, named_post_id: null },
    ]);
    await stage.world.db.pool.query(`UPDATE strandline.deliveries SET next_attempt_at = created_at`);
    await stage.tell((await stage.rows(`SELECT id FROM strandline.channels WHERE slug = 'named'`))[0].id);
    const [message] = stage.receiver.received
      .filter(({ path }) => path === '/named')
      .map(({ body }) => JSON.parse(body));
    expect(message.data.discoveries).toMatchObject([
      {
        kind: 'link',
        first_in_topic: false,
        link: { post: { text: 'post 5', author_username: 'user_5', like_count: 1 } },
      },
    ]);
  });
});

test('a new rule has a cooldown unless it is on spikes alone, and says what it would have sent', async () => {
  const { ctx } = stage.world;
  await stage.channel('quiet');
  const search = await newSearch('often', 'often', 'microblog');
  await finds(search);
  for (let n = 0; n < 24; n += 1) await finds(search, `70${n}`);
  const rule = await createRule(ctx, { slug: 'quiet', topic: 'often', channels: ['quiet'] });
  expect(rule.cooldown_seconds).toBe(6 * 3_600);
  expect(await previewRule(ctx, 'quiet')).toEqual({
    days: 14,
    messages: 4,
    discoveries: 24,
    at_least: false,
    growth_since: null,
  });
  expect(
    await createRule(ctx, { slug: 'urgent', on: ['spike'], topic: 'often', channels: ['quiet'] }),
  ).toMatchObject({ cooldown_seconds: 0 });
});

test('two weeks of runs: every item once, in `new` and in the messages of a rule', async () => {
  let n = 0;
  const run = fc.record({ search: fc.nat(2), items: fc.uniqueArray(fc.nat(30), { maxLength: 6 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(run, { minLength: 14, maxLength: 28 }), async (plan) => {
      n += 1;
      const { ctx, clock, db } = stage.world;
      const topic = `weeks-${n}`;
      const id = (item: number) => `${n}000${item}`;
      const searches = [
        await newSearch(`${topic}-micro`, topic, 'microblog'),
        await newSearch(`${topic}-ai`, topic, 'ai'),
      ];
      await stage.channel(topic);
      await stage.rule(topic, topic, { topic, on: ['post', 'link'] });
      /** What each search that ran has found. */
      const known = new Map<Search, Set<string>>();
      /** What was found by anything but the baseline of the added search; what the rule must report. */
      const [found, reported] = [new Set<string>(), new Set<string>()];
      for (const [i, { search: which, items }] of plan.entries()) {
        // The third search is added in the middle.
        if (i === 7) searches.push(await newSearch(`${topic}-added`, topic, 'microblog'));
        const search = searches[which] ?? searches[0];
        if (search === undefined) throw new Error('no search');
        await finds(search, ...items.map(id));
        clock.advance(DAY / 2);
        const before = known.get(search);
        for (const item of items.map(id)) {
          // What a search knows is not new to it again: only another one can report it.
          if (before?.has(item) === true) continue;
          if (before !== undefined && !found.has(item)) reported.add(item);
          if (before !== undefined || search !== searches[2]) found.add(item);
        }
        known.set(search, new Set([...(before ?? []), ...items.map(id)]));
        await evaluateRules(ctx);
      }
      const shown = (await readNewestDiscoveries(db, { topic, view: 'topic', limit: 1_000 }))
        .filter(({ kind }) => kind === 'post' || kind === 'link')
        .map(({ url }) => /\d+$/.exec(url ?? '')?.[0] ?? '');
      expect(shown.toSorted()).toEqual([...found].toSorted());
      const sent = (await sentTo(topic)).map((line) => line.split(' ')[2] ?? '');
      expect(new Set(sent).size).toBe(sent.length);
      expect(sent.toSorted()).toEqual([...reported].toSorted());
      expect((await backtestRule(ctx, topic, 90)).total).toBe(sent.length);
    }),
    { numRuns: 4 },
  );
});
