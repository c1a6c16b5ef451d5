/** Counters of posts at an age, compared with what is typical of their search. */

import { and, asc, desc, eq, inArray } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { postAtAgeView as postAtAgeViews } from '../schema/analytics/growth-views.ts';

const postAtAgeView = postAtAgeViews.real;

const AGES_VIEW = postAtAgeView;

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
  { orm }: Pick<Database, 'orm'>,
  postIds: readonly Id[],
  { search, topic }: { search?: string | undefined; topic?: string | undefined },
): Promise<Map<Id, PostAge>> {
  if (postIds.length === 0) return new Map();
  const rows = await orm
    .selectDistinctOn([AGES_VIEW.post_id], {
      post_id: AGES_VIEW.post_id,
      search: AGES_VIEW.search,
      hours: AGES_VIEW.hours,
      engagement: AGES_VIEW.engagement,
      typical_engagement: AGES_VIEW.typical_engagement,
      engagement_ratio: AGES_VIEW.engagement_ratio,
      compared_with: AGES_VIEW.compared_with,
    })
    .from(AGES_VIEW)
    .where(
      and(
        inArray(AGES_VIEW.post_id, [...postIds]),
        search === undefined ? undefined : eq(AGES_VIEW.search, search),
        topic === undefined ? undefined : eq(AGES_VIEW.topic, topic),
      ),
    )
    .orderBy(
      asc(AGES_VIEW.post_id),
      desc(AGES_VIEW.hours),
      desc(AGES_VIEW.compared_with),
      asc(AGES_VIEW.search),
    );
  return new Map(rows.map((row) => [row.post_id, row]));
}
