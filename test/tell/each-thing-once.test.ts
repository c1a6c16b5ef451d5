/** A channel gets a thing once: its copies are counted and send nothing, whatever joins them and whoever is forgotten. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import { backtestRule } from '../../src/monitor/alerts/backtest.ts';
import { describeOrigin, summarizeMessage } from '../../src/monitor/alerts/channels/message-summary.ts';
import { evaluateRules } from '../../src/monitor/alerts/rule-evaluation.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

let ids = 0;
/** Posts of authors with one text. */
const posts = (text: string, ...authors: string[]) =>
  authors.map((name) => {
    ids += 1;
    const user = { id: `u-${name}`, username: name, name, followers_count: 1 };
    return { text, user, id: `n${ids}`, url: `https://x.example/${name}/status/${ids}` };
  });
const FERRY = 'The ferry to Harburg is cancelled until Monday morning';

/** Authors of the posts in the messages to a channel, in the order of the feed, after rules were evaluated. */
async function sentTo(channel: string): Promise<string[]> {
  await evaluateRules(stage.world.ctx);
  const found = await stage.rows(
    `SELECT r.slug, d.author_username AS name FROM strandline.delivery_discoveries x
     JOIN strandline.rules r ON r.id = x.rule_id JOIN strandline.channels c ON c.id = x.channel_id
     JOIN strandline_analytics.discoveries d ON d.id = x.discovery_id WHERE c.slug = $1 ORDER BY d.id, r.id`,
    [channel],
  );
  return found.map(({ slug, name }) => `${slug} ${name}`);
}

async function find(search: Search, found: ReturnType<typeof posts>): Promise<void> {
  stage.world.clock.advance(HOUR);
  await stage.finds(search, found);
}

const forget = async (name: string) => {
  const author = await findAuthor(stage.world.db, 'hosted', `@${name}`);
  if (author !== undefined) await forgetAuthor(stage.world.ctx, author);
};

test('27 reposts are one item of one message, and later ones send nothing', async () => {
  const search = await stage.search('many', 'many');
  const channel = await stage.channel('many');
  await stage.rule('all', 'many', { topic: 'many', on: ['post', 'link'], cooldown: '0' });
  const authors = Array.from({ length: 27 }, (_, i) => `m${i % 3}`);
  await find(search, [...posts(FERRY, ...authors.slice(0, 20)), ...posts('ok', 'm7', 'm8')]);
  expect(await sentTo('many')).toEqual(['all m0', 'all m7', 'all m8']);
  await find(search, posts(`RT @m0: ${FERRY}!! https://t.co/x1`, ...authors.slice(20)));
  expect(await sentTo('many')).toEqual(['all m0', 'all m7', 'all m8']);
  expect(await stage.deliveries('many')).toHaveLength(1);
  await stage.tell(channel);
  const [message] = stage.receiver.received
    .filter(({ path }) => path === '/many')
    .map(({ body }) => JSON.parse(body));
  expect(message.data).toMatchObject({
    total: 3,
    discoveries: [
      { copies: 27, authors: 3, copies_at_least: false },
      { copies: 1, authors: 1 },
      { copies: 1 },
    ],
  });
  const { title, items } = summarizeMessage(message);
  expect(title).toBe('all: 3 posts (29 with copies)');
  expect(items.map((item) => describeOrigin(item).split(' · ').slice(0, 2))[0]).toEqual([
    'by m0',
    '×27, 3 authors',
  ]);
});

test('nearly the same words are one thing for two weeks, and news after that', async () => {
  const search = await stage.search('near', 'near');
  await stage.channel('near');
  await stage.rule('near', 'near', { topic: 'near', on: ['post'], filter: 'harburg' });
  const text = 'City council of Harburg votes to close the Harbour Street bridge for two years from January';
  await find(search, posts(text, 'a1'));
  await find(search, [...posts(`${text} – Courier`, 'a2'), ...posts(`Unbelievable: ${text}`, 'a3')]);
  expect(await sentTo('near')).toEqual(['near a1']);
  stage.world.clock.advance(15 * 24 * HOUR);
  await find(search, posts(text, 'a4'));
  expect(await sentTo('near')).toEqual(['near a1', 'near a4']);
});

