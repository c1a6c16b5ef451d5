/** A paid response while the database, its worker or another worker fails: it is stored and parsed, and paid once. */
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { Logger } from '../../src/platform/logger.ts';
import type { Context } from '../../src/monitor/context.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { parseLateResponses } from '../../src/monitor/runs/late-and-replay.ts';
import { createRunGate, type RunGate } from '../../src/monitor/runs/lease.ts';
import { prepareSpool, replaySpool } from '../../src/monitor/runs/db-outage.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { type Id, inTransaction } from '../../src/store/db/database.ts';
import { storeResponse, takeUnreadResponse } from '../../src/store/runs/responses.ts';
import { leaseRun, extendLeases } from '../../src/store/runs/run-leases.ts';
import { until } from '../processes.ts';
import { gated, json, type StubAnswer, wirePost } from '../stub-service.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { stub, world, rows } = await stubbedWorld();
const directory = await mkdtemp(path.join(tmpdir(), 'strandline-in-hand-'));
afterAll(() => rm(directory, { recursive: true, force: true }));
afterEach(() => {
  stub.requests.length = 0;
  stub.answers(json({ miner_tweets: [] }));
});

const holding = (...ids: string[]) => json({ miner_tweets: ids.map((id) => wirePost(id)) });

/** A worker of its own, with a data directory that does not exist yet; `events` are what it logs. */
function worker(name: string): { ctx: Context; events: string[]; data: string } {
  const data = path.join(directory, name, 'data');
  const events: string[] = [];
  const hears = (_: unknown, event: string) => events.push(event);
  const log: Logger = Object.assign(Object.create(world.ctx.log), { info: hears, warn: hears, error: hears });
  const config = { ...world.ctx.config, dataDir: data };
  return { ctx: { ...world.ctx, worker: name, log, config }, events, data };
}

async function newRun(slug: string): Promise<Id> {
  const { firstRunId } = await createSearch(world.ctx, {
    slug,
    operation: 'microblog',
    prompt: slug,
    every: '15m',
  });
  return firstRunId;
}

const endLease = (runId: Id) =>
  rows(`UPDATE strandline.runs SET lease_until = clock_timestamp() - interval '1 second' WHERE id = $1`, [
    runId,
  ]);
const noScans = () =>
  rows(`UPDATE strandline.scanner SET scanned_at = clock_timestamp() - interval '1 minute'`);
/** What the first scan after an outage does. */
const scanAfterOutage = () =>
  inTransaction(world.db, async (tx) => {
    await tx.query('UPDATE strandline.scanner SET scanned_at = clock_timestamp()');
    await extendLeases(tx, 30_000);
  });

const callsOf = async (runId: Id) =>
  (await rows('SELECT state FROM strandline.calls WHERE run_id = $1 ORDER BY n', [runId])).map(
    ({ state }) => state,
  );
const unreadOf = async (runId: Id) =>
  (await rows('SELECT n FROM strandline.responses WHERE run_id = $1 AND read_at IS NULL', [runId])).map(
    ({ n }) => n,
  );
const seenBy = async (slug: string) =>
  (
    await rows(
      `SELECT p.external_id AS id FROM strandline.post_sightings g JOIN strandline.posts p ON p.id = g.post_id
       JOIN strandline.searches s ON s.id = g.search_id WHERE s.slug = $1 ORDER BY 1`,
      [slug],
    )
  ).map(({ id }) => id);
const runOf = async (runId: Id) =>
  (await rows('SELECT status, code, reason, leases, fence FROM strandline.runs WHERE id = $1', [runId]))[0];

/** Makes the database refuse writes, as a managed one does whose disk is full: sessions begin read-only. */
async function setReadOnly(on: boolean): Promise<void> {
  const options = '-c default_transaction_read_only=off';
  const client = new Client({ connectionString: world.database.url, options });
  await client.connect();
  const name = world.database.name;
  await client.query(
    on
      ? `ALTER DATABASE ${name} SET default_transaction_read_only = on`
      : `ALTER DATABASE ${name} RESET default_transaction_read_only`,
  );
  // The owner of a database may not end its autovacuum workers: the statement would fail, and end none.
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  await client.end();
}

test('an outage longer than the lease: no other worker leases the run before its worker stores the response, and the call is paid once', async () => {
  const [survivor, other] = [worker('survivor'), worker('other')];
  const runId = await newRun('outage');
  const call = gated(holding('outage-1'));
  stub.answers(call.answer);
  const running = executeRun(survivor.ctx, runId);
  await until('the call is under way', () => Promise.resolve(stub.requests.length === 1));
  await endLease(runId);
  await noScans();
  expect(await executeRun(other.ctx, runId), 'before the first scan').toBeNull();
  await scanAfterOutage();
  expect(await executeRun(other.ctx, runId), 'after it').toBeNull();
  call.open();
  expect(await running).toMatchObject({ status: 'succeeded', posts: 1 });
  expect(await callsOf(runId)).toEqual(['received']);
});

