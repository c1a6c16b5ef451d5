/**
 * Derived data is a function of what was saved: whatever arrived late, was parsed again, or waited, in whatever
 * batches it was derived and however often a worker died, a rebuild gives the same tables.
 */
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { derivePending, deriveBatch } from '../../src/monitor/derive/follower.ts';
import type { ParsedResults } from '../../src/model/parsed-results.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { HOUR } from '../../src/lib/time.ts';
import { changeSearch } from '../../src/monitor/topics/search-state.ts';
import { foldCounts, readCounts } from '../../src/store/derive/counts.ts';
import type { Database, Id } from '../../src/store/db/database.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { saveAgain, saveFindings, saveLate } from '../../src/store/save/save.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { intercepted } from '../intercepted.ts';
import { wirePost } from '../stub-service.ts';
import { DERIVED, readDerived, readRebuilt } from '../derived.ts';
import { makeWorld, type World } from '../world.ts';
import { at, newSearch } from './live.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;

type Post = { id: number; likes: number | null; views: number | null };

/** What a service answered: the posts of a world that are as old as their ids are small. */
function findingsOf(round: number, posts: readonly Post[]): ParsedResults {
  const wire = posts.map(({ id, likes, views }) =>
    wirePost(`${1_000 * round + id}`, {
      created_at: id === 0 ? null : at(120 * id - 600).toISOString(),
      like_count: likes,
      view_count: views,
      reply_count: id % 3 === 0 ? null : id,
      entities: { hashtags: [{ text: `tag${id % 3}` }] },
      is_retweet: id % 4 === 1,
    }),
  );
  return parseResponse({
    operation: 'microblog',
    body: JSON.stringify({ miner_tweets: wire }),
    contentType: 'application/json',
    dialect: loadDialect('named'),
  });
}

type Saved = { runId: Id; search: Search; minute: number };

async function startRun(search: Search, minute: number) {
  const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: at(minute) });
  const run = await leaseRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: at(minute) });
  if (run === null) throw new Error('not leased');
  return run;
}

const input = ({ runId, search, minute }: Saved, findings: ParsedResults) => ({
  runId,
  searchId: search.id,
  serviceId: search.service_id,
  findings,
  observedAt: at(minute),
});

async function saveRun(search: Search, minute: number, findings: ParsedResults): Promise<Saved> {
  const { id: runId, fence } = await startRun(search, minute);
  const saved = { runId, search, minute };
  await addCall(runId, 1, minute);
  await saveFindings(world.db, { ...input(saved, findings), fence, endedAt: at(minute) });
  return saved;
}

/** A run that failed although its response was there, unread. */
async function loseRun(search: Search, minute: number): Promise<Saved> {
  const { id: runId } = await startRun(search, minute);
  await rows(
    `UPDATE strandline.runs SET status = 'failed', code = 'internal', ended_at = $2, lease_until = NULL WHERE id = $1`,
    [runId, at(minute)],
  );
  await addResponse(runId, 1, minute);
  return { runId, search, minute };
}

async function addCall(runId: Id, n: number, minute: number): Promise<void> {
  await rows(
    `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at, received_at)
     SELECT r.id, $2, s.service_id, 1, 'received', $3, $3 FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id WHERE r.id = $1`,
    [runId, n, at(minute)],
  );
}

async function addResponse(runId: Id, n: number, minute: number): Promise<void> {
  await addCall(runId, n, minute);
  await rows(
    `INSERT INTO strandline.responses (run_id, n, http_status, body, sha256, bytes, received_at) VALUES ($1, $2, 200, '', '', 0, $3)`,
    [runId, n, at(minute)],
  );
}

const readLate = (lost: Saved, n: number, findings: ParsedResults, now: number) =>
  saveLate(world.db, { ...input(lost, findings), response: n, now: at(now) });

const KILLED = new Error('killed');

function unlessKilled(error: unknown): void {
  if (!(error instanceof Error && error.cause === KILLED)) throw error;
}

