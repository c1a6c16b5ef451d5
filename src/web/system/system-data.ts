/** Everything that the page System shows, read concurrently. */

import { awaitMembers } from '../../lib/await-members.ts';
import { DAY } from '../../lib/time.ts';
import type { RouteContext } from '../../monitor/http/route-types.ts';
import { listTroubled, readSearchStatuses } from '../../monitor/status/search-status.ts';
import { readQueueDepth, readServiceBudgets, readWorkers } from '../../monitor/status/system-status.ts';
import { readSetAside } from '../../store/derive/pending-derivations.ts';
import { countDue, readTableSizes, retentionLimitsAt } from '../../store/erase/retention.ts';
import { readPauseOfAll } from '../../store/topics/pauses.ts';
import { readContractVersion } from '../../store/queries/sql-contract.ts';
import { readBacklog, readCallDays, readServer, readUnread, readUpkeep } from '../../store/queries/system.ts';
import { WORKER_SILENCE_MS } from '../../store/runs/worker-registry.ts';

/** Maximum searches listed with delayed trends. */
const MAX_SET_ASIDE = 10;
/** Days in the chart of calls, including today. */
export const CALL_DAYS = 30;

export type SystemData = Awaited<ReturnType<typeof readSystemData>>;

export async function readSystemData({ ctx, services: access, embedded }: RouteContext) {
  const { db } = ctx;
  const now = ctx.clock.now();
  const from = new Date((Math.floor(now.getTime() / DAY) - CALL_DAYS + 1) * DAY);
  const heardSince = new Date(now.getTime() - WORKER_SILENCE_MS);
  return {
    isEmbedded: embedded !== null,
    queueKind: ctx.queue.kind,
    from,
    ...(await awaitMembers({
      workers: readWorkers(ctx),
      backlog: readBacklog(db, now),
      troubled: readSearchStatuses(ctx).then(listTroubled),
      unread: readUnread(db, { statementTime: ctx.clock.statementTime(), heardSince }),
      aside: readSetAside(db, MAX_SET_ASIDE),
      queue: readQueueDepth(ctx.queue),
      services: readServiceBudgets(ctx),
      callDays: readCallDays(db, from),
      sources: access.health(),
      tables: readTableSizes(db),
      due: countDue(db, retentionLimitsAt(now, ctx.config)),
      upkeep: readUpkeep(db),
      server: readServer(db),
      contract: readContractVersion(db),
      pause: readPauseOfAll(db),
    })),
  };
}
