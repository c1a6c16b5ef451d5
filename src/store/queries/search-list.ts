/** Searches: one or pages of them, their versions, and which are due next. */

import type { Database, Id } from '../database.ts';
import {
  searchesView as searchesViews,
  searchVersionsView as searchVersionsViews,
} from '../schema/analytics/topic-views.ts';
import { and, asc, desc, eq, isNotNull, isNull, lt, sql, type SQL } from 'drizzle-orm';

const searchesView = searchesViews.real;
const searchVersionsView = searchVersionsViews.real;

export type SearchRow = typeof searchesView.$inferSelect;
export type SearchVersionRow = typeof searchVersionsView.$inferSelect;

/** A search by slug, including removed ones. */
export async function readSearch(
  { orm }: Pick<Database, 'orm'>,
  slug: string,
): Promise<SearchRow | undefined> {
  const [row] = await orm.select().from(searchesView).where(eq(searchesView.slug, slug)).limit(1);
  return row;
}

/** Searches by topic and slug, after `after`; removed ones only on request. */
export async function readSearches(
  { orm }: Pick<Database, 'orm'>,
  filter: {
    topic?: string | undefined;
    state?: SearchRow['state'] | undefined;
    operation?: SearchRow['operation'] | undefined;
    service?: SearchRow['service_kind'] | undefined;
    removed?: boolean | undefined;
    after?: Pick<SearchRow, 'topic' | 'slug'> | undefined;
    limit: number;
  },
): Promise<SearchRow[]> {
  const wanted: (SQL | undefined)[] = [
    filter.topic === undefined ? undefined : eq(searchesView.topic, filter.topic),
    filter.state === undefined ? undefined : eq(searchesView.state, filter.state),
    filter.operation === undefined ? undefined : eq(searchesView.operation, filter.operation),
    filter.service === undefined ? undefined : eq(searchesView.service_kind, filter.service),
    filter.removed === true ? undefined : isNull(searchesView.archived_at),
    filter.after === undefined
      ? undefined
      : sql`(${searchesView.topic}, ${searchesView.slug}) > (${filter.after.topic}, ${filter.after.slug})`,
  ];
  return orm
    .select()
    .from(searchesView)
    .where(and(...wanted))
    .orderBy(asc(searchesView.topic), asc(searchesView.slug))
    .limit(filter.limit);
}

/** The versions of a search, newest first. */
export async function readVersions(
  { orm }: Pick<Database, 'orm'>,
  searchId: Id,
  page: { before?: number | undefined; limit: number },
): Promise<SearchVersionRow[]> {
  const { search_id, version } = searchVersionsView;
  return orm
    .select()
    .from(searchVersionsView)
    .where(and(eq(search_id, searchId), page.before === undefined ? undefined : lt(version, page.before)))
    .orderBy(desc(version))
    .limit(page.limit);
}

/** Condition for the requested search or topic; without either, all searches. */
export function isSearch({
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

export type NextSlot = { search: string; topic: string; tz: string; next_due_at: Date };

/** The searches that are due next, soonest first. */
export async function readNextSlots({ orm }: Pick<Database, 'orm'>, most = 5): Promise<NextSlot[]> {
  const { slug, topic, tz, next_due_at, archived_at } = searchesView;
  const rows = await orm
    .select({ search: slug, topic, tz, next_due_at })
    .from(searchesView)
    .where(and(isNotNull(next_due_at), isNull(archived_at)))
    .orderBy(asc(next_due_at), asc(slug))
    .limit(most);
  return rows.flatMap((row) => (row.next_due_at === null ? [] : [{ ...row, next_due_at: row.next_due_at }]));
}
