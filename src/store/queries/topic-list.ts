/** Topics, and which of them are simulated. */

import type { Database } from '../database.ts';
import { searchesView as searchesViews, topicsView as topicsViews } from '../schema/analytics/topic-views.ts';
import { and, asc, eq, gt, inArray, isNull, ne } from 'drizzle-orm';

const searchesView = searchesViews.real;
const topicsView = topicsViews.real;

export type TopicRow = typeof topicsView.$inferSelect;

/** A topic by slug, including removed ones. */
export async function readTopic({ orm }: Pick<Database, 'orm'>, slug: string): Promise<TopicRow | undefined> {
  const [row] = await orm.select().from(topicsView).where(eq(topicsView.slug, slug)).limit(1);
  return row;
}

/** Topics by slug, after the slug `after`; removed ones only on request. */
export async function readTopics(
  { orm }: Pick<Database, 'orm'>,
  filter: { removed?: boolean | undefined; after?: string | undefined; limit: number },
): Promise<TopicRow[]> {
  return orm
    .select()
    .from(topicsView)
    .where(
      and(
        filter.removed === true ? undefined : isNull(topicsView.archived_at),
        filter.after === undefined ? undefined : gt(topicsView.slug, filter.after),
      ),
    )
    .orderBy(asc(topicsView.slug))
    .limit(filter.limit);
}

/** Whether all of these searches, given by slug, use the sandbox; false for none. */
export async function areSimulated(
  { orm }: Pick<Database, 'orm'>,
  slugs: readonly string[],
): Promise<boolean> {
  const unique = [...new Set(slugs)];
  if (unique.length === 0) return false;
  const [real] = await orm
    .select({ id: searchesView.id })
    .from(searchesView)
    .where(and(inArray(searchesView.slug, unique), ne(searchesView.service_kind, 'sandbox')))
    .limit(1);
  return real === undefined;
}
