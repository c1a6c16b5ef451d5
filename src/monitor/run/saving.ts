import { RunError } from '../../errors.ts';
import type { KeptAnswer } from '../../store/ledger.ts';
import { type ClaimedRun, runState } from '../../store/runs.ts';
import { committedDiff, type Diff, saveFindings } from '../../store/save/save.ts';
import type { Context } from '../context.ts';
import type { Findings } from '../read/findings.ts';
import { untilReachable } from './reachable.ts';

/**
 * Saves the findings with the run's success, or learns that another claim has the run. A connection that
 * breaks at the commit leaves the outcome unknown: then the run itself is asked, and saved again only
 * where nothing was committed.
 * @throws RunError `lease_lost`
 */
export async function save(
  ctx: Context,
  run: ClaimedRun,
  answer: KeptAnswer,
  findings: Findings,
): Promise<Diff> {
  const diff = await untilReachable(ctx, () =>
    saveFindings(ctx.db, {
      runId: run.id,
      fence: run.fence,
      searchId: run.search_id,
      serviceId: run.service_id,
      findings,
      observedAt: answer.receivedAt,
      endedAt: ctx.clock.now(),
    }),
  );
  if (diff !== null) return diff;
  const state = await runState(ctx.db, run.id);
  // Our own commit went through although its confirmation never came: the diff is in the database.
  if (state?.status === 'succeeded' && state.fence === run.fence) return committedDiff(ctx.db, run.id);
  throw new RunError('lease_lost');
}
