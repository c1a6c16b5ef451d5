/**
 * A simulated past is what the monitor would have stored: drawn searches run slot by slot, with scan, lease, ledger, HTTP and save,
 * and the same searches with a simulated past, have the same facts, figures and discoveries, row for row.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { simulate } from '../../src/app/simulation.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { scan } from '../../src/monitor/schedule/scan.ts';
import { slotsBetween } from '../../src/monitor/schedule/cadence.ts';
import { computePhase } from '../../src/monitor/schedule/schedule.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { steppedClock } from '../../src/platform/clock.ts';
import { createKeyVerifier } from '../../src/service/key-gate.ts';
import { SANDBOX_PATH } from '../../src/service/ports.ts';
import { startService } from '../../src/service/service-server.ts';
import type { Database } from '../../src/store/db/database.ts';
import { readFacts } from '../store/fact-tables.ts';
import { makeWorld } from '../world.ts';

const FROM = new Date('2026-10-31T20:00:00Z');
const STEP_MS = 2 * HOUR;
const KEY = 'k$y-of-the-test';

const PROMPTS = ['night trains', 'museum theft', 'storm elke', 'dike repair', 'paper phone'] as const;
type Drawn = { prompt: (typeof PROMPTS)[number]; operation: 'microblog' | 'ai'; minutes: number };

const drawnSearches = fc.record({
  searches: fc
    .uniqueArray(
      fc.record<Drawn>({
        prompt: fc.constantFrom(...PROMPTS),
        operation: fc.constantFrom('microblog', 'microblog', 'ai'),
        minutes: fc.constantFrom(20, 30, 60, 100, 180),
      }),
      {
        minLength: 2,
        maxLength: 4,
        selector: ({ prompt, operation, minutes }) => `${prompt}${operation}${minutes}`,
      },
    )
    .map((list) =>
      list.map(({ prompt, operation, minutes }, i) => ({
        // Two searches of one topic find the same posts.
        slug: `s${i}`,
        topic: `t${i >> 1}`,
        operation,
        prompt,
        every: `${minutes}m`,
        seconds: minutes * 60,
      })),
    ),
  hours: fc.integer({ min: 3, max: 9 }),
});
type History = typeof drawnSearches extends fc.Arbitrary<infer T> ? T : never;

const newSearches = ({ searches }: History) =>
  searches.map(({ slug, topic, operation, prompt, every }) => ({
    slug,
    topic,
    operation,
    prompt,
    every,
    service: 'sandbox' as const,
  }));

/** Everything that is the same, with times, and without keys and what only measures. */
async function readAll(db: Database): Promise<Record<string, unknown>> {
  const { rows } = await db.pool.query<{ id: bigint; name: string }>(
    `SELECT r.id, s.slug || ' ' || r.trigger || ' ' || r.created_at AS name FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id`,
  );
  const read = async (sql: string) => (await db.pool.query(sql)).rows;
  const ofRun = 'JOIN strandline.runs r ON r.id = x.run_id JOIN strandline.searches s ON s.id = r.search_id';
  return {
    facts: await readFacts(db, new Map(rows.map(({ id, name }) => [id, name]))),
    runs: await read(
      `SELECT s.slug, r.version, r.request_version, r.slot_at, r.trigger, r.status, r.code, r.reason, r.not_before, r.offer_at, r.fence,
         r.leases, r.lease_until, r.created_at, r.started_at, r.ended_at, r.baseline, r.items_seen, r.items_new, r.rejected
       FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id ORDER BY s.slug, r.created_at, r.trigger`,
    ),
    calls: await read(
      `SELECT s.slug, x.n, x.fence, x.state, x.http_status, x.code, x.bytes, x.cost_usd, x.sent_at, x.received_at, x.refunded
       FROM strandline.calls x ${ofRun} ORDER BY s.slug, x.sent_at, r.trigger`,
    ),
    responses: await read(
      `SELECT s.slug, x.n, x.http_status, x.content_type, encode(x.sha256, 'hex') AS sha256, x.bytes, x.received_at, x.read_at
       FROM strandline.responses x ${ofRun} ORDER BY s.slug, x.received_at, r.trigger`,
    ),
    days: await read('SELECT day, calls FROM strandline.call_days ORDER BY day'),
    searches: await read(
      'SELECT slug, state, state_reason, state_since, next_due_at, created_at FROM strandline.searches ORDER BY slug',
    ),
    discoveries: await read(
      `SELECT s.slug, r.created_at AS run_at, x.at, x.baseline, x.late, x.kind, x.first_in_topic,
         coalesce(p.external_id, l.canonical, x.kind) AS thing
       FROM strandline.discoveries x JOIN strandline.searches s ON s.id = x.search_id LEFT JOIN strandline.runs r ON r.id = x.run_id
       LEFT JOIN strandline.posts p ON x.kind = 'post' AND p.id = x.thing
       LEFT JOIN strandline.links l ON x.kind = 'link' AND l.id = x.thing ORDER BY 1, 2, 3, 6, 8`,
    ),
    versions: await read(
      `SELECT p.external_id, x.observed_at, x.text FROM strandline.post_versions x JOIN strandline.posts p ON p.id = x.post_id ORDER BY 1, 2`,
    ),
    items: await read(
      `SELECT t.slug, x.key, x.reported FROM strandline.topic_items x JOIN strandline.topics t ON t.id = x.topic_id ORDER BY 1, 2`,
    ),
  };
}

