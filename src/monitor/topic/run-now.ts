import { Refused } from '../../errors.ts';
import type { Id } from '../../store/database.ts';
import { insertRun } from '../../store/runs.ts';
import { findSearch, type Search } from '../../store/searches.ts';
import type { Context } from '../context.ts';

/** A run that a person asked for: its row. Whoever takes it first, a worker or the caller, runs it. */
export async function insertManualRun(ctx: Context, slug: string): Promise<{ search: Search; runId: Id }> {
  const search = await findSearch(ctx.db.pool, slug);
  if (search === null || search.archived_at !== null)
    throw new Refused('not_found', `there is no search "${slug}"`);
  const runId = await insertRun(ctx.db.pool, {
    searchId: search.id,
    trigger: 'manual',
    now: ctx.clock.now(),
  });
  return { search, runId };
}
