/** Digests are sent when they are due: once, with what came since the last one, whatever happens in between. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import { composeDigests } from '../../src/monitor/alerts/compose-digests.ts';
import { deliverDueMessages } from '../../src/monitor/alerts/deliver.ts';
import { editRule, changeRule } from '../../src/monitor/alerts/manage-rules.ts';
import { parseDigestSchedule } from '../../src/monitor/schedule/digest-schedule.ts';
import { planDigests } from '../../src/monitor/schedule/plan-digests.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { openStage, type Stage } from '../tell/stage.ts';

let stage: Stage;
let ferry: Search;
let ops: bigint;
const never = new AbortController().signal;

beforeAll(async () => {
  stage = await openStage();
  ferry = await stage.search('ferry');
  ops = await stage.channel('ops');
});
afterAll(() => stage.close());

const setTime = (time: string) => stage.world.clock.set(time);
/** What every scan and worker does, several at the same time. @returns how many messages were taken */
async function work(times = 4): Promise<number> {
  const { ctx, clock } = stage.world;
  await Promise.all(Array.from({ length: times }, () => planDigests(ctx, clock.now())));
  await Promise.all(Array.from({ length: times }, () => composeDigests(ctx)));
  const sent = await Promise.all(Array.from({ length: times }, () => deliverDueMessages(ctx, ops, never)));
  return sent.reduce((sum, n) => sum + n, 0);
}
const digests = () =>
  stage.rows(
    `SELECT due_at, state, reason, from_at, until_at, value->'topics' AS topics FROM strandline.digests ORDER BY due_at`,
  );
const shown = async () =>
  (await digests()).map(({ due_at, state, reason, from_at, until_at, topics }) => [
    due_at.toISOString().slice(5, 16),
    reason ?? state,
    `${from_at?.toISOString().slice(5, 16)}/${until_at?.toISOString().slice(5, 16)}`,
    topics?.[0]?.posts ?? 0,
  ]);

test('a schedule is written in words or as a cron expression', () => {
  expect(
    ['daily 8:00', 'Weekdays at 07:30', 'weekly mon 8', 'weekly on Friday at 17:05', '0  8 * * 1-5'].map(
      parseDigestSchedule,
    ),
  ).toEqual(['0 8 * * *', '30 7 * * 1-5', '0 8 * * 1', '5 17 * * 5', '0 8 * * 1-5']);
  for (const wrong of ['', 'daily', 'daily 25:00', 'weekly xyz 8:00', '* * * * *', '61 8 * * *', 'hourly 8'])
    expect(() => parseDigestSchedule(wrong)).toThrow(/digest|minute/);
});

test('it goes out once, when it is due, with what came since the last one', async () => {
  setTime('2026-11-27T12:00:00Z'); // a Friday
  await stage.rule('mornings', 'ops', { topic: 'ferry', digest: '0 8 * * 1-5', tz: 'Europe/Berlin' });
  expect(await work()).toBe(0);
  await stage.finds(ferry, 3);
  setTime('2026-11-30T06:59:00Z');
  expect(await work()).toBe(0);
  // Monday, 8:00 in Berlin. There is no earlier one: it begins where the schedule was due before.
  setTime('2026-11-30T07:00:00Z');
  expect(await work()).toBe(1);
  expect(await work()).toBe(0);
  await stage.finds(ferry, 2);
  setTime('2026-12-01T07:00:20Z');
  await stage.finds(ferry, 1);
  expect(await work()).toBe(1);
  expect(await shown()).toEqual([
    ['11-30T07:00', 'sent', '11-27T07:00/11-30T07:00', 3],
    ['12-01T07:00', 'sent', '11-30T07:00/12-01T07:00', 3],
  ]);
  const [first, second] = stage.receiver.received.map(({ body }) => JSON.parse(body));
  expect([first.type, first.data.rule, first.data.digest.topics[0].posts]).toEqual([
    'strandline.digest',
    'mornings',
    3,
  ]);
  expect(second.data.digest.from).toBe(first.data.digest.until);
});

