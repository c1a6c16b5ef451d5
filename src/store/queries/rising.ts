/** Rising posts, hashtags and domains. */

import { and, desc, eq, gte, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database, Id, Reads } from '../database.ts';
import { risingPostsView as risingPostsViews } from '../schema/analytics/growth-views.ts';
import {
  risingDomainsView as risingDomainsViews,
  risingHashtagsView as risingHashtagsViews,
} from '../schema/analytics/trend-views.ts';

const risingPostsView = risingPostsViews.real;
const risingDomainsView = risingDomainsViews.real;
const risingHashtagsView = risingHashtagsViews.real;

type RisingPostRow = typeof risingPostsView.$inferSelect;
type RisingHashtagRow = typeof risingHashtagsView.$inferSelect;
type RisingDomainRow = typeof risingDomainsView.$inferSelect;

/** "Now" is the newest result of a search; `since` excludes paused searches. */
type RisingScope = {
  search?: string | undefined;
  topic?: string | undefined;
  since?: Date | undefined;
  limit: number;
};

/** Selects posts before looking them up, because a topic has hundreds. $1 search, $2 topic, $3 since, $4 limit. */
const SELECT_RISING_POSTS = `
SELECT r.search_id, r.post_id FROM strandline.searches s
JOIN strandline.topics t ON t.id = s.topic_id
JOIN strandline.search_rising r ON r.search_id = s.id
WHERE ($1::text IS NULL OR s.slug = $1) AND ($2::text IS NULL OR t.slug = $2) AND ($3::timestamptz IS NULL OR r.as_of >= $3)
ORDER BY coalesce(r.gained / r.observed_hours - r.typical_per_hour, r.gained / r.observed_hours) DESC, r.post_id DESC, r.search_id LIMIT $4`;

/** Posts that gain most compared with the typical gain at their age; without a typical gain, by their own. */
export async function readRisingPosts(
  { orm, pool }: Pick<Database, 'orm' | 'pool'>,
  { search, topic, since, limit }: RisingScope,
): Promise<RisingPostRow[]> {
  const { rows } = await pool.query<{ search_id: Id; post_id: Id }>(SELECT_RISING_POSTS, [
    search ?? null,
    topic ?? null,
    since ?? null,
    limit,
  ]);
  if (rows.length === 0) return [];
  const v = risingPostsView;
  const statement = orm
    .select()
    .from(v)
    .where(
      and(
        sql`${v.post_id} = any (${sql.placeholder('posts')}::bigint[])`,
        sql`${v.search_id} = any (${sql.placeholder('searches')}::bigint[])`,
      ),
    )
    .prepare('rising_posts');
  const risingPosts = await statement.execute({
    posts: rows.map(({ post_id }) => post_id),
    searches: [...new Set(rows.map(({ search_id }) => search_id))],
  });
  const byKey = new Map(risingPosts.map((row) => [`${row.search_id} ${row.post_id}`, row]));
  return rows.flatMap(({ search_id, post_id }) => byKey.get(`${search_id} ${post_id}`) ?? []);
}

/** Rising hashtags of one search or of whole topics, most significant first. */
export async function readRisingHashtags({ orm }: Reads, filter: RisingScope): Promise<RisingHashtagRow[]> {
  return orm
    .select()
    .from(risingHashtagsView)
    .where(scopeConditions(risingHashtagsView, filter))
    .orderBy(desc(risingHashtagsView.score), risingHashtagsView.hashtag)
    .limit(filter.limit);
}

/** Rising domains of one search or of whole topics, most significant first. */
export async function readRisingDomains({ orm }: Reads, filter: RisingScope): Promise<RisingDomainRow[]> {
  return orm
    .select()
    .from(risingDomainsView)
    .where(scopeConditions(risingDomainsView, filter))
    .orderBy(desc(risingDomainsView.score), risingDomainsView.domain)
    .limit(filter.limit);
}

function scopeConditions(
  view: typeof risingHashtagsView | typeof risingDomainsView,
  { search, topic, since }: RisingScope,
): SQL | undefined {
  return and(
    search === undefined ? isNull(view.search) : eq(view.search, search),
    topic === undefined ? undefined : eq(view.topic, topic),
    since === undefined ? undefined : gte(view.as_of, since),
  );
}
