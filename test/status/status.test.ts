/** How a search is doing, by the history of its runs, on a real database: the rule is in the view `search_status`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { judgeTopic, readSearchStatuses } from '../../src/monitor/status/search-status.ts';
import { nameTopicStatus } from '../../src/monitor/status/status-names.ts';
import { editSearch } from '../../src/monitor/topics/save-search.ts';
import { changeSearch, changeTopic } from '../../src/monitor/topics/search-state.ts';
import type { RunCode } from '../../src/model/errors.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { failRun, insertRun } from '../../src/store/runs/run-states.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { at, newSearch, run } from '../store/live.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

/** Minutes between two steps, which is the interval of searches here. */
const STEP = 15;

/** A number: results of a successful run. `partial`: none, and its tool did not respond. A code: a run that failed. */
type Step = number | 'partial' | RunCode | 'pause' | 'resume' | 'edit' | 'edit schedule' | 'skip';

const times = (n: number, ...steps: Step[]): Step[] => Array.from({ length: n }, () => steps).flat();

let made = 0;
/** Plays a history, a step each quarter of an hour from noon on. Nothing is derived from its runs. */
async function play(steps: readonly Step[], every = '15m'): Promise<Search> {
  made += 1;
  const search = await newSearch(world, `search-${made}`, { every });
  for (const [i, step] of steps.entries()) {
    world.clock.set(at(i * STEP));
    await take(search, step, i * STEP);
  }
  world.clock.set(at((steps.length - 1) * STEP + 1));
  return search;
}

async function take(search: Search, step: Step, minutes: number): Promise<void> {
  const { ctx, db } = world;
  if (typeof step === 'number' || step === 'partial') {
    const posts = Array.from({ length: step === 'partial' ? 0 : step }, (_, i) => ({ id: `${i + 1}` }));
    await run(world, search, minutes, posts, null);
    if (step === 'partial')
      await db.pool.query(
        `UPDATE strandline.run_tools SET responded = false, reason = 'tool_unanswered', items = NULL
         WHERE run_id = (SELECT max(id) FROM strandline.runs WHERE search_id = $1)`,
        [search.id],
      );
  } else if (step === 'pause' || step === 'resume') await changeSearch(ctx, search.slug, step);
  else if (step === 'edit') await editSearch(ctx, search.slug, { prompt: `prompt at ${minutes}` });
  else if (step === 'edit schedule') await editSearch(ctx, search.slug, { every: '20m' });
  else if (step === 'skip')
    await db.pool.query(
      `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, reason, slot_at, created_at, ended_at)
       VALUES ($1, 1, 1, 'schedule', 'skipped', 'overlap', $2, $2, $2)`,
      [search.id, at(minutes)],
    );
  else {
    const runId = await insertRun(db.pool, { searchId: search.id, trigger: 'manual', now: at(minutes) });
    const leased = await leaseRun(db, { runId, worker: 'test', leaseMs: 30_000, now: at(minutes) });
    if (leased === null) throw new Error('not leased');
    await failRun(db, {
      runId,
      fence: leased.fence,
      code: step,
      reason: null,
      rejects: null,
      tools: [],
      unreadable: null,
      now: at(minutes),
    });
  }
}

async function statusOf(search: Pick<Search, 'id'>) {
  const [status] = await readSearchStatuses(world.ctx, [search.id]);
  if (status === undefined) throw new Error('no status');
  return status;
}

