/**
 * A series lived through as a monitor would. Each row's posts get times of their own, evenly over its five
 * minutes; runs come at their interval, each sees what was posted since the one before, and what it saw goes through
 * the follower's own statement into volume and coverage. Then the follower's step looks for a spike.
 *
 * What is left out are the posts themselves (a quarter of an hour holds up to 17,000): sightings are all that volume asks for.
 */
import { MINUTE } from '../../src/domain/time.ts';
import { findSpikes } from '../../src/monitor/derive/find-spikes.ts';
import { type Database, type Id, inTransaction } from '../../src/store/database.ts';
import { rollUp } from '../../src/store/derive/derive-coverage.ts';
import { insertSpikes } from '../../src/store/spikes.ts';
import { furnish } from '../stage.ts';
import type { Row } from './csv.ts';

const ROW_MS = 5 * MINUTE;
/** Runs do not come when a quarter of an hour begins. */
const PHASE_MS = 7 * MINUTE;

/** @returns when spikes were told (ms), and how many runs there were */
export async function liveThrough(
  db: Database,
  name: string,
  rows: readonly Row[],
  everyMs: number,
): Promise<{ told: number[]; runs: number }> {
  const first = rows[0]?.at ?? 0;
  const last = rows.at(-1)?.at ?? 0;
  const { searchIds } = await furnish(db, slugOf(name), 1);
  const [searchId] = searchIds;
  if (searchId === undefined) throw new Error('the benchmark has no search');
  await db.pool.query('UPDATE strandline.search_versions SET every_seconds = $2 WHERE search_id = $1', [
    searchId,
    everyMs / 1_000,
  ]);
  const begin = Math.ceil(first / everyMs) * everyMs + PHASE_MS;
  const slots = Array.from({ length: Math.ceil((last - begin) / everyMs) }, (_, i) => begin + i * everyMs);
  const runIds = await makeRuns(db, searchId, slots);
  const told: number[] = [];
  let row = 0;
  let from = first;
  for (const [i, slot] of slots.entries()) {
    const times: number[] = [];
    const begun = rows[row]?.at ?? Number.POSITIVE_INFINITY;
    for (; (rows[row]?.at ?? Number.POSITIVE_INFINITY) < slot; row += 1) times.push(...timesOf(rows[row]));
    // Where the series has no rows, nobody looked.
    if (begun >= slot) continue;
    if (begun > from + ROW_MS) from = begun;
    const runId = runIds[i];
    if (runId === undefined) throw new Error('the benchmark has too few runs');
    const reach = { reached: from, from, until: slot };
    const coverage = {
      runId,
      searchId,
      requestVersion: 1,
      reach,
      everySeconds: everyMs / 1_000,
      posts: times.length,
      mostPosts: 0,
    };
    const postIds = await sightPosts(db, searchId, runId, { slot, times });
    const spikes = await inTransaction(db, async (tx) => {
      const recounted = { searchIds: postIds.map(() => searchId), postIds };
      await rollUp(tx, [], [coverage], { recounted, seenAgain: [] });
      const found = await findSpikes(tx, [{ run_id: runId, search_id: searchId, at: new Date(slot) }]);
      return insertSpikes(tx, found);
    });
    if (spikes.length > 0) told.push(slot);
    from = slot;
  }
  return { told, runs: slots.length };
}

/** Sightings without posts, which volume does not ask for. @returns the posts that they are of */
async function sightPosts(
  db: Database,
  searchId: Id,
  runId: Id,
  { slot, times }: { slot: number; times: readonly number[] },
): Promise<Id[]> {
  const { rows } = await db.pool.query<{ post_id: Id }>(
    `INSERT INTO strandline.post_sightings (search_id, post_id, first_run_id, first_seen_at, post_created_at)
     SELECT $1, $2::bigint * 1000000 + n, $2, $3, at FROM unnest($4::timestamptz[]) WITH ORDINALITY u(at, n) RETURNING post_id`,
    [searchId, runId, new Date(slot), times.map((time) => new Date(time))],
  );
  return rows.map((row) => row.post_id);
}

function timesOf(row: Row | undefined): number[] {
  if (row === undefined) return [];
  return Array.from({ length: row.posts }, (_, k) => row.at + (k * ROW_MS) / row.posts);
}

/** Succeeded runs, one for each slot. */
async function makeRuns(db: Database, searchId: Id, slots: readonly number[]): Promise<Id[]> {
  const { rows } = await db.pool.query<{ id: Id }>(
    `INSERT INTO strandline.runs (search_id, version, request_version, slot_at, trigger, status, created_at, started_at, ended_at)
     SELECT $1, 1, 1, at, 'schedule', 'succeeded', at, at, at FROM unnest($2::timestamptz[]) at ORDER BY at RETURNING id`,
    [searchId, slots.map((slot) => new Date(slot))],
  );
  return rows.map((row) => row.id);
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/\.csv$/, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50);
}
