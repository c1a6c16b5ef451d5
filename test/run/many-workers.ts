/**
 * Many workers at one database and one queue, each restarted while it is busy: what a deployment does to them. The
 * quick run stands in many-workers.test.ts; more workers and searches are asked for by whoever has the time.
 */
import { expect } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { computePhase } from '../../src/monitor/schedule/schedule.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import type { Fleet } from '../fleet.ts';
import { until } from '../processes.ts';
import { json, wirePost } from '../stub-service.ts';

export type Deployment = {
  workers: number;
  searches: number;
  /** How long the slots of all searches spread over, each of them due once in it. */
  spreadSeconds: number;
};

const HOUR_SECONDS = 3_600;
/** About what it takes to save the searches and to start workers. */
const STARTING_SECONDS = 5;
/** Posts in each answer, of the search's own. */
const POSTS = 3;
const CONCURRENCY = 4;
/** Calls are held while processes start, which takes a busy machine a while: neither they nor leases end over that. */
const PATIENT = {
  WORKER_CONCURRENCY: String(CONCURRENCY),
  RUN_LEASE_SECONDS: '60',
  NOVA_SECONDS: '300',
  ORBIT_SECONDS: '300',
  HORIZON_SECONDS: '300',
};

/** Every search has its one slot, run once, called for once, found once; whoever was restarted ended with 0. */
export async function deployInTurn(
  fleet: Fleet,
  { workers, searches, spreadSeconds }: Deployment,
): Promise<void> {
  const service = holdingService(fleet);
  const start = () => fleet.start(PATIENT);
  await addDue(fleet, searches, spreadSeconds);
  const alive = await Promise.all(Array.from({ length: workers }, start));
  for (const { child, ended } of alive) {
    await until('it is busy', async () => (await runsOf(fleet, child.pid)) === CONCURRENCY);
    child.kill('SIGTERM');
    const next = start();
    // What it held is let go on; what the others hold stays held.
    await until('it ended', async () => {
      service.letGo(await listRuns(fleet, child.pid));
      return child.exitCode !== null || child.signalCode !== null;
    });
    await ended;
    expect([child.exitCode, child.signalCode]).toEqual([0, null]);
    expect(await runsOf(fleet, child.pid), 'it holds nothing when it is gone').toBe(0);
    await next;
  }
  service.open();
  await until(
    'every slot has its end',
    async () => {
      const [{ n }] = await fleet.rows(
        `SELECT count(*)::int AS n FROM strandline.runs WHERE trigger = 'schedule' AND status NOT IN ('queued', 'running')`,
      );
      return n >= searches;
    },
    60_000,
  );
  await expectAllOnce(fleet, searches, workers);
}

async function expectAllOnce({ rows, stub }: Fleet, searches: number, workers: number): Promise<void> {
  expect(
    await rows(
      `SELECT trigger, status, coalesce(code, '') AS code, count(*)::int AS runs, count(DISTINCT search_id)::int AS searches
       FROM strandline.runs GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    ),
  ).toEqual([{ trigger: 'schedule', status: 'succeeded', code: '', runs: searches, searches }]);
  expect(
    await rows(
      `SELECT s.slug, r.slot_at, s.next_due_at FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
       WHERE r.slot_at IS DISTINCT FROM s.next_due_at - interval '1 hour'`,
    ),
    'each run is that of the slot before the next one',
  ).toEqual([]);
  // The ledger, and what the service heard: one call of each run.
  const heard = stub.requests.map(({ headers }) => String(headers['x-run-id']));
  expect(heard).toHaveLength(searches);
  expect(new Set(heard).size).toBe(searches);
  expect(await rows('SELECT state, count(*)::int AS n FROM strandline.calls GROUP BY 1')).toEqual([
    { state: 'received', n: searches },
  ]);
  const [found] = await rows(
    `SELECT (SELECT count(*)::int FROM strandline.post_sightings) AS sightings,
            (SELECT count(*)::int FROM strandline.discoveries) AS discoveries,
            (SELECT count(*)::int FROM strandline.posts) AS posts`,
  );
  const once = POSTS * searches;
  expect(found).toEqual({ sightings: once, discoveries: once, posts: once });
  const shares = await rows(
    'SELECT worker, count(*)::int AS runs FROM strandline.runs GROUP BY 1 ORDER BY 2 DESC',
  );
  const told = JSON.stringify(shares);
  expect(shares.length, told).toBe(2 * workers);
  expect(shares[0].runs, `no one of them does it all: ${told}`).toBeLessThan(0.9 * searches);
}

/** Saves searches that are due once from a few seconds on, and have nothing else to run. */
async function addDue({ ctx, rows }: Fleet, searches: number, spreadSeconds: number): Promise<void> {
  const from = Math.ceil(systemClock.now().getTime() / 1_000) + STARTING_SECONDS;
  const slugs = dueWithin(searches, from, spreadSeconds);
  const quiet = { ...ctx, queue: { ...ctx.queue, enqueue: () => Promise.resolve() } };
  const waiting = slugs.entries();
  const save = async () => {
    for (const [i, slug] of waiting)
      await createSearch(quiet, { slug, operation: 'microblog', prompt: `7${i}0`, every: '1h' });
  };
  await Promise.all([save(), save(), save(), save()]);
  await rows(`DELETE FROM strandline.runs WHERE trigger = 'first'`);
  // On a slow machine some slots pass while the searches are still being saved: these are caught up with.
  await rows(
    `UPDATE strandline.searches SET next_due_at = next_due_at - interval '1 hour', created_at = created_at - interval '1 day'
     WHERE next_due_at > $1::timestamptz + interval '30 minutes'`,
    [systemClock.now()],
  );
}

/** Answers each search with posts of its own, once its run is let go on: until then it keeps its worker busy. */
function holdingService({ stub }: Fleet): { letGo(runs: string[]): void; open(): void } {
  const held = new Map<string, () => void>();
  let isOpen = false;
  stub.answers(async (request, response) => {
    if (!isOpen)
      await new Promise<void>((resolve) => {
        held.set(String(request.headers['x-run-id']), resolve);
      });
    const prompt = String(request.body['prompt']);
    const posts = Array.from({ length: POSTS }, (_, i) => wirePost(`${prompt}${i}`));
    await json({ miner_tweets: posts })(request, response);
  });
  return {
    letGo: (runs) => {
      for (const run of runs) held.get(run)?.();
    },
    open: () => {
      isOpen = true;
      for (const answer of held.values()) answer();
    },
  };
}

/** How many runs this process has under way. */
export async function runsOf(fleet: Fleet, pid: number | undefined): Promise<number> {
  return (await listRuns(fleet, pid)).length;
}

async function listRuns({ rows }: Fleet, pid: number | undefined): Promise<string[]> {
  const running = await rows(
    `SELECT id::text FROM strandline.runs WHERE status = 'running' AND split_part(worker, ':', 2) = $1`,
    [String(pid)],
  );
  return running.map(({ id }) => id);
}

/** Slugs of hourly searches with a slot in so many seconds from `from` on (seconds of the epoch): intervals are spread by slug. */
function dueWithin(count: number, from: number, seconds: number): string[] {
  const found: string[] = [];
  for (let i = 0; found.length < count; i += 1) {
    const slug = `due-${i}`;
    const after = (computePhase(slug, HOUR_SECONDS) - (from % HOUR_SECONDS) + HOUR_SECONDS) % HOUR_SECONDS;
    if (after < seconds) found.push(slug);
  }
  return found;
}
