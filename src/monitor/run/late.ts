import type { Id } from '../../store/database.ts';
import { markUnreadable, type RawResponse, takeLateResponse } from '../../store/responses.ts';
import { findRunForReplay, type ReplayableRun } from '../../store/runs.ts';
import { saveLate } from '../../store/save/save.ts';
import type { Context } from '../context.ts';
import { UnreadableAnswer } from '../read/reject.ts';
import { withDbRetry } from './db-retry.ts';
import { readFindings } from './reading.ts';

/**
 * Reads responses that were unread when their run had ended: stored by a worker that had lost its lease, or left by
 * workers that died of them. The newest first; each attempt is committed before it begins, and repeated with growing
 * pauses until the response is read.
 */
export async function readLateResponses(ctx: Context, runId: Id): Promise<void> {
  for (;;) {
    const response = await takeLateResponse(ctx.db, { runId, now: ctx.clock.statementTime() });
    if (response === null) return;
    const run = await findRunForReplay(ctx.db, runId);
    if (run === null) return;
    await readLate(ctx, runId, run, response);
  }
}

async function readLate(ctx: Context, runId: Id, run: ReplayableRun, response: RawResponse): Promise<void> {
  const which = { run: String(runId), call: response.n };
  try {
    const findings = await readFindings(run, response);
    const diff = await withDbRetry(ctx, () =>
      saveLate(ctx.db, {
        runId,
        searchId: run.search_id,
        serviceId: run.service_id,
        findings,
        response: response.n,
        observedAt: response.receivedAt,
        now: ctx.clock.statementTime(),
      }),
    );
    if (diff === null) return;
    const { newPosts, newLinks } = diff;
    ctx.log.info({ ...which, new_posts: newPosts.length, new_links: newLinks.length }, 'late response read');
  } catch (error) {
    if (error instanceof UnreadableAnswer) await setAside(ctx, runId, response, error);
    else ctx.log.error({ ...which, err: error }, 'late response not read; trying again later');
  }
}

async function setAside(
  ctx: Context,
  runId: Id,
  response: RawResponse,
  { code, detail, rejects }: UnreadableAnswer,
): Promise<void> {
  const { n } = response;
  await withDbRetry(ctx, () => markUnreadable(ctx.db, { runId, n, rejects, now: ctx.clock.statementTime() }));
  ctx.log.warn({ run: String(runId), call: n, code, detail }, 'late response unreadable');
}
