import { RUN_CODES, type RunCode } from '../../errors.ts';
import { inTransaction } from '../../store/database.ts';
import { type ClaimedRun, failedInARow } from '../../store/runs.ts';
import { activeSearchesOf } from '../../store/searches.ts';
import { cancelQueued, lockSearch, setState } from '../../store/slots.ts';
import type { Context } from '../context.ts';
import { DAY_IS_USED_UP } from './answer.ts';

/** After this many refusals of the request in a row the search stops asking. */
const REFUSALS = 3;

/**
 * What a failure means beyond its run. A refused key or an empty account would fail every search of the
 * service, each paying for the attempt: they are stopped, with the reason, until a person resumes them.
 */
export async function followUp(
  ctx: Context,
  run: ClaimedRun,
  code: RunCode,
  detail: string | undefined,
): Promise<void> {
  if (code === 'auth' || code === 'payment') {
    const searches = await activeSearchesOf(ctx.db, run.service_id);
    for (const searchId of searches) await stop(ctx, searchId, 'broken', `${code}: ${RUN_CODES[code]}`);
    ctx.log.error(
      { service: run.service, code, searches: searches.length },
      'searches of this service are stopped until they are resumed',
    );
  } else if (code === 'budget_exceeded' && detail === DAY_IS_USED_UP) {
    await stop(ctx, run.search_id, 'capped', detail);
  } else if (code === 'invalid_request' && (await failedInARow(ctx.db, run.search_id, code, REFUSALS))) {
    await stop(ctx, run.search_id, 'broken', `${code}: refused ${REFUSALS} times in a row`);
  }
}

async function stop(
  ctx: Context,
  searchId: bigint,
  state: 'broken' | 'capped',
  reason: string,
): Promise<void> {
  const stopped = await inTransaction(ctx.db, async (tx) => {
    const search = await lockSearch(tx, searchId);
    if (search === null || search.state !== 'active' || search.archived_at !== null) return false;
    await setState(tx, searchId, state, reason, ctx.clock.now());
    if (state === 'broken') await cancelQueued(tx, searchId, reason, ctx.clock.now());
    return true;
  });
  if (stopped && state === 'broken') {
    await ctx.queue
      .unschedule(searchId)
      .catch((error: unknown) => ctx.log.warn({ err: error }, 'schedule not removed; the reconciler will'));
  }
}
