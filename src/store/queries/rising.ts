/** Rising posts, hashtags and domains. */

import { and, desc, isNull, type SQL, sql } from 'drizzle-orm';
import { type Id, prepareOnce, type Reads } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';
import { type DataScope, isInScope, isShownItem } from './data-scope.ts';
import { within } from './view-conditions.ts';
import { risingDomainsView, risingHashtagsView, risingPostsView } from '../schema/analytics-views.ts';

type RisingPostRow = typeof risingPostsView.$inferSelect;
type RisingHashtagRow = typeof risingHashtagsView.$inferSelect;
type RisingDomainRow = typeof risingDomainsView.$inferSelect;

/** "Now" is the newest result of a search; `since` excludes paused searches. */
type RisingScope = DataScope & {
  since?: Date | undefined;
  limit: number;
};

/** Posts that gain most compared with the typical gain at their age; without a typical gain, by their own. */
export async function readRisingPosts({ orm, pool }: Reads, scope: RisingScope): Promise<RisingPostRow[]> {
  const { since = null, limit } = scope;
  // Selects posts before looking them up, because a topic has hundreds.
  const rows = await rowsOf<{ search_id: Id; post_id: Id }>(
    pool,
    statement`SELECT r.search_id, r.post_id FROM strandline.searches s
      JOIN strandline.topics t ON t.id = s.topic_id
      JOIN strandline.search_rising r ON r.search_id = s.id
      WHERE ${isInScope(scope)} AND ${isShownItem('post', 'r.search_id', 'r.post_id')} AND (${since}::timestamptz IS NULL OR r.as_of >= ${since})
      ORDER BY coalesce(r.gained / r.observed_hours - r.typical_per_hour, r.gained / r.observed_hours) DESC,
        r.post_id DESC, r.search_id
      LIMIT ${limit}`,
    'rising_posts',
  );
  if (rows.length === 0) return [];
  const v = risingPostsView;
  const prepared = prepareOnce(orm, 'rising_posts_of', () =>
    orm
      .select()
      .from(v)
      .where(
        and(
          sql`${v.post_id} = any (${sql.placeholder('posts')}::bigint[])`,
          sql`${v.search_id} = any (${sql.placeholder('searches')}::bigint[])`,
        ),
      ),
  );
  const risingPosts = await prepared.execute({
    posts: rows.map(({ post_id }) => post_id),
    searches: [...new Set(rows.map(({ search_id }) => search_id))],
  });
  const byKey = new Map(risingPosts.map((row) => [`${row.search_id} ${row.post_id}`, row]));
  return rows.flatMap(({ search_id, post_id }) => byKey.get(`${search_id} ${post_id}`) ?? []);
}

/** Rising hashtags of one search or of whole topics, most significant first. */
export async function readRisingHashtags({ orm }: Reads, filter: RisingScope): Promise<RisingHashtagRow[]> {
  const view = risingHashtagsView;
  return orm
    .select()
    .from(view)
    .where(scopeConditions(view, filter))
    .orderBy(desc(view.score), view.hashtag)
    .limit(filter.limit);
}

/** Rising domains of one search or of whole topics, most significant first. */
export async function readRisingDomains({ orm }: Reads, filter: RisingScope): Promise<RisingDomainRow[]> {
  const view = risingDomainsView;
  return orm
    .select()
    .from(view)
    .where(scopeConditions(view, filter))
    .orderBy(desc(view.score), view.domain)
    .limit(filter.limit);
}

/**
 * Conditions on keys, because Postgres compares the names of all searches if a view that partitions by keys is asked for a
 * slug.
 */
function scopeConditions(
  view: typeof risingHashtagsView | typeof risingDomainsView,
  { search, topic, since }: RisingScope,
): SQL | undefined {
  return and(
    search === undefined
      ? isNull(view.search_id)
      : sql`${view.search_id} = (SELECT id FROM strandline.searches WHERE slug = ${search})`,
    topic === undefined
      ? undefined
      : sql`${view.topic_id} = (SELECT id FROM strandline.topics WHERE slug = ${topic})`,
    within(view.as_of, { since }),
  );
}
