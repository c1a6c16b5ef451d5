/** A worker is scraped as Prometheus would, and its metrics match the database. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken, OPERATOR } from '../../src/monitor/access/manage-tokens.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { type Fleet, openFleet } from '../fleet.ts';
import { until } from '../processes.ts';
import { freePort } from '../redis.ts';
import { json, wirePost } from '../stub-service.ts';
import { startCommand, type WorkerCommand } from '../worker-command.ts';

let fleet: Fleet;
let worker: WorkerCommand;
let door: string;
/** Where the worker's own service asks for posts: it has none. */
const microblog = http.createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
});
beforeAll(async () => {
  fleet = await openFleet(null);
  await once(microblog.listen(0, '127.0.0.1'), 'listening');
  const { port: microblogPort } = microblog.address() as AddressInfo; // a TCP server's address is never a string
  const port = await freePort();
  door = `http://127.0.0.1:${port}`;
  worker = startCommand({
    DATABASE_URL: fleet.ctx.config.databaseUrl,
    SEARCH_API_URL: fleet.stub.url,
    SEARCH_API_KEY: 'key',
    SERVICE_SOURCES: 'mastodon',
    SERVICE_SOURCE_URLS: `mastodon=http://127.0.0.1:${microblogPort}`,
    RECONCILE_SECONDS: '1',
    METRICS_PORT: String(port),
  });
  await worker.says(/worker started/);
});
afterAll(async () => {
  worker.kill('SIGTERM');
  await worker.ended;
  microblog.close();
  await fleet.close();
});