/** The same database, of which a follower dies at the so-many-th statement of each transaction, whatever it says in it. */
function dyingAt(statement: number): Database {
  let asked = 0;
  return intercepted(world.db, {
    ofConnections: (query, given) => {
      asked = given[0] === 'BEGIN' ? 1 : asked + 1;
      return asked === statement ? Promise.reject(KILLED) : query(...given);
    },
  });
}

const aPost = fc.record({
  id: fc.nat({ max: 7 }),
  likes: fc.option(fc.nat({ max: 40 }), { nil: null, freq: 5 }),
  views: fc.option(fc.nat({ max: 900 }), { nil: null, freq: 2 }),
});
const answer = fc.uniqueArray(aPost, { selector: ({ id }) => id, maxLength: 5 });
const by = fc.nat({ max: 3 });
const event = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      does: fc.constant('run' as const),
      by,
      answer,
      early: fc.constantFrom(0, 0, 0, 7, 50),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('lose' as const), by }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('read late' as const), nth: fc.nat({ max: 9 }), answer }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('late beside' as const), nth: fc.nat({ max: 9 }), answer }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('read again' as const), nth: fc.nat({ max: 9 }), answer }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('pause' as const), by }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('resume' as const), by }) },
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constant('derive' as const), limit: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('die' as const), statement: fc.integer({ min: 1, max: 25 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('break' as const),
      statement: fc.integer({ min: 8, max: 25 }),
      limit: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('wait' as const), minutes: fc.constantFrom(45, 200, 1_500) }),
  },
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

class History {
  private minute = 0;
  /** How runs ended: one that failed and was read late failed all the same. */
  readonly ended = { succeeded: 0, failed: 0 };
  private readonly saved: Saved[] = [];
  private readonly lost: Saved[] = [];
  private readonly round: number;
  private readonly searches: readonly Search[];
  constructor(round: number, searches: readonly Search[]) {
    this.round = round;
    this.searches = searches;
  }

  private searchOf(n: number): Search {
    const search = this.searches[n % this.searches.length];
    if (search === undefined) throw new Error('no search');
    return search;
  }

  async play(one: Event): Promise<void> {
    this.minute += 11;
    const { minute } = this;
    world.clock.set(at(minute));
    switch (one.does) {
      case 'run': {
        const findings = findingsOf(this.round, one.answer);
        this.saved.push(await saveRun(this.searchOf(one.by), minute - one.early, findings));
        this.ended.succeeded += 1;
        return;
      }
      case 'lose':
        this.lost.push(await loseRun(this.searchOf(one.by), minute));
        this.ended.failed += 1;
        return;
      case 'read late': {
        const lost = this.lost.splice(one.nth % Math.max(1, this.lost.length), 1)[0];
        if (lost === undefined) return;
        await readLate(lost, 1, findingsOf(this.round, one.answer), minute);
        this.saved.push(lost);
        return;
      }
      case 'late beside': {
        // A second response of a run that had one, received a minute before it.
        const saved = this.saved[one.nth % Math.max(1, this.saved.length)];
        if (saved === undefined) return;
        const n = (
          await rows('SELECT coalesce(max(n), 0)::int + 1 AS n FROM strandline.calls WHERE run_id = $1', [
            saved.runId,
          ])
        )[0].n;
        await addResponse(saved.runId, n, saved.minute - 1);
        const earlier = { ...saved, minute: saved.minute - 1 };
        await readLate(earlier, n, findingsOf(this.round, one.answer), minute);
        return;
      }
      case 'read again': {
        const saved = this.saved[one.nth % Math.max(1, this.saved.length)];
        if (saved === undefined) return;
        await saveAgain(
          world.db,
          { ...input(saved, findingsOf(this.round, one.answer)), response: 1, endedAt: at(saved.minute) },
          async () => {},
        );
        return;
      }
      case 'pause':
      case 'resume':
        await changeSearch(world.ctx, this.searchOf(one.by).slug, one.does).catch(() => {});
        return;
      case 'derive':
        await deriveBatch(world.ctx, { limit: one.limit, settleMs: null });
        return;
      case 'die':
        await deriveBatch({ ...world.ctx, db: dyingAt(one.statement) }, { limit: 3, settleMs: null }).catch(
          unlessKilled,
        );
        return;
      case 'break':
        // One that concerns no reading sets none aside.
        await derivePending(
          { ...world.ctx, db: dyingAt(one.statement) },
          { limit: one.limit, settleMs: null },
        ).catch(unlessKilled);
        return;
      case 'wait':
        this.minute += one.minutes;
    }
  }
}

