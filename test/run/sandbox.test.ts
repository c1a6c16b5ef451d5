import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOOLS } from '../../src/model/enumerations.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { accessServices, type ServiceAccess } from '../../src/app/service-access.ts';
import { createSearch, type NewSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import type { ActingContext } from '../../src/monitor/context.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
let services: ServiceAccess;
let ctx: ActingContext;
beforeAll(async () => {
  world = await makeWorld();
  const { config, clock, log } = world.ctx;
  services = accessServices({
    config,
    clock,
    log,
    open: false,
    db: world.db,
  });
  ctx = { ...world.ctx, endpoint: services.endpoint };
});
afterAll(async () => {
  await services.close();
  await world.close();
});

const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;
const PROMPT = 'harbour festival';

async function firstLook(search: NewSearch) {
  const { firstRunId, search: saved } = await createSearch(ctx, {
    service: 'sandbox',
    prompt: PROMPT,
    every: '15m',
    ...search,
  });
  return { saved, report: await executeRun(ctx, firstRunId) };
}

test('a minute later the sandbox has grown: known posts have new counters, new posts are new once', async () => {
  const { report } = await firstLook({ slug: 'posts', operation: 'microblog' });
  expect(report).toMatchObject({ status: 'succeeded', posts: 40, rejected: 0, diff: { baseline: true } });
  world.clock.advance(10 * 60_000);
  const { runId } = await insertManualRun(ctx, 'posts');
  const second = await executeRun(ctx, runId);
  if (second?.status !== 'succeeded') throw new Error('the second look failed');
  expect(second.diff.baseline).toBe(false);
  expect(second.diff.newPosts.length).toBeGreaterThan(0);
  expect(second.diff.newPosts.length).toBeLessThan(40);
  const [{ grown }] = await rows(
    `SELECT count(*)::int AS grown FROM (SELECT post_id FROM strandline.post_snapshots GROUP BY 1 HAVING count(*) > 1) g`,
  );
  expect(grown).toBeGreaterThan(5);
});

test('an AI search over all tools returns the same with or without streaming, and cites only what was returned', async () => {
  const plain = await firstLook({ slug: 'plain', operation: 'ai', tools: TOOLS });
  const streamed = await firstLook({ slug: 'streamed', operation: 'ai', tools: TOOLS, streaming: true });
  const found = (slug: string) =>
    rows(
      `SELECT l.canonical, g.source FROM strandline.link_sightings g JOIN strandline.links l ON l.id = g.link_id
       JOIN strandline.searches s ON s.id = g.search_id WHERE s.slug = $1 ORDER BY 1`,
      [slug],
    );
  expect(plain.report).toMatchObject({ status: 'succeeded', rejected: 0 });
  expect(streamed.report).toMatchObject({ status: 'succeeded', rejected: 0 });
  expect((await found('plain')).length).toBeGreaterThan(10);
  expect(await found('streamed')).toEqual(await found('plain'));
  const completions = await rows(
    `SELECT s.slug, c.summary, c.microblog_summary, c.completion_links <@ c.search_completion_links AS returned, cardinality(c.completion_links) > 0 AS cites
     FROM strandline.completions c JOIN strandline.searches s ON s.id = c.search_id ORDER BY 1`,
  );
  expect(completions).toMatchObject([
    { slug: 'plain', returned: true, cites: true },
    { slug: 'streamed', returned: true, cites: true },
  ]);
  expect(completions[0].summary).toBe(completions[1].summary);
});
