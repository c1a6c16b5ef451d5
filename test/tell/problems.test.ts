/** Problems of strandline itself reach the channels of the rule `system`: each once, with its end. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { SystemMessage } from '../../src/monitor/alerts/message.ts';
import { newRule } from '../../src/monitor/alerts/rule-shapes.ts';
import { changeChannel, createChannel } from '../../src/monitor/alerts/manage-channels.ts';
import { changeRule, createRule, editRule, findRuleRow } from '../../src/monitor/alerts/manage-rules.ts';
import { deliverDueMessages } from '../../src/monitor/alerts/deliver.ts';
import { checkSystem } from '../../src/monitor/system-events/check-system.ts';
import { changeSearch } from '../../src/monitor/topics/search-state.ts';
import type { Presence } from '../../src/platform/presence.ts';
import type { Id } from '../../src/store/db/database.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { failRun, insertRun } from '../../src/store/runs/run-states.ts';
import { deregisterWorker, recordHeartbeat } from '../../src/store/runs/worker-registry.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { dies, status } from './receiver.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
let ops: Id;
let desk: Id;
let search: Search;
beforeAll(async () => {
  stage = await openStage({ CALLS_PER_DAY: '100' });
  ops = await stage.channel('ops');
  desk = await stage.channel('desk');
  search = await stage.search('ferry');
});
afterAll(() => stage.close());
beforeEach(async () => {
  // Without what other tests left.
  await stage.rows('DELETE FROM strandline.delivery_events');
  await stage.rows('DELETE FROM strandline.system_events');
  await stage.rows('DELETE FROM strandline.deliveries');
  await stage.rows(`DELETE FROM strandline.facts WHERE name = 'system_check'`);
  await stage.rows('DELETE FROM strandline.workers');
  stage.receiver.received.length = 0;
  stage.receiver.answers(status(200));
  await editRule(stage.world.ctx, 'system', { channels: ['ops', 'desk'], cooldown: 0 });
  await changeRule(stage.world.ctx, 'system', 'resume');
  await stage.finds(search, 1);
});

const never = new AbortController().signal;

/** A check each minute. */
async function checks(n: number): Promise<void> {
  for (let i = 0; i < n; i++) {
    stage.world.clock.advance(MINUTE);
    await checkSystem(stage.world.ctx);
  }
}

async function fails(its: Search): Promise<void> {
  const { db, clock } = stage.world;
  const now = clock.now();
  const runId = await insertRun(db.pool, { searchId: its.id, trigger: 'manual', now });
  const leased = await leaseRun(db, { runId, worker: 'test', leaseMs: 30_000, now });
  if (leased === null) throw new Error('not leased');
  const ended = { reason: null, rejects: null, tools: [], unreadable: null, now };
  await failRun(db, { runId, fence: leased.fence, code: 'upstream_5xx', ...ended });
}

async function failsTwice(its: Search): Promise<void> {
  await fails(its);
  stage.world.clock.advance(MINUTE);
  await fails(its);
}

/** What a channel got since the last call: the sentences of each message. */
async function told(channel: 'ops' | 'desk'): Promise<string[][]> {
  await deliverDueMessages(stage.world.ctx, channel === 'ops' ? ops : desk, never);
  const got = stage.receiver.received.filter(({ path }) => path === `/${channel}`);
  for (const one of got) stage.receiver.received.splice(stage.receiver.received.indexOf(one), 1);
  return got.map(({ body }) =>
    SystemMessage.parse(JSON.parse(body)).data.problems.map(({ sentence }) => sentence),
  );
}

