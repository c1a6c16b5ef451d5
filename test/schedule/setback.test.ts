/**
 * The database's clock was two hours ahead and goes back. What was written meanwhile has times two hours ahead: nothing may wait
 * until they come.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { parseFutureTime } from '../../src/lib/future-time.ts';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { changeSearch } from '../../src/monitor/topics/search-state.ts';
import { deliverDueMessages } from '../../src/monitor/alerts/deliver.ts';
import { createChannel } from '../../src/monitor/alerts/manage-channels.ts';
import { createRule } from '../../src/monitor/alerts/manage-rules.ts';
import { newRule } from '../../src/monitor/alerts/rule-shapes.ts';
import { decodeInput } from '../../src/monitor/http/request-problems.ts';
import { listChannelsDue } from '../../src/store/alerts/delivery-rows.ts';
import { readTime } from '../../src/store/db/database.ts';
import { listSearchesToRetry } from '../../src/store/derive/pending-derivations.ts';
import { readCallRoom } from '../../src/store/runs/call-limits.ts';
import { openCall } from '../../src/store/runs/ledger.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { listLateRuns } from '../../src/store/runs/responses.ts';
import { ensureRecurringWork } from '../../src/store/runs/scanner.ts';
import { reserveSourceTurn } from '../../src/store/services/source-pacing.ts';
import { withDatabase } from '../../src/platform/postgres/connect.ts';
import { moveDatabaseTime, prepareTime } from '../faults/moved-time.ts';
import { json, startStub, type StubService, wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';

const AHEAD = 2 * HOUR;
const LEASE_MS = 30 * SECOND;
let stub: StubService;
let world: World;
let shift = 0;
const clock: Clock = { now: () => new Date(systemClock.now().getTime() + shift), statementTime: () => null };

beforeAll(async () => {
  stub = await startStub();
  world = await makeWorld({
    hosted: stub.url,
    clock,
    env: { MASTER_KEY: randomBytes(32).toString('base64'), WEBHOOK_ALLOW: '127.0.0.1' },
  });
  await prepareTime(world.db.pool, withDatabase(inject('superuserUrl'), world.database.name));
});
afterAll(async () => {
  await world.close();
  await stub.close();
});

// Rows of ad hoc queries: the test knows what they hold.
type Row = ReturnType<typeof JSON.parse>;
const rows = async (sql: string, values: unknown[] = []): Promise<Row[]> =>
  (await world.db.pool.query(sql, values)).rows;
const databaseNow = () => readTime(world.db.pool, { statementTime: () => null });

async function moveTo(ms: number): Promise<void> {
  shift = ms;
  await moveDatabaseTime(world.db.pool, ms);
}

const respond = () =>
  stub.answers(json({ miner_tweets: [wirePost('1', { created_at: clock.now().toISOString() })] }));

async function search(slug: string, schedule: { every?: string; cron?: string }) {
  const made = await createSearch(world.ctx, { slug, operation: 'microblog', prompt: slug, ...schedule });
  return { ...made.search, firstRunId: made.firstRunId };
}

test('schedules continue by the time that holds now, and slots that have not come have no rows', async () => {
  await moveTo(0);
  respond();
  const fixed = await search('fixed', { every: '1m' });
  const adaptive = await search('adaptive', { every: 'auto' });
  await search('paused', { every: '1m' });
  const until = new Date(clock.now().getTime() + 5 * HOUR);
  await changeSearch(world.ctx, 'paused', 'pause', parseFutureTime(until.toISOString(), 'UTC'));
  for (const { firstRunId } of [fixed, adaptive]) await executeRun(world.ctx, firstRunId);
  await world.derive();
  await world.scan();

  await moveTo(AHEAD);
  const late = await search('made-ahead', { every: '1m' });
  await executeRun(world.ctx, late.firstRunId);
  await ensureRecurringWork(world.db.pool, ['rules']);
  await world.scan();
  const ahead = await rows(
    `SELECT status FROM strandline.runs WHERE search_id = $1 AND slot_at IS NOT NULL`,
    [fixed.id],
  );
  expect(ahead.filter(({ status }) => status === 'skipped').length).toBeGreaterThan(100);
  world.work.length = 0;

  await moveTo(0);
  await world.scan();
  await world.scan();
  const now = await databaseNow();
  expect(
    await rows('SELECT id FROM strandline.runs WHERE coalesce(span_until, slot_at) > clock_timestamp()'),
  ).toEqual([]);
  const due = new Map(
    (
      await rows(
        `SELECT s.slug, coalesce(s.next_due_at, p.due_at) AS at FROM strandline.searches s
         LEFT JOIN strandline.search_pace p ON p.search_id = s.id`,
      )
    ).map(({ slug, at }) => [slug, at]),
  );
  for (const slug of ['fixed', 'made-ahead']) {
    expect(due.get(slug).getTime(), slug).toBeGreaterThan(now.getTime() - SECOND);
    expect(due.get(slug).getTime(), slug).toBeLessThanOrEqual(now.getTime() + MINUTE);
  }
  // An adaptive search has no slots to compute: it waits for what was left of its interval, and learns on.
  expect(due.get('adaptive').getTime()).toBeGreaterThan(now.getTime());
  expect(due.get('adaptive').getTime()).toBeLessThanOrEqual(now.getTime() + 6 * HOUR);
  const [pace] = await rows('SELECT * FROM strandline.search_pace WHERE search_id = $1', [adaptive.id]);
  expect(pace.learned_at <= now && (pace.spent_until === null || pace.spent_until < until)).toBe(true);
  // What a person said ends when the person said.
  const [{ paused_until }] = await rows(`SELECT paused_until FROM strandline.searches WHERE slug = 'paused'`);
  expect(paused_until).toEqual(until);
  expect(world.work).toContain('rules');
});

test('leases, retries, responses and messages do not wait until the clock is as late again', async () => {
  await moveTo(AHEAD);
  respond();
  const later = `clock_timestamp() + interval '1 minute'`;
  // Its worker died during the only call that the minute allows.
  const { id: searchId, service_id: service, firstRunId } = await search('dies', { every: '1h' });
  const leased = await leaseRun(world.db, { runId: firstRunId, worker: 'w', leaseMs: LEASE_MS, now: null });
  if (leased === null) throw new Error('not leased');
  const call = {
    runId: firstRunId,
    fence: leased.fence,
    searchId,
    serviceId: service,
    serviceKind: 'hosted' as const,
  };
  const limits = { maxCallsPerRun: 2, callsPerDay: null, callsPerMinute: 1 };
  expect(await openCall(world.db, { ...call, ...limits, clock })).toMatchObject({ kind: 'opened' });
  await rows('UPDATE strandline.runs SET lease_extended = fence WHERE id = $1', [firstRunId]);
  // This one waits for a retry.
  const retries = (await search('retries', { every: '1h' })).firstRunId;
  await rows(`UPDATE strandline.runs SET not_before = ${later}, offer_at = ${later} WHERE id = $1`, [
    retries,
  ]);
  // A worker died while it read a late response, and one could not be derived.
  const late = await search('late', { every: '1h' });
  await executeRun(world.ctx, late.firstRunId);
  await rows(`UPDATE strandline.responses SET read_at = NULL, next_read_at = ${later} WHERE run_id = $1`, [
    late.firstRunId,
  ]);
  const aside = `UPDATE strandline.pending_derivations SET attempts = 1, retry_at = ${later} WHERE run_id = $1`;
  expect((await world.db.pool.query(aside, [late.firstRunId])).rowCount).toBe(1);
  // A channel was sent to, and the worker that sent the next message died.
  const { channel } = await createChannel(world.ctx, { slug: 'desk', webhook: 'http://127.0.0.1:1/' });
  const rule = await createRule(
    world.ctx,
    decodeInput(newRule, { slug: 'every', on: ['post'], cooldown: '1h', channels: ['desk'] }),
  );
  const delivery = `INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, state, created_at, made_at, next_attempt_at)
    VALUES ($1, $2, $3, $4, clock_timestamp(), $5, $6)`;
  const then = await databaseNow();
  await rows(delivery, ['sent', channel.id, rule.id, 'cancelled', then, null]);
  const end = new Date(then.getTime() + HOUR);
  await rows(delivery, ['waits', channel.id, rule.id, 'gathering', null, end]);
  await rows(
    `UPDATE strandline.channels SET lease_until = ${later}, resting_until = ${later}, failing_since = clock_timestamp()`,
  );
  expect(await reserveSourceTurn(world.db, 'gdelt', 5_000, 60_000)).toBeLessThanOrEqual(1);
  await world.scan();

  await moveTo(0);
  world.enqueued.length = 0;
  await world.scan();
  await world.scan();
  const now = await databaseNow();
  expect(world.enqueued.map(({ runId }) => runId)).toContain(retries);
  const again = { runId: retries, worker: 'w', leaseMs: LEASE_MS, now: null };
  expect(await leaseRun(world.db, again)).not.toBeNull();
  const [{ lease_until: lease }] = await rows('SELECT lease_until FROM strandline.runs WHERE id = $1', [
    firstRunId,
  ]);
  expect(lease.getTime()).toBeLessThanOrEqual(now.getTime() + LEASE_MS);
  expect((await listLateRuns(world.db.pool, clock, 10)).map(({ id }) => id)).toContain(late.firstRunId);
  expect(await listSearchesToRetry(world.db, null)).toContain(late.id);
  expect(await reserveSourceTurn(world.db, 'gdelt', 5_000, 60_000)).toBeLessThanOrEqual(5_000);
  // The lease of a channel, the minute of a call and a cooldown last as long as they would have, and not longer.
  const deliver = () => deliverDueMessages(world.ctx, channel.id, new AbortController().signal);
  await moveTo(2 * MINUTE);
  expect(await listChannelsDue(world.db.pool, clock.now())).toEqual([channel.id]);
  const room = await readCallRoom(
    world.db.pool,
    { callsPerDay: undefined, callsPerMinute: 1 },
    { services: [{ id: service, kind: 'hosted' }], clock },
  );
  expect(room.get(service)?.minute).toBe(1);
  await deliver();
  await moveTo(HOUR + 3 * MINUTE);
  await deliver();
  // It had gathered nothing.
  const [{ state }] = await rows(`SELECT state FROM strandline.deliveries WHERE message_id = 'waits'`);
  expect(state).toBe('cancelled');
});
