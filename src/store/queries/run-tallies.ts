/** Status page: runs by outcome, and calls and costs of a day by service. */

import type { Data } from '../../domain/data.ts';
import { and, asc, eq } from 'drizzle-orm';
import type { RunCode } from '../../domain/errors.ts';
import type { Pooled, Reads } from '../database.ts';
import type { RunStatus } from '../schema/analytics/run-views.ts';
import { call_days, services } from '../schema/topic-tables.ts';
import type { ServiceKind } from '../services.ts';

/** Only a few dozen groups are possible. */
const MAX_GROUPS = 1_000;

export type RunTally = { status: RunStatus; code: RunCode | null; reason: string | null; runs: number };

/** $1 since, $2 whether simulated. */
const SELECT_RUN_TALLY = `
SELECT r.status, r.code, CASE WHEN r.status = 'skipped' THEN r.reason END AS reason, count(*)::int AS runs
FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id AND s.simulated = $2::boolean
WHERE r.created_at >= $1 GROUP BY 1, 2, 3 ORDER BY 1, 2 LIMIT ${MAX_GROUPS}`;

/** Runs created since then, by status, error code and skip reason. */
export async function tallyRuns({ pool }: Pooled, data: Data, since: Date): Promise<RunTally[]> {
  const { rows } = await pool.query<RunTally>({
    name: 'run_tally',
    text: SELECT_RUN_TALLY,
    values: [since, data === 'simulated'],
  });
  return rows;
}

export type ServiceDay = {
  name: string;
  kind: ServiceKind;
  address: string | null;
  calls_today: number;
  cost_usd_today: number | null;
  /** Calls of today without a reported cost. */
  calls_without_cost_today: number;
};

type PaidRow = { name: string; cost: number | null; made: number; told: number };

/** Calls of runs and of trials, grouped by service so that each uses its index. $1 since. */
const SELECT_SERVICE_COSTS = `
SELECT s.name, p.* FROM strandline.services s CROSS JOIN LATERAL (
  SELECT sum(cost_usd)::float8 AS cost, count(*)::int AS made, count(cost_usd)::int AS told
  FROM (
    SELECT cost_usd FROM strandline.calls WHERE service_id = s.id AND sent_at >= $1
    UNION ALL SELECT cost_usd FROM strandline.trials WHERE service_id = s.id AND sent_at >= $1
  ) c
) p`;

/**
 * Each service with its calls of this UTC day. There may be more calls than responses, because a lost call counts.
 */
export async function readServiceDays({ orm, pool }: Reads, now: Date): Promise<ServiceDay[]> {
  const day = now.toISOString().slice(0, 10);
  const made = await orm
    .select({
      name: services.name,
      kind: services.kind,
      address: services.address,
      calls: call_days.calls,
    })
    .from(services)
    .leftJoin(call_days, and(eq(call_days.service_id, services.id), eq(call_days.day, day)))
    .orderBy(asc(services.name))
    .limit(MAX_GROUPS);
  const { rows: paid } = await pool.query<PaidRow>(SELECT_SERVICE_COSTS, [new Date(`${day}T00:00:00Z`)]);
  const costs = new Map(paid.map((row) => [row.name, row]));
  return made.map(({ name, kind, address, calls }) => {
    const { cost = null, made: paidCalls = 0, told: withCost = 0 } = costs.get(name) ?? {};
    return {
      name,
      kind: kind as ServiceKind, // a CHECK constraint lets in nothing else
      address,
      calls_today: calls ?? 0,
      cost_usd_today: cost,
      calls_without_cost_today: paidCalls - withCost,
    };
  });
}
