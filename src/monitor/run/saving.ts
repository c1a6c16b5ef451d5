import { RunError } from '../../errors.ts';
import type { ResponseKey } from '../../store/responses.ts';
import { type ClaimedRun, runState } from '../../store/runs.ts';
import { committedDiff, saveFindings } from '../../store/save/save.ts';
import type { Diff } from '../../store/save/save-responses.ts';
import type { Context } from '../context.ts';
import type { Findings } from '../read/findings.ts';
import { withDbRetry } from './db-retry.ts';

/**
 * Saves the findings with the run's success, or learns that another claim has the run. A connection that
 * breaks at the commit leaves the outcome unknown: then the run itself is asked, and saved again only
 * where nothing was committed.
 * @throws RunError `lease_lost`
 */
export async function save(
  ctx: Context,
  run: ClaimedRun,
  response: ResponseKey,
  findings: Findings,
): Promise<Diff> {
  const diff = await withDbRetry(ctx, () =>
    saveFindings(ctx.db, {
      runId: run.id,
      fence: run.fence,
      searchId: run.search_id,
      serviceId: run.service_id,
      findings,
      response: response.n,
      observedAt: response.receivedAt,
      endedAt: ctx.clock.statementTime(),
    }),
  );
  if (diff !== null) return diff;
  const state = await runState(ctx.db, run.id);
  // Our own commit went through although its confirmation never came: the diff is in the database.
  if (state?.status === 'succeeded' && state.fence === run.fence) return committedDiff(ctx.db, run.id);
  throw new RunError('lease_lost');
}