test('a scraped worker reports metrics of the database and of itself, without user text', async () => {
  const { stub, rows } = fleet;
  const ctx = { ...fleet.ctx, ownSources: () => Promise.resolve('answering' as const) };
  stub.answers((request, response) => {
    const { prompt } = request.body;
    if (prompt === 'canary refused') return json({ detail: [] }, 422)(request, response);
    response.setHeader('x-desearch-cost-usd', '0.25');
    return json({ miner_tweets: [wirePost(`${String(prompt).length}1`), { text: 'no id' }] })(
      request,
      response,
    );
  });
  const add = (slug: string, prompt: string, service: 'hosted' | 'own') =>
    createSearch(ctx, { slug, operation: 'microblog', prompt, every: '1h', service });
  await add('canary-first', 'canary one', 'hosted');
  await add('canary-refused', 'canary refused', 'hosted');
  await add('canary-own', 'harbour canary', 'own');
  const openRuns = `SELECT count(*)::int AS n FROM strandline.runs WHERE status IN ('queued', 'running')`;
  await until('all runs end', async () => (await rows(openRuns))[0].n === 0);
  await rows(
    // It was due while it was there already: slots from before it are none.
    `UPDATE strandline.searches SET next_due_at = next_due_at - interval '1 hour', created_at = created_at - interval '1 day'
     WHERE slug = 'canary-first'`,
  );
  await until(
    'its slot is caught up with',
    async () =>
      (await rows(`SELECT 1 FROM strandline.runs WHERE trigger = 'schedule' AND status = 'succeeded'`))
        .length > 0,
  );

  // What the worker counts beside its runs, it counts in its next round.
  const told = await until('the round is counted', async () => {
    const text = await (await fetch(`${door}/metrics`)).text();
    // A run has ended before its job has, and is counted when it is derived.
    const quiet =
      text.includes('strandline_queue_jobs{state="active"} 0') &&
      text.includes('strandline_underived_readings 0');
    // On a busy machine, more than one scan is late.
    return quiet && /strandline_repairs_total\{kind="scan_taken_over"\} [1-9]/.test(text) && text;
  });
  expect(told).not.toContain('canary');
  // By the convention of Prometheus only counters end so.
  expect(told).not.toMatch(/^# TYPE \w+_total gauge$/m);
  const samples = new Map(
    told
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
  const ofMetric = (name: string) =>
    Object.fromEntries([...samples].filter(([key]) => key === name || key.startsWith(`${name}{`)));
  const expected = async (sql: string) => Object.fromEntries((await rows(sql)).map(({ key, n }) => [key, n]));

  expect(ofMetric('strandline_runs_total')).toEqual(
    await expected(`SELECT format('strandline_runs_total{service="%s",status="%s",code="%s"}', v.kind, r.status, coalesce(r.code, '')) AS key,
      count(*)::int AS n FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
      JOIN strandline.services v ON v.id = s.service_id GROUP BY 1`),
  );
  expect(Object.keys(ofMetric('strandline_runs_total'))).toHaveLength(3);
  expect(ofMetric('strandline_calls_total')).toEqual(
    await expected(`SELECT format('strandline_calls_total{service="%s",purpose="run",state="%s",code="%s"}', v.kind, c.state, coalesce(c.code, '')) AS key,
      count(*)::int AS n FROM strandline.calls c JOIN strandline.services v ON v.id = c.service_id GROUP BY 1`),
  );
  expect(ofMetric('strandline_discoveries_total')).toEqual(
    await expected(`SELECT format('strandline_discoveries_total{kind="%s",baseline="%s",service="%s"}', d.kind, baseline::text, v.kind) AS key,
      count(*)::int AS n FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
      JOIN strandline.services v ON v.id = s.service_id GROUP BY 1`),
  );
  expect(ofMetric('strandline_rejects_total')).toEqual(
    await expected(`SELECT format('strandline_rejects_total{code="%s",service="hosted"}', code) AS key, count(*)::int AS n
      FROM strandline.rejects GROUP BY 1`),
  );
  const [sums] = await rows(`SELECT
      (SELECT sum(items_seen)::int FROM strandline.runs) AS items,
      (SELECT count(*)::int FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id JOIN strandline.services v ON v.id = s.service_id
       WHERE status = 'succeeded' AND v.kind = 'hosted') AS saves,
      (SELECT count(*)::int FROM strandline.runs WHERE slot_at IS NOT NULL AND started_at IS NOT NULL) AS slots,
      (SELECT sum(extract(epoch FROM started_at - slot_at))::float8 FROM strandline.runs WHERE slot_at IS NOT NULL) AS late,
      (SELECT sum(cost_usd)::float8 FROM strandline.calls) AS cost`);
  expect(sums).toMatchObject({ saves: 2, slots: 1, cost: 0.5 });
  expect(samples.get('strandline_items_seen_total{service="hosted"}')).toBe(sums.items);
  expect(samples.get('strandline_save_duration_seconds_count{service="hosted"}')).toBe(sums.saves);
  expect(samples.get('strandline_run_lateness_seconds_count{service="hosted"}')).toBe(sums.slots);
  expect(samples.get('strandline_run_lateness_seconds_sum{service="hosted"}')).toBeCloseTo(sums.late, 2);
  expect(samples.get('strandline_call_cost_usd_total{service="hosted"}')).toBeCloseTo(sums.cost, 6);
  expect(Object.fromEntries(samples)).toMatchObject({
    strandline_workers: 1,
    strandline_worker_takes_runs: 1,
    strandline_queue_up: 1,
    'strandline_queue_jobs{state="active"}': 0,
    strandline_searches_overdue: 0,
    'strandline_runs_open{status="queued"}': 0,
    // Its own service, which it asks over HTTP as any other.
    'strandline_service_requests_total{operation="microblog",mount="live",status="200"}': 1,
    'strandline_service_request_duration_seconds_count{operation="microblog",mount="live"}': 1,
  });
  expect(samples.get('strandline_clock_skew_seconds')).toBeLessThan(2);
  expect(await (await fetch(`${door}/readyz`)).json()).toEqual({ ready: true });
});

test('METRICS_HOST opens metrics to others: only with a token, and only on a numeric address', async () => {
  const port = String(await freePort());
  const env = { DATABASE_URL: fleet.ctx.config.databaseUrl, METRICS_HOST: '0.0.0.0', METRICS_PORT: port };
  const early = startCommand(env);
  expect((await early.ended).code).toBe(1);
  expect(early.told.join('\n')).toMatch(
    /0\.0\.0\.0 is reachable from other machines.*strandline token create/,
  );

  const { key } = await createToken(fleet.ctx, { name: 'prometheus', scopes: ['read'] }, OPERATOR);
  const open = startCommand(env);
  await open.says(/worker started/);
  try {
    const other = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal);
    const at = other?.address ?? '127.0.0.1';
    const authorization = `Bearer ${key}`;
    expect(await statusOf(at, port, { authorization })).toBe(200);
    expect(await statusOf(at, port, {})).toBe(401);
    expect(await statusOf(at, port, { authorization, host: `worker:${port}` })).toBe(421);
  } finally {
    open.kill('SIGTERM');
    await open.ended;
  }
});

/** Of a request for the metrics as Prometheus makes it. */
function statusOf(host: string, port: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = http.request({ host, port, path: '/metrics', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject).end();
  });
}