test('slots that passed while nothing ran are one digest', async () => {
  await stage.finds(ferry, 4);
  setTime('2026-12-04T20:00:00Z'); // three of them
  expect(await work()).toBe(1);
  expect((await shown()).at(-1)).toEqual(['12-02T07:00', 'sent', '12-01T07:00/12-04T20:00', 4]);
});

test('with nothing new it is kept, and the next one covers its time, too', async () => {
  setTime('2026-12-06T07:00:00Z');
  await stage.finds(ferry, []); // a search that no longer runs would be news
  setTime('2026-12-07T07:00:00Z');
  expect(await work()).toBe(0);
  expect((await shown()).at(-1)).toEqual(['12-07T07:00', 'nothing new', '12-04T20:00/12-07T07:00', 0]);
  await stage.finds(ferry, 1);
  setTime('2026-12-08T07:00:00Z');
  expect(await work()).toBe(1);
  expect((await shown()).at(-1)).toEqual(['12-08T07:00', 'sent', '12-04T20:00/12-08T07:00', 1]);
});

test('a worker that dies while it composes leaves it to another', async () => {
  await stage.finds(ferry, 1);
  setTime('2026-12-09T07:00:00Z');
  await planDigests(stage.world.ctx, stage.world.clock.now());
  const dying = { ...stage.world.ctx, isFree: () => Promise.reject(new Error('killed')) };
  await stage.rows(
    `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at) SELECT max(id), 1, $1, 1, 'received', $2 FROM strandline.runs`,
    [ferry.service_id, '2026-12-09T06:00:00Z'],
  );
  await composeDigests(dying);
  expect((await digests()).at(-1)).toMatchObject({ state: 'planned' });
  expect(await work()).toBe(1);
});

test('it waits for runs that were due before it, but not forever', async () => {
  await stage.finds(ferry, 1);
  setTime('2026-12-10T07:00:00Z');
  await stage.rows(
    `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, slot_at, created_at, offer_at)
     VALUES ($1, 1, 1, 'schedule', 'queued', $2, $2, $2)`,
    [ferry.id, '2026-12-10T07:00:00Z'],
  );
  expect(await work()).toBe(0);
  stage.world.clock.advance(HOUR);
  expect(await work()).toBe(1);
  await stage.rows(`DELETE FROM strandline.runs WHERE status = 'queued'`);
});

test('paused, muted, without a channel, edited, removed', async () => {
  const { ctx } = stage.world;
  await stage.finds(ferry, 1);
  await changeRule(ctx, 'mornings', 'pause');
  setTime('2026-12-11T07:00:00Z');
  expect(await work()).toBe(0);
  await changeRule(ctx, 'mornings', 'resume');
  expect(await work()).toBe(0); // its slot has passed
  await stage.rows(`UPDATE strandline.rules SET muted_until = '2026-12-14T09:00Z'`);
  setTime('2026-12-14T07:00:00Z');
  expect(await work()).toBe(0);
  await stage.rows(`UPDATE strandline.channels SET state = 'paused'`);
  setTime('2026-12-15T07:00:00Z');
  expect(await work()).toBe(0);
  await stage.rows(`UPDATE strandline.channels SET state = 'active'`);
  expect((await shown()).slice(-2).map(([due, state]) => [due, state])).toEqual([
    ['12-14T07:00', 'the rule was muted'],
    ['12-15T07:00', 'no channel was active'],
  ]);
  await editRule(ctx, 'mornings', { digest: '0 18 * * *' });
  expect(await work()).toBe(0);
  setTime('2026-12-15T17:00:00Z');
  expect(await work()).toBe(1);
  // Nothing was lost meanwhile.
  expect((await shown()).at(-1)).toEqual(['12-15T17:00', 'sent', '12-10T08:00/12-15T17:00', 1]);
  await changeRule(ctx, 'mornings', 'remove');
  setTime('2026-12-17T17:00:00Z');
  expect(await work()).toBe(0);
});