let round = 0;

/** Runs as they ended and discoveries, as they are counted. */
async function readCounted() {
  const counts = await readCounts(world.db);
  const of = (...name: string[]) =>
    counts
      .filter((one) => name.every((part, i) => [one.name, ...one.labels][i] === part))
      .reduce((sum, { n }) => sum + n, 0);
  return {
    succeeded: of('runs', 'hosted', 'succeeded'),
    failed: of('runs', 'hosted', 'failed', 'internal'),
    saves: of('save'),
    discoveries: of('discoveries'),
  };
}

/** Both runs of a search return a post, and none does any more when they are read again. */
const READ_AGAIN_WITHOUT: Event[] = [
  { does: 'run', by: 1, answer: [{ id: 6, likes: null, views: null }], early: 50 },
  { does: 'run', by: 1, answer: [{ id: 6, likes: null, views: null }], early: 0 },
  { does: 'read again', nth: 0, answer: [] },
  { does: 'run', by: 0, answer: [], early: 0 },
  { does: 'derive', limit: 1 },
  { does: 'read again', nth: 1, answer: [] },
];

/** A post is first in a response beside a result, then in an earlier one that is read late, before either is derived. */
const NO_LONGER_FIRST: Event[] = [
  { does: 'lose', by: 3 },
  { does: 'run', by: 3, answer: [], early: 0 },
  { does: 'late beside', nth: 0, answer: [{ id: 0, likes: null, views: null }] },
  { does: 'read late', nth: 0, answer: [{ id: 0, likes: null, views: null }] },
];

/** A response beside a result is derived before that result, then another search of the topic turns out to have been first. */
const BESIDE_IS_OVERTAKEN: Event[] = [
  { does: 'run', by: 1, answer: [], early: 0 },
  { does: 'late beside', nth: 0, answer: [{ id: 0, likes: null, views: null }] },
  { does: 'derive', limit: 1 },
  { does: 'run', by: 3, answer: [{ id: 0, likes: null, views: null }], early: 50 },
];

/** The same by an earlier response of its own search. */
const BESIDE_IS_OVERTAKEN_BY_OWN: Event[] = [
  { does: 'lose', by: 1 },
  { does: 'run', by: 1, answer: [], early: 0 },
  { does: 'late beside', nth: 0, answer: [{ id: 0, likes: null, views: null }] },
  { does: 'derive', limit: 1 },
  { does: 'read late', nth: 0, answer: [{ id: 0, likes: null, views: null }] },
];

/** When a search is derived, another one has already saved that a counter of its post fell. */
const FELL_SINCE: Event[] = [
  { does: 'run', by: 0, answer: [], early: 0 },
  { does: 'run', by: 0, answer: [{ id: 3, likes: 5, views: null }], early: 0 },
  { does: 'run', by: 0, answer: [], early: 0 },
  { does: 'run', by: 1, answer: [{ id: 3, likes: 0, views: null }], early: 0 },
  { does: 'derive', limit: 3 },
];

/** The same when that result, which returns the post too, is not derived yet. */
const BESIDE_OF_PENDING_RESULT: Event[] = [
  { does: 'run', by: 0, answer: [], early: 0 },
  { does: 'run', by: 3, answer: [{ id: 0, likes: null, views: null }], early: 0 },
  { does: 'late beside', nth: 1, answer: [{ id: 0, likes: null, views: null }] },
  { does: 'derive', limit: 2 },
  { does: 'run', by: 1, answer: [{ id: 0, likes: null, views: null }], early: 50 },
];

