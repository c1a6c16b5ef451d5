import { RUN_CODES, type RunError } from '../../errors.ts';
import { type Id, inTransaction, readTime, type Transaction } from '../../store/database.ts';
import { type ClaimedRun, failedInARow } from '../../store/runs.ts';
import { activeSearchesOf } from '../../store/searches.ts';
import { lockSearch, type LockedSearch, setState } from '../../store/slots.ts';
import type { Context } from '../context.ts';
import { stopLocked } from '../schedule/stop.ts';

/** After this many refusals of the request in a row the search stops asking. */
const REFUSALS = 3;

/**
 * What a failure means beyond its run. A refused key or an empty account would fail every search of the
 * service, each paying for the attempt: they are stopped, with the reason, until a person resumes them.
 */
export async function followUp(
  ctx: Context,
  run: ClaimedRun,
  { code, budget, detail }: RunError,
): Promise<void> {
  if (code === 'auth' || code === 'payment') {
    const searches = await activeSearchesOf(ctx.db, run.service_id);
    for (const searchId of searches) await stop(ctx, searchId, `${code}: ${RUN_CODES[code]}`);
    ctx.log.error(
      { service: run.service, code, searches: searches.length },
      'searches of this service are stopped until they are resumed',
    );
  } else if (budget === 'day') {
    await cap(ctx, run.search_id, detail ?? RUN_CODES[code]);
  } else if (code === 'invalid_request' && (await failedInARow(ctx.db, run.search_id, code, REFUSALS))) {
    await stop(ctx, run.search_id, `${code}: refused ${REFUSALS} times in a row`);
  }
}

async function stop(ctx: Context, searchId: Id, reason: string): Promise<void> {
  await whileActive(ctx, searchId, (tx, search) => stopLocked(ctx, tx, search, { to: 'broken', reason }));
}

/** It stays due: each slot until the next UTC day gets its row, `skipped / capped`. */
async function cap(ctx: Context, searchId: Id, reason: string): Promise<void> {
  await whileActive(ctx, searchId, async (tx) =>
    setState(tx, searchId, 'capped', reason, await readTime(tx, ctx.clock)),
  );
}

/** Does nothing to a search that is not active any more. */
async function whileActive(
  ctx: Context,
  searchId: Id,
  change: (tx: Transaction, search: LockedSearch) => Promise<void>,
): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const search = await lockSearch(tx, searchId);
    if (search === null || search.state !== 'active' || search.archived_at !== null) return;
    await change(tx, search);
  });
}
