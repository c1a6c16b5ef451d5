/** Growth of posts and searches: gains. */

import { COUNTER_BY_PLURAL, engagementSql, type GrowthOrder } from '../../model/counters.ts';
import { and, asc } from 'drizzle-orm';
import { type DataScope, searchesInScope } from './data-scope.ts';
import { equals, inOrderOf, within } from './view-conditions.ts';
import { amongIds, type Id, prepareOnce, type Reads } from '../db/database.ts';
import { selectIds, statement, verbatim } from '../db/statement.ts';
import { postGrowthView, searchGrowthDailyView, searchGrowthHourlyView } from '../schema/analytics-views.ts';

export type PostGrowthRow = typeof postGrowthView.$inferSelect;
type SearchGrowthRow = typeof searchGrowthDailyView.$inferSelect;

/** Sort keys, highest first; unknown values last. */
const orderBy = (order: GrowthOrder) =>
  verbatim(order === 'engagement' ? engagementSql('g.gained_') : `g.gained_${COUNTER_BY_PLURAL[order]}`);

/** Posts returned since then with a changed counter, highest total gain first; counters as in the view `post_growth`. */
export async function readGrowth(
  { orm, pool }: Reads,
  filter: DataScope & { since: Date; order: GrowthOrder; limit: number },
): Promise<PostGrowthRow[]> {
  const { since, order, limit } = filter;
  // Posts returned since then are in the newest result or were dropped since: a small part of all posts of a search.
  const ids = await selectIds(
    pool,
    statement`WITH watched AS MATERIALIZED (${searchesInScope(filter)}), seen AS (
        SELECT u.post_id FROM watched w
        JOIN strandline.latest_results l ON l.search_id = w.id AND l.at >= ${since}
        JOIN strandline.run_results rr ON rr.run_id = l.run_id CROSS JOIN LATERAL unnest(rr.post_ids) u(post_id)
        UNION
        SELECT n.post_id FROM watched w JOIN strandline.dropped_posts n ON n.search_id = w.id AND n.last_seen_at >= ${since}
      )
      SELECT g.post_id AS id FROM seen JOIN strandline.post_counters g USING (post_id)
      WHERE g.observed_at >= ${since} AND g.changed_before_at IS NOT NULL
      ORDER BY ${orderBy(order)} DESC NULLS LAST, g.post_id DESC LIMIT ${limit}`,
  );
  return selectGrowth({ orm }, ids);
}

/** The growth of one post. */
export async function readPostGrowth({ orm }: Reads, postId: Id): Promise<PostGrowthRow | undefined> {
  const [row] = await selectGrowth({ orm }, [postId]);
  return row;
}

/** The growth of posts, in the given order. */
async function selectGrowth({ orm }: Pick<Reads, 'orm'>, ids: readonly Id[]): Promise<PostGrowthRow[]> {
  if (ids.length === 0) return [];
  const view = postGrowthView;
  const prepared = prepareOnce(orm, 'growth_of', () => orm.select().from(view).where(amongIds(view.post_id)));
  return inOrderOf(ids, await prepared.execute({ ids }), ({ post_id }) => post_id);
}

/** Gains of searches per hour or day, oldest first. No row: not observed. */
export async function readSearchGrowth(
  { orm }: Reads,
  filter: DataScope & { per: 'hour' | 'day'; from: Date; until: Date; limit: number },
): Promise<SearchGrowthRow[]> {
  const view = filter.per === 'hour' ? searchGrowthHourlyView : searchGrowthDailyView;
  return orm
    .select()
    .from(view)
    .where(
      and(
        equals(view, { search: filter.search, topic: filter.topic }),
        within(view.bucket_at, { since: filter.from, until: filter.until }),
      ),
    )
    .orderBy(asc(view.bucket_at), asc(view.search))
    .limit(filter.limit);
}
