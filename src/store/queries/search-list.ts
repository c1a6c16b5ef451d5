/** Reads searches: a single search or pages of searches, their versions, and which are due next. */

import { type Id, type Orm, prepareOnce } from '../db/database.ts';
import { equals } from './view-conditions.ts';
import { intervalChangesView, searchesView, searchVersionsView } from '../schema/analytics-views.ts';
import { and, asc, count, desc, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm';

export type SearchRow = typeof searchesView.$inferSelect;
export type IntervalChangeRow = typeof intervalChangesView.$inferSelect;
export type SearchVersionRow = typeof searchVersionsView.$inferSelect;

/** A search by slug, including removed ones. */
export async function readSearch(db: Orm, slug: string): Promise<SearchRow | undefined> {
  const [row] = await prepareOnce(db.orm, 'search', () =>
    db.orm
      .select()
      .from(searchesView)
      .where(eq(searchesView.slug, sql.placeholder('key'))),
  ).execute({ key: slug });
  return row;
}

/** Searches by topic and slug, after `after`; removed ones only on request. */
export async function readSearches(
  { orm }: Orm,
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
  const { topic, state, operation, service, removed, after, limit } = filter;
  const view = searchesView;
  return orm
    .select()
    .from(view)
    .where(
      and(
        equals(view, { topic, state, operation, service_kind: service }),
        removed === true ? undefined : isNull(view.archived_at),
        after && sql`(${view.topic}, ${view.slug}) > (${after.topic}, ${after.slug})`,
      ),
    )
    .orderBy(asc(view.topic), asc(view.slug))
    .limit(limit);
}

/** How many searches of each service have each state, without removed ones. */
export async function countSearchesOfServices({
  orm,
}: Orm): Promise<{ service: string; state: SearchRow['state']; searches: number }[]> {
  const { service, state, archived_at } = searchesView;
  return orm
    .select({ service, state, searches: count() })
    .from(searchesView)
    .where(isNull(archived_at))
    .groupBy(service, state)
    .orderBy(asc(service), asc(state));
}

/** The versions of a search, newest first. */
export async function readVersions(
  { orm }: Orm,
  searchId: Id,
  page: { before?: number | undefined; limit: number },
): Promise<SearchVersionRow[]> {
  const view = searchVersionsView;
  const { search_id, version } = view;
  return orm
    .select()
    .from(view)
    .where(and(eq(search_id, searchId), page.before === undefined ? undefined : lt(version, page.before)))
    .orderBy(desc(version))
    .limit(page.limit);
}

/** As many changes of an interval as a page or a command shows. */
export const SHOWN_INTERVAL_CHANGES = 10;

/** Changes of the interval of a search, newest first. */
export async function readIntervalChanges(
  { orm }: Orm,
  searchId: Id,
  page: { before?: Id | undefined; limit: number },
): Promise<IntervalChangeRow[]> {
  const view = intervalChangesView;
  const { search_id, id } = view;
  return orm
    .select()
    .from(view)
    .where(and(eq(search_id, searchId), page.before === undefined ? undefined : lt(id, page.before)))
    .orderBy(desc(id))
    .limit(page.limit);
}

export type NextSlot = { search: string; topic: string; tz: string; next_due_at: Date };

/** The searches that are due next, soonest first. */
export async function readNextSlots({ orm }: Orm, most = 5): Promise<NextSlot[]> {
  const view = searchesView;
  const { slug, topic, tz, next_due_at, archived_at } = view;
  const rows = await orm
    .select({ search: slug, topic, tz, next_due_at })
    .from(view)
    .where(and(isNotNull(next_due_at), isNull(archived_at)))
    .orderBy(asc(next_due_at), asc(slug))
    .limit(most);
  return rows.flatMap((row) => (row.next_due_at === null ? [] : [{ ...row, next_due_at: row.next_due_at }]));
}