test('a run taken over while its first worker was suspended: both responses are stored and parsed', async () => {
  const [sleeper, other] = [worker('sleeper'), worker('taker')];
  const runId = await newRun('slept');
  const first = gated(holding('slept-1', 'slept-both'));
  stub.answers(first.answer);
  const sleeping = executeRun(sleeper.ctx, runId);
  await until('the call is under way', () => Promise.resolve(stub.requests.length === 1));
  await endLease(runId);
  await world.scanned();
  stub.answers(holding('slept-2', 'slept-both'));
  expect(await executeRun(other.ctx, runId)).toMatchObject({ status: 'succeeded', posts: 2 });
  first.open();
  expect(await sleeping).toMatchObject({ status: 'released', code: 'lease_lost' });
  expect(await callsOf(runId)).toEqual(['received', 'received']);
  expect(await unreadOf(runId)).toEqual([1]);
  await parseLateResponses(other.ctx, runId);
  expect(await unreadOf(runId)).toEqual([]);
  expect(await seenBy('slept')).toEqual(['slept-1', 'slept-2', 'slept-both']);
});

test('a run that failed after its last call succeeds with the response its first worker still had', async () => {
  const [sleeper, other] = [worker('late-one'), worker('budget')];
  const runId = await newRun('used-up');
  const first = gated(holding('used-up-1'));
  stub.answers(first.answer);
  const sleeping = executeRun(sleeper.ctx, runId);
  await until('the call is under way', () => Promise.resolve(stub.requests.length === 1));
  await endLease(runId);
  await world.scanned();
  const config = { ...other.ctx.config, maxCallsPerRun: 1 };
  expect(await executeRun({ ...other.ctx, config }, runId)).toMatchObject({
    status: 'failed',
    code: 'budget_exceeded',
  });
  first.open();
  await sleeping;
  await executeRun(other.ctx, runId);
  expect(await runOf(runId)).toMatchObject({ status: 'succeeded', code: null });
  expect(await seenBy('used-up')).toEqual(['used-up-1']);
  expect(stub.requests).toHaveLength(1);
});

test('a stored response of a leased run is parsed, newest first, without a call', async () => {
  const { ctx } = worker('two-kept');
  const runId = await newRun('two-kept');
  for (const n of [1, 2]) {
    await rows(
      `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at)
       SELECT $1, $2, service_id, 0, 'unknown', $3 FROM strandline.searches WHERE slug = 'two-kept'`,
      [runId, n, world.clock.now()],
    );
    const body = Buffer.from(JSON.stringify({ miner_tweets: [wirePost(`two-${n}`)] }));
    const receivedAt = new Date(world.clock.now().getTime() + n);
    const response = { n, httpStatus: 200, contentType: 'application/json', body, receivedAt };
    await storeResponse(world.db, { runId, response, latencyMs: 1, costUsd: null });
  }
  expect(await executeRun(ctx, runId)).toMatchObject({ status: 'succeeded', posts: 1 });
  expect(await unreadOf(runId)).toEqual([1]);
  await executeRun(ctx, runId);
  expect(await seenBy('two-kept')).toEqual(['two-1', 'two-2']);
  expect(stub.requests).toHaveLength(0);
});

/** Answers once the database has become read-only. */
function answeredReadOnly(answer: StubAnswer): StubAnswer {
  return async (request, response) => {
    await setReadOnly(true);
    await answer(request, response);
  };
}

test('a database that becomes read-only before a response is stored: the response is spooled, stored later, and paid once', async () => {
  const { ctx, events, data } = worker('read-only');
  const runId = await newRun('read-only');
  stub.answers(answeredReadOnly(holding('ro-1')));
  const running = executeRun(ctx, runId);
  try {
    await until('it is on disk', () => Promise.resolve(events.includes('response spooled')));
    expect(await readdir(path.join(data, 'spool')), 'the folder was not there before').toHaveLength(1);
  } finally {
    await setReadOnly(false);
  }
  expect(await running).toMatchObject({ status: 'succeeded', posts: 1 });
  expect(await callsOf(runId)).toEqual(['received']);
  expect(stub.requests).toHaveLength(1);
  expect(await readdir(path.join(data, 'spool'))).toEqual([]);
});

test('a process that stops with an unstored response spools it; the next one stores it without another call', async () => {
  const { ctx, events, data } = worker('stopped');
  const runId = await newRun('stopped-in-hand');
  const stopping = new AbortController();
  stub.answers(answeredReadOnly(holding('stop-1')));
  const running = executeRun(ctx, runId, stopping.signal);
  try {
    await until('it is on disk', () => Promise.resolve(events.includes('response spooled')));
    stopping.abort();
    expect(await running).toMatchObject({ status: 'released', code: 'db_unavailable' });
    expect(events).toContain('response spooled, not stored');
    expect(await replaySpool(ctx), 'while the database is still read-only').toBe(1);
  } finally {
    await setReadOnly(false);
  }
  expect(await replaySpool(ctx)).toBe(0);
  expect(await readdir(path.join(data, 'spool'))).toEqual([]);
  expect(await unreadOf(runId)).toEqual([1]);
  await endLease(runId);
  await world.scanned();
  expect(await executeRun(ctx, runId)).toMatchObject({ status: 'succeeded', posts: 1 });
  expect(stub.requests).toHaveLength(1);
});

