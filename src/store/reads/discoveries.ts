import { and, asc, desc, eq, gt, gte, type SQL } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { discoveriesView } from '../schema/analytics.ts';

export type DiscoveryRow = typeof discoveriesView.$inferSelect;

export type DiscoveryFilter = {
  search?: string | undefined;
  topic?: string | undefined;
  /** Found at this time or later. */
  since?: Date | undefined;
  runId?: Id | undefined;
};

/** The newest discoveries, in feed order: the last one is the newest. */
export async function newestDiscoveries(
  { orm }: Pick<Database, 'orm'>,
  filter: DiscoveryFilter & { limit: number },
): Promise<DiscoveryRow[]> {
  const rows = await orm
    .select()
    .from(discoveriesView)
    .where(and(...matching(filter)))
    .orderBy(desc(discoveriesView.id))
    .limit(filter.limit);
  return rows.toReversed();
}

/** Discoveries behind a cursor, in feed order. Ids are in the order of commits, so none is missed. */
export async function discoveriesAfter(
  { orm }: Pick<Database, 'orm'>,
  filter: DiscoveryFilter & { after: Id; limit: number },
): Promise<DiscoveryRow[]> {
  return orm
    .select()
    .from(discoveriesView)
    .where(and(gt(discoveriesView.id, filter.after), ...matching(filter)))
    .orderBy(asc(discoveriesView.id))
    .limit(filter.limit);
}

/** The id of the newest discovery of all; zero where there is none. */
export async function lastDiscoveryId({ orm }: Pick<Database, 'orm'>): Promise<Id> {
  const [row] = await orm
    .select({ id: discoveriesView.id })
    .from(discoveriesView)
    .orderBy(desc(discoveriesView.id))
    .limit(1);
  return row?.id ?? 0n;
}

function matching({ search, topic, since, runId }: DiscoveryFilter): (SQL | undefined)[] {
  return [
    search === undefined ? undefined : eq(discoveriesView.search, search),
    topic === undefined ? undefined : eq(discoveriesView.topic, topic),
    since === undefined ? undefined : gte(discoveriesView.at, since),
    runId === undefined ? undefined : eq(discoveriesView.run_id, runId),
  ];
}