/** A result that changed a post of another search waits while later results of that search are derived again for it. */
const WAITS_LONGER_THAN_UNDONE: Event[] = [
  { does: 'run', by: 0, answer: [{ id: 3, likes: 0, views: null }], early: 0 },
  { does: 'run', by: 0, answer: [], early: 0 },
  { does: 'derive', limit: 2 },
  { does: 'run', by: 2, answer: [{ id: 3, likes: 5, views: null }], early: 0 },
  { does: 'break', statement: 8, limit: 1 },
  { does: 'wait', minutes: 45 },
  { does: 'run', by: 0, answer: [], early: 0 },
];

/** Late readings come last: when they raise a counter of a post, another search that had returned it is derived already. */
const ROSE_BY_LATE_READINGS: Event[] = [
  { does: 'run', by: 3, answer: [{ id: 2, likes: null, views: null }], early: 0 },
  { does: 'run', by: 0, answer: [], early: 0 },
  { does: 'run', by: 0, answer: [], early: 0 },
  { does: 'run', by: 3, answer: [], early: 0 },
  { does: 'late beside', nth: 2, answer: [{ id: 2, likes: 5, views: null }] },
  { does: 'late beside', nth: 1, answer: [{ id: 2, likes: 0, views: null }] },
  { does: 'derive', limit: 2 },
];

test('after any history, a rebuild equals what was derived live, and each run and discovery is counted once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 4, maxLength: 26 }), async (events) => {
      round += 1;
      const searches: Search[] = [];
      for (const n of [0, 1, 2, 3])
        searches.push(
          await newSearch(world, `r${round}-${n}`, { topic: `r${round}-topic-${n % 2}`, every: '30m' }),
        );
      const history = new History(round, searches);
      const countedBefore = await readCounted();
      const discoveries = async () =>
        (await rows('SELECT count(*)::int AS n FROM strandline.discoveries'))[0].n;
      const discoveredBefore = await discoveries();
      for (const one of events) await history.play(one);
      // What was set aside is due again.
      world.clock.advance(2 * HOUR);
      await derivePending(world.ctx, { settleMs: null });
      expect(await rows('SELECT FROM strandline.pending_derivations')).toEqual([]);
      if (round % 2 === 0) await foldCounts(world.db);
      const { succeeded, failed } = history.ended;
      expect(await readCounted()).toEqual({
        succeeded: countedBefore.succeeded + succeeded,
        failed: countedBefore.failed + failed,
        saves: countedBefore.saves + succeeded,
        discoveries: countedBefore.discoveries + (await discoveries()) - discoveredBefore,
      });
      const before = await readDerived(world.ctx);
      expect(await readRebuilt(world.ctx, searches.toReversed())).toEqual(before);
      await clear();
    }),
    {
      numRuns: Number(process.env['DERIVE_RUNS'] ?? 10),
      examples: [
        [READ_AGAIN_WITHOUT],
        [NO_LONGER_FIRST],
        [BESIDE_IS_OVERTAKEN],
        [BESIDE_IS_OVERTAKEN_BY_OWN],
        [BESIDE_OF_PENDING_RESULT],
        [FELL_SINCE],
        [WAITS_LONGER_THAN_UNDONE],
        [ROSE_BY_LATE_READINGS],
      ],
      ...(process.env['DERIVE_SEED'] === undefined ? {} : { seed: Number(process.env['DERIVE_SEED']) }),
    },
  );
}, 900_000);

/** Each history begins with empty tables. */
async function clear(): Promise<void> {
  await rows(
    `TRUNCATE ${Object.keys(DERIVED)
      .map((table) => `strandline.${table}`)
      .join(', ')}, strandline.pending_derivations`,
  );
}
