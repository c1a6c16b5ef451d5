import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { RunError } from '../../src/model/errors.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { replayRun } from '../../src/monitor/runs/late-and-replay.ts';
import { createSearch, type NewSearch } from '../../src/monitor/topics/save-search.ts';
import { openCall } from '../../src/store/runs/ledger.ts';
import { loadNewestResponse, storeResponse } from '../../src/store/runs/responses.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { json, wirePost } from '../stub-service.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { stub, world, rows } = await stubbedWorld();
afterEach(() => {
  stub.requests.length = 0;
  stub.answers(json({ miner_tweets: [] }));
});

async function add(slug: string, over: Partial<NewSearch> = {}) {
  return createSearch(world.ctx, {
    slug,
    operation: 'microblog',
    prompt: `about ${slug}`,
    every: '15m',
    ...over,
  });
}

/** Its worker died: the lease is over, and scans go on. */
async function abandoned(runId: bigint): Promise<void> {
  await rows(
    `UPDATE strandline.runs SET lease_until = clock_timestamp() - interval '1 second' WHERE id = $1`,
    [runId],
  );
  await world.scanned();
}

test('a run from lease to end: one call in the ledger, the raw response and the post stored', async () => {
  stub.answers(json({ miner_tweets: [wirePost('1790000000000000001')] }));
  const { firstRunId } = await add('whole');
  const report = await executeRun(world.ctx, firstRunId);
  expect(report).toMatchObject({ status: 'succeeded', posts: 1, authors: 1, diff: { baseline: true } });
  expect(stub.requests).toHaveLength(1);
  expect(stub.requests[0]).toMatchObject({
    path: '/desearch/ai/search/links/twitter',
    headers: { authorization: 'k$y-of-the-test' },
    body: { prompt: 'about whole', model: 'NOVA' },
  });
  expect(
    await rows('SELECT state, http_status, fence FROM strandline.calls WHERE run_id = $1', [firstRunId]),
  ).toEqual([{ state: 'received', http_status: 200, fence: 1 }]);
  expect(
    await rows('SELECT bytes > 100 AS kept FROM strandline.responses WHERE run_id = $1', [firstRunId]),
  ).toEqual([{ kept: true }]);
  expect(
    await rows(`SELECT external_id FROM strandline_analytics.posts WHERE external_id LIKE '179%'`),
  ).toEqual([{ external_id: '1790000000000000001' }]);
  expect(world.enqueued).toContainEqual({ runId: firstRunId, fence: 0, trigger: 'first' });
  expect(await executeRun(world.ctx, firstRunId)).toBeNull();
});

test('the stored response of a dead worker is parsed, not paid for again', async () => {
  const { firstRunId, search } = await add('resumed');
  const dies = await leaseRun(world.db, {
    runId: firstRunId,
    worker: 'dies',
    leaseMs: 1,
    now: world.clock.now(),
  });
  await openCall(world.db, {
    runId: firstRunId,
    fence: dies?.fence ?? 0,
    serviceId: search.service_id,
    maxCallsPerRun: 2,
    callsPerDay: null,
    callsPerMinute: null,
    clock: world.clock,
  });
  const body = Buffer.from(JSON.stringify({ miner_tweets: [wirePost('2001')] }));
  const response = {
    n: 1,
    httpStatus: 200,
    contentType: 'application/json',
    body,
    receivedAt: world.clock.now(),
  };
  await storeResponse(world.db, { runId: firstRunId, response, latencyMs: 5, costUsd: null });
  await abandoned(firstRunId);
  expect(await executeRun(world.ctx, firstRunId)).toMatchObject({ status: 'succeeded', posts: 1 });
  expect(stub.requests).toHaveLength(0);
});

test('a call without a known outcome is marked unknown and counts toward the limit of the run', async () => {
  const { firstRunId, search } = await add('unheard');
  const leased = await leaseRun(world.db, {
    runId: firstRunId,
    worker: 'dead',
    leaseMs: 1,
    now: world.clock.now(),
  });
  await rows(
    `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at) VALUES ($1, 1, $2, $3, 'sent', now())`,
    [firstRunId, search.service_id, leased?.fence],
  );
  await abandoned(firstRunId);
  expect(await executeRun(world.ctx, firstRunId)).toMatchObject({ status: 'succeeded' });
  expect(
    await rows('SELECT n, state FROM strandline.calls WHERE run_id = $1 ORDER BY n', [firstRunId]),
  ).toEqual([
    { n: 1, state: 'unknown' },
    { n: 2, state: 'received' },
  ]);
});

