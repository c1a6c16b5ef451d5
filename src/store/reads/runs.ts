import { and, asc, desc, eq, gt } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { callsView, rejectsView, runsView, type RunStatus } from '../schema/analytics/runs.ts';
import { amongIds } from './among-ids.ts';

export type RunRow = typeof runsView.$inferSelect;
export type CallRow = typeof callsView.$inferSelect;
export type RejectRow = typeof rejectsView.$inferSelect;

type Reads = Pick<Database, 'orm'>;

export async function readRun({ orm }: Reads, id: Id): Promise<RunRow | undefined> {
  const [row] = await orm
    .select()
    .from(runsView)
    .where(amongIds(runsView.id))
    .prepare('run')
    .execute({ ids: [id] });
  return row;
}

/** Runs, the newest first. */
export async function readRuns(
  { orm }: Reads,
  filter: {
    search?: string | undefined;
    topic?: string | undefined;
    status?: RunStatus | undefined;
    limit: number;
  },
): Promise<RunRow[]> {
  const { search, topic, status } = filter;
  return orm
    .select()
    .from(runsView)
    .where(
      and(
        search === undefined ? undefined : eq(runsView.search, search),
        topic === undefined ? undefined : eq(runsView.topic, topic),
        status === undefined ? undefined : eq(runsView.status, status),
      ),
    )
    .orderBy(desc(runsView.id))
    .limit(filter.limit);
}

/** The calls of a run, in order; a run makes a handful at most. */
export async function readCalls({ orm }: Reads, runId: Id, limit = 100): Promise<CallRow[]> {
  return orm
    .select()
    .from(callsView)
    .where(eq(callsView.run_id, runId))
    .orderBy(asc(callsView.n))
    .limit(limit);
}

/** What of a run's answer could not be read, in the order of ids, behind `after`. */
export async function readRejects(
  { orm }: Reads,
  runId: Id,
  { after, limit = 1_000 }: { after?: Id | undefined; limit?: number } = {},
): Promise<RejectRow[]> {
  return orm
    .select()
    .from(rejectsView)
    .where(and(eq(rejectsView.run_id, runId), after === undefined ? undefined : gt(rejectsView.id, after)))
    .orderBy(asc(rejectsView.id))
    .limit(limit);
}