describe('a search that fails', () => {
  test('is told once, and so is that it works again', async () => {
    await failsTwice(search);
    await checks(10);
    const since = 'Search ferry: Posts has been failing since 21 Nov 2026, 12:';
    expect(await told('ops')).toEqual([[expect.stringMatching(`^${since}\\d\\d UTC: .*\\(upstream_5xx`)]]);
    expect(await told('desk')).toHaveLength(1);
    await stage.finds(search, 1);
    await checks(20);
    expect(await told('ops')).toEqual([
      [
        expect.stringMatching(
          /^Search ferry: Posts works again after \d+ min, since 21 Nov 2026, 12:\d\d UTC\.$/,
        ),
      ],
    ]);
    expect(await told('desk')).toHaveLength(1);
    expect(
      await stage.rows('SELECT kind, subject, topic, outcome FROM strandline_analytics.system_events'),
    ).toEqual([{ kind: 'search_failing', subject: 'ferry', topic: 'ferry', outcome: 'recovered' }]);
  });

  test('is told once by checks that run at the same time', async () => {
    await failsTwice(search);
    await checks(1);
    stage.world.clock.advance(MINUTE);
    await Promise.all(Array.from({ length: 5 }, () => checkSystem(stage.world.ctx)));
    expect(await stage.rows('SELECT FROM strandline.deliveries')).toHaveLength(2);
    expect(await told('ops')).toHaveLength(1);
    expect(await told('desk')).toHaveLength(1);
  });

  test('and works before the message was sent: one line, and no other', async () => {
    await failsTwice(search);
    await checks(2);
    await stage.finds(search, 1);
    await checks(20);
    expect(await told('ops')).toEqual([
      [expect.stringMatching(/^Search ferry: Posts was failing from .* to .* \(\d+ min\): .*\.$/)],
    ]);
    await checks(2);
    expect(await told('ops')).toEqual([]);
  });

  test('and is paused before the message was sent: nothing', async () => {
    await failsTwice(search);
    await checks(2);
    await changeSearch(stage.world.ctx, 'ferry', 'pause');
    await checks(2);
    expect(await told('ops')).toEqual([]);
    await changeSearch(stage.world.ctx, 'ferry', 'resume');
    expect(
      await stage.rows('SELECT DISTINCT state, reason FROM strandline.deliveries WHERE channel_id = $1', [
        ops,
      ]),
    ).toEqual([{ state: 'cancelled', reason: 'nothing that it reports is left' }]);
  });

  test('keeps the id and the bytes of its message when the receiver dies after taking it', async () => {
    await failsTwice(search);
    await checks(2);
    stage.receiver.answers(dies, '/ops');
    await deliverDueMessages(stage.world.ctx, ops, never);
    stage.receiver.answers(status(200), '/ops');
    // It works again, but what was sent once does not change.
    await stage.finds(search, 1);
    await checks(20);
    await deliverDueMessages(stage.world.ctx, ops, never);
    const got = stage.receiver.received.filter(({ path }) => path === '/ops');
    expect(got.map(({ id, hash }) => [id, hash])).toEqual([
      [got[0]?.id, got[0]?.hash],
      [got[0]?.id, got[0]?.hash],
      [expect.not.stringMatching(got[0]?.id ?? ''), expect.any(String)],
    ]);
    expect(got.at(-1)?.body).toContain('works again after');
  });

  test('is not told while the rule is paused; if it still fails afterwards, it is', async () => {
    await changeRule(stage.world.ctx, 'system', 'pause');
    await failsTwice(search);
    await checks(3);
    expect(await stage.rows('SELECT FROM strandline.deliveries')).toHaveLength(0);
    await changeRule(stage.world.ctx, 'system', 'resume');
    await checks(1);
    expect(await told('ops')).toHaveLength(1);
  });

  test('the end is not told if the beginning was not', async () => {
    await changeRule(stage.world.ctx, 'system', 'pause');
    await failsTwice(search);
    await checks(3);
    await stage.finds(search, 1);
    await checks(10);
    await changeRule(stage.world.ctx, 'system', 'resume');
    await checks(2);
    expect(await told('ops')).toEqual([]);
  });
});

test('several problems within a cooldown are one message', async () => {
  const other = await stage.search('tram');
  await editRule(stage.world.ctx, 'system', { cooldown: 3_600 });
  await failsTwice(search);
  await checks(2);
  expect(await told('ops')).toHaveLength(1);
  await failsTwice(other);
  await stage.finds(search, 1);
  await checks(30);
  expect(await told('ops')).toEqual([]);
  stage.world.clock.advance(60 * MINUTE);
  expect(await told('ops')).toEqual([
    [
      expect.stringContaining('ferry: Posts works again'),
      expect.stringContaining('tram: Posts has been failing'),
    ],
  ]);
  await changeSearch(stage.world.ctx, 'tram', 'remove');
});

test('the other channels tell that a channel is dead, and that it works again', async () => {
  await stage.rows(
    `UPDATE strandline.channels SET state = 'disabled', state_reason = 'the receiver answered 410', state_since = $2 WHERE id = $1`,
    [ops, stage.world.clock.now()],
  );
  await checks(3);
  expect(await told('desk')).toEqual([
    [
      expect.stringMatching(
        /^Channel ops has delivered nothing since .*: it is disabled: the receiver answered 410\. To send again: /,
      ),
    ],
  ]);
  await changeChannel(stage.world.ctx, 'ops', 'resume');
  await checks(10);
  expect(await told('desk')).toEqual([[expect.stringContaining('Channel ops delivers again')]]);
  expect(await told('ops')).toEqual([]);
});

test('a source that fails for all searches that use it', async () => {
  const other = await stage.search('bus');
  await stage.rows(`UPDATE strandline.services SET kind = 'own' WHERE name = 'hosted'`);
  const respond = (responded: boolean, ...searches: Search[]) =>
    stage.rows(
      `UPDATE strandline.run_tools SET responded = $1, reason = CASE WHEN $1 THEN NULL ELSE 'source_timeout' END
       WHERE run_id IN (SELECT max(id) FROM strandline.runs WHERE search_id = ANY ($2) GROUP BY search_id)`,
      [responded, searches.map(({ id }) => id)],
    );
  await respond(false, search);
  await checks(3);
  expect(await told('ops'), 'it responds to another search').toEqual([]);
  await respond(false, search, other);
  await checks(3);
  expect(await told('ops')).toEqual([
    [
      expect.stringMatching(
        /^Source .* has been failing since .*: it timed out for all 2 searches that use it\./,
      ),
    ],
  ]);
  await respond(true, search, other);
  await checks(8);
  expect(await told('ops')).toEqual([[expect.stringMatching(/^Source .* works again after/)]]);
  await stage.rows(`UPDATE strandline.services SET kind = 'hosted' WHERE name = 'hosted'`);
});

