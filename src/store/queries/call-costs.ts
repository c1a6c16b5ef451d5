import type { Model, Operation } from '../../model/enumerations.ts';
import type { Pooled } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';

/** Reported cost of calls to a service, of one operation and model, in US dollars. */
export type CallCost = {
  operation: Operation;
  model: Model;
  /** Number of calls that this is based on: the last ones with a reported cost, at most 100. */
  calls: number;
  median_usd: number;
  most_usd: number;
};

/** Recent cost of calls to a service; empty if it never reported one. */
export async function readCallCosts({ pool }: Pooled, service: ServiceKind): Promise<CallCost[]> {
  // Reads the last calls with a reported cost (1,000 of runs, 100 of trials), and of these the last 100 of each
  // operation and model.
  return await rowsOf<CallCost>(
    pool,
    statement`WITH told AS (
        (SELECT s.operation, v.model, c.cost_usd, c.sent_at
         FROM (SELECT run_id, cost_usd, sent_at FROM strandline.calls
               WHERE service_id = (SELECT id FROM strandline.services WHERE name = ${service}) AND cost_usd IS NOT NULL
               ORDER BY sent_at DESC LIMIT 1000) c
         JOIN strandline.runs r ON r.id = c.run_id
         JOIN strandline.searches s ON s.id = r.search_id
         JOIN strandline.search_versions v ON v.search_id = r.search_id AND v.version = r.version)
        UNION ALL
        (SELECT operation, model, cost_usd, sent_at FROM strandline.trials
         WHERE service_id = (SELECT id FROM strandline.services WHERE name = ${service}) AND cost_usd IS NOT NULL
         ORDER BY sent_at DESC LIMIT 100)
      ), last AS (
        SELECT *, row_number() OVER (PARTITION BY operation, model ORDER BY sent_at DESC) AS nth FROM told
      )
      SELECT operation, model, count(*)::int AS calls,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY cost_usd)::float8 AS median_usd, max(cost_usd)::float8 AS most_usd
      FROM last WHERE nth <= 100 GROUP BY operation, model ORDER BY operation, model`,
  );
}
