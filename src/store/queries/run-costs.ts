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
      ), ran AS (
        SELECT search_id, count(*)::int AS runs, coalesce(sum(items_new) FILTER (WHERE NOT baseline), 0)::int AS new_items
        FROM ended GROUP BY 1
      ), called AS (
        SELECT e.search_id, count(*)::int AS calls, sum(c.cost_usd)::float8 AS cost_usd,
          (count(*) FILTER (WHERE c.cost_usd IS NULL))::int AS uncosted,
          (sum(c.cost_usd) FILTER (WHERE NOT e.baseline))::float8 AS later_cost_usd
        FROM ended e JOIN strandline.calls c ON c.run_id = e.id GROUP BY 1
      )
      SELECT s.slug AS search, v.kind AS service, r.runs, coalesce(c.calls, 0) AS calls, c.cost_usd,
        coalesce(c.uncosted, 0) AS uncosted, r.new_items, c.later_cost_usd
      FROM ran r LEFT JOIN called c USING (search_id)
      JOIN strandline.searches s ON s.id = r.search_id JOIN strandline.services v ON v.id = s.service_id
      ORDER BY c.cost_usd DESC NULLS LAST, calls DESC, s.slug LIMIT ${limit}`,
  );
}