test('nine tenths of the calls of a day, and once that the next day has calls again', async () => {
  const day = async (calls: number) =>
    stage.rows(
      `INSERT INTO strandline.call_days (service_id, day, calls) SELECT id, ($2::timestamptz AT TIME ZONE 'UTC')::date, $1
       FROM strandline.services LIMIT 1 ON CONFLICT (service_id, day) DO UPDATE SET calls = excluded.calls`,
      [calls, stage.world.clock.now()],
    );
  await day(90);
  await checks(5);
  expect(await told('ops')).toEqual([[expect.stringContaining('90 of 100 of this UTC day')]]);
  stage.world.clock.advance(13 * 60 * MINUTE);
  await stage.finds(search, 1);
  await checks(20);
  expect((await told('ops')).flat().filter((sentence) => sentence.includes('calls'))).toEqual([
    expect.stringMatching(/^Service hosted has calls left again after 13 h, since 22 Nov/),
  ]);
});

describe('nothing ran for hours', () => {
  /** A process that started, and whose machine started, so many minutes after the last check; and how long it was absent. */
  const presence = (from: Date, { started = -60, booted = -600, absent = 0 }): Presence => ({
    startedAt: new Date(from.getTime() + started * MINUTE),
    bootedAt: new Date(from.getTime() + booted * MINUTE),
    absentMs: () => absent * MINUTE,
  });

  test.each([
    ['strandline was not running, and nobody had stopped it', { started: 290 }, true],
    ['strandline was running, but could not work; see its log', { absent: 5 }, true],
    ['the machine was asleep', { absent: 290 }, false],
    ['the machine was off', { started: 290, booted: 289 }, false],
  ])('%s: recorded in one line, and told unless it is how machines are used', async (why, what, isTold) => {
    await checks(2);
    const from = stage.world.clock.now();
    stage.world.clock.advance(5 * 60 * MINUTE);
    await stage.finds(search, 1);
    for (let i = 0; i < 3; i++) {
      stage.world.clock.advance(MINUTE);
      await checkSystem(stage.world.ctx, presence(from, what));
    }
    expect(await stage.rows('SELECT kind, reason FROM strandline.system_events')).toEqual([
      { kind: 'nothing_ran', reason: why },
    ]);
    const [sentence] = (await told('ops')).flat();
    const line = new RegExp(`^Nothing ran from .* to .* \\(5 h\\): ${why}\\.$`);
    expect(sentence).toEqual(isTold ? expect.stringMatching(line) : undefined);
  });

  test('and is not if the last worker was asked to end', async () => {
    await checks(2);
    const now = stage.world.clock.now();
    const worker = { name: 'w', version: '1', queue: 'postgres', concurrency: 1, skew_ms: 0, spooled: 0 };
    await recordHeartbeat(stage.world.db, { ...worker, started_at: now, seen_at: now });
    await deregisterWorker(stage.world.db, 'w');
    await stage.rows(`UPDATE strandline.facts SET at = $1 WHERE name = 'worker_stop'`, [now]);
    stage.world.clock.advance(5 * 60 * MINUTE);
    await stage.finds(search, 1);
    await checks(3);
    expect(await told('ops')).toEqual([]);
  });
});

describe('the rule system', () => {
  test('gets the first channel, and no other', async () => {
    const [, second] = [ops, desk];
    expect(second).not.toBe(ops);
    await changeChannel(stage.world.ctx, 'ops', 'remove');
    await changeChannel(stage.world.ctx, 'desk', 'remove');
    const add = (slug: string) =>
      createChannel(stage.world.ctx, { slug, webhook: `${stage.receiver.url}/${slug}` });
    const first = await add('ops');
    const next = await add('desk');
    [ops, desk] = [first.channel.id, next.channel.id];
    expect([first.reports_problems, next.reports_problems]).toEqual([true, false]);
    expect(await findRuleRow(stage.world.ctx, 'system')).toMatchObject({
      channels: ['ops'],
      kinds: ['system'],
    });
  });

  test('cannot be removed, replaced, or made to report anything else', async () => {
    const { ctx } = stage.world;
    await expect(changeRule(ctx, 'system', 'remove')).rejects.toThrow(
      /cannot be removed; .* rules pause system/,
    );
    await expect(createRule(ctx, { slug: 'system', channels: ['ops'] })).rejects.toThrow(
      /exists from the start/,
    );
    await expect(editRule(ctx, 'system', { on: ['post'], filter: 'x' })).rejects.toThrow(
      /reports problems of strandline/,
    );
    expect(newRule.safeParse({ slug: 'mine', on: ['system'], channels: ['ops'] }).success).toBe(false);
    await editRule(ctx, 'system', { name: 'Trouble', cooldown: 300, topic: null, search: null, filter: '' });
    expect(await findRuleRow(ctx, 'system')).toMatchObject({ name: 'Trouble', cooldown_seconds: 300 });
  });
});
