/** Topics, and which sides of the data have any. */

import type { Data } from '../../domain/data.ts';
import { type Orm, type Pooled, prepareOnce, onlyRow } from '../database.ts';
import { topicsView } from '../schema/analytics/topic-views.ts';
import { readEitherSide } from './data-scope.ts';
import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm';

export type TopicRow = typeof topicsView.$inferSelect;

/** A topic by slug, including removed ones. */
export async function readTopic(db: Orm, slug: string): Promise<TopicRow | undefined> {
  return readEitherSide(db, 'topic', topicsView, slug, (view, key) =>
    db.orm.select().from(view).where(eq(view.slug, key)),
  );
}

/** Topics by slug, after the slug `after`; removed ones only on request. */
export async function readTopics(
  { orm }: Orm,
  filter: { removed?: boolean | undefined; after?: string | undefined; limit: number },
): Promise<TopicRow[]> {
  const { removed = false, after = '', limit } = filter;
  const view = topicsView;
  return prepareOnce(orm, `topics_${data}${removed ? '_or_removed' : ''}`, () =>
    orm
      .select()
      .from(view)
      .where(and(removed ? undefined : isNull(view.archived_at), gt(view.slug, sql.placeholder('after'))))
      .orderBy(asc(view.slug))
      .limit(sql.placeholder('limit')),
  ).execute({ after, limit });
}

/** Columns: which sides have topics. Those that were removed have their history. */
export const SIDES_SQL = `EXISTS (SELECT FROM strandline.topics WHERE NOT simulated) AS real,
  EXISTS (SELECT FROM strandline.topics WHERE simulated) AS simulated`;

export async function readSides({ pool }: Pooled): Promise<Record<Data, boolean>> {
  const { rows } = await pool.query<Record<Data, boolean>>({
    name: 'sides',
    text: `SELECT ${SIDES_SQL}`,
  });
  return onlyRow(rows);
}
