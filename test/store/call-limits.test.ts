/** The limits of a service: exact however many processes open calls concurrently, and refunded for unsent calls. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { readCallRoom } from '../../src/store/runs/call-limits.ts';
import { type Database, type Id, openDatabase } from '../../src/store/db/database.ts';
import { closeFailedCall, type OpenedCall, openCall } from '../../src/store/runs/ledger.ts';
import { storeResponse } from '../../src/store/runs/responses.ts';
import { closeTrial, openTrial } from '../../src/store/runs/trials.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { makeWorld } from '../world.ts';

const world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
const processes = Array.from({ length: 3 }, () =>
  openDatabase(world.database.url, { log: createLogger('silent'), max: 6 }),
);
afterAll(async () => {
  for (const db of processes) await db.close();
  await world.close();
});

const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;
const WINDOW_MS = 62_000;
let serial = 0;

/** Leased runs, each of a search of its own. */
async function leased(count: number): Promise<{ runId: Id; serviceId: Id; fence: number }[]> {
  const made = [];
  for (let n = 0; n < count; n += 1) {
    serial += 1;
    const slug = `search-${serial}`;
    const { firstRunId, search } = await createSearch(world.ctx, {
      slug,
      operation: 'microblog',
      prompt: slug,
      every: '1h',
    });
    const input = { runId: firstRunId, worker: 'test', leaseMs: 600_000, now: world.clock.now() };
    const run = await leaseRun(world.db, input);
    made.push({ runId: firstRunId, serviceId: search.service_id, fence: run?.fence ?? 0 });
  }
  return made;
}

type Limits = { callsPerDay: number | null; callsPerMinute: number | null };
const open = (
  call: { runId: Id; serviceId: Id; fence: number },
  limits: Partial<Limits> = {},
  db: Database = world.db,
) =>
  openCall(db, {
    ...call,
    maxCallsPerRun: 10,
    callsPerDay: null,
    callsPerMinute: null,
    clock: world.clock,
    ...limits,
  });
const openAll = (calls: Awaited<ReturnType<typeof leased>>, limits: Partial<Limits>) =>
  Promise.all(calls.map((call, n) => open(call, limits, processes[n % processes.length])));
const kinds = (opened: readonly { kind: string }[]) => {
  const counts: Record<string, number> = {};
  for (const { kind } of opened) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};
const callsOfDays = async () =>
  (await rows('SELECT calls FROM strandline.call_days ORDER BY day')).map((row) => row.calls);
const minute = async () => (await rows('SELECT sent_at FROM strandline.call_minutes'))[0]?.sent_at ?? [];
const closed = (call: { runId: Id }, opened: OpenedCall, sent: boolean) =>
  closeFailedCall(world.db, {
    runId: call.runId,
    n: opened.kind === 'opened' ? opened.n : 0,
    state: 'failed',
    code: sent ? 'conn_reset' : 'conn_refused',
    sent,
    httpStatus: null,
    partial: null,
    bytes: null,
    latencyMs: 1,
    costUsd: null,
    now: world.clock.now(),
  });

beforeEach(async () => {
  world.clock.advance(3 * 86_400_000);
  await rows('DELETE FROM strandline.call_days');
  await rows('DELETE FROM strandline.call_minutes');
});

