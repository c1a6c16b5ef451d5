import { type Orm, prepareOnce } from '../db/database.ts';
import { topicsView } from '../schema/analytics-views.ts';
import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm';

export type TopicRow = typeof topicsView.$inferSelect;

/** A topic by slug, including removed ones. */
export async function readTopic(db: Orm, slug: string): Promise<TopicRow | undefined> {
  const [row] = await prepareOnce(db.orm, 'topic', () =>
    db.orm
      .select()
      .from(topicsView)
      .where(eq(topicsView.slug, sql.placeholder('key'))),
  ).execute({ key: slug });
  return row;
}

/** Topics by slug, after the slug `after`; removed ones only on request. */
export async function readTopics(
  { orm }: Orm,
  filter: { removed?: boolean | undefined; after?: string | undefined; limit: number },
): Promise<TopicRow[]> {
  const { removed = false, after = '', limit } = filter;
  const view = topicsView;
  return prepareOnce(orm, removed ? 'topics_or_removed' : 'topics', () =>
    orm
      .select()
      .from(view)
      .where(and(removed ? undefined : isNull(view.archived_at), gt(view.slug, sql.placeholder('after'))))
      .orderBy(asc(view.slug))
      .limit(sql.placeholder('limit')),
  ).execute({ after, limit });
}