/** `since`: the index of the step with which the status began; null for none. */
test.each<[name: string, steps: Step[], status: string, since: number | null]>([
  ['a success', [12], 'ok', null],
  ['a first run that failed', ['timeout_body'], 'failing', 0],
  ['failures since the last success', [12, 'upstream_5xx', 'conn_reset'], 'failing', 1],
  ['a failure, a slot that was skipped', [12, 'upstream_5xx', 'skip'], 'failing', 1],
  ['failures with a success between them', ['bad_json', 12, 'bad_json', 'bad_json'], 'failing', 2],
  ['a recovery', [12, 'upstream_5xx', 'upstream_5xx', 12], 'ok', null],
  ['a recovery that returns nothing, and nothing was usual', ['upstream_5xx', 0], 'ok', null],
  ['a pause while it fails', [12, 'upstream_5xx', 'pause'], 'paused', 2],
  ['resumed, and not run since', [12, 'upstream_5xx', 'pause', 'resume'], 'failing', 1],
  ['an edit does not mend a failure', [12, 'invalid_request', 'edit'], 'failing', 1],
  ['the first empty run after three full ones', [...times(3, 12), 0], 'nothing_coming', 3],
  ['several', [...times(3, 12), 0, 0, 0], 'nothing_coming', 3],
  ['a recovery from nothing', [...times(3, 12), 0, 0, 12], 'ok', null],
  ['a single result ends it', [...times(3, 12), 0, 1], 'ok', null],
  ['two runs say too little of what is usual', [12, 12, 0], 'ok', null],
  ['nothing from the beginning', times(5, 0), 'ok', null],
  ['usually nine', [...times(6, 9), 0], 'ok', null],
  ['usually ten', [...times(6, 10), 0], 'nothing_coming', 6],
  ['one exceptional run is not what is usual', [2, 40, 3, 0], 'ok', null],
  ['one poor run is not what is usual', [12, 2, 14, 0], 'nothing_coming', 3],
  ['usually nothing, sometimes many', [...times(4, 0, 0, 30), 0, 0, 0, 0], 'ok', null],
  ['empty once before: one empty run is nothing new', [...times(3, 12), 0, 12, 12, 0], 'ok', null],
  ['empty once before: two are', [...times(3, 12), 0, 12, 12, 0, 0], 'nothing_coming', 6],
  ['empty for three runs at night', [...times(2, 12, 12, 12, 12, 0, 0, 0), 12, 12, 0, 0, 0], 'ok', null],
  ['and once for four', [...times(2, 12, 12, 12, 12, 0, 0, 0), 12, 12, 0, 0, 0, 0], 'nothing_coming', 16],
  ['a failure after nothing', [...times(3, 12), 0, 'upstream_5xx'], 'failing', 4],
  ['nothing after an outage', [...times(3, 12), ...times(8, 'upstream_5xx'), 0], 'nothing_coming', 11],
  ['the tool did not respond', [...times(3, 12), 'partial'], 'ok', null],
  ['nothing, then the tool did not respond', [...times(3, 12), 0, 'partial'], 'nothing_coming', 3],
  ['the tool did not respond, then nothing', [...times(3, 12), 'partial', 0], 'nothing_coming', 4],
  [
    'outages of the tool before are not empty runs',
    [12, 12, 'partial', 'partial', 12, 0],
    'nothing_coming',
    5,
  ],
  ['another request has no usual yet', [...times(3, 12), 'edit', 0, 0], 'ok', null],
  ['another request, and its own usual', [...times(3, 2), 'edit', ...times(3, 12), 0], 'nothing_coming', 7],
  ['another schedule is the same request', [...times(3, 12), 'edit schedule', 0], 'nothing_coming', 4],
  ['paused while nothing comes', [...times(3, 12), 0, 'pause'], 'paused', 4],
  ['resumed, and not run since', [...times(3, 12), 0, 'pause', 'resume'], 'nothing_coming', 3],
  ['a pause is no reason', [...times(3, 12), 'pause', 'resume', 0], 'nothing_coming', 5],
  ['full runs older than the last fifty', [...times(3, 12), ...times(50, 0)], 'ok', null],
])('%s', async (_name, steps, status, since) => {
  const search = await play(steps);
  const expected = { status, since: since === null ? null : at(since * STEP) };
  expect(await statusOf(search)).toMatchObject(expected);
  await world.derive();
  expect(await statusOf(search), 'once all is derived').toMatchObject(expected);
});

