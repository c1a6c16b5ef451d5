import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { watchTopic } from '../../src/monitor/topics/save-topic.ts';
import { nextSlots } from '../../src/monitor/schedule/cadence.ts';
import { computePhase } from '../../src/monitor/schedule/schedule.ts';
import { simulate } from '../../src/app/simulation.ts';
import { ensureService } from '../../src/store/services/services.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;
const inOrder = (times: number[]) => times.toSorted((a, b) => a - b);
const FROM = new Date('2026-09-01T00:00:00Z');
const TO = new Date(FROM.getTime() + 6 * HOUR);

test('six hours are simulated slot by slot, with simulated times only', async () => {
  const ended: Date[] = [];
  const done = await simulate(world.ctx, {
    from: FROM,
    to: TO,
    searches: [
      { slug: 'trains', operation: 'microblog', prompt: 'night trains', every: '20m' },
      { slug: 'tide', operation: 'ai', prompt: 'tidal power', every: '1h' },
    ],
    onRun: (at) => {
      ended.push(at);
    },
  });
  const slots = [
    ...nextSlots({ kind: 'every', seconds: 1_200, phase: computePhase('trains', 1_200) }, FROM, 18),
    ...nextSlots({ kind: 'every', seconds: 3_600, phase: computePhase('tide', 3_600) }, FROM, 6),
  ];
  // The first look of each search, and each slot at its own time.
  expect(done).toEqual({ runs: 26 });
  expect(inOrder(ended.map(Number))).toEqual(inOrder([Number(FROM), Number(FROM), ...slots]));
  const runs = await rows(`SELECT slot_at, ended_at, status FROM strandline.runs WHERE trigger = 'schedule'`);
  expect(inOrder(runs.map((run) => Number(run.slot_at)))).toEqual(inOrder(slots));
  for (const run of runs) expect(run).toMatchObject({ status: 'succeeded', ended_at: run.slot_at });

  const [times] = await rows(
    `SELECT min(p.created_at) AS oldest, max(p.created_at) AS newest, max(s.first_seen_at) AS seen
     FROM strandline.posts p JOIN strandline.post_sightings s ON s.post_id = p.id`,
  );
  expect(Number(times.oldest)).toBeGreaterThan(Number(FROM) - 31 * DAY);
  expect(Number(times.newest)).toBeLessThanOrEqual(Number(TO));
  expect(Number(times.seen)).toBeLessThanOrEqual(Number(TO));
  const [{ later }] = await rows(
    `SELECT count(*)::int AS later FROM strandline.discoveries WHERE NOT baseline AND kind = 'post'`,
  );
  expect(later).toBeGreaterThan(50);
});

test('existing searches are left alone, and nothing is enqueued', async () => {
  world.clock.set(FROM);
  await watchTopic(world.ctx, { text: 'quiet cheese', service: 'sandbox' });
  const told = world.enqueued.length;
  const days: Date[] = [];
  const done = await simulate(world.ctx, {
    from: TO,
    to: new Date(TO.getTime() + HOUR),
    prepare: async (ctx) => {
      const { created } = await watchTopic(ctx, { text: 'seed bank', service: 'sandbox', postsEvery: '30m' });
      return created.map(({ search }) => search.slug);
    },
    onDay: (at) => {
      days.push(at);
    },
  });
  expect(done.runs).toBe(2 + 2 + 1);
  expect(days).toEqual([new Date(TO.getTime() + HOUR)]);
  expect(world.enqueued).toHaveLength(told);
  const lived = await rows(
    `SELECT DISTINCT s.slug FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
     WHERE r.started_at >= $1 AND r.started_at <= $2 AND r.slot_at IS NOT NULL ORDER BY 1`,
    [new Date(TO.getTime() + MINUTE), new Date(TO.getTime() + HOUR)],
  );
  expect(lived.map(({ slug }) => slug)).toEqual(['seed-bank-ai', 'seed-bank-posts']);
});

test('refuses a search of another service before anything is simulated', async () => {
  const { id } = await ensureService(world.db, {
    name: 'hosted',
    kind: 'hosted',
    address: 'http://127.0.0.1:9',
    dialect: 'named',
    now: FROM,
  });
  const before = await rows('SELECT count(*)::int AS n FROM strandline.responses');
  await expect(
    simulate(world.ctx, {
      from: FROM,
      to: TO,
      prepare: async (ctx) => {
        const { created } = await watchTopic(ctx, { text: 'somebody pays' });
        const slugs = created.map(({ search }) => search.slug);
        await rows('UPDATE strandline.searches SET service_id = $1 WHERE slug = ANY ($2)', [id, slugs]);
        return slugs;
      },
    }),
  ).rejects.toThrow('is no search of the sandbox');
  expect(await rows('SELECT count(*)::int AS n FROM strandline.responses')).toEqual(before);
});

test('workers leave searches alone while their past is simulated, and go on afterwards', async () => {
  const slug = 'held';
  let scans = 0;
  await simulate(world.ctx, {
    from: FROM,
    to: TO,
    searches: [{ slug, operation: 'microblog', prompt: 'paper phone', every: '1h' }],
    onRun: async () => {
      world.clock.set(TO);
      await world.scan();
      scans += 1;
      expect(
        await rows('SELECT state, next_due_at FROM strandline.searches WHERE slug = $1', [slug]),
      ).toEqual([{ state: 'paused', next_due_at: null }]);
    },
  });
  expect(scans).toBe(7);
  const [search] = await rows(
    'SELECT state, state_reason, next_due_at FROM strandline.searches WHERE slug = $1',
    [slug],
  );
  expect(search).toMatchObject({ state: 'active', state_reason: null });
  expect(Number(search.next_due_at)).toBeGreaterThan(Number(TO));
  expect(Number(search.next_due_at)).toBeLessThanOrEqual(Number(TO) + HOUR);
});
