/** Searches of posts and of answers that find what a test says, when it says. */
import { MINUTE } from '../../src/lib/time.ts';
import type { RunCode } from '../../src/model/errors.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { failRun, insertRun } from '../../src/store/runs/run-states.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { saveBody } from '../store/finds.ts';
import { wirePost } from '../stub-service.ts';
import type { World } from '../world.ts';

export const NOON = Date.UTC(2026, 10, 21, 12);
/** Minutes from noon. */
export const at = (minutes: number) => new Date(NOON + minutes * MINUTE);

/** A search without its first run, made a week before noon. */
export async function watch(
  world: World,
  slug: string,
  topic: string,
  operation: 'ai' | 'microblog' = 'microblog',
): Promise<Search> {
  world.clock.set(at(-7 * 24 * 60));
  const { search } = await createSearch(world.ctx, { slug, topic, operation, prompt: slug, every: '1h' });
  await world.db.pool.query('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search;
}

async function claim(world: World, search: Search, minutes: number) {
  const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: at(minutes) });
  const leased = await leaseRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: at(minutes) });
  if (leased === null) throw new Error('not leased');
  return { runId, fence: leased.fence };
}

async function save(world: World, search: Search, minutes: number, body: object): Promise<void> {
  world.clock.set(at(minutes));
  await saveBody(world, search, body);
  await world.derive();
}

export type Post = { id: string } & Record<string, unknown>;

/** A run that returned these posts, in the names of the wire. */
export function findPosts(
  world: World,
  search: Search,
  minutes: number,
  posts: readonly Post[],
): Promise<void> {
  return save(world, search, minutes, {
    miner_tweets: posts.map(({ id, ...over }) =>
      wirePost(id, { created_at: at(minutes - 1).toISOString(), ...over }),
    ),
  });
}

/** A run whose answer says this, citing links by their addresses. */
export function findAnswer(
  world: World,
  search: Search,
  minutes: number,
  completion: string,
  links: readonly string[],
): Promise<void> {
  return save(world, search, minutes, {
    search: links.map((link) => ({ title: `About ${link.slice(8)}`, link, snippet: '' })),
    completion,
  });
}

export async function failAt(world: World, search: Search, minutes: number, code: RunCode): Promise<void> {
  world.clock.set(at(minutes));
  await failRun(world.db, {
    ...(await claim(world, search, minutes)),
    code,
    reason: null,
    rejects: null,
    tools: [],
    unreadable: null,
    now: at(minutes),
  });
}