/** Each slot at its time, as a worker runs it. */
async function runSlotBySlot(history: History): Promise<Record<string, unknown>> {
  const to = new Date(FROM.getTime() + history.hours * HOUR);
  const clock = steppedClock(FROM);
  const world = await makeWorld({ clock });
  const service = await startService({
    host: '127.0.0.1',
    port: 0,
    portAsked: true,
    clock,
    log: world.ctx.log,
    keys: createKeyVerifier({ rawKeys: [KEY], findKeyHashes: () => Promise.resolve([]), clock }),
  });
  const endpoint = { baseUrl: `${service.url}${SANDBOX_PATH}`, prefix: undefined, key: KEY };
  const ctx = { ...world.ctx, endpoint: () => Promise.resolve(endpoint) };
  try {
    for (const search of newSearches(history)) await createSearch(ctx, search);
    const slots = history.searches.flatMap(({ slug, seconds }) => [
      ...slotsBetween({ kind: 'every', seconds, phase: computePhase(slug, seconds) }, FROM, to),
    ]);
    const steps = Array.from({ length: Math.ceil((history.hours * HOUR) / STEP_MS) }, (_, i) =>
      Math.min(FROM.getTime() + (i + 1) * STEP_MS, to.getTime()),
    );
    const times = [...new Set([FROM.getTime(), ...slots, ...steps])].sort((a, b) => a - b);
    for (const at of times) {
      clock.set(new Date(at));
      if (at > FROM.getTime()) await scan(ctx);
      for (const { runId } of world.enqueued.splice(0)) await executeRun(ctx, runId);
      if (steps.includes(at)) await world.derive();
    }
    return await readAll(world.db);
  } finally {
    await service.close();
    await world.close();
  }
}

async function simulatePast(history: History): Promise<Record<string, unknown>> {
  const world = await makeWorld();
  try {
    const to = new Date(FROM.getTime() + history.hours * HOUR);
    await simulate(world.ctx, { from: FROM, to, stepMs: STEP_MS, searches: newSearches(history) });
    return await readAll(world.db);
  } finally {
    await world.close();
  }
}

test(
  'facts, figures and discoveries are those of runs slot by slot',
  async () => {
    let posts = 0;
    await fc.assert(
      fc.asyncProperty(drawnSearches, async (history) => {
        const [slotBySlot, past] = [await runSlotBySlot(history), await simulatePast(history)];
        expect(past).toEqual(slotBySlot);
        posts += (slotBySlot['discoveries'] as unknown[]).length; // rows of a statement
      }),
      { numRuns: 4 },
    );
    expect(posts).toBeGreaterThan(200);
  },
  10 * MINUTE,
);
