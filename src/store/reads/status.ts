import { and, asc, count, eq, gte, sql, sum } from 'drizzle-orm';
import type { RunCode } from '../../errors.ts';
import type { Database } from '../database.ts';
import { callsView, runsView, type RunStatus } from '../schema/analytics.ts';
import { call_days, services } from '../schema/services.ts';
import type { ServiceKind } from '../services.ts';

type Reads = Pick<Database, 'orm'>;

/** Most groups that there can be is a few dozen; a bound all the same. */
const GROUPS = 1_000;

export type RunTally = { status: RunStatus; code: RunCode | null; reason: string | null; runs: number };

/** How many runs that were made since then are in which state, with which code those failed, and why those were skipped. */
export async function tallyRuns({ orm }: Reads, since: Date): Promise<RunTally[]> {
  const reason = sql<string | null>`case when ${runsView.status} = 'skipped' then ${runsView.reason} end`;
  return orm
    .select({ status: runsView.status, code: runsView.code, reason, runs: count() })
    .from(runsView)
    .where(gte(runsView.created_at, since))
    .groupBy(runsView.status, runsView.code, reason)
    .orderBy(asc(runsView.status), asc(runsView.code))
    .limit(GROUPS);
}

export type ServiceDay = {
  name: string;
  kind: ServiceKind;
  address: string | null;
  calls_today: number;
  cost_usd_today: number | null;
  /** Calls of today whose answer named no cost. */
  calls_without_cost_today: number;
};

/** Each service with its calls of this UTC day; those may be more than answers, for a lost call counts as made. */
export async function readServiceDays({ orm }: Reads, now: Date): Promise<ServiceDay[]> {
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
    .limit(GROUPS);
  const paid = await orm
    .select({
      name: callsView.service,
      cost: sum(callsView.cost_usd),
      made: count(),
      told: count(callsView.cost_usd),
    })
    .from(callsView)
    .where(gte(callsView.sent_at, new Date(`${day}T00:00:00Z`)))
    .groupBy(callsView.service)
    .limit(GROUPS);
  const costs = new Map(paid.map((row) => [row.name, row]));
  return made.map(({ name, kind, address, calls }) => {
    const { cost = null, made: asked = 0, told = 0 } = costs.get(name) ?? {};
    return {
      name,
      kind: kind as ServiceKind, // a CHECK constraint lets in nothing else
      address,
      calls_today: calls ?? 0,
      cost_usd_today: cost === null ? null : Number(cost),
      calls_without_cost_today: asked - told,
    };
  });
}
