/** Which messages a rule would have sent, in memory: what waits is sent when it is due, and a spike takes it along. */
import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import type { SendingRule } from '../../src/monitor/alerts/due-time.ts';
import { createMessagePlan } from '../../src/monitor/alerts/message-plan.ts';

const START = Date.UTC(2026, 10, 21, 12);
const RULE: SendingRule = {
  kinds: ['post', 'spike'],
  cooldown_seconds: HOUR / 1_000,
  quiet_hours: null,
  tz: 'UTC',
  max_per_day: null,
};

/** @param found minute and kind of each discovery, each of a run of its own. @returns minute and number of entries of each message */
function plan(found: readonly (readonly [number, string])[], rule: Partial<SendingRule> = {}) {
  const all = createMessagePlan({ ...RULE, ...rule });
  all.add(
    found.map(([minute, kind], n) => ({
      id: BigInt(n),
      at: new Date(START + minute * MINUTE),
      kind,
      run_id: BigInt(n),
    })),
  );
  const { messages, waiting } = all.end(new Date(START + 6 * HOUR));
  const sent = messages.map(({ at, entries, waitsFor }) => [
    (at.getTime() - START) / MINUTE,
    entries.length,
    waitsFor,
  ]);
  return { sent, waiting: waiting.length };
}

test.each<[string, (readonly [number, string])[], unknown[]]>([
  [
    'what is found after a waiting message was due is another message',
    [
      [0, 'post'],
      [10, 'post'],
      [150, 'post'],
    ],
    [
      [0, 1, null],
      [60, 1, 'cooldown'],
      [150, 1, null],
    ],
  ],
  [
    'what is found meanwhile joins the message that waits',
    [
      [0, 'post'],
      [10, 'post'],
      [50, 'post'],
    ],
    [
      [0, 1, null],
      [60, 2, 'cooldown'],
    ],
  ],
  [
    'a spike is sent at once, with what waits',
    [
      [0, 'post'],
      [10, 'post'],
      [20, 'spike'],
    ],
    [
      [0, 1, null],
      [20, 2, null],
    ],
  ],
])('%s', (_, found, sent) => {
  expect(plan(found)).toEqual({ sent, waiting: 0 });
});

test('beyond the limit of a day, messages wait for the next day', () => {
  const found = [0, 70, 140].map((minute) => [minute, 'post'] as const);
  expect(plan(found, { max_per_day: 2, kinds: ['post'] })).toEqual({
    sent: [
      [0, 1, null],
      [70, 1, null],
    ],
    waiting: 1,
  });
});
