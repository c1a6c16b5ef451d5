import { Refused } from '../../errors.ts';
import { recordAudit } from '../../store/audit.ts';
import type { Id } from '../../store/database.ts';
import { loadNewestResponse } from '../../store/responses.ts';
import { findRunForReplay } from '../../store/runs.ts';
import { saveAgain } from '../../store/save/save.ts';
import type { Diff } from '../../store/save/save-responses.ts';
import type { Acting } from '../context.ts';
import type { Findings } from '../read/findings.ts';
import { readFindings } from './reading.ts';

/**
 * Reads a run's kept answer again, with the reader of today, and calls nobody. What was found before
 * stays; what is found more is new to the search at the run's own time.
 * @throws Refused where the run or its answer is not there (answers expire), RunError where it still cannot be read
 */
export async function replayRun(ctx: Acting, runId: Id): Promise<{ findings: Findings; diff: Diff }> {
  const run = await findRunForReplay(ctx.db, runId);
  if (run === null) throw new Refused('not_found', `there is no run ${runId}`);
  const response = await loadNewestResponse(ctx.db, runId);
  if (response === null) {
    const days = ctx.config.answerDays;
    throw new Refused('not_found', `run ${runId} has no kept answer (raw answers are kept ${days} days)`);
  }
  const findings = await readFindings(run, response);
  const again = {
    runId,
    searchId: run.search_id,
    serviceId: run.service_id,
    findings,
    response: response.n,
    observedAt: response.receivedAt,
    endedAt: run.ended_at ?? response.receivedAt,
  };
  const diff = await saveAgain(ctx.db, again, (tx) =>
    recordAudit(tx, ctx, { action: 'run.replayed', subject: runId }),
  );
  if (diff === null) throw new Refused('conflict', `run ${runId} has not ended with an answer yet`);
  return { findings, diff };
}
