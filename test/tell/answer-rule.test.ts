/** A rule on answers: what is new in them, once. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { DiscoveriesMessage } from '../../src/monitor/alerts/message.ts';
import { summarizeMessage } from '../../src/monitor/alerts/channels/message-summary.ts';
import { backtestRule } from '../../src/monitor/alerts/backtest.ts';
import { createRule } from '../../src/monitor/alerts/manage-rules.ts';
import type { AnswerChange } from '../../src/model/statements/answer-change.ts';
import { readAnswerChanges } from '../../src/store/queries/answer-changes.ts';
import { readNewestDiscoveries } from '../../src/store/queries/discoveries.ts';
import { describeDiscoveries } from '../../src/store/queries/described-discoveries.ts';
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
const textsOf = (path: string) =>
  messagesOf(path).flatMap((message) => summarizeMessage(message).items.map(({ text }) => text));

const FERRY = 'The ferry to the islands was late today because of fog over the bay.';
const OPEN = 'The swing bridge over the old canal is open to trucks.';
const CLOSED = 'The swing bridge over the old canal is closed to trucks.';
const weeks = (n: number) => `Tickets for the night train are sold out for ${n} weeks.`;

test('an answer is reported by what is new in it, and only then', async () => {
  const channel = await stage.channel('changes');
  const search = await stage.asks('changes', `${FERRY} ${OPEN} ${weeks(25)}`);
  await stage.rule('changes', 'changes', { on: ['answer'], topic: 'changes' });
  const answers = [
    `Because of fog over the bay, ferries to the islands are late. ${OPEN} ${weeks(25)}`,
    `${FERRY} ${CLOSED} ${weeks(25)}`,
    `${weeks(28)} ${FERRY} ${CLOSED}`,
    // Flapping, between what was said before.
    `${weeks(25)} ${FERRY} ${OPEN}`,
    `${weeks(28)} ${FERRY} ${CLOSED}`,
    // Up and down.
    `${weeks(26)} ${FERRY} ${CLOSED}`,
    FERRY,
  ];
  const sent: number[] = [];
  for (const answer of answers) {
    stage.world.clock.advance(HOUR);
    await stage.answers(search, answer);
    sent.push(await stage.tell(channel));
  }
  expect(sent).toEqual([0, 1, 1, 0, 0, 0, 0]);
  expect(textsOf('changes')).toEqual([
    `+ ${CLOSED} − ${OPEN}`,
    'Tickets for the night train are sold out for 25 → 28 weeks.',
  ]);
  const [first] = messagesOf('changes');
  expect(summarizeMessage(first ?? expect.fail('no message')).title).toBe('changes: 1 changed answer');
  expect(first?.data.discoveries).toMatchObject([
    {
      kind: 'answer',
      answer: {
        changes: [
          { change: 'added', text: CLOSED },
          { change: 'removed', text: OPEN },
        ],
      },
    },
  ]);
  const { messages, total } = await backtestRule(stage.world.ctx, 'changes', 7);
  expect([messages.length, total]).toEqual([2, 2]);

  // Lists say the same.
  const rows = await describeDiscoveries(
    stage.world.db,
    await readNewestDiscoveries(stage.world.db, { search: 'changes', kind: 'completion', limit: 10 }),
  );
  expect(rows.map(({ text }) => text).toReversed()).toEqual(textsOf('changes'));

  // And of completions that an earlier version compared with the one before only.
  const upgraded = await stage.rows(
    `UPDATE strandline.completions c SET news = NULL, changed = true FROM strandline.searches s
     WHERE s.id = c.search_id AND s.slug = 'changes' AND c.previous_run_id IS NOT NULL RETURNING c.id`,
  );
  const changes = await readAnswerChanges(
    stage.world.db.pool,
    upgraded.map(({ id }) => id),
  );
  const isTold = (found: readonly AnswerChange[]) => found.some(({ change }) => change !== 'removed');
  expect(upgraded).toHaveLength(7);
  expect([...changes.values()].filter(isTold)).toHaveLength(2);
});

test('what an answer says again after more than the days is news', async () => {
  const channel = await stage.channel('again');
  const search = await stage.asks('again', FERRY);
  await stage.rule('again', 'again', { on: ['answer'], search: 'again' });
  const sent: number[] = [];
  for (const answer of [CLOSED, FERRY, CLOSED]) {
    stage.world.clock.advance(4 * 24 * HOUR);
    await stage.answers(search, answer);
    sent.push(await stage.tell(channel));
  }
  expect(sent).toEqual([1, 1, 1]);
});

test('a filter applies to what changed, and a rule on posts reports no answer', async () => {
  const channel = await stage.channel('filtered');
  const search = await stage.asks('filtered', FERRY);
  await stage.rule('filtered', 'filtered', { on: ['answer'], topic: 'filtered', filter: 'bridge -bakery' });
  await createRule(stage.world.ctx, {
    slug: 'posts-only',
    on: ['post', 'link'],
    topic: 'filtered',
    cooldown: 0,
    channels: ['filtered'],
  });
  stage.world.clock.advance(MINUTE);
  await stage.answers(search, `${FERRY} The lighthouse museum opens its new hall in spring.`);
  expect(await stage.tell(channel)).toBe(0);
  stage.world.clock.advance(MINUTE);
  await stage.answers(search, `${FERRY} ${CLOSED}`);
  expect(await stage.tell(channel)).toBe(1);
});