test('a missing data directory is created; if that fails, the worker says so immediately and continues', async () => {
  const fine = worker('fine');
  expect(await prepareSpool(fine.ctx)).toBeNull();
  expect(await readdir(fine.data)).toEqual(['spool']);
  expect(await replaySpool(fine.ctx)).toBe(0);

  const broken = worker('broken');
  await writeFile(path.join(directory, 'broken'), 'a file where a folder should be');
  expect(await prepareSpool(broken.ctx)).toMatch(/is not writable.*in memory only/);
  expect(broken.events).toEqual(['spool not writable']);
  expect(await executeRun(broken.ctx, await newRun('without-spool'))).toMatchObject({ status: 'succeeded' });
});

test('a spooled file that another process stores and removes meanwhile is not an error', async () => {
  const { ctx, events, data } = worker('shared');
  await prepareSpool(ctx);
  await symlink('not-there', path.join(data, 'spool', '1-1-1-1.json'));
  expect(await replaySpool(ctx)).toBe(0);
  expect(events).toEqual([]);
});

/** A worker leases a run, and dies. */
async function dies(runId: Id, alone: boolean): Promise<void> {
  const leased = await leaseRun(world.db, {
    runId,
    worker: 'dies',
    leaseMs: 1_000,
    now: world.clock.now(),
    alone,
  });
  expect(leased).not.toBeNull();
  await endLease(runId);
  await world.scanned();
}

test('a run whose worker died twice runs alone on an idle worker, and new work waits', async () => {
  const { ctx } = worker('careful');
  const gate = createRunGate();
  let asked = false;
  const solitude: RunGate = {
    shared: gate.shared,
    alone: (work) => {
      asked = true;
      return gate.alone(work);
    },
  };
  const [neighbour, deadly, later] = [
    await newRun('neighbour'),
    await newRun('deadly'),
    await newRun('later'),
  ];
  await dies(deadly, false);
  await dies(deadly, false);
  const beside = { runId: deadly, worker: 'busy', leaseMs: 1_000, now: world.clock.now(), alone: false };
  expect(await leaseRun(world.db, beside)).toBeNull();
  const call = gated(holding('n-1'));
  stub.answers(call.answer);
  const order: string[] = [];
  const runs = [
    executeRun(ctx, neighbour, undefined, solitude).then(() => order.push('neighbour')),
    executeRun(ctx, deadly, undefined, solitude).then(() => order.push('deadly')),
  ];
  await until('it asks to be alone beside a call', () =>
    Promise.resolve(asked && stub.requests.length === 1),
  );
  runs.push(executeRun(ctx, later, undefined, solitude).then(() => order.push('later')));
  call.open();
  await Promise.all(runs);
  expect(order).toEqual(['neighbour', 'deadly', 'later']);
  expect(await runOf(deadly)).toMatchObject({ status: 'succeeded', leases: 0 });
});

test('a run whose worker died three times, once alone, fails with a reason; its response is parsed late', async () => {
  const { ctx, events } = worker('last');
  const runId = await newRun('poison');
  await rows(
    `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at)
     SELECT $1, 1, service_id, 0, 'sent', $2 FROM strandline.searches WHERE slug = 'poison'`,
    [runId, world.clock.now()],
  );
  const body = Buffer.from(JSON.stringify({ miner_tweets: [wirePost('poison-1')] }));
  const receivedAt = world.clock.now();
  const response = { n: 1, httpStatus: 200, contentType: 'application/json', body, receivedAt };
  await storeResponse(world.db, { runId, response, latencyMs: 1, costUsd: null });
  for (let death = 0; death < 5; death += 1) {
    await dies(runId, death >= 2);
    // Reading it is what kills.
    await takeUnreadResponse(world.db, { runId, now: world.clock.now() });
  }
  expect(await executeRun(ctx, runId)).toBeNull();
  expect(await runOf(runId)).toMatchObject({
    status: 'failed',
    code: 'internal',
    reason: expect.stringMatching(/5 workers died/),
  });
  expect(events).toContain('run failed');
  expect(await unreadOf(runId), 'not read at once').toEqual([1]);
  world.clock.advance(3_600_000);
  await executeRun(ctx, runId, undefined, createRunGate());
  expect(await unreadOf(runId)).toEqual([]);
  expect(await runOf(runId)).toMatchObject({ status: 'succeeded', code: null });
  expect(stub.requests).toHaveLength(0);
});
