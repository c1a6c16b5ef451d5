import type { Id } from '../../store/database.ts';
import { insertRun } from '../../store/runs.ts';
import type { Search } from '../../store/searches.ts';
import type { Context } from '../context.ts';
import { assertKept } from './find.ts';
import { searchNamed } from './named.ts';

/**
 * A run that a person asked for: its row. Whoever takes it first, a worker or the caller, runs it.
 * @throws Refused `not_found`, or `conflict` where it was removed
 */
export async function insertManualRun(ctx: Context, slug: string): Promise<{ search: Search; runId: Id }> {
  await assertKept(ctx.db, slug);
  const search = await searchNamed(ctx.db.pool, slug);
  const runId = await insertRun(ctx.db.pool, {
    searchId: search.id,
    trigger: 'manual',
    now: ctx.clock.now(),
  });
  return { search, runId };
}
