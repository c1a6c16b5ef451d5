/** Coverage by tool: of runs, which tools of active searches do not respond now, and which a service did not respond with last. */

import type { Tool } from '../../model/enumerations.ts';
import {
  isToolReason,
  isUnconfigured,
  type MissingTool,
  type ToolReason,
} from '../../model/tool-coverage.ts';
import { amongIds, type Id, type Pooled, prepareOnce, type Reads } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';
import { runToolsView } from '../schema/analytics-views.ts';
import { type DataScope, isInScope } from './data-scope.ts';
import type { RunRow } from './run-list.ts';
import { asc, desc } from 'drizzle-orm';

export type RunToolRow = typeof runToolsView.$inferSelect;

/** Tools of runs: requested tools first, by name. Runs from before tools were recorded have none. */
export async function readRunTools({ orm }: Reads, runIds: readonly Id[]): Promise<RunToolRow[]> {
  if (runIds.length === 0) return [];
  const view = runToolsView;
  return prepareOnce(orm, 'run_tools', () =>
    orm
      .select()
      .from(view)
      .where(amongIds(view.run_id))
      .orderBy(asc(view.run_id), desc(view.asked), asc(view.tool)),
  ).execute({ ids: [...runIds] });
}

export type RunWithTools = RunRow & { tools: RunToolRow[] };

export async function readToolsOf(db: Reads, run: RunRow): Promise<RunWithTools> {
  return { ...run, tools: await readRunTools(db, [run.id]) };
}

/** A tool that did not respond to the newest runs of some active searches. */
export type UnresponsiveTool = {
  tool: Tool;
  reason: ToolReason;
  detail: string | null;
  /** Received by the newest of these runs. */
  observed_at: Date | null;
  /** The last response to any of these searches; null: never. */
  last_responded_at: Date | null;
  /** How many searches, and the slug of the first. */
  searches: number;
  search: string;
};

/**
 * Tools that did not respond to the newest ended run of active searches, most searches first; at most one per tool and
 * reason. Runs that failed as a whole are left out: their code says why.
 */
export async function readUnresponsiveTools({ pool }: Pooled, scope: DataScope): Promise<UnresponsiveTool[]> {
  const rows = await rowsOf<UnresponsiveTool>(
    pool,
    statement`SELECT u.tool, u.reason, min(u.detail) AS detail, max(u.observed_at) AS observed_at, max(last.at) AS last_responded_at,
       count(*)::int AS searches, min(s.slug) AS search
     FROM strandline.searches s
     JOIN strandline.topics t ON t.id = s.topic_id
     CROSS JOIN LATERAL (
       SELECT id FROM strandline.runs WHERE search_id = s.id AND status IN ('succeeded', 'failed') ORDER BY id DESC LIMIT 1
     ) r
     JOIN strandline.run_tools u ON u.run_id = r.id AND u.asked AND NOT u.responded
     LEFT JOIN LATERAL (
       SELECT b.observed_at AS at FROM strandline.run_tools b
       WHERE b.search_id = s.id AND b.tool = u.tool AND b.responded AND b.run_id < r.id ORDER BY b.run_id DESC LIMIT 1
     ) last ON true
     WHERE s.archived_at IS NULL AND s.state = 'active'
       AND ${isInScope(scope)}
     GROUP BY u.tool, u.reason
     ORDER BY searches DESC, u.tool, u.reason`,
    'silent_tools',
  );
  return rows.filter(({ reason }) => isToolReason(reason));
}

/** A tool of the built-in service that failed for every active search that uses it. */
export type FailingTool = {
  tool: Tool;
  reason: ToolReason;
  detail: string | null;
  /** Received by the first and the newest of their last runs. */
  since: Date;
  observed_at: Date;
  searches: number;
};

/**
 * Tools that did not respond to the newest run of any active search whose request names them, on the built-in service. Tools that
 * nobody configured have no row: they do not fail.
 */
export async function readFailingTools({ pool }: Pooled): Promise<FailingTool[]> {
  const { rows } = await pool.query<FailingTool>({
    name: 'failing_tools',
    text: `SELECT u.tool, (array_agg(u.reason ORDER BY u.run_id DESC))[1] AS reason, (array_agg(u.detail ORDER BY u.run_id DESC))[1] AS detail,
       min(u.observed_at) AS since, max(u.observed_at) AS observed_at, count(*)::int AS searches
     FROM strandline.searches s
     JOIN strandline.services v ON v.id = s.service_id AND v.kind <> 'hosted'
     CROSS JOIN LATERAL (
       SELECT id FROM strandline.runs WHERE search_id = s.id AND status IN ('succeeded', 'failed') ORDER BY id DESC LIMIT 1
     ) r
     JOIN strandline.run_tools u ON u.run_id = r.id AND u.asked AND u.responded IS NOT NULL AND u.observed_at IS NOT NULL
     WHERE s.archived_at IS NULL AND s.state = 'active'
     GROUP BY u.tool HAVING NOT bool_or(u.responded) ORDER BY u.tool`,
  });
  return rows.filter(({ reason }) => isToolReason(reason) && !isUnconfigured(reason));
}

/**
 * The tools that did not respond when the newest run of a hosted service asked them: the specification has no way to ask such a
 * service which tools it has. Considers the newest run of each search.
 */
export async function readMissingHostedTools({ pool }: Pooled): Promise<MissingTool[]> {
  const { rows } = await pool.query<MissingTool & { responded: boolean }>(
    `SELECT DISTINCT ON (u.tool) u.tool, u.reason, u.detail, u.observed_at, u.responded
     FROM strandline.searches s
     JOIN strandline.services v ON v.id = s.service_id AND v.kind = 'hosted'
     CROSS JOIN LATERAL (
       SELECT id FROM strandline.runs WHERE search_id = s.id AND status IN ('succeeded', 'failed') ORDER BY id DESC LIMIT 1
     ) r
     JOIN strandline.run_tools u ON u.run_id = r.id AND u.asked AND u.responded IS NOT NULL AND u.observed_at IS NOT NULL
     WHERE s.archived_at IS NULL
     ORDER BY u.tool, u.run_id DESC`,
  );
  return rows.flatMap(({ responded, ...tool }) => (responded || !isToolReason(tool.reason) ? [] : [tool]));
}
