import { and, asc, desc, eq, gt, gte, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { discoveriesView } from '../schema/analytics/result-views.ts';
import { searches } from '../schema/topic-tables.ts';

export type DiscoveryRow = typeof discoveriesView.$inferSelect;

type DiscoveryKind = DiscoveryRow['kind'];

export type DiscoveryFilter = {
  search?: string | undefined;
  topic?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  runId?: Id | undefined;
  kind?: DiscoveryKind | undefined;
  /** Whether part of a baseline. */
  baseline?: boolean | undefined;
};

/** The newest discoveries, in feed order: the newest is last. @param filter.before only those before this ID */
export async function readNewestDiscoveries(
  { orm }: Pick<Database, 'orm'>,
  filter: DiscoveryFilter & { before?: Id | undefined; limit: number },
): Promise<DiscoveryRow[]> {
  const { before } = filter;
  const rows = await orm
    .select()
    .from(discoveriesView)
    .where(and(before === undefined ? undefined : lt(discoveriesView.id, before), ...buildConditions(filter)))
    .orderBy(desc(discoveriesView.id))
    .limit(filter.limit);
  return rows.toReversed();
}

/**
 * Discoveries after a cursor, in feed order. IDs are in commit order, so none is missed.
 * @param filter.upTo the last ID to return
 */
export async function readDiscoveriesAfter(
  { orm }: Pick<Database, 'orm'>,
  filter: DiscoveryFilter & { after: Id; upTo?: Id | undefined; limit: number },
): Promise<DiscoveryRow[]> {
  const { after, upTo } = filter;
  return orm
    .select()
    .from(discoveriesView)
    .where(
      and(
        gt(discoveriesView.id, after),
        upTo === undefined ? undefined : lte(discoveriesView.id, upTo),
        ...buildConditions(filter),
      ),
    )
    .orderBy(asc(discoveriesView.id))
    .limit(filter.limit);
}

/** The ID of the newest discovery; zero if there is none. */
export async function readLastDiscoveryId({ pool }: Pick<Database, 'pool'>): Promise<Id> {
  const { rows } = await pool.query<{ id: Id }>(
    'SELECT coalesce(max(id), 0) AS id FROM strandline.discoveries',
  );
  return rows[0]?.id ?? 0n;
}

function buildConditions(filter: DiscoveryFilter): (SQL | undefined)[] {
  const { search, topic, since, until, runId, kind, baseline } = filter;
  return [
    // As a value instead of a join, so that the index on a search's feed also provides the order.
    search === undefined
      ? undefined
      : sql`${discoveriesView.search_id} = (SELECT ${searches.id} FROM ${searches} WHERE ${searches.slug} = ${search})`,
    topic === undefined ? undefined : eq(discoveriesView.topic, topic),
    since === undefined ? undefined : gte(discoveriesView.at, since),
    until === undefined ? undefined : lt(discoveriesView.at, until),
    runId === undefined ? undefined : eq(discoveriesView.run_id, runId),
    kind === undefined ? undefined : eq(discoveriesView.kind, kind),
    baseline === undefined ? undefined : eq(discoveriesView.baseline, baseline),
  ];
}
