import type { Model, Operation } from '../../domain/enumerations.ts';
import type { Database } from '../database.ts';
import type { ServiceKind } from '../services.ts';

/** What calls of one kind to a service cost, as it said itself. US dollars. */
export type CallCost = {
  operation: Operation;
  model: Model;
  /** How many calls this is known of, at most 100: the last ones that were told a cost. */
  calls: number;
  median_usd: number;
  most_usd: number;
};

/**
 * The last calls that were told a cost are looked at (of runs a thousand, of trials a hundred), and of each operation
 * and model the last hundred of them. $1 name of the service.
 */
const SELECT_CALL_COSTS = `
WITH told AS (
  (SELECT s.operation, v.model, c.cost_usd, c.sent_at
   FROM (SELECT run_id, cost_usd, sent_at FROM strandline.calls
         WHERE service_id = (SELECT id FROM strandline.services WHERE name = $1) AND cost_usd IS NOT NULL
         ORDER BY sent_at DESC LIMIT 1000) c
   JOIN strandline.runs r ON r.id = c.run_id
   JOIN strandline.searches s ON s.id = r.search_id
   JOIN strandline.search_versions v ON v.search_id = r.search_id AND v.version = r.version)
  UNION ALL
  (SELECT operation, model, cost_usd, sent_at FROM strandline.trials
   WHERE service_id = (SELECT id FROM strandline.services WHERE name = $1) AND cost_usd IS NOT NULL
   ORDER BY sent_at DESC LIMIT 100)
), last AS (
  SELECT *, row_number() OVER (PARTITION BY operation, model ORDER BY sent_at DESC) AS nth FROM told
)
SELECT operation, model, count(*)::int AS calls,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY cost_usd)::float8 AS median_usd, max(cost_usd)::float8 AS most_usd
FROM last WHERE nth <= 100 GROUP BY operation, model ORDER BY operation, model`;

/** What calls to a service have cost of late; empty where it never told a cost. */
export async function readCallCosts(
  { pool }: Pick<Database, 'pool'>,
  service: ServiceKind,
): Promise<CallCost[]> {
  return (await pool.query<CallCost>(SELECT_CALL_COSTS, [service])).rows;
}

/** The cost of one kind of call among those of its service; null where it was never told. */
export async function readCallCost(
  db: Pick<Database, 'pool'>,
  call: { service: ServiceKind; operation: Operation; model: string },
): Promise<CallCost | null> {
  const costs = await readCallCosts(db, call.service);
  return costs.find(({ operation, model }) => operation === call.operation && model === call.model) ?? null;
}
