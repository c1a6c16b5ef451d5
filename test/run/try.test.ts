import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { RunError } from '../../src/model/errors.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { type SearchToTry, trySearch } from '../../src/monitor/runs/trial.ts';
import { runRecurringWork } from '../../src/monitor/recurring-work.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { raiseTombstones } from '../../src/store/erase/tombstones.ts';
import { inTransaction } from '../../src/store/db/database.ts';
import { readCallCosts } from '../../src/store/queries/call-costs.ts';
import { openTrial } from '../../src/store/runs/trials.ts';
import { gated, json, type StubAnswer, type StubService, startStub, wirePost } from '../stub-service.ts';
import { makeWorld, START, type World } from '../world.ts';

let stub: StubService;
let world: World;
beforeAll(async () => {
  stub = await startStub();
  world = await makeWorld({ hosted: stub.url, env: { CALLS_PER_DAY: '50' } });
});
afterAll(async () => {
  await world.close();
  await stub.close();
});
afterEach(async () => {
  world.clock.set(START);
  stub.requests.length = 0;
  stub.answers(json({ miner_tweets: [] }));
  await rows('TRUNCATE strandline.trials');
  await rows('DELETE FROM strandline.call_days');
});

const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;
const trials = () => rows('SELECT * FROM strandline_analytics.trials ORDER BY id');
const callsToday = async () =>
  (await rows('SELECT coalesce(sum(calls), 0)::int AS n FROM strandline.call_days'))[0].n;
const unhurried = () => new AbortController().signal;
const attempt = (over: SearchToTry = { prompt: 'harbour ferry' }, signal = unhurried()) =>
  trySearch(world.ctx, over, { signal });
const priced =
  (value: unknown, usd: string): StubAnswer =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-cost-usd': usd });
    response.end(JSON.stringify(value));
  };

test('a trial makes one call, shows the results with what is already stored of them, and saves only its own row', async () => {
  const { firstRunId } = await createSearch(world.ctx, {
    slug: 'earlier',
    operation: 'microblog',
    prompt: 'ferry',
    every: '15m',
  });
  stub.answers(json({ miner_tweets: [wirePost('1')] }));
  await executeRun(world.ctx, firstRunId);
  await rows('DELETE FROM strandline.call_days');
  stub.requests.length = 0;
  const before = await rows(
    'SELECT (SELECT count(*) FROM strandline.posts) AS posts, (SELECT count(*) FROM strandline.runs) AS runs, (SELECT count(*) FROM strandline.responses) AS answers',
  );

  stub.answers(priced({ miner_tweets: [wirePost('1'), wirePost('2', { like_count: null }), null] }, '0.004'));
  const trial = await attempt();
  expect(trial).toMatchObject({
    service: 'hosted',
    operation: 'microblog',
    cost_usd: 0.004,
    posts_found: 2,
    posts_known: 1,
    rejected: 1,
    items_seen: 3,
    links_found: 0,
    completion: null,
  });
  expect(trial.posts).toMatchObject([
    { external_id: '1', author_username: 'user_1', known: true, like_count: 1 },
    { external_id: '2', known: false, like_count: null, created_at: new Date('2026-11-21T11:00:00Z') },
  ]);
  expect(stub.requests).toMatchObject([{ body: { prompt: 'harbour ferry', model: 'NOVA' } }]);
  expect(await trials()).toMatchObject([
    {
      id: trial.id,
      state: 'received',
      code: null,
      http_status: 200,
      cost_usd: '0.004000',
      service: 'hosted',
    },
  ]);
  expect(await callsToday()).toBe(1);
  expect(
    await rows(
      'SELECT (SELECT count(*) FROM strandline.posts) AS posts, (SELECT count(*) FROM strandline.runs) AS runs, (SELECT count(*) FROM strandline.responses) AS answers',
    ),
  ).toEqual(before);
});

test('an AI search is tried with its tools, and shows its links and its completion', async () => {
  stub.answers(
    json({
      miner_tweets: [],
      search: [
        { title: 'Ferry strike', link: 'https://news.example/ferry?utm_source=x', snippet: 'No boats' },
      ],
      completion: { summary: 'Boats stand still.' },
    }),
  );
  const trial = await attempt({
    operation: 'ai',
    prompt: 'ferry',
    tools: ['web'],
    date_filter: 'PAST_WEEK',
    every: '1h',
  });
  expect(trial).toMatchObject({ operation: 'ai', links_found: 1, links_known: 0 });
  expect(trial.links).toMatchObject([{ site: 'news.example', title: 'Ferry strike', source: 'web' }]);
  expect(trial.completion).toMatchObject({ summary: 'Boats stand still.' });
  expect(stub.requests[0]?.body).toMatchObject({ date_filter: 'PAST_WEEK', tools: ['Web Search'] });
});