test('a rule for an author reports their post, although others said the same before, and once', async () => {
  const search = await stage.search('nasa', 'nasa');
  await stage.channel('nasa');
  await stage.rule('of-nasa', 'nasa', { topic: 'nasa', on: ['post'], filter: 'author:nasa' });
  await stage.rule('of-esa', 'nasa', { search: 'nasa', on: ['post'], filter: 'author:esa' });
  await find(search, posts(FERRY, 'fan1', 'fan2'));
  expect(await sentTo('nasa')).toEqual([]);
  await find(search, posts(FERRY, 'fan3', 'nasa'));
  await find(search, posts(FERRY, 'nasa', 'esa'));
  expect(await sentTo('nasa')).toEqual(['of-nasa nasa']);
});

test('copies of what was there at the start, or before the rule, are not new to a rule that they match', async () => {
  const search = await stage.search('start', 'start');
  await stage.channel('start');
  // Its baseline is empty: what was found before a rule is as well known.
  await find(search, posts(FERRY, 'anna'));
  await stage.rule('start-all', 'start', { topic: 'start', on: ['post', 'link'] });
  await stage.rule('start-posts', 'start', { topic: 'start', on: ['post'] });
  await stage.rule('start-words', 'start', { topic: 'start', on: ['post'], filter: 'ferry' });
  await stage.rule('start-search', 'start', { search: 'start', on: ['post'] });
  await stage.rule('start-bob', 'start', { topic: 'start', on: ['post'], filter: 'author:bob' });
  await find(search, posts(FERRY, 'eve'));
  expect(await sentTo('start')).toEqual([]);
  await find(search, posts(FERRY, 'bob'));
  expect(await sentTo('start')).toEqual(['start-bob bob']);
  // Of other rules it would have been the only one as well, and a preview says so.
  expect((await backtestRule(stage.world.ctx, 'start-all', 7)).total).toBe(1);
  expect((await backtestRule(stage.world.ctx, 'start-words', 7)).total).toBe(1);
  expect((await backtestRule(stage.world.ctx, 'start-bob', 7)).total).toBe(1);
});

test('a forgotten author takes nothing along: the thing stays in its message, and is not sent again', async () => {
  const search = await stage.search('gone', 'gone');
  const channel = await stage.channel('gone');
  await stage.rule('gone-all', 'gone', { topic: 'gone', on: ['post', 'link'], cooldown: '0' });
  await stage.rule('gone-words', 'gone', { topic: 'gone', on: ['post'], filter: 'harburg', cooldown: '0' });
  await find(search, posts(FERRY, 'first', 'second', 'third'));
  await stage.tell(channel);
  expect(await sentTo('gone')).toEqual(['gone-all first']);
  await forget('first');
  expect(await sentTo('gone')).toEqual(['gone-all second']);
  expect(
    await stage.rows(
      `SELECT body FROM strandline.deliveries m JOIN strandline.channels c ON c.id = m.channel_id WHERE c.slug = 'gone'`,
    ),
  ).toEqual([{ body: null }]);
  await find(search, posts(FERRY, 'fourth'));
  expect(await sentTo('gone')).toEqual(['gone-all second']);
  await forget('second');
  await forget('third');
  await find(search, posts(FERRY, 'fifth'));
  expect(await sentTo('gone')).toEqual(['gone-all fourth']);
  expect(await stage.tell(channel)).toBe(0);
});

test('what a merge makes one thing is sent once, also if both wait in a message', async () => {
  const search = await stage.search('merge', 'merge');
  const channel = await stage.channel('merge');
  await stage.rule('merge', 'merge', { topic: 'merge', on: ['post', 'link'], cooldown: '1h' });
  await find(search, posts(FERRY, 'one'));
  await stage.tell(channel);
  // Of one address, first with another text: an edited post, as other services have it.
  const [other] = posts('Harbour news of the whole week for everybody', 'two');
  const copy = { ...posts(FERRY, 'three')[0], url: other?.url ?? '' };
  await stage.finds(search, other === undefined ? [] : [other]);
  await evaluateRules(stage.world.ctx);
  expect(await sentTo('merge')).toEqual(['merge one', 'merge two']);
  await stage.finds(search, [copy]);
  expect(await sentTo('merge')).toEqual(['merge one']);
});
