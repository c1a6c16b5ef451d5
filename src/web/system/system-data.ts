/** Everything that the page System shows, read concurrently. */

import { awaitMembers } from '../../lib/await-members.ts';
import { DAY } from '../../lib/time.ts';
import type { RouteContext } from '../../monitor/http/route-types.ts';
import { readStatusFacts } from '../../monitor/status/status-facts.ts';
import { countDue, readTableSizes, retentionLimitsAt } from '../../store/erase/retention.ts';
import { readPauseOfAll } from '../../store/topics/pauses.ts';
import { readContractVersion } from '../../store/queries/sql-contract.ts';
import { readCallDays, readServer, readUpkeep } from '../../store/queries/system.ts';

/** Days in the chart of calls, including today. */
export const CALL_DAYS = 30;

export type SystemData = Awaited<ReturnType<typeof readSystemData>>;

export async function readSystemData({ ctx, services: access, embedded }: RouteContext) {
  const { db } = ctx;
  const now = ctx.clock.now();
  const from = new Date((Math.floor(now.getTime() / DAY) - CALL_DAYS + 1) * DAY);
  return {
    isEmbedded: embedded !== null,
    now,
    from,
    ...(await awaitMembers({
      facts: readStatusFacts(ctx),
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
