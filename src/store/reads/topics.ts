import { and, asc, eq, gt, isNull } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { topicsView } from '../schema/analytics/topics.ts';

export type TopicRow = typeof topicsView.$inferSelect;

/** One topic by its slug, also a removed one. */
export async function readTopic({ orm }: Pick<Database, 'orm'>, slug: string): Promise<TopicRow | undefined> {
  const [row] = await orm.select().from(topicsView).where(eq(topicsView.slug, slug)).limit(1);
  return row;
}

/** Topics by slug, behind the slug `after`; removed ones only where they are asked for. */
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
