/** Counters of posts at an age, compared with what is typical of their search. */

import { engagementSql } from '../../model/counters.ts';
import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm';
import { amongIds, type Id, type Orm, prepareOnce, type Reads } from '../db/database.ts';
import { rowsOf, type Statement, statement, verbatim } from '../db/statement.ts';
import { type DataScope, searchesInScope, isShownItem } from './data-scope.ts';
import { equals } from './view-conditions.ts';
import { postAtAgeView, typicalAtAgeView } from '../schema/analytics-views.ts';

export type PostAtAgeRow = typeof postAtAgeView.$inferSelect;
type TypicalAtAgeRow = typeof typicalAtAgeView.$inferSelect;

/** Counters of a post at an age, and the typical ones of its search. */
export type PostAge = {
  post_id: Id;
  search: string;
  hours: number;
  engagement: number | null;
  typical_engagement: number | null;
  engagement_ratio: number | null;
  compared_with: number;
};

/**
 * For each post, the latest observed age (1, 3, 8, 24 or 72 hours); if several searches observed it, the comparison
 * with most posts. Posts without an observed age are omitted.
 */
export async function readLatestAges(
  { orm }: Orm,
  postIds: readonly Id[],
  { search, topic }: DataScope,
): Promise<Map<Id, PostAge>> {
  if (postIds.length === 0) return new Map();
  const view = postAtAgeView;
  const rows = await orm
    .selectDistinctOn([view.post_id], {
      post_id: view.post_id,
      search: view.search,
      hours: view.hours,
      engagement: view.engagement,
      typical_engagement: view.typical_engagement,
      engagement_ratio: view.engagement_ratio,
      compared_with: view.compared_with,
    })
    .from(view)
    .where(and(inArray(view.post_id, [...postIds]), equals(view, { search, topic })))
    .orderBy(asc(view.post_id), desc(view.hours), desc(view.compared_with), asc(view.search));
  return new Map(rows.map((row) => [row.post_id, row]));
}

/** As in the index `post_counters_at_age_most`. */
const ENGAGEMENT_AT_AGE = verbatim(engagementSql('a.'));

/** Posts of a search `w` with most engagement at an age of `hours`. @param since when it was reached; null: any time */
const mostAtAge = (hours: Statement, { since, limit }: { since: Date | null; limit: number }) => statement`
  SELECT a.post_id, ${ENGAGEMENT_AT_AGE} AS had FROM strandline.post_counters_at_age a
  WHERE a.search_id = w.id AND a.hours = ${hours} AND (${since}::timestamptz IS NULL OR a.at >= ${since})
    AND ${isShownItem('post', 'a.search_id', 'a.post_id')}
  ORDER BY ${ENGAGEMENT_AT_AGE} DESC NULLS LAST, a.post_id DESC LIMIT ${limit}`;

/**
 * Posts at one age, highest ratio to the typical value of their search first; those without a ratio by engagement.
 */
export async function readPostsAtAge(
  { orm, pool }: Reads,
  filter: DataScope & { hours: number; since?: Date | undefined; limit: number },
): Promise<PostAtAgeRow[]> {
  const { hours, since = null, limit } = filter;
  // Takes the posts of each search with the most engagement at the age, since all posts of a search are compared with the same
  // typical value. Of these, the posts furthest above the typical value of their search are ahead.
  const ahead = await rowsOf<{ post_id: Id; search_id: Id }>(
    pool,
    statement`SELECT a.post_id, w.id AS search_id FROM (${searchesInScope(filter)}) w
      CROSS JOIN LATERAL (${mostAtAge(statement`${hours}`, { since, limit })}) a
      JOIN strandline.search_typical m ON m.search_id = w.id AND m.hours = ${hours}
      ORDER BY a.had / nullif(m.engagement, 0) DESC NULLS LAST, a.had DESC NULLS LAST, a.post_id DESC, w.id LIMIT ${limit}`,
  );
  if (ahead.length === 0) return [];
  const v = postAtAgeView;
  const prepared = prepareOnce(orm, 'posts_at_age', () =>
    orm
      .select()
      .from(v)
      .where(
        and(
          amongIds(v.post_id),
          sql`${v.search_id} = any (${sql.placeholder('searches')}::bigint[])`,
          eq(v.hours, sql.placeholder('hours')),
        ),
      ),
  );
  const rows = await prepared.execute({
    ids: ahead.map(({ post_id }) => post_id),
    searches: [...new Set(ahead.map(({ search_id }) => search_id))],
    hours,
  });
  const byKey = new Map(rows.map((row) => [`${row.search_id} ${row.post_id}`, row]));
  return ahead.flatMap(({ search_id, post_id }) => byKey.get(`${search_id} ${post_id}`) ?? []);
}

type AheadOfAge = { post_id: Id; engagement: number | null; engagement_ratio: number | null };

/**
 * Posts furthest above the typical value of their search: at the age of `hours`, or the greatest observed age below
 * it, because busy searches drop posts sooner. A post of several searches may be returned more than once.
 */
export async function readAheadOfAge(
  { pool }: Reads,
  filter: DataScope & { hours: number; since: Date; limit: number },
): Promise<{ hours: number; posts: AheadOfAge[] }> {
  const { hours, since, limit } = filter;
  const rows = await rowsOf<Omit<AheadOfAge, 'post_id'> & { hours: number; post_id: Id | null }>(
    pool,
    statement`WITH watched AS MATERIALIZED (${searchesInScope(filter)}), age AS MATERIALIZED (
        SELECT max(m.hours) AS hours FROM watched w JOIN strandline.search_typical m ON m.search_id = w.id
        WHERE m.hours <= ${hours} AND m.posts > 0
      )
      SELECT age.hours, a.post_id, a.had AS engagement, a.had / nullif(m.engagement, 0) AS engagement_ratio
      FROM age CROSS JOIN watched w
      JOIN strandline.search_typical m ON m.search_id = w.id AND m.hours = age.hours
      LEFT JOIN LATERAL (${mostAtAge(statement`age.hours`, { since, limit })}) a ON true
      ORDER BY engagement_ratio DESC NULLS LAST, engagement DESC NULLS LAST, a.post_id DESC NULLS LAST, w.id LIMIT ${limit}`,
    'ahead_of_age',
  );
  const posts = rows.flatMap(({ post_id, engagement, engagement_ratio }) =>
    post_id === null ? [] : [{ post_id, engagement, engagement_ratio }],
  );
  return { hours: rows[0]?.hours ?? hours, posts };
}

/** One post at each observed age, for each search that has it. */
export async function readAgesOfPost({ orm }: Reads, postId: Id): Promise<PostAtAgeRow[]> {
  const view = postAtAgeView;
  return prepareOnce(orm, 'ages_of', () =>
    orm
      .select()
      .from(view)
      .where(eq(view.post_id, sql.placeholder('post')))
      .orderBy(asc(view.search), asc(view.hours))
      .limit(1_000),
  ).execute({ post: postId });
}

/** Typical counters of searches at each age. */
export async function readTypicalAtAge(
  { orm }: Reads,
  filter: DataScope & { limit: number },
): Promise<TypicalAtAgeRow[]> {
  const { search, topic, limit } = filter;
  const view = typicalAtAgeView;
  return orm
    .select()
    .from(view)
    .where(equals(view, { search, topic }))
    .orderBy(asc(view.search), asc(view.hours))
    .limit(limit);
}
