/** Posts found by searches, without nested ones: by key, or by an order. Pages: `post-pages.ts`. */

import { COUNTER_BY_PLURAL, COUNTER_PLURALS } from '../../model/counters.ts';
import { buildMatchingSql, type Matching } from '../archive/matching-items.ts';
import { amongIds, type Id, type Orm, prepareOnce, type Reads, selectIds } from '../db/database.ts';
import { type DataScope, inOrderOf, SCOPE_SQL, scopeValues } from './data-scope.ts';
import { postsView } from '../schema/analytics-views.ts';
import { postTimeSql } from '../volume/volume-history.ts';

export type PostRow = typeof postsView.$inferSelect;

export const POST_ORDERS = ['newest', ...COUNTER_PLURALS] as const;
export type PostOrder = (typeof POST_ORDERS)[number];

const TIME_SQL = postTimeSql('p');
/** Sort keys, highest first; unknown values last. */
const orderSql = (order: PostOrder) => (order === 'newest' ? TIME_SQL : `c.${COUNTER_BY_PLURAL[order]}`);

/**
 * Sorts narrow rows, and looks up the rest only for the selected posts. Joins posts only if their time is needed. $1
 * search, $2 topic, $3 since, $4 limit.
 * @param wanted see {@link buildMatchingSql}
 */
const bestSql = (order: PostOrder, timed: boolean, wanted: string) => `
SELECT g.post_id AS id FROM (
  SELECT DISTINCT g.post_id FROM strandline.searches s
  JOIN strandline.topics t ON t.id = s.topic_id
  JOIN strandline.post_sightings g ON g.search_id = s.id
  WHERE ${SCOPE_SQL}${wanted === '' ? '' : ` AND g.post_id IN (${wanted})`}
) g
LEFT JOIN strandline.post_counters c ON c.post_id = g.post_id
${timed ? 'JOIN strandline.posts p ON p.id = g.post_id' : ''}
WHERE $3::timestamptz IS NULL ${timed ? `OR ${TIME_SQL} >= $3` : ''}
ORDER BY ${orderSql(order)} DESC NULLS LAST, g.post_id DESC LIMIT $4`;

/** Posts found by a search, without nested ones. */
export async function readPosts(
  db: Reads,
  filter: DataScope & {
    /** Published at this time or later; or first seen, if that is earlier or the time is unknown. */
    since?: Date | undefined;
    matching?: Matching | undefined;
    order: PostOrder;
    limit: number;
  },
): Promise<PostRow[]> {
  const { since = null, matching, order, limit } = filter;
  const values: unknown[] = [...scopeValues(filter), since, limit];
  const wanted = await buildMatchingSql(db, 'post', matching, values);
  const statement = bestSql(order, order === 'newest' || since !== null, wanted);
  const ids = await selectIds(db.pool, statement, values);
  return inOrderOf(ids, await readPostsByIds(db, ids), ({ id }) => id);
}

/** Posts by key, in no order. */
export async function readPostsByIds({ orm }: Orm, ids: readonly Id[]): Promise<PostRow[]> {
  if (ids.length === 0) return [];
  const view = postsView;
  return prepareOnce(orm, 'posts_of', () => orm.select().from(view).where(amongIds(view.id))).execute({
    ids,
  });
}
