/** The sample of the first start gets a finished fortnight, by the code of the demo, in a process of its own. */
import { afterEach, describe, expect, test } from 'vitest';
import { fillSamplePast, SAMPLE } from '../../src/app/fill-sample.ts';
import { startSamplePast } from '../../src/app/sample-past.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { findPastDigest } from '../../src/monitor/digests/stored-digests.ts';
import { createSampleTopic, SAMPLE_PAST } from '../../src/monitor/topics/save-topic.ts';
import { insertFact } from '../../src/store/db/facts.ts';
import { SAMPLE_TOPIC } from '../../src/service/sandbox/simulated-topic.ts';
import { until } from '../processes.ts';
import { makeWorld, type World } from '../world.ts';

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function makeSandbox() {
  const world = await makeWorld({ kind: 'sandbox' });
  worlds.push(world);
  const rows = async (sql: string, values: unknown[] = []) =>
    (await world.db.pool.query<Record<string, unknown>>(sql, values)).rows;
  const isPending = async () =>
    (await rows('SELECT FROM strandline.facts WHERE name = $1', [SAMPLE_PAST])).length === 1;
  return { world, rows, isPending };
}
type Sandbox = Awaited<ReturnType<typeof makeSandbox>>;

/** What a person sees of it. */
async function readFortnight({ rows }: Sandbox) {
  const [counts] = await rows(
    `SELECT (SELECT count(*)::int FROM strandline.topics WHERE sample AND starts_with(slug, $1)) AS topics,
       (SELECT count(*)::int FROM strandline.searches WHERE state = 'active') AS active,
       (SELECT count(*)::int FROM strandline.runs WHERE status <> 'succeeded') AS unfinished,
       (SELECT count(*)::int FROM strandline.pending_derivations) AS underived,
       (SELECT count(*)::int FROM strandline_analytics.spikes WHERE measure = 'posts') AS spikes,
       (SELECT count(*)::int FROM strandline_analytics.completions WHERE changed) AS changed,
       (SELECT count(*)::int FROM strandline.digests) AS digests,
       (SELECT count(*)::int FROM strandline.deliveries) AS deliveries`,
    [SAMPLE],
  );
  return counts;
}
const FORTNIGHT = {
  topics: 2,
  active: 3,
  unfinished: 0,
  underived: 0,
  changed: expect.any(Number),
  spikes: expect.any(Number),
  digests: 1,
  deliveries: 0,
};

describe('the past of the sample', () => {
  // Right after a midnight, and at the end of a month and year.
  test.each(['2027-03-01T00:10:00Z', '2027-12-31T23:59:00Z'])(
    'until %s has two spikes, an answer that changed, and a digest that nobody was sent',
    async (end) => {
      const sandbox = await makeSandbox();
      const { world, rows, isPending } = sandbox;
      const to = new Date(end);
      await insertFact(world.db.pool, SAMPLE_PAST, 'pending', to);
      await fillSamplePast(world.ctx, to);

      const fortnight = await readFortnight(sandbox);
      expect(fortnight).toEqual(FORTNIGHT);
      expect(fortnight?.['spikes']).toBeGreaterThanOrEqual(2);
      expect(fortnight?.['changed']).toBeGreaterThan(5);
      expect(await isPending()).toBe(false);
      expect(world.enqueued).toEqual([]);

      // It reaches from two weeks before to now without a gap, and the next slots follow it.
      const [times] = await rows(
        `SELECT min(started_at) AS first, max(ended_at) AS last, max(gap) AS gap FROM (
           SELECT started_at, ended_at, started_at - lag(started_at) OVER (PARTITION BY search_id ORDER BY started_at) AS gap
           FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id WHERE s.operation = 'microblog') r`,
      );
      expect(times?.['first']).toEqual(new Date(to.getTime() - 14 * DAY));
      expect(Number(times?.['last'])).toBeGreaterThan(to.getTime() - 3 * HOUR);
      expect(Number(times?.['last'])).toBeLessThanOrEqual(to.getTime());
      expect(times?.['gap']).toMatchObject({ hours: 3 });
      for (const { slug, next_due_at } of await rows('SELECT slug, next_due_at FROM strandline.searches'))
        expect(Number(next_due_at) - to.getTime(), String(slug)).toBeGreaterThan(0);
      const { digest, state, reason, due_at } = await findPastDigest(world.db, 1n);
      expect({ state, reason, due_at }).toEqual({
        state: 'kept',
        reason: 'no channel was active',
        due_at: new Date(to.getTime() - (to.getTime() % DAY)),
      });
      expect(digest).toMatchObject({ simulated: true, until: due_at.toISOString() });
      expect(digest.attention.some(({ kind }) => kind === 'spike')).toBe(true);
      expect(digest.answers.some(({ changed }) => changed)).toBe(true);
      expect(JSON.stringify(digest)).not.toContain('paused');
    },
    4 * MINUTE,
  );

  test(
    'that was interrupted is made again, and once',
    async () => {
      const sandbox = await makeSandbox();
      const { world, rows, isPending } = sandbox;
      expect(await createSampleTopic(world.ctx, SAMPLE_TOPIC)).not.toBeNull();
      expect(await isPending()).toBe(true);
      const program = { ctx: world.ctx, databaseUrl: world.database.url };
      const runs = () => rows(`SELECT FROM strandline.runs WHERE status = 'succeeded'`);

      const first = startSamplePast(program);
      await until('it is in the middle', async () => (await runs()).length > 20);
      await first.close();
      expect(await isPending()).toBe(true);
      expect((await readFortnight(sandbox))?.['active']).toBe(2);

      const second = startSamplePast(program);
      await second.ended;
      expect(await isPending()).toBe(false);
      const own = `starts_with((SELECT slug FROM strandline.searches WHERE id = search_id), '${SAMPLE}')`;
      expect(
        await rows(`SELECT trigger, count(*)::int FROM strandline.runs WHERE ${own} GROUP BY 1 ORDER BY 1`),
      ).toEqual([
        { trigger: 'first', count: 3 },
        { trigger: 'schedule', count: 2 * 14 * 8 + 14 },
      ]);
      // The live searches of the sample are the other two; nobody runs their first runs here.
      expect(await readFortnight(sandbox)).toEqual({ ...FORTNIGHT, active: 5, unfinished: 2 });
      const before = (await runs()).length;

      // Once made, and in a directory of before, nothing is added.
      const third = startSamplePast(program);
      await third.ended;
      expect(await runs()).toHaveLength(before);
    },
    5 * MINUTE,
  );
});
