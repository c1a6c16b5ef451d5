/** Rules and digests of a topic with a goal: what is relevant, once it is judged or too late, and nothing else waits. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { backtestRule } from '../../src/monitor/alerts/backtest.ts';
import { summarizeMessage } from '../../src/monitor/alerts/channels/message-summary.ts';
import { DiscoveriesMessage } from '../../src/monitor/alerts/message.ts';
import { composeSections } from '../../src/monitor/digests/digest-sections.ts';
import { readDigest } from '../../src/monitor/digests/read-digest.ts';
import { judgeWaiting } from '../../src/monitor/goals/judge-stories.ts';
import { changeChannel } from '../../src/monitor/alerts/manage-channels.ts';
import { setGoal } from '../../src/monitor/topics/topic-goal.ts';
import { createStandInJudge, ruledIsRelevant } from '../stand-in-judge.ts';
import { openStage, type Stage } from './stage.ts';

const judge = createStandInJudge();
const never = new AbortController().signal;
let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  stage.world.ctx.judge = judge;
});
beforeEach(() => {
  stage.world.ctx.judge = judge;
  judge.reply = ruledIsRelevant;
});
afterAll(() => stage.close());

let named = 0;
const rulingOf = (n: number) => `The court of district ${n} ruled on case ${n * 17} about ferry ${n * 31}`;
const opinionOf = (n: number) => `I think that ferry ${n * 13} of company ${n * 7} is late all ${n} days`;

async function open(filter = '') {
  const topic = `goal-${(named += 1)}`;
  const search = await stage.search(topic);
  await setGoal(stage.world.ctx, topic, 'rulings, not opinion');
  await judgeWaiting(stage.world.ctx, never);
  const channel = await stage.channel(topic);
  await stage.rule(topic, topic, { on: ['post', 'link'], topic, filter });
  stage.world.clock.advance(MINUTE);
  return { topic, search, channel };
}
const pass = async (minutes = 0) => {
  stage.world.clock.advance(minutes * MINUTE);
  return judgeWaiting(stage.world.ctx, never);
};
const textsOf = (path: string) =>
  stage.receiver.received
    .filter((one) => one.path === `/${path}`)
    .flatMap(({ body }) => DiscoveriesMessage.parse(JSON.parse(body)).data.discoveries)
    .map((found) => ('post' in found ? found.post?.text : undefined));

test('what is relevant is sent once it is judged, with the reason; what is not, never', async () => {
  const { topic, search, channel } = await open();
  await stage.finds(search, [rulingOf(1), opinionOf(1)]);
  expect(await stage.tell(channel)).toBe(0);
  expect(await pass()).toBe(2);
  expect(await stage.tell(channel)).toBe(1);
  expect(await stage.tell(channel)).toBe(0);
  expect(textsOf(topic)).toEqual([rulingOf(1)]);
  const message = stage.receiver.received.find((one) => one.path === `/${topic}`);
  const parsed = DiscoveriesMessage.parse(JSON.parse(message?.body ?? '{}'));
  expect(parsed.data.discoveries).toMatchObject([{ judgement: { relevant: true, why: 'a ruling' } }]);
  expect(summarizeMessage(parsed).items[0]?.counters).toContain('a ruling');
  const { total } = await backtestRule(stage.world.ctx, topic, 7);
  expect(total).toBe(1);
  // Nothing is hidden.
  const [{ count }] = await stage.rows(
    `SELECT count(*) FROM strandline_analytics.posts WHERE text IN ($1, $2)`,
    [rulingOf(1), opinionOf(1)],
  );
  expect(count).toBe(2n);
  expect(await stage.rows('SELECT FROM strandline.judgement_waits')).toEqual([]);
});

test('what is not judged within a quarter of an hour is sent as such, and only once', async () => {
  const { topic, search, channel } = await open();
  judge.reply = () => ({ outcome: 'unavailable', reason: 'did not respond' });
  await stage.finds(search, [rulingOf(2)]);
  await pass();
  expect(await stage.tell(channel)).toBe(0);
  await pass(14);
  expect(await stage.tell(channel)).toBe(0);
  await pass(2);
  expect(await stage.tell(channel)).toBe(1);
  expect(textsOf(topic)).toEqual([rulingOf(2)]);
  const message = stage.receiver.received.find((one) => one.path === `/${topic}`);
  const parsed = DiscoveriesMessage.parse(JSON.parse(message?.body ?? '{}'));
  expect(parsed.data.discoveries).toMatchObject([{ judgement: { relevant: null, why: null } }]);
  expect(summarizeMessage(parsed).items[0]?.counters).toContain('not judged');
  judge.reply = ruledIsRelevant;
  await pass(60);
  expect(await stage.tell(channel)).toBe(0);
});

test('a topic without a goal, and answers that are none, do not wait for the model', async () => {
  const { topic, search, channel } = await open();
  const other = await stage.search(`${topic}-other`);
  await stage.rule(`${topic}-all`, topic, { on: ['post', 'link'], topic: `${topic}-other` });
  judge.reply = () => ({ outcome: 'unusable', reason: 'returned no verdicts' });
  stage.world.clock.advance(MINUTE);
  await stage.finds(search, [opinionOf(3)]);
  await stage.finds(other, [opinionOf(4)]);
  expect(await stage.tell(channel)).toBe(1);
  expect(textsOf(topic)).toEqual([opinionOf(4)]);
  // Asked twice without a verdict: nobody asks again, so nothing is waited for.
  await pass();
  expect(await stage.tell(channel)).toBe(1);
  expect(textsOf(topic)).toEqual([opinionOf(4), opinionOf(3)]);
});

test('without a model, nothing waits; and what waited is sent', async () => {
  const { topic, search, channel } = await open();
  await stage.finds(search, [rulingOf(5)]);
  expect(await stage.tell(channel)).toBe(0);
  stage.world.ctx.judge = null;
  expect(await stage.tell(channel)).toBe(1);
  await stage.finds(search, [opinionOf(5)]);
  expect(await stage.tell(channel)).toBe(1);
  expect(textsOf(topic)).toEqual([rulingOf(5), opinionOf(5)]);
});

test('what waits survives a pause of the channel, and goes with its removal', async () => {
  const { topic, search, channel } = await open();
  await stage.finds(search, [rulingOf(6)]);
  expect(await stage.tell(channel)).toBe(0);
  await changeChannel(stage.world.ctx, topic, 'pause');
  await pass();
  expect(await stage.tell(channel)).toBe(0);
  await changeChannel(stage.world.ctx, topic, 'resume');
  expect(await stage.tell(channel)).toBe(1);
  await stage.finds(search, [rulingOf(7)]);
  expect(await stage.tell(channel)).toBe(0);
  await changeChannel(stage.world.ctx, topic, 'remove');
  expect(await stage.rows('SELECT FROM strandline.judgement_waits')).toEqual([]);
});

test('is:relevant is a condition of rules and of find', async () => {
  const { topic, search, channel } = await open('is:relevant ferry');
  await stage.finds(search, [rulingOf(8), opinionOf(8)]);
  await stage.tell(channel);
  await pass();
  expect(await stage.tell(channel)).toBe(1);
  expect(textsOf(topic)).toEqual([rulingOf(8)]);
});

test('a digest has what is relevant, and what was not judged, with a mark', async () => {
  const { topic, search } = await open();
  await stage.finds(search, [rulingOf(9), opinionOf(9)]);
  await stage.tell();
  await pass();
  judge.reply = () => ({ outcome: 'unavailable', reason: 'did not respond' });
  await stage.finds(search, [opinionOf(10)]);
  await pass();
  const until = new Date(stage.world.clock.now().getTime() + HOUR);
  const from = new Date(until.getTime() - 24 * HOUR);
  const digest = await readDigest(stage.world.ctx, { topic, from, until, tz: 'UTC' });
  expect(digest.topics).toMatchObject([{ topic, posts: 2 }]);
  expect(digest.topics[0]?.items.map(({ text, judgement }) => [text, judgement?.relevant])).toEqual(
    expect.arrayContaining([
      [rulingOf(9), true],
      [opinionOf(10), null],
    ]),
  );
  const notes = composeSections(digest)
    .flatMap(({ lines }) => lines)
    .map(({ words }) => words);
  expect(notes.some((words) => words.endsWith('a ruling'))).toBe(true);
  expect(notes.some((words) => words.endsWith('not judged'))).toBe(true);
});
