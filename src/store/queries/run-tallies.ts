/** Status page: runs by outcome, and calls and costs of a day by service. */

import { DAY } from '../../lib/time.ts';
import type { Pooled } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';
import type { runs } from '../schema/run-tables.ts';
import type { services } from '../schema/topic-tables.ts';

/** Only a few dozen groups are possible. */
const MAX_GROUPS = 1_000;

export type RunTally = Pick<typeof runs.$inferSelect, 'status' | 'code' | 'reason'> & { runs: number };

/** Runs created since then, by status, error code and skip reason. */
export async function tallyRuns({ pool }: Pooled, since: Date): Promise<RunTally[]> {
  return rowsOf<RunTally>(
    pool,
    statement`SELECT r.status, r.code, CASE WHEN r.status = 'skipped' THEN r.reason END AS reason, count(*)::int AS runs
      FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
      WHERE r.created_at >= ${since} GROUP BY 1, 2, 3 ORDER BY 1, 2 LIMIT ${verbatim(MAX_GROUPS)}`,
    'run_tally',
  );
}

export type ServiceDay = Pick<typeof services.$inferSelect, 'name' | 'kind' | 'address'> & {
  calls_today: number;
  cost_usd_today: number | null;
  /** Calls of today without a reported cost. */
  calls_without_cost_today: number;
};

/**
 * Each service with its calls of this UTC day. There may be more calls than responses, because a lost call counts.
 */
export async function readServiceDays({ pool }: Pooled, now: Date): Promise<ServiceDay[]> {
  const today = new Date(Math.floor(now.getTime() / DAY) * DAY);
  // Calls of runs and of trials, grouped by service so that each uses its index.
  return rowsOf<ServiceDay>(
    pool,
    statement`SELECT s.name, s.kind, s.address, coalesce(d.calls, 0) AS calls_today, c.cost_usd_today, c.calls_without_cost_today
      FROM strandline.services s
      LEFT JOIN strandline.call_days d ON d.service_id = s.id AND d.day = (${today}::timestamptz AT TIME ZONE 'UTC')::date
      CROSS JOIN LATERAL (
        SELECT sum(cost_usd)::float8 AS cost_usd_today, (count(*) - count(cost_usd))::int AS calls_without_cost_today
        FROM (
          SELECT cost_usd FROM strandline.calls WHERE service_id = s.id AND sent_at >= ${today}
          UNION ALL SELECT cost_usd FROM strandline.trials WHERE service_id = s.id AND sent_at >= ${today}
        ) made
      ) c
      ORDER BY s.name LIMIT ${verbatim(MAX_GROUPS)}`,
  );
}
