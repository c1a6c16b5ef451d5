/** What a mute held back is in the next digest to the channel; without one, in a summary of its own. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { buildHttpServer } from '../../src/app/http-server.ts';
import { WEB } from '../../src/app/web-server.ts';
import type { FutureTime } from '../../src/lib/future-time.ts';
import { composeDigests } from '../../src/monitor/alerts/compose-digests.ts';
import { deliverDueMessages } from '../../src/monitor/alerts/deliver.ts';
import { mute, type MuteTarget } from '../../src/monitor/alerts/manage-mutes.ts';
import { evaluateRules } from '../../src/monitor/alerts/rule-evaluation.ts';
import { composeSections } from '../../src/monitor/digests/digest-sections.ts';
import { findPastDigest } from '../../src/monitor/digests/stored-digests.ts';
import { planDigests } from '../../src/monitor/schedule/plan-digests.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { homeOf } from '../cli/stand.ts';
import { openStage, type Stage } from '../tell/stage.ts';
import { personAt, textOf } from '../web/pages/person.ts';

let stage: Stage;
let ferry: Search;
let tides: Search;
const channels: bigint[] = [];
beforeAll(async () => {
  stage = await openStage();
  ferry = await stage.search('ferry');
  tides = await stage.search('tides');
  for (const slug of ['ops', 'desk']) channels.push(await stage.channel(slug));
});
afterAll(() => stage.close());

const setTime = (time: string) => stage.world.clock.set(time);
/** What scans and workers do. @returns the messages that were received meanwhile */
async function work() {
  const { ctx, clock } = stage.world;
  const before = stage.receiver.received.length;
  await planDigests(ctx, clock.now());
  await evaluateRules(ctx);
  await composeDigests(ctx);
  for (const id of channels) await deliverDueMessages(ctx, id, new AbortController().signal);
  return stage.receiver.received.slice(before).map(({ path, body }) => ({ path, ...JSON.parse(body) }));
}
const muteUntil = (target: MuteTarget, until: string) =>
  mute(stage.world.ctx, target, { input: until, resolve: () => new Date(until) } satisfies FutureTime);

test('a rule that was muted is a part of the next digest to its channel, with its list', async () => {
  setTime('2026-11-27T12:00:00Z');
  await stage.rule('news', ['ops', 'desk'], { topic: 'ferry' });
  await stage.rule('mornings', 'ops', { digest: '0 8 * * *' });
  await work();
  await muteUntil({ scope: 'rule', slug: 'news' }, '2026-11-29T20:00:00Z');
  await stage.finds(ferry, 3);
  setTime('2026-11-28T08:00:00Z');
  expect((await work()).map(({ type }) => type)).toEqual(['strandline.digest']);
  await stage.finds(ferry, 2);
  setTime('2026-11-29T08:00:00Z');
  await work();
  // The mute ends on Sunday evening: the channel without a digest gets a summary, the other one waits for Monday.
  setTime('2026-11-29T20:00:00Z');
  const [own, ...none] = await work();
  expect([own?.path, own?.data.total, none]).toEqual(['/desk', 5, []]);
  setTime('2026-11-30T08:00:00Z');
  const [digest, ...more] = await work();
  expect([digest?.type, more]).toEqual(['strandline.digest', []]);
  expect(digest?.data.digest.held).toEqual([
    {
      topic: null,
      rule: 'news',
      name: 'news',
      since: null,
      counts: { post: 5 },
      page: expect.stringMatching(/^\/alerts\/deliveries\/\d+$/),
    },
  ]);
  const past = await findPastDigest(stage.world.db, BigInt(digest?.data.id));
  expect(past.digest.held).toEqual(digest?.data.digest.held);
  expect(composeSections(past.digest).find(({ id }) => id === 'held')?.lines[0]?.words).toBe(
    'Messages of news: 5 posts',
  );
  const app = await buildHttpServer(homeOf(stage.world), WEB);
  try {
    const { status, html } = await personAt(app).get(digest?.data.digest.held[0].page);
    expect([status, textOf(html).match(/post: @user/g)?.length]).toEqual([200, 5]);
  } finally {
    await app.close();
  }
  // Nothing twice.
  await stage.finds(ferry, 1);
  expect((await work()).map(({ path, data }) => [path, data.total])).toEqual([
    ['/ops', 1],
    ['/desk', 1],
  ]);
});

test('a digest that does not come is not waited for', async () => {
  await muteUntil({ scope: 'rule', slug: 'news' }, '2026-11-30T12:00:00Z');
  await stage.finds(ferry, 1);
  expect(await work()).toEqual([]);
  setTime('2026-11-30T12:00:00Z');
  expect((await work()).map(({ path }) => path)).toEqual(['/desk']);
  await stage.rows(`UPDATE strandline.rules SET state = 'paused' WHERE slug = 'mornings'`);
  setTime('2026-12-01T08:14:00Z');
  expect(await work()).toEqual([]);
  setTime('2026-12-01T08:15:00Z');
  expect((await work()).map(({ path, data }) => [path, data.total])).toEqual([['/ops', 1]]);
  await stage.rows(
    `UPDATE strandline.rules SET state = 'active', digest_due_at = NULL WHERE slug = 'mornings'`,
  );
  await stage.rows(`UPDATE strandline.rules SET archived_at = now() WHERE slug = 'news'`);
  await work();
});

test('a muted topic is not in digests of wider scope; the first one after its mute says how much that was', async () => {
  const topics = (message: { data: { digest: { topics: { topic: string }[] } } } | undefined) =>
    message?.data.digest.topics.map(({ topic }) => topic);
  setTime('2026-12-02T08:00:00Z');
  await work();
  await muteUntil({ scope: 'topic', slug: 'ferry' }, '2026-12-04T12:00:00Z');
  for (const day of [3, 4]) {
    await stage.finds(ferry, 2);
    await stage.finds(tides, 1);
    setTime(`2026-12-0${day}T08:00:00Z`);
    const [digest] = await work();
    expect([topics(digest), digest?.data.digest.muted]).toEqual([
      ['tides'],
      [{ topic: 'ferry', topic_name: 'ferry', until: '2026-12-04T12:00:00.000Z' }],
    ]);
  }
  await stage.finds(ferry, 1);
  setTime('2026-12-05T08:00:00Z');
  const [digest] = await work();
  expect(topics(digest)).toEqual(['ferry']);
  expect(digest?.data.digest.held).toMatchObject([
    { topic: 'ferry', since: '2026-12-02T08:00:00.000Z', counts: { post: 4 } },
  ]);
  await stage.finds(ferry, 1);
  setTime('2026-12-06T08:00:00Z');
  expect((await work())[0]?.data.digest).toMatchObject({ held: [], muted: [] });
});

test('while everything is muted, digests are kept, and the next one covers their time', async () => {
  const { clock } = stage.world;
  await muteUntil({ scope: 'all' }, '2026-12-08T12:00:00Z');
  await stage.finds(tides, 2);
  setTime('2026-12-07T08:00:00Z');
  expect(await work()).toEqual([]);
  setTime('2026-12-08T08:00:00Z');
  expect(await work()).toEqual([]);
  clock.advance(DAY + HOUR - MINUTE);
  const messages = await work();
  expect(messages).toHaveLength(1);
  expect(messages[0]?.data.digest).toMatchObject({
    from: '2026-12-06T08:00:00.000Z',
    topics: [{ posts: 2 }],
  });
});