test('a failed call is retried once after a pause, then the run fails with its code', async () => {
  stub.answers(json({ detail: 'Internal Server Error' }, 500));
  const { firstRunId } = await add('failing');
  const first = await executeRun(world.ctx, firstRunId);
  expect(first).toMatchObject({ status: 'retry', code: 'upstream_5xx' });
  expect(await executeRun(world.ctx, firstRunId), 'not before its time').toBeNull();
  world.clock.advance(3_600_000);
  expect(await executeRun(world.ctx, firstRunId)).toMatchObject({ status: 'failed', code: 'upstream_5xx' });
  expect(stub.requests).toHaveLength(2);
  expect(await rows('SELECT status, code, reason FROM strandline.runs WHERE id = $1', [firstRunId])).toEqual([
    { status: 'failed', code: 'upstream_5xx', reason: 'HTTP 500: Internal Server Error' },
  ]);
});

test('an unreadable response fails the run and is stored, and a replay parses it with a fixed parser', async () => {
  stub.answers(json({ something: 'else' }));
  const { firstRunId } = await add('unreadable');
  expect(await executeRun(world.ctx, firstRunId)).toMatchObject({
    status: 'failed',
    code: 'schema_mismatch',
  });
  await expect(replayRun(world.ctx, firstRunId)).rejects.toMatchObject({ code: 'schema_mismatch' });
  const readable = gzipSync(JSON.stringify({ miner_tweets: [wirePost('3001')] }));
  await rows('UPDATE strandline.responses SET body = $2 WHERE run_id = $1', [firstRunId, readable]);
  const { diff } = await replayRun(world.ctx, firstRunId);
  expect(diff.newPosts).toHaveLength(1);
  expect(
    await rows('SELECT status, code, items_new, baseline FROM strandline.runs WHERE id = $1', [firstRunId]),
  ).toEqual([{ status: 'succeeded', code: null, items_new: 1, baseline: true }]);
  expect(
    (await replayRun(world.ctx, firstRunId)).diff.newPosts,
    'a second replay finds nothing more',
  ).toEqual([]);
  expect(stub.requests).toHaveLength(1);
});

test('a response in which every source failed is a failure, not an empty result', async () => {
  const tool = 'Twitter Search';
  const warnings = [
    { code: 'source_timeout', tool, message: 'bluesky timed out' },
    { code: 'tool_unanswered', tool, message: 'no source of this tool responded' },
  ];
  stub.answers(json({ miner_tweets: [], warnings }));
  const { firstRunId } = await add('unlooked');
  expect(await executeRun(world.ctx, firstRunId)).toMatchObject({ status: 'failed', code: 'sources_down' });
  const [{ reason }] = await rows('SELECT reason FROM strandline.runs WHERE id = $1', [firstRunId]);
  expect(reason).toBe('Twitter Search: bluesky timed out');
  expect(stub.requests, 'it was answered, so it is not called again').toHaveLength(1);
});

test('a malformed item becomes a reject with its path and does not affect the others', async () => {
  stub.answers(json({ miner_tweets: [wirePost('4001'), null, wirePost('4002')] }));
  const { firstRunId } = await add('rejects');
  expect(await executeRun(world.ctx, firstRunId)).toMatchObject({
    status: 'succeeded',
    posts: 2,
    rejected: 1,
  });
  expect(await rows('SELECT path, code FROM strandline.rejects WHERE run_id = $1', [firstRunId])).toEqual([
    { path: 'miner_tweets[1]', code: 'not_an_object' },
  ]);
});

test('a key echoed in a response is not stored in the database', async () => {
  stub.answers(json({ detail: 'no such thing for k$y-of-the-test' }));
  const { firstRunId } = await add('echo');
  expect(await executeRun(world.ctx, firstRunId)).toMatchObject({
    status: 'failed',
    code: 'schema_mismatch',
  });
  const answer = await loadNewestResponse(world.db, firstRunId);
  const [{ reason }] = await rows('SELECT reason FROM strandline.runs WHERE id = $1', [firstRunId]);
  expect(`${answer?.body.toString()} ${reason}`).not.toContain('k$y-of');
});