describe('the limit per minute', () => {
  test('allows exactly the configured calls, from several processes at once, and as many again afterwards', async () => {
    const runs = await leased(50);
    const first = await openAll(runs, { callsPerMinute: 20 });
    expect(kinds(first)).toEqual({ opened: 20, minute_cap: 30 });
    const until = new Date(world.clock.now().getTime() + WINDOW_MS);
    expect(first.filter(({ kind }) => kind === 'minute_cap')).toEqual(
      Array.from({ length: 30 }, () => ({ kind: 'minute_cap', until })),
    );
    expect([await callsOfDays(), (await minute()).length]).toEqual([[20], 20]);

    world.clock.advance(WINDOW_MS - 1);
    expect(kinds(await openAll(runs, { callsPerMinute: 20 }))).toEqual({ minute_cap: 50 });
    world.clock.advance(1);
    expect(kinds(await openAll(runs, { callsPerMinute: 20 }))).toEqual({ opened: 20, minute_cap: 30 });
    expect([await callsOfDays(), (await minute()).length]).toEqual([[40], 20]);
  });

  test('slides: capacity returns when the oldest call expires, and the refusal says when', async () => {
    const [a, b, c] = await leased(3);
    if (!a || !b || !c) throw new Error('three runs');
    await open(a, { callsPerMinute: 2 });
    world.clock.advance(20_000);
    await open(b, { callsPerMinute: 2 });
    const refused = await open(c, { callsPerMinute: 2 });
    const until = new Date(world.clock.now().getTime() - 20_000 + WINDOW_MS);
    expect(refused).toEqual({ kind: 'minute_cap', until });
    world.clock.set(until);
    expect(await open(c, { callsPerMinute: 2 })).toMatchObject({ kind: 'opened', sentAt: until });
    expect(await open(c, { callsPerMinute: 1 }), 'a lower limit waits for the newest').toEqual({
      kind: 'minute_cap',
      until: new Date(until.getTime() + WINDOW_MS),
    });
  });

  test('is shared by runs and trials', async () => {
    const runs = await leased(10);
    const trial = (n: number) =>
      openTrial(processes[n % 3] ?? world.db, {
        serviceId: runs[0]?.serviceId ?? 0n,
        request: {
          operation: 'microblog',
          prompt: 'x',
          tools: [],
          model: 'NOVA',
          date_filter: null,
          streaming: false,
          extra: {},
        },
        callsPerDay: null,
        callsPerMinute: 7,
        clock: world.clock,
        deadlineMs: 60_000,
      });
    const opened = await Promise.all([
      openAll(runs, { callsPerMinute: 7 }),
      ...Array.from({ length: 10 }, (_, n) => trial(n)),
    ]);
    expect(kinds(opened.flat())).toEqual({ opened: 7, minute_cap: 13 });
    expect((await minute()).length).toBe(7);
  });

  test('survives a database clock that goes back: its calls count as sent now, and no longer', async () => {
    const runs = await leased(4);
    await openAll(runs.slice(0, 3), { callsPerMinute: 3 });
    world.clock.advance(-7_200_000);
    const [, , , late] = runs;
    if (!late) throw new Error('four runs');
    const until = new Date(world.clock.now().getTime() + WINDOW_MS);
    expect(await open(late, { callsPerMinute: 3 })).toEqual({ kind: 'minute_cap', until });
    world.clock.set(until);
    expect(await open(late, { callsPerMinute: 3 })).toMatchObject({ kind: 'opened' });
  });

  test('uses the database clock if statements get no time, in the order in which calls are counted', async () => {
    const runs = await leased(50);
    const [{ before }] = await rows(`SELECT date_trunc('milliseconds', clock_timestamp()) AS before`);
    const opened = await Promise.all(
      runs.map((run, n) =>
        openCall(processes[n % processes.length] ?? world.db, {
          ...run,
          maxCallsPerRun: 1,
          callsPerDay: null,
          callsPerMinute: 20,
          clock: { statementTime: () => null },
        }),
      ),
    );
    const [{ after }] = await rows(`SELECT clock_timestamp() AS after`);
    const times = opened.flatMap((one) => (one.kind === 'opened' ? [one.sentAt.getTime()] : []));
    expect(times).toHaveLength(20);
    expect((await minute()).map(Number), 'as they stand in the row').toEqual(times.toSorted((a, b) => a - b));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(before.getTime());
    expect(Math.max(...times)).toBeLessThanOrEqual(after.getTime());
  });
});

