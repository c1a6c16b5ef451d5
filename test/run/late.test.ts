/** Responses that were unparsed when their run ended: whenever they arrive, their items are saved. */
import { beforeEach, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { parseLateResponses } from '../../src/monitor/runs/late-and-replay.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import type { Id } from '../../src/store/db/database.ts';
import {
  listLateRuns,
  mustRunAlone,
  storeResponse,
  takeLateResponse,
} from '../../src/store/runs/responses.ts';
import { catchUpWithStories } from '../../src/store/stories/follow-stories.ts';
import { readFeedAfter } from '../../src/store/alerts/reportable-discoveries.ts';
import { readPastEntries } from '../../src/store/alerts/past-entries.ts';
import { json, wirePost } from '../stub-service.ts';
import { stubbedWorld } from '../stubbed-world.ts';
import { START } from '../world.ts';

const { stub, world, rows } = await stubbedWorld();
const { ctx, clock } = world;

const at = (minutes: number) => new Date(Date.parse(START) + minutes * MINUTE);
const holding = (...ids: string[]) => ({ miner_tweets: ids.map((id) => wirePost(id)) });

let slug = '';
let searches = 0;
beforeEach(() => {
  searches += 1;
  slug = `late-${searches}`;
});

/** The first run of a new search, left as it is queued. */
async function newRun(): Promise<Id> {
  clock.set(at(0));
  const { firstRunId } = await createSearch(ctx, {
    slug,
    operation: 'microblog',
    prompt: slug,
    every: '15m',
  });
  return firstRunId;
}

async function execute(runId: Id, minutes: number, answer: unknown): Promise<Id> {
  clock.set(at(minutes));
  stub.answers(json(answer));
  await executeRun(ctx, runId);
  return runId;
}

/** One more run that succeeds. */
const succeeds = async (minutes: number, ...ids: string[]) =>
  execute((await insertManualRun(ctx, slug)).runId, minutes, holding(...ids));

/** A run that failed without a response, because its call could not be made. */
async function fails(runId: Id, minutes: number): Promise<Id> {
  clock.set(at(minutes));
  await executeRun({ ...ctx, config: { ...ctx.config, maxCallsPerRun: 0 } }, runId);
  return runId;
}

/** A response of a run arrives in the database after its end. */
async function arrives(runId: Id, n: number, minutes: number, body: unknown): Promise<void> {
  await rows(
    `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at)
     SELECT r.id, $2, s.service_id, r.fence, 'unknown', $3 FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
     WHERE r.id = $1`,
    [runId, n, at(minutes)],
  );
  const response = {
    n,
    httpStatus: 200,
    contentType: 'application/json',
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    receivedAt: at(minutes),
  };
  await storeResponse(world.db, { runId, response, latencyMs: 1, costUsd: null });
}

async function readLate(runId: Id, minutes: number): Promise<void> {
  clock.set(at(minutes));
  await parseLateResponses(ctx, runId);
}

const runOf = async (runId: Id) =>
  (
    await rows(
      'SELECT status, code, items_seen, items_new, rejected, baseline FROM strandline.runs WHERE id = $1',
      [runId],
    )
  )[0];
const resultOf = async (runId: Id) =>
  (
    await rows(
      `SELECT p.external_id FROM strandline.run_results rr, unnest(rr.post_ids) WITH ORDINALITY u(id, ord)
       JOIN strandline.posts p ON p.id = u.id WHERE rr.run_id = $1 ORDER BY u.ord`,
      [runId],
    )
  ).map((row) => row.external_id);
const sightings = () =>
  rows(
    `SELECT p.external_id AS id, (extract(epoch FROM g.first_seen_at - $2) / 60)::int AS minute, g.first_run_id AS run
     FROM strandline.post_sightings g JOIN strandline.posts p ON p.id = g.post_id
     JOIN strandline.searches s ON s.id = g.search_id WHERE s.slug = $1 ORDER BY 1`,
    [slug, at(0)],
  );
const discoveries = () =>
  rows(
    `SELECT p.external_id AS id, d.baseline, d.late, (extract(epoch FROM d.at - $2) / 60)::int AS minute
     FROM strandline.discoveries d JOIN strandline.posts p ON p.id = d.thing AND d.kind = 'post'
     JOIN strandline.searches s ON s.id = d.search_id WHERE s.slug = $1 ORDER BY d.id`,
    [slug, at(0)],
  );
const unread = async (runId: Id) =>
  (
    await rows('SELECT n FROM strandline.responses WHERE run_id = $1 AND read_at IS NULL ORDER BY n', [runId])
  ).map(({ n }) => n);

test('after a succeeded run, an older late response adds its own items, first seen when it arrived', async () => {
  await execute(await newRun(), 1, holding('a0'));
  const runId = await succeeds(10, 'a1', 'a2');
  await arrives(runId, 2, 8, holding('a2', 'a3'));
  await readLate(runId, 20);
  expect(await runOf(runId)).toMatchObject({
    status: 'succeeded',
    items_seen: 2,
    items_new: 3,
    baseline: false,
  });
  expect(await resultOf(runId), 'the result is that of the newest response').toEqual(['a1', 'a2']);
  expect(await sightings()).toMatchObject([
    { id: 'a0', minute: 1 },
    { id: 'a1', minute: 10 },
    { id: 'a2', minute: 8 },
    { id: 'a3', minute: 8 },
  ]);
  expect((await discoveries()).at(-1)).toEqual({ id: 'a3', baseline: false, late: true, minute: 20 });
  expect(await unread(runId)).toEqual([]);
});

test('after a succeeded run, a newer late response becomes its result', async () => {
  await execute(await newRun(), 1, holding('b0'));
  const runId = await succeeds(10, 'b1', 'b2');
  await arrives(runId, 2, 12, { miner_tweets: [wirePost('b2'), wirePost('b3'), null] });
  await readLate(runId, 20);
  expect(await runOf(runId)).toMatchObject({ status: 'succeeded', items_seen: 3, items_new: 3, rejected: 1 });
  expect(await resultOf(runId)).toEqual(['b2', 'b3']);
  expect(await sightings()).toMatchObject([
    { id: 'b0', minute: 1 },
    { id: 'b1', minute: 10 },
    { id: 'b2', minute: 10 },
    { id: 'b3', minute: 12 },
  ]);
  expect((await discoveries()).at(-1), 'nothing newer was reported').toMatchObject({ id: 'b3', late: false });
});

test('a failed run succeeds with its late response if no later run succeeded', async () => {
  await execute(await newRun(), 1, holding('c0'));
  const { runId } = await insertManualRun(ctx, slug);
  await fails(runId, 10);
  await arrives(runId, 1, 9, holding('c1'));
  await readLate(runId, 20);
  expect(await runOf(runId)).toMatchObject({ status: 'succeeded', code: null, items_seen: 1, items_new: 1 });
  expect(await resultOf(runId)).toEqual(['c1']);
  expect(await discoveries()).toMatchObject([{ baseline: true }, { id: 'c1', baseline: false, late: false }]);
});

test('a failed run stays failed if a later one succeeded; the items of its response are stored', async () => {
  await execute(await newRun(), 1, holding('d0'));
  const { runId } = await insertManualRun(ctx, slug);
  await fails(runId, 10);
  const later = await succeeds(12, 'd1');
  await arrives(runId, 1, 9, holding('d1', 'd2'));
  await readLate(runId, 20);
  expect(await runOf(runId)).toMatchObject({ status: 'failed', code: 'budget_exceeded', baseline: false });
  expect(await sightings()).toEqual([
    expect.objectContaining({ id: 'd0' }),
    { id: 'd1', minute: 9, run: runId },
    { id: 'd2', minute: 9, run: runId },
  ]);
  expect((await discoveries()).at(-1)).toMatchObject({ id: 'd2', late: true });
  expect(await resultOf(later)).toEqual(['d1']);
});

test('a cancelled run stays cancelled; the items of its response are stored', async () => {
  await execute(await newRun(), 1, holding('e0'));
  const { runId } = await insertManualRun(ctx, slug);
  await rows(
    `UPDATE strandline.runs SET status = 'cancelled', reason = 'paused', ended_at = $2, offer_at = NULL WHERE id = $1`,
    [runId, at(5)],
  );
  await arrives(runId, 1, 4, holding('e1'));
  await readLate(runId, 20);
  expect(await runOf(runId)).toMatchObject({ status: 'cancelled', baseline: false });
  expect(await sightings()).toMatchObject([{ id: 'e0' }, { id: 'e1', minute: 4 }]);
  expect((await discoveries()).at(-1)).toMatchObject({ id: 'e1', late: false });
  expect(await unread(runId)).toEqual([]);
});

test('the first run that succeeds, through a late response, is the baseline', async () => {
  const runId = await fails(await newRun(), 2);
  await arrives(runId, 1, 1, holding('f1'));
  await readLate(runId, 3);
  expect(await runOf(runId)).toMatchObject({ status: 'succeeded', baseline: true });
  expect(await discoveries()).toMatchObject([{ id: 'f1', baseline: true }]);
});

test('an unreadable late response counts as parsed and changes nothing', async () => {
  await execute(await newRun(), 1, holding('g0'));
  const runId = await succeeds(10, 'g1');
  const before = await runOf(runId);
  await arrives(runId, 2, 11, '{"miner_tweets": [');
  await arrives(runId, 3, 12, { something: 'else' });
  await readLate(runId, 20);
  expect(await unread(runId)).toEqual([]);
  expect(await resultOf(runId)).toEqual(['g1']);
  const [{ rejects }] = await rows(
    'SELECT count(*)::int AS rejects FROM strandline.rejects WHERE run_id = $1',
    [runId],
  );
  expect(await runOf(runId), 'what is known of why is kept').toEqual({ ...before, rejected: rejects });
});

test('a run that fails on an unreadable response has parsed it', async () => {
  const runId = await execute(await newRun(), 1, { something: 'else' });
  expect(await runOf(runId)).toMatchObject({ status: 'failed', code: 'schema_mismatch' });
  expect(await unread(runId)).toEqual([]);
});

test('the scan enqueues a run five seconds after its late response arrived', async () => {
  const runId = await execute(await newRun(), 1, holding('h0'));
  await arrives(runId, 2, 5, holding('h1'));
  const offered = async (time: Date) => {
    clock.set(time);
    return (await listLateRuns(world.db.pool, clock, 10)).some(({ id }) => id === runId);
  };
  expect(await offered(new Date(at(5).getTime() + 4 * SECOND))).toBe(false);
  expect(await offered(new Date(at(5).getTime() + 5 * SECOND))).toBe(true);
  const asked = stub.requests.length;
  expect(await executeRun(ctx, runId), 'nothing was to be executed').toBeNull();
  expect(await offered(at(60))).toBe(false);
  expect(await resultOf(runId)).toEqual(['h1']);
  expect(stub.requests).toHaveLength(asked);
});

test('the scan does not enqueue a running run for its late response: the worker that leased it parses it', async () => {
  const runId = await newRun();
  await arrives(runId, 1, 1, holding('i1'));
  clock.set(at(30));
  expect((await listLateRuns(world.db.pool, clock, 10)).map(({ id }) => id)).not.toContain(runId);
  expect(await takeLateResponse(world.db, { runId, now: clock.now() })).toBeNull();
});

test('each parse attempt is counted before it starts: pauses grow up to six hours, and from the third attempt on the run is alone', async () => {
  const runId = await execute(await newRun(), 1, holding('j0'));
  await arrives(runId, 2, 5, holding('j1'));
  const pauses: number[] = [];
  const solitude: boolean[] = [];
  for (let attempt = 0; attempt < 12; attempt += 1) {
    const now = clock.now();
    solitude.push(await mustRunAlone(world.db, { runId, now }));
    // Its reader dies of it.
    expect(await takeLateResponse(world.db, { runId, now })).toMatchObject({ n: 2 });
    expect(await takeLateResponse(world.db, { runId, now }), 'nobody else has it meanwhile').toBeNull();
    const [{ next }] = await rows(
      'SELECT next_read_at AS next FROM strandline.responses WHERE run_id = $1 AND n = 2',
      [runId],
    );
    pauses.push((next.getTime() - now.getTime()) / MINUTE);
    clock.set(next);
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360]);
  expect(solitude).toEqual([false, false, ...Array<boolean>(10).fill(true)]);
  await parseLateResponses(ctx, runId);
  expect(await unread(runId)).toEqual([]);
});

