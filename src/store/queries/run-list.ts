/** Runs, and their calls, rejects, neighbors, responses and requests. */

import type { Operation } from '../../model/enumerations.ts';
import type { RunCode, SkipReason } from '../../model/errors.ts';
import { type Id, type Orm, type Pooled, type Reads, onlyRow, prepareOnce } from '../db/database.ts';
import { execute, selectIds, type Statement, statement } from '../db/statement.ts';
import { callsView, rejectsView, runsView, searchesView } from '../schema/analytics-views.ts';
import type { RunStatus, ServiceKind } from '../../model/closed-lists.ts';
import { type responses, runs } from '../schema/run-tables.ts';
import type { RequestColumns } from '../topics/searches.ts';
import { type DataScope, searchesInScope } from './data-scope.ts';
import { inOrderOf } from './view-conditions.ts';
import { and, asc, desc, eq, gt, gte, inArray, lt, sql, type SQL } from 'drizzle-orm';

export type RunRow = typeof runsView.$inferSelect;
export type CallRow = typeof callsView.$inferSelect;
export type RejectRow = typeof rejectsView.$inferSelect;

/** Whether a run is the first baseline of its search: there is nothing earlier to compare with. */
export function isBaselineRun({ baseline, request_version }: RunRow): boolean {
  return baseline && request_version === 1;
}

export async function readRun(db: Orm, id: Id): Promise<RunRow | undefined> {
  const [row] = await prepareOnce(db.orm, 'run', () =>
    db.orm
      .select()
      .from(runsView)
      .where(eq(runsView.id, sql.placeholder('key'))),
  ).execute({ key: id });
  return row;
}

/** The calls of a run, in order; at most a few. */
export async function readCalls({ orm }: Reads, runId: Id): Promise<CallRow[]> {
  const view = callsView;
  return orm.select().from(view).where(eq(view.run_id, runId)).orderBy(asc(view.n)).limit(100);
}

/** Rejected items of a run's response, after the ID `after`. */
export async function readRejects(
  { orm }: Reads,
  runId: Id,
  { after, limit = 1_000 }: { after?: Id | undefined; limit?: number } = {},
): Promise<RejectRow[]> {
  const view = rejectsView;
  return orm
    .select()
    .from(view)
    .where(and(eq(view.run_id, runId), after === undefined ? undefined : gt(view.id, after)))
    .orderBy(asc(view.id))
    .limit(limit);
}

