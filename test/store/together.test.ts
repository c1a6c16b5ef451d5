/** Steps of runs requested at the same time: one statement does what one after the other would do. */
import * as fc from 'fast-check';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { type Database, type Id, openDatabase } from '../../src/store/db/database.ts';
import { openCall } from '../../src/store/runs/ledger.ts';
import { loadNewestResponse, storeResponse } from '../../src/store/runs/responses.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { makeWorld } from '../world.ts';

const world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
/** A process with one connection. */
const connectOnce = () => openDatabase(world.database.url, { log: createLogger('silent'), max: 1 });
const db = connectOnce();
afterAll(async () => {
  await db.close();
  await world.close();
});

const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;

beforeEach(async () => {
  world.clock.advance(3 * 86_400_000);
  await rows('DELETE FROM strandline.call_days');
  await rows('DELETE FROM strandline.call_minutes');
});

/** Queued runs, each of a search of its own, of some services. */
async function queuedRuns(services: number, ofEach: number): Promise<{ runId: Id; serviceId: Id }[][]> {
  const made = await rows(
    `WITH topic AS (INSERT INTO strandline.topics (slug, name, created_at) SELECT s, s, $3 FROM (SELECT gen_random_uuid()::text AS s) g RETURNING id),
     sv AS (
       INSERT INTO strandline.services (name, kind, address, dialect, created_at)
       SELECT gen_random_uuid()::text, 'hosted', 'http://x', 'named', $3 FROM generate_series(1, $1::int) RETURNING id
     ), searches AS (
       INSERT INTO strandline.searches (topic_id, service_id, slug, operation, version, labels, state, state_since, next_due_at, created_at)
       SELECT topic.id, sv.id, gen_random_uuid()::text, 'microblog', 1, '{}', 'active', $3, $3::timestamptz + interval '1 day', $3
       FROM topic, sv, generate_series(1, $2::int) RETURNING id, service_id
     ), versions AS (
       INSERT INTO strandline.search_versions (search_id, version, request_version, prompt, tools, model, cron, tz, created_at)
       SELECT id, 1, 1, 'p', '{}', 'NOVA', '* * * * *', 'UTC', $3 FROM searches
     ), runs AS (
       INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, created_at)
       SELECT id, 1, 1, 'manual', 'queued', $3 FROM searches RETURNING id, search_id
     )
     SELECT runs.id AS run_id, service_id FROM runs JOIN searches ON searches.id = search_id ORDER BY service_id, runs.id`,
    [services, ofEach, world.clock.now()],
  );
  const runs = made.map(({ run_id, service_id }) => ({ runId: run_id as Id, serviceId: service_id as Id })); // bigint columns
  return Array.from({ length: services }, (_, i) => runs.slice(i * ofEach, (i + 1) * ofEach));
}

const lease = (runId: Id, on: Database = db) =>
  leaseRun(on, { runId, worker: 'w', leaseMs: 600_000, now: world.clock.now() });

const limit = fc.option(fc.integer({ min: 1, max: 6 }), { nil: null });

test('calls opened together equal calls opened one by one, for any services, limits and capacity', async () => {
  const call = fc.record({
    run: fc.nat({ max: 5 }),
    service: fc.nat({ max: 1 }),
    fence: fc.constantFrom(1, 1, 1, 1, 2),
    most: fc.constantFrom(3, 3, 3, 0),
  });
  const drawn = fc.record({
    perDay: fc.option(fc.integer({ min: 0, max: 6 }), { nil: null }),
    perMinute: limit,
    before: fc.array(fc.nat({ max: 90_000 }), { maxLength: 4 }),
    calls: fc.uniqueArray(call, {
      selector: ({ run, service }) => `${run}/${service}`,
      minLength: 2,
      maxLength: 10,
    }),
  });
  await fc.assert(
    fc.asyncProperty(drawn, async ({ perDay, perMinute, before, calls }) => {
      const play = async (together: boolean) => {
        const services = await queuedRuns(2, 7);
        await Promise.all(services.flat().map(({ runId }) => lease(runId)));
        const limits = { callsPerDay: perDay, callsPerMinute: perMinute, clock: world.clock };
        const now = world.clock.now();
        // The last run of each service called before, at other times.
        for (const ago of before.toSorted((a, b) => b - a)) {
          world.clock.set(new Date(now.getTime() - ago));
          for (const runs of services) {
            const run = runs[6];
            if (run) await openCall(world.db, { ...run, fence: 1, maxCallsPerRun: 9, ...limits });
          }
        }
        world.clock.set(now);
        const asked = calls
          .toSorted((a, b) => a.run - b.run)
          .flatMap(({ run, service, fence, most }) => {
            const found = services[service]?.[run];
            return found === undefined ? [] : [{ ...found, fence, maxCallsPerRun: most, ...limits }];
          });
        const answers = [];
        if (together) answers.push(...(await Promise.all(asked.map((one) => openCall(db, one)))));
        else for (const one of asked) answers.push(await openCall(db, one));
        const ids = services.flatMap(([first]) => first?.serviceId ?? []);
        const counted = async (sql: string) => (await rows(sql, [ids])).map((row) => Object.values(row));
        return {
          answers,
          ledger: await counted(
            `SELECT c.run_id - (SELECT min(r.id) FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
               WHERE s.service_id = c.service_id) AS run, n, fence, state, sent_at FROM strandline.calls c
             WHERE service_id = ANY ($1) ORDER BY c.service_id, run, n`,
          ),
          days: await counted(
            `SELECT calls FROM strandline.call_days WHERE service_id = ANY ($1) AND calls > 0 ORDER BY service_id, day`,
          ),
          minutes: await counted(
            'SELECT sent_at FROM strandline.call_minutes WHERE service_id = ANY ($1) ORDER BY service_id',
          ),
        };
      };
      const [one, many] = [await play(false), await play(true)];
      expect(many).toEqual(one);
    }),
    { numRuns: 60, seed: 20_261_122 },
  );
});