test('CALLS_PER_DAY holds in the ledger: the call is not made, and the search is capped', async () => {
  const capped = { ...world.ctx, config: { ...world.ctx.config, callsPerDay: 0 } };
  const { firstRunId } = await add('capped');
  expect(await executeRun(capped, firstRunId)).toMatchObject({ status: 'failed', code: 'budget_exceeded' });
  expect(stub.requests).toHaveLength(0);
  expect(await rows(`SELECT state FROM strandline.searches WHERE slug = 'capped'`)).toEqual([
    { state: 'capped' },
  ]);
});

test('concurrent leases never make more calls than the daily limit', async () => {
  const runs = await Promise.all(Array.from({ length: 12 }, (_, i) => add(`storm-${i}`)));
  const used = Number(
    (await rows('SELECT coalesce(sum(calls), 0)::int AS n FROM strandline.call_days'))[0].n,
  );
  const ctx = { ...world.ctx, config: { ...world.ctx.config, callsPerDay: used + 5 } };
  const reports = await Promise.all(runs.map(({ firstRunId }) => executeRun(ctx, firstRunId)));
  expect(stub.requests).toHaveLength(5);
  expect(reports.filter((report) => report?.status === 'succeeded')).toHaveLength(5);
});

test('a rejected key stops every search of the service, with the reason, until someone resumes them', async () => {
  stub.answers(json({ detail: 'Forbidden' }, 403));
  const { firstRunId } = await add('refused');
  const other = await add('refused-too');
  expect(await executeRun(world.ctx, firstRunId)).toMatchObject({ status: 'failed', code: 'auth' });
  expect(
    await rows(
      `SELECT slug, state, next_due_at FROM strandline.searches WHERE slug LIKE 'refused%' ORDER BY slug`,
    ),
  ).toEqual([
    { slug: 'refused', state: 'broken', next_due_at: null },
    { slug: 'refused-too', state: 'broken', next_due_at: null },
  ]);
  expect(await rows('SELECT status FROM strandline.runs WHERE id = $1', [other.firstRunId])).toEqual([
    { status: 'cancelled' },
  ]);
});

test('a worker without the configuration of a service fails the run without a call', async () => {
  const { firstRunId } = await add('unknown-service');
  const ctx = { ...world.ctx, endpoint: () => Promise.reject(new RunError('service_unknown')) };
  expect(await executeRun(ctx, firstRunId)).toMatchObject({ status: 'failed', code: 'service_unknown' });
  expect(
    await rows('SELECT count(*)::int AS n FROM strandline.calls WHERE run_id = $1', [firstRunId]),
  ).toEqual([{ n: 0 }]);
});

test('an unknown dialect fails the run before a ledger row exists', async () => {
  const { firstRunId } = await add('no-dialect');
  await rows(`UPDATE strandline.services SET dialect = '/nowhere/names.json'`);
  expect(await executeRun(world.ctx, firstRunId)).toMatchObject({ status: 'failed', code: 'internal' });
  await rows(`UPDATE strandline.services SET dialect = 'named'`);
  expect(
    await rows('SELECT count(*)::int AS n FROM strandline.calls WHERE run_id = $1', [firstRunId]),
  ).toEqual([{ n: 0 }]);
});

test('two runs of one search never overlap', async () => {
  const { search, firstRunId: one } = await add('alone');
  const two = await insertRun(world.db.pool, {
    searchId: search.id,
    trigger: 'manual',
    now: world.clock.now(),
  });
  const leases = await Promise.all(
    [one, two].map((runId) =>
      leaseRun(world.db, { runId, worker: 'w', leaseMs: 30_000, now: world.clock.now() }),
    ),
  );
  expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
});

test('a process that stops aborts its call and releases its run, which is enqueued immediately', async () => {
  const stopping = new AbortController();
  stub.answers(() => stopping.abort());
  const { firstRunId } = await add('stopped');
  expect(await executeRun(world.ctx, firstRunId, stopping.signal)).toMatchObject({ status: 'released' });
  expect(
    await rows('SELECT status, lease_until, offer_at FROM strandline.runs WHERE id = $1', [firstRunId]),
  ).toEqual([{ status: 'queued', lease_until: null, offer_at: world.clock.now() }]);
  expect(await rows('SELECT state FROM strandline.calls WHERE run_id = $1', [firstRunId])).toEqual([
    { state: 'unknown' },
  ]);
});
