/** How the limits of a service, and unsent or broken calls, affect runs and trials. */
import { afterEach, expect, test } from 'vitest';
import type { Context } from '../../src/monitor/context.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { replayRun } from '../../src/monitor/runs/late-and-replay.ts';
import { trySearch } from '../../src/monitor/runs/trial.ts';
import { createSearch, type NewSearch } from '../../src/monitor/topics/save-search.ts';
import { json, type StubAnswer, wirePost } from '../stub-service.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { stub, world, rows } = await stubbedWorld();
afterEach(async () => {
  stub.requests.length = 0;
  stub.answers(json({ miner_tweets: [] }));
  await rows('DELETE FROM strandline.call_days');
  await rows('DELETE FROM strandline.call_minutes');
});

const add = async (slug: string, over: Partial<NewSearch> = {}) =>
  (await createSearch(world.ctx, { slug, operation: 'microblog', prompt: slug, every: '15m', ...over }))
    .firstRunId;
const limited = (over: Partial<Context['config']>): Context => ({
  ...world.ctx,
  config: { ...world.ctx.config, ...over },
});
const counted = async () => ({
  day: (await rows('SELECT coalesce(sum(calls), 0)::int AS n FROM strandline.call_days'))[0].n,
  minute: (
    await rows('SELECT coalesce(sum(cardinality(sent_at)), 0)::int AS n FROM strandline.call_minutes')
  )[0].n,
});
const calls = (runId: bigint) =>
  rows('SELECT state, code, refunded FROM strandline.calls WHERE run_id = $1 ORDER BY n', [runId]);
const runOf = async (runId: bigint) =>
  (await rows('SELECT status, code, leases, not_before FROM strandline.runs WHERE id = $1', [runId]))[0];

test('a run waits while the minute is full: no attempt, no failure, and its search stays unchanged', async () => {
  const ctx = limited({ callsPerMinute: 1, maxCallsPerRun: 1 });
  const [first, second] = [await add('minute-1'), await add('minute-2')];
  expect(await executeRun(ctx, first)).toMatchObject({ status: 'succeeded' });
  const notBefore = new Date(world.clock.now().getTime() + 63_000); // the window, and half of the spread
  const report = await executeRun(ctx, second);
  expect(report).toMatchObject({ status: 'retry', code: 'budget_exceeded', notBefore });
  expect(report).toHaveProperty(
    'detail',
    expect.stringContaining('CALLS_PER_MINUTE: 1) are used up; the next is possible at 12:01:02 UTC'),
  );
  expect(await runOf(second)).toEqual({ status: 'queued', code: null, leases: 0, not_before: notBefore });
  expect([await calls(second), stub.requests.length]).toEqual([[], 1]);
  expect(await rows(`SELECT state FROM strandline.searches WHERE slug = 'minute-2'`)).toEqual([
    { state: 'active' },
  ]);

  await rows(`UPDATE strandline.searches SET next_due_at = $1 WHERE slug = 'minute-2'`, [world.clock.now()]);
  world.clock.set(notBefore);
  expect(await executeRun(ctx, second)).toMatchObject({ status: 'succeeded' });
});

test('a trial is refused while the minute is full, with the time of the next free call', async () => {
  const ctx = limited({ callsPerMinute: 1 });
  await executeRun(ctx, await add('before-a-trial'));
  const trial = () => trySearch(ctx, { prompt: 'ferry' }, { signal: new AbortController().signal });
  await expect(trial()).rejects.toMatchObject({
    code: 'budget_exceeded',
    budget: 'minute',
    retryAfterMs: 62_000,
    detail: expect.stringContaining('12:01:02 UTC'),
  });
  expect(stub.requests).toHaveLength(1);
  world.clock.advance(62_000);
  await trial();
  expect(await counted()).toEqual({ day: 2, minute: 1 });
});

test.each([
  ['an unresolvable name', 'http://nowhere.invalid'],
  ['a port without a listener', 'http://127.0.0.1:1'],
])('%s costs no call for a run or a trial, but counts as an attempt of the run', async (_, baseUrl) => {
  const ctx = {
    ...limited({ callsPerMinute: 9, maxCallsPerRun: 1 }),
    endpoint: () => Promise.resolve({ baseUrl, prefix: undefined, key: undefined }),
  };
  const runId = await add(`unsent-${new URL(baseUrl).hostname.replaceAll('.', '-')}`);
  expect(await executeRun(ctx, runId)).toMatchObject({ status: 'failed', code: 'conn_refused' });
  expect(await calls(runId)).toEqual([{ state: 'failed', code: 'conn_refused', refunded: true }]);
  const trial = trySearch(ctx, { prompt: 'ferry' }, { signal: new AbortController().signal });
  await expect(trial).rejects.toMatchObject({ code: 'conn_refused' });
  expect(await rows('SELECT refunded FROM strandline.trials ORDER BY id DESC LIMIT 1')).toEqual([
    { refunded: true },
  ]);
  expect(await counted()).toEqual({ day: 0, minute: 0 });
});