test('runs leased together are each leased under their own conditions, and a run requested twice once', async () => {
  const [runs = []] = await queuedRuns(1, 6);
  const [due, later, held, ended, twice, tired] = runs.map(({ runId }) => runId);
  if (due === undefined || later === undefined || held === undefined || ended === undefined)
    throw new Error('six runs');
  if (twice === undefined || tired === undefined) throw new Error('six runs');
  await rows('UPDATE strandline.runs SET not_before = $2 WHERE id = $1', [
    later,
    new Date(world.clock.now().getTime() + 1),
  ]);
  await lease(held, world.db);
  await rows(`UPDATE strandline.runs SET status = 'cancelled', ended_at = created_at WHERE id = $1`, [ended]);
  await rows('UPDATE strandline.runs SET leases = 2 WHERE id = $1', [tired]);
  // The first is alone, and the others come while it is served.
  const leased = await Promise.all(
    [due, twice, tired, ended, twice, held, later].map((runId) => lease(runId)),
  );
  expect(leased.map((run) => run && [run.id, run.fence, run.calls_made])).toEqual([
    [due, 1, 0],
    [twice, 1, 0],
    null,
    null,
    null,
    null,
    null,
  ]);
});

test('of two runs of one search leased together one is leased, and so are all others', async () => {
  const [runs = []] = await queuedRuns(1, 4);
  const ids = runs.map(({ runId }) => runId);
  const [first] = await rows(
    `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, created_at)
     SELECT search_id, 1, 1, 'manual', 'queued', created_at FROM strandline.runs WHERE id = $1 RETURNING id`,
    [ids[2]],
  );
  const leased = await Promise.all([...ids, first.id].map((runId) => lease(runId)));
  expect(leased.filter((run) => run !== null)).toHaveLength(4);
  expect(leased.slice(0, 2).map((run) => run?.id)).toEqual(ids.slice(0, 2));
  expect(leased[3]?.id).toBe(ids[3]);
});

test('responses stored together are stored as received, including large ones next to a rejected one', async () => {
  const [runs = []] = await queuedRuns(1, 6);
  const clock = world.clock;
  await Promise.all(runs.map(({ runId }) => lease(runId)));
  const call = { fence: 1, maxCallsPerRun: 1, callsPerDay: null, callsPerMinute: null, clock };
  await Promise.all(runs.map((run) => openCall(db, { ...run, ...call })));
  const random = (bytes: number) =>
    Buffer.from(Array.from({ length: bytes }, (_, i) => (i * 7919 + (i >> 3)) % 256));
  const bodies = [
    Buffer.alloc(0),
    random(10),
    random(1_000),
    random(1_500_000),
    Buffer.from('ü€😀'),
    random(300_000),
  ];
  const store = (runId: Id, body: Buffer, latencyMs = 3) =>
    storeResponse(db, {
      runId,
      response: { n: 1, httpStatus: 200, contentType: 'application/json', body, receivedAt: clock.now() },
      latencyMs,
      costUsd: 0.25,
    });
  const stored = await Promise.allSettled([
    ...runs.map(({ runId }, i) => store(runId, bodies[i] ?? Buffer.alloc(0))),
    store(-1n, Buffer.from('of no run')),
  ]);
  expect(stored.map(({ status }) => status)).toEqual([...bodies.map(() => 'fulfilled'), 'rejected']);
  for (const [i, { runId }] of runs.entries())
    expect(
      (await loadNewestResponse(db, runId))?.body.equals(bodies[i] ?? Buffer.alloc(0)),
      `body ${i}`,
    ).toBe(true);
  expect(
    await rows(
      'SELECT DISTINCT state, bytes > 0 AS full, latency_ms, cost_usd FROM strandline.calls WHERE run_id = ANY ($1) ORDER BY 2',
      [runs.map(({ runId }) => runId)],
    ),
  ).toEqual([
    { state: 'received', full: false, latency_ms: 3, cost_usd: '0.250000' },
    { state: 'received', full: true, latency_ms: 3, cost_usd: '0.250000' },
  ]);
});

test('plans of these statements are made once, for any number of rows', async () => {
  const own = connectOnce();
  const [runs = []] = await queuedRuns(1, 80);
  const call = { fence: 1, maxCallsPerRun: 1, callsPerDay: 2_000, callsPerMinute: null, clock: world.clock };
  const body = Buffer.from('{}');
  for (let from = 0; from < runs.length; from += 4) {
    const some = runs.slice(from, from + 4);
    await Promise.all(some.map(({ runId }) => lease(runId, own)));
    await Promise.all(some.map((run) => openCall(own, { ...run, ...call })));
    const response = { n: 1, httpStatus: 200, contentType: null, body, receivedAt: world.clock.now() };
    await Promise.all(
      some.map(({ runId }) => storeResponse(own, { runId, response, latencyMs: 1, costUsd: null })),
    );
  }
  const { rows: plans } = await own.pool.query<{ name: string; generic: number; custom: number }>(
    `SELECT name, generic_plans::int AS generic, custom_plans::int AS custom FROM pg_prepared_statements
     WHERE name IN ('lease_run', 'open_call', 'store_response') ORDER BY name`,
  );
  await own.close();
  expect(plans.map(({ name }) => name)).toEqual(['lease_run', 'open_call', 'store_response']);
  for (const { name, generic, custom } of plans) {
    expect(custom, `plans of ${name} for given values`).toBeLessThanOrEqual(5); // Postgres compares with these
    expect(generic, `executions of ${name} by a kept plan`).toBeGreaterThan(5);
  }
});