describe('the limit per day', () => {
  test('allows exactly the configured calls, and resets at midnight UTC', async () => {
    world.clock.set('2027-03-01T23:59:00Z');
    const runs = await leased(30);
    expect(kinds(await openAll(runs, { callsPerDay: 12 }))).toEqual({ opened: 12, day_cap: 18 });
    world.clock.advance(60_000);
    expect(kinds(await openAll(runs, { callsPerDay: 12 }))).toEqual({ opened: 12, day_cap: 18 });
    expect(await callsOfDays()).toEqual([12, 12]);
  });

  test('and the one per minute hold together, and a refusal by one leaves the other unchanged', async () => {
    const runs = await leased(40);
    const limits = { callsPerDay: 15, callsPerMinute: 10 };
    expect(kinds(await openAll(runs, limits))).toEqual({ opened: 10, minute_cap: 30 });
    world.clock.advance(WINDOW_MS);
    expect(kinds(await openAll(runs, limits))).toMatchObject({ opened: 5 });
    expect(await callsOfDays()).toEqual([15]);
    const before = await minute();
    expect(before).toHaveLength(5);
    expect(kinds(await openAll(runs, limits))).toEqual({ day_cap: 40 });
    expect([await callsOfDays(), await minute()]).toEqual([[15], before]);
    expect(kinds(await openAll(runs.slice(0, 5), { callsPerDay: 0, callsPerMinute: 10 }))).toEqual({
      day_cap: 5,
    });
  });
});

describe('a call is refused and not counted', () => {
  test('if another lease has the run, or its calls are used up', async () => {
    const [run] = await leased(1);
    if (!run) throw new Error('a run');
    expect(await open({ ...run, fence: run.fence - 1 }, { callsPerMinute: 5 })).toEqual({ kind: 'lost' });
    expect(await open({ ...run, fence: run.fence + 1 }, { callsPerMinute: 5 })).toEqual({ kind: 'lost' });
    const once = { ...run, maxCallsPerRun: 1, callsPerDay: 9, callsPerMinute: 9, clock: world.clock };
    expect(await openCall(world.db, once)).toMatchObject({ kind: 'opened', n: 1 });
    expect(await openCall(world.db, once)).toEqual({ kind: 'run_cap' });
    await rows(
      `UPDATE strandline.runs SET status = 'cancelled', ended_at = $2, lease_until = NULL WHERE id = $1`,
      [run.runId, world.clock.now()],
    );
    expect(await openCall(world.db, { ...once, maxCallsPerRun: 9 })).toEqual({ kind: 'lost' });
    expect([await callsOfDays(), (await minute()).length]).toEqual([[1], 1]);
  });

  test('if the run has an unparsed stored response', async () => {
    const [run] = await leased(1);
    if (!run) throw new Error('a run');
    await open(run, { callsPerMinute: 9 });
    const response = {
      n: 1,
      httpStatus: 200,
      contentType: null,
      body: Buffer.from('{}'),
      receivedAt: world.clock.now(),
    };
    await storeResponse(world.db, { runId: run.runId, response, latencyMs: 1, costUsd: null });
    expect(await open(run, { callsPerMinute: 9 })).toEqual({ kind: 'unread' });
    expect([await callsOfDays(), (await minute()).length]).toEqual([[1], 1]);
    await rows('UPDATE strandline.responses SET read_at = received_at WHERE run_id = $1', [run.runId]);
    expect(await open(run, { callsPerMinute: 9 })).toMatchObject({ kind: 'opened', n: 2 });
  });

  test('if another transaction takes the run concurrently, whichever is first', async () => {
    const [run] = await leased(1);
    if (!run) throw new Error('a run');
    const other = await world.db.pool.connect();
    await other.query('BEGIN');
    await other.query('UPDATE strandline.runs SET fence = fence + 1 WHERE id = $1', [run.runId]);
    const opening = open(run, { callsPerMinute: 9 }, processes[0]);
    await other.query('COMMIT');
    other.release();
    expect(await opening).toEqual({ kind: 'lost' });
    expect(await callsOfDays()).toEqual([]);
  });
});

