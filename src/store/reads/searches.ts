import { and, asc, eq, isNull, type SQL } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { searchesView } from '../schema/analytics.ts';

export type SearchRow = typeof searchesView.$inferSelect;

/** One search by its slug, also a removed one. */
export async function readSearch(
  { orm }: Pick<Database, 'orm'>,
  slug: string,
): Promise<SearchRow | undefined> {
  const [row] = await orm.select().from(searchesView).where(eq(searchesView.slug, slug)).limit(1);
  return row;
}

/** Searches by topic and slug; removed ones only where they are asked for. */
export async function readSearches(
  { orm }: Pick<Database, 'orm'>,
  filter: {
    topic?: string | undefined;
    state?: SearchRow['state'] | undefined;
    removed?: boolean | undefined;
    limit: number;
  },
): Promise<SearchRow[]> {
  const wanted: (SQL | undefined)[] = [
    filter.topic === undefined ? undefined : eq(searchesView.topic, filter.topic),
    filter.state === undefined ? undefined : eq(searchesView.state, filter.state),
    filter.removed === true ? undefined : isNull(searchesView.archived_at),
  ];
  return orm
    .select()
    .from(searchesView)
    .where(and(...wanted))
    .orderBy(asc(searchesView.topic), asc(searchesView.slug))
    .limit(filter.limit);
}

/** The condition that a search is the one, or of the topic, that was asked for; of all where nothing was. */
export function searchIs({
  search,
  topic,
}: {
  search?: string | undefined;
  topic?: string | undefined;
}): SQL | undefined {
  return and(
    search === undefined ? undefined : eq(searchesView.slug, search),
    topic === undefined ? undefined : eq(searchesView.topic, topic),
  );
}
