import type { Subject } from './mutant.ts';

const DUE = 'monitor/alerts/due-time.ts';
const RETRY = 'monitor/alerts/delivery-retry.ts';
const PLAN = 'monitor/alerts/message-plan.ts';
const GATHER = 'monitor/alerts/gather-discoveries.ts';

export const ALERTS: Subject = {
  name: 'alerts',
  tests: [
    'test/tell/due-time.test.ts',
    'test/tell/rules.test.ts',
    'test/tell/chat-kinds.test.ts',
    'test/tell/message-plan.test.ts',
    'test/tell/message.test.ts',
    'test/tell/deliver.test.ts',
    'test/tell/match.test.ts',
    'test/tell/once-per-topic.test.ts',
    'test/tell/answer-rule.test.ts',
    'test/tell/kind-rules.test.ts',
  ],
  mutants: [
    { file: DUE, code: 'if (urgent || most === 1 ||', by: 'if (most === 1 ||' },
    { file: DUE, code: 'return most - Math.ceil(most / 5);', by: 'return most;' },
    { file: DUE, code: "wait('mute', state.mutedUntil?.getTime() ?? at);", by: '' },
    { file: DUE, code: '&& !state.urgent && state.last !== null', by: '&& state.last !== null' },
    {
      file: DUE,
      code: "if (quiet !== undefined) wait('quiet_hours', findQuietEnd(quiet, rule.tz, at));",
      by: '',
    },
    { file: DUE, code: '?? 0) >= allowed)', by: '?? 0) > allowed)' },
    {
      file: DUE,
      code: 'for (let before = Number.NaN; before !== at; ) {',
      by: 'for (let before = Number.NaN; Number.isNaN(before); ) {',
    },
    {
      file: DUE,
      code: "number >= countAllowed(rule, false) ? 'spikes'",
      by: "number > countAllowed(rule, false) ? 'spikes'",
    },
    { file: DUE, code: "waited: waitedFor === 'limit'", by: 'waited: waitedFor !== null' },
    {
      file: 'monitor/alerts/quiet-hours.ts',
      code: 'from === until ? undefined',
      by: 'from > until ? undefined',
    },
    { file: RETRY, code: 'RETRY_PAUSES_MS[attempts - 1]', by: 'RETRY_PAUSES_MS[attempts]' },
    {
      file: RETRY,
      code: 'Math.max(pause * (0.9 + random * 0.2), failed.retryAfterMs ?? 0)',
      by: 'pause * (0.9 + random * 0.2)',
    },
    { file: RETRY, code: 'before.failingSince ?? now', by: 'now' },
    { file: RETRY, code: "if (consequence !== 'rest') return { health, disabled: null };", by: '' },
    { file: RETRY, code: 'failures >= OUTAGE_FAILURES', by: 'failures > OUTAGE_FAILURES' },
    { file: RETRY, code: '&& !RECEIVER_TROUBLE.has(status)', by: '' },
    { file: PLAN, code: 'sendDue(new Date(first.at.getTime() - 1));', by: '' },
    { file: PLAN, code: 'if (urgent && due.at < joined.at)', by: 'if (due.at < joined.at && !urgent)' },
    { file: GATHER, code: 'if (urgent && sent !== null)', by: 'if (!urgent && sent !== null)' },
    {
      file: 'monitor/alerts/rule-evaluation.ts',
      code: "if (channel.state !== 'active') return false;",
      by: '',
    },
  ],
};