test('rules and previews skip late discoveries, and the cursor of a channel moves past them', async () => {
  await execute(await newRun(), 1, holding('k0'));
  const runId = await succeeds(10, 'k1');
  const [{ cursor }] = await rows('SELECT max(id) AS cursor FROM strandline.discoveries');
  await arrives(runId, 2, 9, holding('k2'));
  await readLate(runId, 20);
  const [{ newest }] = await rows('SELECT max(id) AS newest FROM strandline.discoveries');
  expect(newest).toBeGreaterThan(cursor);
  await catchUpWithStories(world.db);
  const following = await readFeedAfter(world.db.pool, cursor, 10, () => true);
  expect(following).toEqual({ found: [], last: newest, more: false });
  const span = { since: at(0), until: at(60), after: cursor, limit: 10 };
  const everything = {
    kinds: ['post', 'link', 'spike', 'trend', 'completion'] as const,
    topic_id: null,
    search_id: null,
    filter: '',
  };
  expect((await readPastEntries(world.db.pool, everything, span)).found).toEqual([]);
});

test('the order in which two responses are parsed does not change the sightings', async () => {
  // A generator of its own, so that a failure can be repeated.
  let state = 20_261_122;
  const below = (n: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  for (let round = 0; round < 12; round += 1) {
    const pick = () => Array.from({ length: below(4) + 1 }, () => `p${round}-${below(5)}`);
    const sets = [pick(), pick()];
    const times = [3 + below(3), 3 + below(3)];
    const sameRun = below(2) === 0;
    const seen: unknown[] = [];
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      slug = `either-${round}-${order.join('')}`;
      const first = await fails(await newRun(), 6);
      const second = sameRun ? first : await fails((await insertManualRun(ctx, slug)).runId, 7);
      for (const [turn, which] of order.entries()) {
        const runId = which === 0 ? first : second;
        await arrives(runId, which + 1, times[which] ?? 0, holding(...(sets[which] ?? [])));
        await readLate(runId, 10 + turn);
      }
      seen.push(
        (await sightings()).map(({ run, ...row }) => ({ ...row, run: run === first ? 'first' : 'second' })),
      );
    }
    expect(seen[1], JSON.stringify({ round, sets, times, sameRun })).toEqual(seen[0]);
  }
});
