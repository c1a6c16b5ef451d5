/** The program's own functions, as the processes of an interleaving call them. */
import { MINUTE } from '../../src/lib/time.ts';
import { Refused } from '../../src/model/errors.ts';
import { callAndStore, findUnreadResponse, readCallLimits } from '../../src/monitor/runs/paid-call.ts';
import { leaseForWorker } from '../../src/monitor/runs/lease.ts';
import { endWithoutSuccess } from '../../src/monitor/runs/run-end.ts';
import { parseLateResponses } from '../../src/monitor/runs/late-and-replay.ts';
import { parseStoredResponse, saveResults } from '../../src/monitor/runs/parse-and-save.ts';
import { scan } from '../../src/monitor/schedule/scan.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { changeSearch } from '../../src/monitor/topics/search-state.ts';
import type { ActingContext } from '../../src/monitor/context.ts';
import type { Id } from '../../src/store/db/database.ts';
import { beginRequest, type RequestKey, storeReply } from '../../src/store/access/idempotency.ts';
import { holdTransaction } from '../../src/store/db/held-transaction.ts';
import type { RawResponse } from '../../src/store/runs/responses.ts';
import { renewLease } from '../../src/store/runs/run-leases.ts';
import { closeTrial, openTrial } from '../../src/store/runs/trials.ts';
import type { Role } from './plan.ts';
import type { PlayRecord, Scene } from './stage.ts';

/** @throws what the program does not expect */
export async function act(ctx: ActingContext, role: Role, scene: Scene, record: PlayRecord): Promise<void> {
  switch (role.does) {
    case 'execute': {
      const run =
        role.run === 'offered'
          ? (record.offered.at(-1) ?? scene.runs[0])
          : scene.runs[role.run === 'a' ? 0 : 1];
      return execute(ctx, run, { stopped: role.response === 'stopping' });
    }
    case 'scan':
      await scan(ctx, { takeOver: role.takeOver });
      return;
    case 'renew': {
      const [runId, fences = []] = [...record.fences].at(-1) ?? [scene.runs[0]];
      await renewLease(ctx.db, { runId, fence: fences.at(-1) ?? 1, leaseMs: ctx.config.leaseMs });
      return;
    }
    case 'change':
      return unlessRefused(async () => {
        for (const change of role.changes) await changeSearch(ctx, scene.slugs[0], change);
      });
    case 'request':
      return unlessRefused(() => request(ctx, scene, record));
    case 'trial':
      return trial(ctx, scene, role.sent);
  }
}

/** The journey of a run (monitor/runs/execute.ts), without the timer of its lease and what follows its success. */
export async function execute(
  ctx: ActingContext,
  runId: Id,
  { stopped }: { stopped: boolean } = { stopped: false },
): Promise<void> {
  const run = await leaseForWorker(ctx, runId, true);
  if (run === null) return parseLateResponses(ctx, runId);
  const stopping = stopped ? AbortSignal.abort() : new AbortController().signal;
  let response: RawResponse | undefined;
  try {
    response = (await findUnreadResponse(ctx, run)) ?? (await callAndStore(ctx, run, stopping));
    await saveResults(ctx, run, response, await parseStoredResponse(run, response));
  } catch (error) {
    await endWithoutSuccess(ctx, run, { error, response, stopping });
  }
}

async function request(ctx: ActingContext, scene: Scene, record: PlayRecord): Promise<void> {
  const key: RequestKey = { visitor: 'somebody', route: 'POST /run', key: scene.key };
  const limitMs = record.isRequestOverdue ? -1 : MINUTE;
  const begun = await beginRequest(ctx.db, ctx.clock, { ...key, bodyHash: Buffer.alloc(32), limitMs });
  if (begun.kind !== 'execute') return;
  record.executions.push(begun.execution.startedAt);
  const held = holdTransaction(ctx.db);
  try {
    const { runId } = await insertManualRun({ ...ctx, db: held.db }, scene.slugs[0]);
    await held.commit(async (tx) => {
      if (!(await storeReply(tx, begun.execution, { status: 202, reply: String(runId) })))
        throw new Refused('conflict', 'executed by somebody else');
    });
    record.offered.push(runId);
  } finally {
    await held.rollback();
  }
}

async function trial(ctx: ActingContext, scene: Scene, sent: boolean): Promise<void> {
  const opened = await openTrial(ctx.db, {
    ...readCallLimits(ctx, 'hosted'),
    serviceId: scene.service,
    request: {
      operation: 'microblog',
      prompt: 'p',
      tools: [],
      model: 'NOVA',
      date_filter: null,
      streaming: false,
      extra: {},
    },
    clock: ctx.clock,
    deadlineMs: 60_000,
  });
  if (opened.kind !== 'opened') return;
  await closeTrial(ctx.db, {
    id: opened.id,
    state: sent ? 'received' : 'failed',
    code: sent ? null : 'conn_refused',
    sent,
    httpStatus: null,
    bytes: null,
    latencyMs: null,
    costUsd: null,
    now: opened.sentAt,
  });
}

/** The search was removed meanwhile, or the request is executed by somebody else. */
async function unlessRefused(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}
