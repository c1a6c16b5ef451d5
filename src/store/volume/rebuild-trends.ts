import type { Database, Id } from '../database.ts';
import { fillGains } from './fill-gains.ts';
import { keepGains } from './gains.ts';
import { MEMORY_MS } from './quarters.ts';
import { rebuildVolume } from './rebuild.ts';
import { keepRising } from './rising.ts';

/** `runs`: rolled up again. `posts`: whose gains were made from their snapshots, for they were saved before gains were kept. */
export type Rebuilt = { runs: number; posts: number };

/**
 * All that is made of the runs and sightings of a search, again: volume and coverage; gains that are missing, of posts
 * and of the runs of the last five weeks; what is typical, and what rises. It can be interrupted and done again.
 */
export async function rebuildTrends(db: Database, searchId: Id, now: Date): Promise<Rebuilt> {
  const runs = await rebuildVolume(db, searchId);
  const posts = await fillGains(db, searchId);
  await keepGains(db, searchId, { since: new Date(now.getTime() - MEMORY_MS), recentFrom: now });
  await keepRising(db, searchId, { again: true });
  return { runs, posts };
}
