/** Searches that run when a test says so, with responses that it writes. */
import { loadDialect } from '../../src/protocol/dialect.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { derivePending } from '../../src/monitor/derive/follower.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import type { Database } from '../../src/store/db/database.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Diff } from '../../src/store/save/save-responses.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { wirePost } from '../stub-service.ts';
import type { World } from '../world.ts';

export const NOON = Date.UTC(2026, 10, 21, 12);
/** Minutes from noon. */
export const at = (minutes: number) => new Date(NOON + minutes * MINUTE);

export type Written = { topic?: string; every?: string; service?: string };

/** A search whose first run is left out, made long before the first of them. */
export async function newSearch(world: World, slug: string, written: Written = {}): Promise<Search> {
  world.clock.set(at(-100 * 24 * 60));
  const { search } = await createSearch(world.ctx, {
    slug,
    operation: 'microblog',
    prompt: slug,
    every: '15m',
    ...written,
  });
  await world.db.pool.query('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search;
}

export type Post = { id: string } & Record<string, unknown>;

/**
 * One run whose answer came at a time (minutes from noon) and held these posts, in the wire's names.
 * @param db what it is saved and derived by, where that is not the world's own; null: it is saved only
 */
export async function run(
  world: World,
  search: Search,
  minutes: number,
  posts: readonly Post[],
  db: Database | null = world.db,
): Promise<Diff> {
  const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: at(minutes) });
  const leased = await leaseRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: at(minutes) });
  if (leased === null) throw new Error('not leased');
  const diff = await saveFindings(db ?? world.db, {
    runId,
    fence: leased.fence,
    searchId: search.id,
    serviceId: search.service_id,
    findings: parseResponse({
      operation: 'microblog',
      body: JSON.stringify({ miner_tweets: posts.map(({ id, ...over }) => wirePost(id, over)) }),
      contentType: 'application/json',
      dialect: loadDialect('named'),
    }),
    observedAt: at(minutes),
    endedAt: at(minutes),
  });
  if (diff === null) throw new Error('not saved');
  if (db !== null)
    await (db === world.db ? world.derive() : derivePending({ ...world.ctx, db }, { settleMs: null }));
  return diff;
}