describe('a refund', () => {
  test('removes an unsent call from the day and the minute; it still counts for its run', async () => {
    const [a, b] = await leased(2);
    if (!a || !b) throw new Error('two runs');
    const limits = { callsPerDay: 9, callsPerMinute: 9 };
    await open(a, limits); // at the same instant, so that one of two equal times goes
    const opened = await open(b, limits);
    await closed(b, opened, false);
    expect([await callsOfDays(), (await minute()).length]).toEqual([[1], 1]);
    await closed(b, opened, false);
    expect([await callsOfDays(), (await minute()).length], 'once only').toEqual([[1], 1]);
    expect(
      await rows('SELECT n, state, refunded FROM strandline.calls WHERE run_id = $1', [b.runId]),
    ).toEqual([{ n: 1, state: 'failed', refunded: true }]);
    expect(await openCall(world.db, { ...b, ...limits, maxCallsPerRun: 1, clock: world.clock })).toEqual({
      kind: 'run_cap',
    });
  });

  test('is refused if the request may have been sent', async () => {
    const [run] = await leased(1);
    if (!run) throw new Error('a run');
    await closed(run, await open(run, { callsPerDay: 9, callsPerMinute: 9 }), true);
    expect([await callsOfDays(), (await minute()).length]).toEqual([[1], 1]);
  });

  test('applies to the day of the call, also for trials; many refunds and calls at once stay consistent', async () => {
    world.clock.set('2027-03-05T23:59:59Z');
    const runs = await leased(20);
    const limits = { callsPerDay: 100, callsPerMinute: 100 };
    const opened = await openAll(runs.slice(0, 10), limits);
    const trial = await openTrial(world.db, {
      serviceId: runs[0]?.serviceId ?? 0n,
      request: {
        operation: 'microblog',
        prompt: 'x',
        tools: [],
        model: 'NOVA',
        date_filter: null,
        streaming: false,
        extra: {},
      },
      ...limits,
      clock: world.clock,
      deadlineMs: 1,
    });
    if (trial.kind !== 'opened') throw new Error(trial.kind);
    world.clock.advance(2_000);
    await Promise.all([
      openAll(runs.slice(10), limits),
      ...opened.map((call, n) => closed(runs[n] ?? { runId: 0n }, call, false)),
      closeTrial(world.db, {
        id: trial.id,
        state: 'failed',
        code: 'conn_refused',
        sent: false,
        httpStatus: null,
        bytes: null,
        latencyMs: null,
        costUsd: null,
        now: world.clock.now(),
      }),
    ]);
    expect([await callsOfDays(), (await minute()).length]).toEqual([[0, 10], 10]);
  });
});

test('returns the remaining calls of many services at once', async () => {
  const [run] = await leased(1);
  if (!run) throw new Error('a run');
  await open(run, { callsPerDay: 9, callsPerMinute: 9 });
  const services = [{ id: run.serviceId, kind: 'hosted' as const }];
  const room = (limits: { callsPerDay: number | undefined; callsPerMinute: number | undefined }) =>
    readCallRoom(world.db.pool, limits, {
      services: [...services, { id: 777n, kind: 'own' }],
      clock: world.clock,
    });
  expect(Object.fromEntries(await room({ callsPerDay: 5, callsPerMinute: 3 }))).toEqual({
    [String(run.serviceId)]: { day: 4, minute: 2 },
    777: { day: 5, minute: 3 },
  });
  expect(Object.fromEntries(await room({ callsPerDay: undefined, callsPerMinute: undefined }))).toEqual({
    [String(run.serviceId)]: { day: 1_999, minute: Number.POSITIVE_INFINITY },
    777: { day: Number.POSITIVE_INFINITY, minute: Number.POSITIVE_INFINITY },
  });
  expect(Object.fromEntries(await room({ callsPerDay: 0, callsPerMinute: 1 }))).toMatchObject({
    [String(run.serviceId)]: { day: 0, minute: 0 },
  });
  world.clock.advance(WINDOW_MS);
  expect((await room({ callsPerDay: 5, callsPerMinute: 3 })).get(run.serviceId)).toEqual({
    day: 4,
    minute: 3,
  });
});
