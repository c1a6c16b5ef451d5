import { CANCEL_REASONS, REJECT_CODES, RUN_CODE_NAMES, SKIP_REASONS } from '../../../src/model/errors.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../../src/monitor/topics/run-now.ts';
import { addCounts, foldCounts } from '../../../src/store/derive/counts.ts';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { changeSearch } from '../../../src/monitor/topics/search-state.ts';
import { heartbeatOf, storeUnread } from '../../status/unread.ts';
import { json, type StubService, startStub, wirePost } from '../../stub-service.ts';
import { openStand, type Stand } from './stand.ts';

let stub: StubService;
let stand: Stand;
beforeAll(async () => {
  stub = await startStub();
  stand = await openStand({ hosted: stub.url });
});
afterAll(async () => {
  await stand.close();
  await stub.close();
});

type App = Awaited<ReturnType<Stand['serve']>>;

/** A server that listens at a port of its own. */
async function listening(): Promise<App> {
  const app = await stand.serve();
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

async function ask(app: App, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.listeningOrigin}${path}`, { headers });
  return { statusCode: response.status, body: await response.text() };
}

async function scrape(app: App, token?: string): Promise<Map<string, number>> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { statusCode, body } = await ask(app, '/metrics', headers);
  expect(statusCode, body).toBe(200);
  const samples = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  );
}

test('two scrapes around runs differ by what the runs did, the same in every process', async () => {
  const [app, other] = [await listening(), await listening()];
  stub.answers(json({ miner_tweets: [wirePost('1790000000000000001'), { text: 'no id' }] }));
  const { firstRunId } = await createSearch(stand.world.ctx, {
    slug: 'secret-ferry',
    operation: 'microblog',
    prompt: 'what nobody should know',
    every: '15m',
  });
  await executeRun(stand.world.ctx, firstRunId);
  await stand.world.derive();
  const before = await scrape(app);
  stub.answers(json({ miner_tweets: [wirePost('1790000000000000001'), wirePost('1790000000000000002')] }));
  await executeRun(stand.world.ctx, (await insertManualRun(stand.world.ctx, 'secret-ferry')).runId);
  stub.answers(json({}, 401));
  await executeRun(stand.world.ctx, (await insertManualRun(stand.world.ctx, 'secret-ferry')).runId);
  await stand.world.derive();
  await foldCounts(stand.world.db);
  const after = await scrape(app);
  const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  expect(grown('strandline_runs_total{service="hosted",status="succeeded",code=""}')).toBe(1);
  expect(grown('strandline_runs_total{service="hosted",status="failed",code="auth"}')).toBe(1);
  expect(grown('strandline_calls_total{service="hosted",purpose="run",state="received",code=""}')).toBe(1);
  expect(grown('strandline_discoveries_total{kind="post",baseline="false",service="hosted"}')).toBe(1);
  expect(grown('strandline_save_duration_seconds_count{service="hosted"}')).toBe(1);
  expect(grown('strandline_save_duration_seconds_bucket{service="hosted",le="+Inf"}')).toBe(1);
  expect(grown('strandline_http_requests_total{method="GET",route="/metrics",status="200"}')).toBe(1);
  expect(before.get('strandline_rejects_total{code="no_id",service="hosted"}')).toBe(1);
  expect(after.get('strandline_searches{state="broken"}')).toBe(1);
  expect(after.get('strandline_queue_up')).toBe(1);
  // Requests are a process's own, and an age grows between two scrapes.
  const shared = (samples: Map<string, number>) =>
    [...samples].filter(([name]) => /^strandline_(?!http_|\w+_age_)/.test(name));
  const others = shared(await scrape(other));
  expect(others.length).toBeGreaterThan(20);
  expect(others).toEqual(shared(after));
});

test('exports silent searches, unparsed responses and the age of the last scan', async () => {
  const { ctx, db, clock } = stand.world;
  const app = await listening();
  const { search } = await createSearch(ctx, {
    slug: 'silent-ferry',
    operation: 'microblog',
    prompt: 'p',
    every: '15m',
  });
  // Runs of other tests may have left some that the worker of a real installation would have read.
  await db.pool.query('UPDATE strandline.responses SET read_at = received_at WHERE read_at IS NULL');
  const before = await scrape(app);
  expect(before.get('strandline_searches_silent')).toBe(0);
  expect(before.get('strandline_unread_responses')).toBe(0);
  expect(before.get('strandline_unread_response_age_seconds')).toBe(0);

  clock.advance(2 * HOUR);
  const runId = await storeUnread(db, search.id, new Date(clock.now().getTime() - 10 * MINUTE));
  await heartbeatOf(stand.world, { name: 'with-a-spool', spooled: 2 });
  await db.pool.query(`UPDATE strandline.scanner SET scanned_at = clock_timestamp() - interval '90 s'`);
  const after = await scrape(app);
  expect(after.get('strandline_searches_silent')).toBe(1);
  expect(after.get('strandline_searches_by_status{status="failing"}')).toBe(1);
  expect(after.get('strandline_searches_by_status{status="silent"}')).toBe(0);
  expect(after.get('strandline_unread_responses')).toBe(3);
  expect(after.get('strandline_unread_response_age_seconds')).toBe(600);
  expect(after.get('strandline_scan_age_seconds')).toBeGreaterThanOrEqual(90);

  await db.pool.query('UPDATE strandline.responses SET read_at = received_at WHERE run_id = $1', [runId]);
  await db.pool.query(`DELETE FROM strandline.workers WHERE name = 'with-a-spool'`);
  expect((await scrape(app)).get('strandline_unread_responses')).toBe(0);
  await changeSearch(ctx, 'silent-ferry', 'remove');
});

test('labels contain no user data: their values are from closed lists, and others become other', async () => {
  const app = await listening();
  await ask(app, '/api/v1/search/12345?limit=7');
  await ask(app, '/nowhere/secret-ferry');
  await addCounts(stand.world.db, [{ name: 'runs', labels: ['hosted', 'cancelled', 'secret words'], n: 1 }]);
  await addCounts(stand.world.db, [{ name: 'run_tools', labels: ['A secret tool', 'silent'], n: 1 }]);
  const codes = [...RUN_CODE_NAMES, ...SKIP_REASONS, ...CANCEL_REASONS];
  await addCounts(stand.world.db, [
    ...codes.map((code) => ({ name: 'runs' as const, labels: ['own', 'failed', code], n: 1 })),
    ...REJECT_CODES.map((code) => ({ name: 'rejects' as const, labels: [code], n: 1 })),
  ]);
  const names = [...(await scrape(app)).keys()].filter((name) => name.startsWith('strandline_'));
  const text = names.join('\n');
  for (const code of codes) expect(text).toContain(`service="own",status="failed",code="${code}"`);
  for (const code of REJECT_CODES)
    expect(text).toContain(`strandline_rejects_total{code="${code}",service=""}`);
  expect(text).not.toMatch(/secret|12345|nobody should/);
  expect(text).toContain('code="other"');
  expect(text).toContain('strandline_run_tools_total{tool="other",outcome="silent",service=""}');
  const allowed: Record<string, RegExp> = {
    service: /^(?:sandbox|own|hosted|)$/,
    data: /^(?:real|simulated|)$/,
    status:
      /^(?:succeeded|failed|skipped|cancelled|queued|running|ok|waiting|failing|silent|nothing_coming|waiting_for_source|paused|broken|capped|\d{3})$/,
    state: /^[a-z]+$/,
    code: /^[a-z0-9_]*$/,
    tool: /^(?:[A-Z][a-z]+ )+Search$|^other$/,
    outcome: /^(?:responded|silent|unknown)$/,
    kind: /^(?:post|link|completion|spike|lease_extended|clock_went_back|scan_taken_over|ticked|revived|calledBack|reminded|takenUp|scheduled|unscheduled|expired|dropped)$/,
    baseline: /^(?:true|false)$/,
    purpose: /^(?:run|trial)$/,
    le: /^(?:[\d.]+|\+Inf)$/,
    method: /^[A-Z]+$/,
    door: /^(?:api|page|none)$/,
    route: /^(?:none|[\w/:.*-]+)$/,
  };
  const routes = new Set(['none', ...app.routeTable.map(({ url }) => url)]);
  for (const name of names)
    for (const [, label = '', value = ''] of name.matchAll(/(\w+)="([^"]*)"/g)) {
      expect(value, name).toMatch(allowed[label] ?? /^$/);
      if (label === 'route') expect(routes).toContain(value);
    }
});

test('once a token exists, a scrape requires one with read scope, never in the query', async () => {
  const app = await listening();
  const token = await stand.token('read');
  for (const url of ['/metrics', `/metrics?token=${token}`]) {
    const { statusCode, body } = await ask(app, url);
    expect(statusCode).toBe(401);
    expect(body).not.toContain('strandline_runs');
  }
  expect((await scrape(app, token)).get('strandline_workers')).toBe(0);
});
