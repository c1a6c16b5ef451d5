import { and, asc, desc, eq, inArray } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { postAtAgeView } from '../schema/analytics/growth.ts';

const v = postAtAgeView;

/** What a post had at an age, and what posts of that search usually have at it. */
export type AtAge = {
  post_id: Id;
  search: string;
  hours: number;
  engagement: number | null;
  typical_engagement: number | null;
  engagement_ratio: number | null;
  compared_with: number;
};

/**
 * Of each post the latest age at which it was observed (1, 3, 8, 24 or 72 hours); where several searches observed
 * it, beside the one that compares it with most posts. A post that was observed at none is not there.
 */
export async function readLatestAges(
  { orm }: Pick<Database, 'orm'>,
  postIds: readonly Id[],
  { search, topic }: { search?: string | undefined; topic?: string | undefined },
): Promise<Map<Id, AtAge>> {
  if (postIds.length === 0) return new Map();
  const rows = await orm
    .selectDistinctOn([v.post_id], {
      post_id: v.post_id,
      search: v.search,
      hours: v.hours,
      engagement: v.engagement,
      typical_engagement: v.typical_engagement,
      engagement_ratio: v.engagement_ratio,
      compared_with: v.compared_with,
    })
    .from(v)
    .where(
      and(
        inArray(v.post_id, [...postIds]),
        search === undefined ? undefined : eq(v.search, search),
        topic === undefined ? undefined : eq(v.topic, topic),
      ),
    )
    .orderBy(asc(v.post_id), desc(v.hours), desc(v.compared_with), asc(v.search));
  return new Map(rows.map((row) => [row.post_id, row]));
}