/** Runs that ended after a time, with any status, by end time (index `runs_ended`). */
export async function readEndedRuns(
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

/** Runs with these IDs, in the order of `ids`; unknown IDs are left out. */
export async function readRunsByIds({ orm }: Reads, ids: readonly Id[]): Promise<RunRow[]> {
  if (ids.length === 0) return [];
  const view = runsView;
  const rows = await orm
    .select()
    .from(view)
    .where(inArray(view.id, [...ids]))
    .limit(ids.length);
  return inOrderOf(ids, rows, ({ id }) => id);
}

type RunPageFilter = DataScope & {
  status?: RunStatus | undefined;
  code?: RunCode | undefined;
  /** Why slots were skipped. */
  reason?: SkipReason | undefined;
  /** Created at this time or later. */
  since?: Date | undefined;
  /** Older than this run. */
  before?: Id | undefined;
  limit: number;
};

/** A literal instead of a parameter, so that the planner uses the partial index on skipped runs. */
const STATUS_CONDITIONS: Readonly<Record<RunStatus, SQL>> = {
  queued: sql`'queued'`,
  running: sql`'running'`,
  succeeded: sql`'succeeded'`,
  failed: sql`'failed'`,
  skipped: sql`'skipped'`,
  cancelled: sql`'cancelled'`,
};

/**
 * Runs, also of removed searches, newest first, and whether there are older ones. Selects IDs from the table first, so that
 * the view aggregates only the returned runs. The first ID since a time bounds which IDs are read; among them are older runs of
 * simulated days, which are written later.
 */
export async function readRunPage(
  { orm, pool }: Reads,
  { status, code, reason, since, before, limit, ...scope }: RunPageFilter,
): Promise<{ runs: RunRow[]; more: boolean }> {
  const searches = await selectScopeIds({ pool }, scope);
  if (searches?.length === 0) return { runs: [], more: false };
  const first = since === undefined ? undefined : await findFirstSince({ pool }, since);
  if (first === null) return { runs: [], more: false };
  const matches = await orm
    .select({ id: runs.id })
    .from(runs)
    .where(
      and(
        searches === undefined ? undefined : inArray(runs.search_id, searches),
        status === undefined ? undefined : sql`${runs.status} = ${STATUS_CONDITIONS[status]}`,
        // Only failed runs have a code, and the planner finds them by their partial index.
        code === undefined ? undefined : sql`${runs.status} = 'failed' AND ${runs.code} = ${code}`,
        first === undefined || since === undefined
          ? undefined
          : and(gte(runs.id, first), gte(runs.created_at, since)),
        reason === undefined ? undefined : eq(runs.reason, reason),
        before === undefined ? undefined : lt(runs.id, before),
      ),
    )
    .orderBy(desc(runs.id))
    .limit(limit + 1);
  const ids = matches.slice(0, limit).map(({ id }) => id);
  if (ids.length === 0) return { runs: [], more: false };
  const view = runsView;
  const rows = await orm.select().from(view).where(inArray(view.id, ids)).orderBy(desc(view.id)).limit(limit);
  return { runs: rows, more: matches.length > limit };
}

/** The newest run of a search that ended, as an item `r` of FROM. @param search its ID */
export const lastEndedRun = (search: Statement): Statement => statement`LATERAL (
  SELECT id, status, code, reason, ended_at FROM strandline.runs
  WHERE search_id = ${search} AND ended_at IS NOT NULL ORDER BY id DESC LIMIT 1
) r`;

/** Undefined: all. */
async function selectScopeIds({ pool }: Pooled, scope: DataScope): Promise<Id[] | undefined> {
  if (scope.topic === undefined && scope.search === undefined) return undefined;
  return selectIds(pool, searchesInScope(scope));
}

/** OFFSET 0 makes the planner find the rows by time instead of scanning all older IDs. */
async function findFirstSince({ pool }: Pooled, since: Date): Promise<Id | null> {
  const { rows } = await execute<{ id: Id | null }>(
    pool,
    statement`SELECT min(id) AS id FROM (SELECT id FROM strandline.runs WHERE created_at >= ${since} OFFSET 0) r`,
  );
  return onlyRow(rows).id;
}

/** Names of the services of these searches. */
export async function readRunServices({ orm }: Orm, searchIds: readonly Id[]): Promise<Map<Id, string>> {
  const { id, service } = searchesView;
  const rows = await orm
    .select({ id, service })
    .from(searchesView)
    .where(inArray(id, [...searchIds]));
  return new Map(rows.map((row) => [row.id, row.service]));
}

export type RunNeighbours = { previous: Id | null; next: Id | null };

/** The previous and next run of the same search. */
export async function readRunNeighbours(
  { pool }: Pooled,
  run: { id: Id; search_id: Id },
): Promise<RunNeighbours> {
  const { rows } = await execute<RunNeighbours>(
    pool,
    statement`SELECT (SELECT max(id) FROM strandline.runs WHERE search_id = ${run.search_id} AND id < ${run.id}) AS previous,
      (SELECT min(id) FROM strandline.runs WHERE search_id = ${run.search_id} AND id > ${run.id}) AS next`,
  );
  return onlyRow(rows);
}

export type StoredResponseNote = Pick<
  typeof responses.$inferSelect,
  'n' | 'content_type' | 'bytes' | 'received_at'
> & {
  /** Its compressed body. */
  stored_bytes: number;
};

/** A run's stored response without its body; undefined if it expired or never arrived. */
export async function readResponseNote({ pool }: Pooled, runId: Id): Promise<StoredResponseNote | undefined> {
  const { rows } = await execute<StoredResponseNote>(
    pool,
    statement`SELECT n, content_type, bytes, octet_length(body) AS stored_bytes, received_at
      FROM strandline.responses WHERE run_id = ${runId} ORDER BY n DESC LIMIT 1`,
  );
  return rows[0];
}

/** A run's request and its service. */
type RequestRow = RequestColumns & {
  operation: Operation;
  service: string;
  service_kind: ServiceKind;
  /** Base URL of a hosted service; null for this program's own services. */
  address: string | null;
  dialect: string;
};

export async function readRunRequest({ pool }: Pooled, runId: Id): Promise<RequestRow | undefined> {
  const { rows } = await execute<RequestRow>(
    pool,
    statement`SELECT s.operation, v.prompt, v.tools, v.model, v.date_filter, v.streaming, v.extra,
        sv.name AS service, sv.kind AS service_kind, sv.address, sv.dialect
      FROM strandline.runs r
      JOIN strandline.searches s ON s.id = r.search_id
      JOIN strandline.search_versions v ON v.search_id = r.search_id AND v.version = r.version
      JOIN strandline.services sv ON sv.id = s.service_id
      WHERE r.id = ${runId}`,
  );
  return rows[0];
}

/** Whether any of these searches has succeeded twice, so that something new can be told from what was there. */
export async function hasSucceededTwice({ pool }: Pooled, searchIds: readonly Id[]): Promise<boolean> {
  const { rows } = await execute<{ found: boolean }>(
    pool,
    statement`SELECT EXISTS (
        SELECT FROM unnest(${searchIds}::bigint[]) AS search (id)
        CROSS JOIN LATERAL (
          SELECT FROM strandline.runs WHERE search_id = search.id AND status = 'succeeded' ORDER BY id DESC LIMIT 1 OFFSET 1
        ) second
      ) AS found`,
    'succeeded_twice',
  );
  return onlyRow(rows).found;
}

/** The newest run of each search. */
export async function readNewestRunIds({ pool }: Pooled, searchIds: readonly Id[]): Promise<Id[]> {
  const { rows } = await execute<{ id: Id }>(
    pool,
    statement`SELECT newest.id FROM unnest(${searchIds}::bigint[]) AS search (id)
      CROSS JOIN LATERAL (SELECT id FROM strandline.runs WHERE search_id = search.id ORDER BY id DESC LIMIT 1) newest`,
    'newest_runs',
  );
  return rows.map(({ id }) => id);
}