test('the row is committed before the request, and the daily limit is exact for concurrent trials', async () => {
  let seen: unknown;
  stub.answers(async (request, response) => {
    seen ??= (await trials()).map(({ state }) => state as unknown);
    await json({ miner_tweets: [] })(request, response);
  });
  await attempt();
  expect(seen).toEqual(['sent']);

  await rows('UPDATE strandline.call_days SET calls = 47');
  stub.requests.length = 0;
  const ends = await Promise.allSettled(Array.from({ length: 10 }, () => attempt()));
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect(stub.requests).toHaveLength(3);
  expect(await callsToday()).toBe(50);
  const refused = ends.find(({ status }) => status === 'rejected');
  expect(refused).toMatchObject({ reason: { code: 'budget_exceeded', budget: 'day' } });
});

test('all mistakes are reported at once, without a call', async () => {
  await expect(
    attempt({ operation: 'microblog', prompt: ' ', model: 'FAST', tools: ['web'], service: 'other' }),
  ).rejects.toMatchObject({ problems: [{ path: 'prompt' }, { path: 'model' }, { path: 'tools' }] });
  await expect(attempt({ prompt: 'ferry', service: 'other' })).rejects.toMatchObject({
    problems: [{ path: 'service' }],
  });
  await expect(attempt({ prompt: 'ferry', cron: '61 * * * *' })).rejects.toMatchObject({
    problems: [{ path: 'cron (minute)' }],
  });
  expect(stub.requests).toHaveLength(0);
  expect([await trials(), await callsToday()]).toEqual([[], 0]);
});

test('a failed call and an unreadable response are reported with their code and stay in the ledger', async () => {
  stub.answers(json({ detail: 'no balance' }, 402));
  await expect(attempt()).rejects.toMatchObject({ code: 'payment' });
  stub.answers(json({ something: 'else' }));
  await expect(attempt()).rejects.toBeInstanceOf(RunError);
  expect(await trials()).toMatchObject([
    { state: 'failed', code: 'payment', http_status: 402 },
    { state: 'received', code: 'schema_mismatch', http_status: 200 },
  ]);
  expect(await callsToday()).toBe(2);
});

test('a client that disconnects aborts the call, which counts with an unknown outcome', async () => {
  const gate = gated(json({ miner_tweets: [] }));
  const visitor = new AbortController();
  stub.answers((request, response) => {
    visitor.abort();
    return gate.answer(request, response);
  });
  await expect(attempt(undefined, visitor.signal)).rejects.toMatchObject({ code: 'unknown_outcome' });
  gate.open();
  expect(await trials()).toMatchObject([{ state: 'unknown', code: 'unknown_outcome' }]);
  expect(await callsToday()).toBe(1);
  await expect(attempt(undefined, visitor.signal)).rejects.toBeInstanceOf(RunError);
  expect(await trials(), 'who is gone before it calls nothing').toHaveLength(1);
});

test('a trial whose process died becomes unknown once no process can learn its outcome, and not before', async () => {
  const [service] = await rows(`SELECT id FROM strandline.services WHERE name = 'hosted'`);
  await openTrial(world.db, {
    serviceId: service.id,
    request: {
      operation: 'microblog',
      prompt: 'ferry',
      tools: [],
      model: 'NOVA',
      date_filter: null,
      streaming: false,
      extra: {},
    },
    callsPerDay: null,
    callsPerMinute: null,
    clock: world.clock,
    deadlineMs: 60_000,
  });
  await runRecurringWork(world.ctx, 'trials', new AbortController().signal);
  expect(await trials()).toMatchObject([{ state: 'sent' }]);
  world.clock.advance(61_000);
  await runRecurringWork(world.ctx, 'trials', new AbortController().signal);
  expect(await trials()).toMatchObject([{ state: 'unknown', code: 'unknown_outcome' }]);
});

test('a forgotten author is not shown', async () => {
  const [service] = await rows(`SELECT id FROM strandline.services WHERE name = 'hosted'`);
  await inTransaction(world.db, (tx) =>
    raiseTombstones(tx, [{ kind: 'author', serviceId: service.id, externalId: '9666' }], world.clock.now()),
  );
  stub.answers(json({ miner_tweets: [wirePost('666'), wirePost('667')] }));
  expect(await attempt()).toMatchObject({ posts_found: 1, posts: [{ external_id: '667' }] });
});

test('the recent cost per call is known by operation and model, and unknown if never reported', async () => {
  expect(await readCallCosts(world.db, 'hosted')).toEqual([]);
  for (const usd of ['0.001', '0.009', '0.002']) {
    stub.answers(priced({ miner_tweets: [] }, usd));
    await attempt();
  }
  expect(await readCallCosts(world.db, 'hosted')).toEqual([
    { operation: 'microblog', model: 'NOVA', calls: 3, median_usd: 0.002, most_usd: 0.009 },
  ]);
});