test('a search waits for its first run, and is silent after three intervals without one', async () => {
  const search = await newSearch(world, 'never-run', { every: '15m' });
  expect(await statusOf(search)).toMatchObject({
    status: 'waiting',
    since: world.clock.now(),
    last_run_at: null,
  });
  world.clock.advance(HOUR);
  expect(await statusOf(search)).toMatchObject({
    status: 'silent',
    since: search.created_at,
    reason: 'no successful run for three intervals; no run has ended yet',
  });
});

test.each<[name: string, every: string, minutes: number]>([
  ['an interval', '15m', 45],
  ['an adaptive interval: three of the longest', 'auto 30m-6h', 18 * 60],
])('without a run for three of %s, a search is silent, unless it fails', async (_name, every, minutes) => {
  const grace = Math.max(...Object.values(world.ctx.config.callTimeoutMs)) / MINUTE;
  const search = await play([12], every);
  world.clock.set(at(minutes + grace));
  expect(await statusOf(search)).toMatchObject({ status: 'ok' });
  world.clock.set(at(minutes + grace + 1));
  expect(await statusOf(search)).toMatchObject({ status: 'silent', since: at(0) });
  await take(search, 'upstream_5xx', minutes + grace + 1);
  expect(await statusOf(search)).toMatchObject({
    status: 'failing',
    since: at(minutes + grace + 1),
    reason: 'the service returned an error (upstream_5xx)',
  });
});

test('the words: how many runs returned nothing, what is usual, and what to do', async () => {
  const one = await statusOf(await play([20, 60, 61, 0]));
  expect(one.reason).toBe('the last run returned 0 results, where 60 are usual');
  const three = await statusOf(await play([20, 60, 61, 0, 0, 0]));
  expect(three).toMatchObject({
    reason: 'the last 3 runs returned 0 results, where 60 are usual',
    advice: 'Check its query, and whether the service still finds anything.',
  });
});

test('a topic is as well as the worst of its searches, and paused only if all are', async () => {
  const slugs = ['all-well', 'all-empty', 'all-fail'] as const;
  const searches = await Promise.all(slugs.map((slug) => newSearch(world, slug, { topic: 'all' })));
  const [well, empty, fails] = searches as [Search, Search, Search];
  const judge = async () =>
    judgeTopic(
      await readSearchStatuses(
        world.ctx,
        searches.map(({ id }) => id),
      ),
    );
  const named = async () => {
    const topic = await judge();
    return [nameTopicStatus(topic, String), topic.since, topic.last_run_at];
  };
  world.clock.set(at(-100 * 24 * 60 + 1));
  expect(await named()).toEqual(['3 of 3 searches waiting for its first run', expect.anything(), null]);
  for (const [i, search] of [well, empty, fails].entries()) await take(search, 12, i);
  world.clock.set(at(10));
  expect(await named()).toEqual(['OK', null, at(2)]);
  await take(empty, 12, 11);
  await take(empty, 12, 12);
  await take(empty, 0, 13);
  expect(await named()).toEqual(['1 of 3 searches nothing coming', at(13), at(13)]);
  await take(fails, 'upstream_5xx', 14);
  expect(await named()).toEqual(['1 of 3 searches failing', at(14), at(14)]);
  await take(well, 'conn_reset', 15);
  expect(await judge()).toMatchObject({
    since: at(14),
    reason: 'the service returned an error (upstream_5xx)',
    searches: [{ search: 'all-fail' }, { search: 'all-well' }],
  });
  await changeSearch(world.ctx, 'all-fail', 'pause');
  await changeSearch(world.ctx, 'all-well', 'pause');
  await take(empty, 12, 16);
  expect(await named()).toEqual(['OK, 2 of 3 searches paused', null, at(16)]);
  await changeTopic(world.ctx, 'all', 'pause');
  expect(await named()).toEqual(['3 of 3 searches paused', expect.anything(), at(16)]);
  await changeTopic(world.ctx, 'all', 'remove');
  expect((await judge()).status).toBe('removed');
});
