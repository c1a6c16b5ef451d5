/** Parses stored responses after the end of their run: late ones, or again as a replay. */

import { formatCount } from '../../lib/display-format.ts';
import { createNotFound, Refused } from '../../model/errors.ts';
import type { ParsedResults } from '../../model/parsed-results.ts';
import { recordAudit } from '../../store/access/audit-entries.ts';
import type { Id } from '../../store/db/database.ts';
import {
  loadNewestResponse,
  markUnreadable,
  type RawResponse,
  takeLateResponse,
} from '../../store/runs/responses.ts';
import { findRunForReplay, type ReplayableRun } from '../../store/runs/run-states.ts';
import type { Diff } from '../../store/save/save-responses.ts';
import { saveAgain, saveLate } from '../../store/save/save.ts';
import type { ActingContext, Context } from '../context.ts';
import { RESPONSE_STATUSES } from '../client/service-refusal.ts';
import { UnreadableResponse } from '../parse/rejects-and-warnings.ts';
import { withDbRetry } from './db-outage.ts';
import { parseStoredResponse, toSave } from './parse-and-save.ts';

/**
 * Parses responses that were unread when their run ended: stored by a worker that had lost its lease, or left by workers that
 * died. Newest first. Each attempt is committed before it starts, and retried with growing pauses until the response is read.
 */
export async function parseLateResponses(ctx: Context, runId: Id): Promise<void> {
  for (;;) {
    const response = await takeLateResponse(ctx.db, { runId, now: ctx.clock.statementTime() });
    if (response === null) return;
    const run = await findRunForReplay(ctx.db, runId);
    if (run === null) return;
    await parseLateResponse(ctx, runId, run, response);
  }
}

async function parseLateResponse(
  ctx: Context,
  runId: Id,
  run: ReplayableRun,
  response: RawResponse,
): Promise<void> {
  const which = { run: String(runId), call: response.n };
  try {
    const findings = await parseStoredResponse(run, response);
    const diff = await withDbRetry(ctx, () =>
      saveLate(ctx.db, {
        ...toSave(ctx, runId, run, response, findings),
        now: ctx.clock.statementTime(),
      }),
    );
    if (diff === null) return;
    const { newPosts, newLinks } = diff;
    ctx.log.info({ ...which, new_posts: newPosts.length, new_links: newLinks.length }, 'late response read');
  } catch (error) {
    if (!(error instanceof UnreadableResponse)) {
      ctx.log.error({ ...which, err: error }, 'late response not read; retrying later');
      return;
    }
    const { code, detail, rejects, tools } = error;
    const unreadable = { runId, n: response.n, rejects, tools };
    await withDbRetry(ctx, () => markUnreadable(ctx.db, { ...unreadable, now: ctx.clock.statementTime() }));
    ctx.log.warn({ ...which, code, detail }, 'late response unreadable');
  }
}

/**
 * Parses the stored response of a run again, with the current parser and without a call. Existing results stay; additional
 * ones count as found at the time of the run.
 * @throws Refused if the run does not exist or its response has expired, RunError if it still cannot be parsed
 */
export async function replayRun(
  ctx: ActingContext,
  runId: Id,
): Promise<{ findings: ParsedResults; diff: Diff }> {
  const run = await findRunForReplay(ctx.db, runId);
  if (run === null) throw createNotFound('run', runId);
  const response = await loadNewestResponse(ctx.db, runId);
  if (response === null) {
    const days = ctx.config.answerDays;
    throw new Refused(
      'not_found',
      `run ${runId} has no stored response (raw responses are kept for ${formatCount(days, 'day')})`,
    );
  }
  if (!RESPONSE_STATUSES.has(response.httpStatus))
    throw new Refused(
      'conflict',
      `run ${runId} got HTTP ${response.httpStatus}, an error without results; to read it: strandline runs show ${runId} --response`,
    );
  const findings = await parseStoredResponse(run, response);
  const again = {
    ...toSave(ctx, runId, run, response, findings),
    endedAt: run.ended_at ?? response.receivedAt,
  };
  const diff = await saveAgain(ctx.db, again, (tx) =>
    recordAudit(tx, ctx, { action: 'run.replayed', subject: runId }),
  );
  if (diff === null) throw new Refused('conflict', `run ${runId} has not ended with a response yet`);
  return { findings, diff };
}
