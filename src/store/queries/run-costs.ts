/** What runs cost, and what a new item does, by search. */
import type { ServiceKind } from '../../model/closed-lists.ts';
import type { Pooled } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';

/** Of the runs of a search that ended in a span of time. */
export type SearchCost = {
  /** Slug. */
  search: string;
  service: ServiceKind;
  runs: number;
  calls: number;
  /** Sum of what was reported; null: of no call. */
  cost_usd: number | null;
  /** Calls without a reported cost. */
  uncosted: number;
  /** Found for the first time, without what was there at the start. */
  new_items: number;
  /** Of the runs that found them, without first runs; null as for `cost_usd`. */
  later_cost_usd: number | null;
};

/** The dearest first, then those with most calls. */
export async function readSearchCosts(
  { pool }: Pooled,
  { since, limit }: { since: Date; limit: number },
): Promise<SearchCost[]> {
  return rowsOf<SearchCost>(
    pool,
    statement`WITH ended AS MATERIALIZED (
        SELECT id, search_id, baseline, items_new FROM strandline.runs
        WHERE ended_at >= ${since} AND status IN ('succeeded', 'failed')
      ), made AS (
        SELECT c.run_id, count(*) AS calls, count(c.cost_usd) AS costed, sum(c.cost_usd) AS cost_usd
        FROM strandline.calls c JOIN ended e ON e.id = c.run_id GROUP BY 1
      ), spent AS (
        SELECT e.search_id, count(*)::int AS runs, coalesce(sum(m.calls), 0)::int AS calls, sum(m.cost_usd)::float8 AS cost_usd,
          coalesce(sum(m.calls - m.costed), 0)::int AS uncosted,
          coalesce(sum(e.items_new) FILTER (WHERE NOT e.baseline), 0)::int AS new_items,
          (sum(m.cost_usd) FILTER (WHERE NOT e.baseline))::float8 AS later_cost_usd
        FROM ended e LEFT JOIN made m ON m.run_id = e.id GROUP BY 1
      )
      SELECT s.slug AS search, v.kind AS service, x.runs, x.calls, x.cost_usd, x.uncosted, x.new_items, x.later_cost_usd
      FROM spent x JOIN strandline.searches s ON s.id = x.search_id JOIN strandline.services v ON v.id = s.service_id
      ORDER BY x.cost_usd DESC NULLS LAST, x.calls DESC, s.slug LIMIT ${limit}`,
  );
}
