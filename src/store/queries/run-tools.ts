/** Coverage by tool: of runs, and which tools of active searches do not respond now. */

import type { Tool } from '../../domain/enumerations.ts';
import { isToolReason, type ToolReason } from '../../domain/tool-coverage.ts';
import { amongIds, type Database, type Id, type Reads } from '../database.ts';
import { runToolsView as runToolsViews } from '../schema/analytics/run-views.ts';
import type { RunRow } from './run-list.ts';
import { asc, desc } from 'drizzle-orm';

const runToolsView = runToolsViews.real;

export type RunToolRow = typeof runToolsView.$inferSelect;

/** Tools of runs: asked ones first, by name. Runs from before this was recorded have none. */
export async function readRunTools({ orm }: Reads, runIds: readonly Id[]): Promise<RunToolRow[]> {
  if (runIds.length === 0) return [];
  return orm
    .select()
    .from(runToolsView)
    .where(amongIds(runToolsView.run_id))
    .orderBy(asc(runToolsView.run_id), desc(runToolsView.asked), asc(runToolsView.tool))
    .prepare('run_tools')
    .execute({ ids: [...runIds] });
}

export type RunWithTools = RunRow & { tools: RunToolRow[] };

export async function readToolsOf(db: Reads, run: RunRow): Promise<RunWithTools> {
  return { ...run, tools: await readRunTools(db, [run.id]) };
}

/** A tool that did not respond to the newest runs of some active searches. */
export type SilentTool = {
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
  simulated: boolean;
};

/**
 * Tools that did not respond to the newest ended run of active searches, most searches first; at most one per tool and
 * reason. Runs that failed as a whole are left out: their code says why.
 */
export async function readSilentTools(
  { pool }: Pick<Database, 'pool'>,
  filter: { topic?: string | undefined; search?: string | undefined } = {},
): Promise<SilentTool[]> {
  const { rows } = await pool.query<SilentTool>(
    `SELECT t.tool, t.reason, min(t.detail) AS detail, max(t.observed_at) AS observed_at, max(last.at) AS last_responded_at,
       count(*)::int AS searches, min(s.slug) AS search, s.simulated
     FROM strandline.searches s
     JOIN strandline.topics p ON p.id = s.topic_id
     CROSS JOIN LATERAL (
       SELECT id FROM strandline.runs WHERE search_id = s.id AND status IN ('succeeded', 'failed') ORDER BY id DESC LIMIT 1
     ) r
     JOIN strandline.run_tools t ON t.run_id = r.id AND t.asked AND NOT t.responded
     LEFT JOIN LATERAL (
       SELECT b.observed_at AS at FROM strandline.run_tools b
       WHERE b.search_id = s.id AND b.tool = t.tool AND b.responded AND b.run_id < r.id ORDER BY b.run_id DESC LIMIT 1
     ) last ON true
     WHERE s.archived_at IS NULL AND s.state = 'active'
       AND ($1::text IS NULL OR p.slug = $1) AND ($2::text IS NULL OR s.slug = $2)
     GROUP BY t.tool, t.reason, s.simulated
     ORDER BY s.simulated, searches DESC, t.tool, t.reason`,
    [filter.topic ?? null, filter.search ?? null],
  );
  return rows.filter(({ reason }) => isToolReason(reason));
}