test('a connection that breaks after the request was sent costs its call', async () => {
  stub.answers((_request, response) => void response.socket?.resetAndDestroy());
  const runId = await add('reset');
  expect(await executeRun(limited({ callsPerMinute: 9 }), runId)).toMatchObject({
    status: 'retry',
    code: 'conn_reset',
  });
  expect(await calls(runId)).toEqual([{ state: 'failed', code: 'conn_reset', refunded: false }]);
  expect(await counted()).toEqual({ day: 1, minute: 1 });
});

test('a request past its deadline is not sent, and is refunded', async () => {
  const ctx = limited({ callsPerMinute: 9, maxCallsPerRun: 1 });
  // The process stands still between the commit and the request.
  const slow: Context = {
    ...ctx,
    clock: { ...world.clock, now: () => new Date(world.clock.now().getTime() + 2_001) },
  };
  const runId = await add('too-late');
  expect(await executeRun(slow, runId)).toMatchObject({ status: 'failed', code: 'timeout_connect' });
  expect(await calls(runId)).toEqual([{ state: 'failed', code: 'timeout_connect', refunded: true }]);
  expect([await counted(), stub.requests.length]).toEqual([{ day: 0, minute: 0 }, 0]);
});

test.each([200, 201, 206])('a response with HTTP %d is stored with its status and parsed', async (status) => {
  stub.answers(json({ miner_tweets: [wirePost(`${status}001`)] }, status));
  const runId = await add(`status-${status}`);
  expect(await executeRun(world.ctx, runId)).toMatchObject({ status: 'succeeded', posts: 1 });
  expect(
    await rows(
      'SELECT a.http_status AS kept, c.http_status AS called FROM strandline.responses a JOIN strandline.calls c USING (run_id, n) WHERE run_id = $1',
      [runId],
    ),
  ).toEqual([{ kept: status, called: status }]);
});

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const HALF =
  event({ type: 'search', content: [{ title: 'one', link: 'https://a.example/one', snippet: 'a' }] }) +
  event({ type: 'text', role: 'summary', content: 'k$y-of-the-test is high' });

test('a broken stream is stored up to where it broke, without the key; it is retried, not parsed as a response', async () => {
  const streaming: Partial<NewSearch> = { operation: 'ai', tools: ['web'], streaming: true };
  const breaks: StubAnswer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(HALF);
    setTimeout(() => response.socket?.resetAndDestroy(), 20);
  };
  stub.answers(breaks);
  const runId = await add('broken-off', streaming);
  expect(await executeRun(world.ctx, runId)).toMatchObject({ status: 'retry', code: 'conn_reset' });
  const kept = () =>
    rows(
      `SELECT n, http_status, content_type, read_at = received_at AS read, bytes FROM strandline.responses WHERE run_id = $1 ORDER BY n`,
      [runId],
    );
  const bytes = Buffer.byteLength(HALF.replace('k$y-of-the-test', '[key]'));
  const half = { n: 1, http_status: 200, content_type: 'text/event-stream', read: true, bytes };
  expect(await kept()).toEqual([half]);
  await expect(replayRun(world.ctx, runId), 'the reader of today wants a completion').rejects.toMatchObject({
    code: 'stream_incomplete',
  });

  world.clock.advance(3_600_000);
  expect(await executeRun(world.ctx, runId)).toMatchObject({ status: 'failed', code: 'conn_reset' });
  expect(stub.requests).toHaveLength(2);
  expect(await kept()).toEqual([half, { ...half, n: 2 }]);
  expect(await rows('SELECT 1 FROM strandline.link_sightings')).toEqual([]);
});

test('a replay parses the complete response of a run, not a later partial one', async () => {
  stub.answers(json({ miner_tweets: [wirePost('7001')] }));
  const runId = await add('whole-and-half');
  await executeRun(world.ctx, runId);
  await rows(
    `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, code, sent_at, received_at)
     SELECT run_id, 2, service_id, fence, 'failed', 'conn_reset', sent_at, received_at FROM strandline.calls WHERE run_id = $1`,
    [runId],
  );
  await rows(
    `INSERT INTO strandline.responses (run_id, n, http_status, body, sha256, bytes, received_at, read_at)
     SELECT run_id, 2, 200, 'x', 'x', 1, received_at, received_at FROM strandline.responses WHERE run_id = $1`,
    [runId],
  );
  expect((await replayRun(world.ctx, runId)).findings.posts).toHaveLength(1);
});
