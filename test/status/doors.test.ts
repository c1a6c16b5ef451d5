/** Pages, commands, the API, SQL and metrics show the same status, for drawn histories of runs over HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../src/app/http-server.ts';
import { WEB } from '../../src/app/web-server.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { readTopicStatuses } from '../../src/monitor/status/search-status.ts';
import { nameTopicStatus, STATUS_NAMES } from '../../src/monitor/status/status-names.ts';
import type { ActingContext } from '../../src/monitor/context.ts';
import type { App } from '../../src/monitor/http/route-types.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { changeSearch } from '../../src/monitor/topics/search-state.ts';
import { SEARCH_STATUSES, type SearchStatusName } from '../../src/model/closed-lists.ts';
import { makeStand, type Stand } from '../cli/stand.ts';
import { json, type StubAnswer, wirePost } from '../stub-service.ts';
import { textOf } from '../web/pages/person.ts';

let stand: Stand;
let app: App;
beforeAll(async () => {
  stand = await makeStand();
  app = await buildHttpServer(stand.home, WEB);
});
afterAll(async () => {
  await app.close();
  await stand.close();
});

const posts = (n: number): StubAnswer =>
  json({ miner_tweets: Array.from({ length: n }, (_, i) => wirePost(`${i + 1}`)) });

/** What the service does in one slot, and what a person does. Weights make each status frequent. */
const STEPS: Readonly<Record<string, StubAnswer | 'pause' | 'resume' | 'wait'>> = {
  full: posts(12),
  more: posts(15),
  again: posts(12),
  empty: posts(0),
  error: json({ error: 'overloaded' }, 503),
  few: posts(2),
  unreadable: (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{');
  },
  html: (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<p>');
  },
  key: json({ error: 'no' }, 401),
  pause: 'pause',
  resume: 'resume',
  wait: 'wait',
};

/** A small generator with a seed, so that a failure is repeated. */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function play(slug: string, step: StubAnswer | 'pause' | 'resume' | 'wait'): Promise<void> {
  const { world, stub } = stand;
  world.clock.advance(15 * MINUTE);
  if (step === 'wait') world.clock.advance(2 * 60 * MINUTE);
  else if (step === 'pause' || step === 'resume') await changeSearch(world.ctx, slug, step);
  else {
    stub.answers(step);
    const { runId } = await insertManualRun(world.ctx, slug);
    // Until it has ended: some failures are tried again.
    for (let report = await executeRun(world.ctx, runId); report?.status === 'retry'; ) {
      world.clock.advance(report.notBefore.getTime() - world.clock.now().getTime());
      report = await executeRun(world.ctx, runId);
    }
  }
}

/** The status of each search, from every door. */
async function readDoors(slugs: readonly string[]) {
  const { world } = stand;
  const api = (await app.inject({ url: '/api/v1/searches' })).json<{
    items: {
      slug: string;
      status: SearchStatusName;
      status_since: string | null;
      last_run_at: string | null;
    }[];
  }>().items;
  const command = await stand.json<{ slug: string; status: SearchStatusName }[]>('search', 'list');
  const { rows } = await world.db.pool.query<{ search: string; status: SearchStatusName }>(
    'SELECT search, status FROM strandline_analytics.search_status',
  );
  const metrics = (await app.inject({ url: '/metrics' })).body;
  const status = await stand.json<{ search_statuses: Record<string, number> }>('status');
  const pages = new Map<string, string>();
  for (const slug of slugs) pages.set(slug, (await app.inject({ url: `/searches/${slug}` })).body);
  return { api, command, rows, metrics, status, pages };
}

/** @returns the statuses that all doors show, by search */
async function compareDoors(
  topicSlug: string,
  slugs: readonly string[],
): Promise<Map<string, SearchStatusName>> {
  const { world } = stand;
  const { api, command, rows, metrics, status, pages } = await readDoors(slugs);
  const topics = await readTopicStatuses(world.ctx);
  const counts = new Map<string, number>();
  for (const { slug, status: said } of api) {
    counts.set(said, (counts.get(said) ?? 0) + 1);
    expect(command.find((one) => one.slug === slug)?.status, slug).toBe(said);
    // SQL knows no schedules: a silent search is what its runs say.
    const inSql = rows.find((one) => one.search === slug)?.status;
    if (said === 'silent') expect(['ok', 'waiting', 'nothing_coming']).toContain(inSql);
    else expect(inSql, slug).toBe(said);
    const page = pages.get(slug);
    if (page === undefined) continue;
    const line = /<div class="status-line".*?<\/div>/s.exec(page)?.[0] ?? '';
    expect(line, slug).toContain(`<span class="badge is-${said}"`);
    expect(textOf(line)).toContain(STATUS_NAMES[said]);
    expect(page.includes('Run again'), slug).toBe(said === 'failing');
    // What failed does not look well: neither word nor color of health is beside it.
    if (said !== 'ok') expect(page).not.toMatch(/class="badge is-(?:ok|active)"/);
  }
  for (const [name, n] of counts) {
    expect(metrics).toContain(`strandline_searches_by_status{status="${name}"} ${n}`);
    expect(status.search_statuses[name]).toBe(n);
  }
  const topic = topics.get(topicSlug);
  if (topic === undefined) throw new Error('no topic');
  const name = nameTopicStatus(topic, String);
  const page = (await app.inject({ url: `/topics/${topicSlug}` })).body;
  expect(textOf(/<div class="status-line".*?<\/div>/s.exec(page)?.[0] ?? '')).toContain(name);
  expect(textOf((await app.inject({ url: '/' })).body)).toContain(name);
  expect((await stand.run(['topic', 'list'])).stdout).toContain(name);
  expect((await stand.run(['topic', 'show', topicSlug])).stdout).toContain(name);
  expect((await app.inject({ url: `/api/v1/topics/${topicSlug}` })).json()).toMatchObject({
    status: topic.status,
    status_since: topic.since?.toISOString() ?? null,
    status_searches: topic.searches.length,
  });
  return new Map(api.map(({ slug, status: said }) => [slug, said]));
}

test.each([1, 2, 3, 4])('every door shows the same status: histories %i', async (seed) => {
  const { world } = stand;
  const draw = draws(seed * 7_919);
  const slugs = [0, 1].map((n) => `drawn-${seed}-${n}`);
  for (const slug of slugs)
    await createSearch(world.ctx, {
      slug,
      topic: `drawn-${seed}`,
      operation: 'microblog',
      prompt: slug,
      every: '15m',
    });
  const steps = Object.values(STEPS);
  for (let i = 0; i < 14; i += 1)
    for (const slug of slugs) {
      // Three full responses first in half of the histories, so that something is usual.
      const step = i < 3 && seed % 2 === 0 ? STEPS['full'] : steps[draw(steps.length)];
      if (step !== undefined) await play(slug, step);
    }
  if (draw(2) === 0) await world.derive();

  await compareDoors(`drawn-${seed}`, slugs);
});

/** How a search comes into each status: steps as above, or what else happens. `every`: its interval, beside which others pass time. */
const WAYS: Readonly<
  Record<
    SearchStatusName,
    { steps?: readonly string[]; every?: string; after?: (slug: string) => Promise<unknown> }
  >
> = {
  silent: { steps: ['full', 'wait'], every: '15m' },
  broken: { steps: ['key'] },
  failing: { steps: ['full', 'error'] },
  nothing_coming: { steps: ['full', 'full', 'full', 'empty'] },
  waiting_for_source: { after: waitForSource },
  capped: { after: exceedDay },
  waiting: {},
  ok: { steps: ['full'] },
  paused: { steps: ['full', 'pause'] },
  removed: { steps: ['full'], after: (slug) => changeSearch(stand.world.ctx, slug, 'remove') },
};

/** Public sources are configured, and none is reachable. */
function withoutNetwork(): ActingContext {
  return { ...stand.world.ctx, ownSources: () => Promise.resolve('unreachable') };
}

async function waitForSource(slug: string): Promise<void> {
  const { runId } = await insertManualRun(stand.world.ctx, slug);
  expect(await executeRun(withoutNetwork(), runId)).toMatchObject({ status: 'retry', isWaiting: true });
}

async function exceedDay(slug: string): Promise<void> {
  const { ctx } = stand.world;
  const { runId } = await insertManualRun(ctx, slug);
  const spent = { ...ctx, config: { ...ctx.config, callsPerDay: 0 } };
  await executeRun(spent, runId);
}

test('every status is reached, and each door shows it', async () => {
  const { world } = stand;
  for (const status of SEARCH_STATUSES) {
    const { steps = [], every = '1d', after } = WAYS[status];
    const slug = `is-${status.replaceAll('_', '-')}`;
    await createSearch(withoutNetwork(), {
      slug,
      topic: 'all-statuses',
      operation: 'microblog',
      prompt: slug,
      every,
      ...(status === 'waiting_for_source' ? { service: 'own' } : {}),
    });
    for (const step of steps) await play(slug, STEPS[step] ?? 'wait');
    await after?.(slug);
  }
  const slugs = SEARCH_STATUSES.filter((status) => status !== 'removed');
  const shown = await compareDoors(
    'all-statuses',
    slugs.map((status) => `is-${status.replaceAll('_', '-')}`),
  );
  for (const status of slugs) expect(shown.get(`is-${status.replaceAll('_', '-')}`)).toBe(status);
  // A removed search is in no list; by its name, it says so.
  expect(shown.has('is-removed')).toBe(false);
  expect((await app.inject({ url: '/api/v1/searches/is-removed' })).json()).toMatchObject({
    status: 'removed',
  });
  expect((await app.inject({ url: '/searches/is-removed' })).body).not.toContain('class="status-line"');
  const { rows } = await world.db.pool.query(
    `SELECT status FROM strandline_analytics.search_status WHERE search = 'is-removed'`,
  );
  expect(rows).toEqual([{ status: 'removed' }]);
  const failing = await app.inject({ url: '/api/v1/searches/is-failing' });
  expect(failing.json()).toMatchObject({
    status_reason: 'the service returned an error (upstream_5xx, HTTP 503)',
  });
});
