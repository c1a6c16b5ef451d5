import { asc, gt, inArray } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { runsView } from '../schema/analytics/runs.ts';
import { runs } from '../schema/runs.ts';
import type { RunRow } from './runs.ts';

type Reads = Pick<Database, 'orm'>;

/** Runs that ended after a time, in whichever way, in the order of their ends (index `runs_ended`). */
export async function readEnded(
  { orm }: Reads,
  { after, limit }: { after: Date; limit: number },
): Promise<{ id: Id; ended_at: Date }[]> {
  const rows = await orm
    .select({ id: runs.id, ended_at: runs.ended_at })
    .from(runs)
    .where(gt(runs.ended_at, after))
    .orderBy(asc(runs.ended_at), asc(runs.id))
    .limit(limit);
  return rows.flatMap(({ id, ended_at }) => (ended_at === null ? [] : [{ id, ended_at }]));
}

/** Runs in the order of the ids that are given. */
export async function readRunsOf({ orm }: Reads, ids: readonly Id[]): Promise<RunRow[]> {
  if (ids.length === 0) return [];
  const rows = await orm
    .select()
    .from(runsView)
    .where(inArray(runsView.id, [...ids]))
    .limit(ids.length);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
