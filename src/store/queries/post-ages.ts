/** Counters of posts at an age, compared with what is typical of their search. */

import { and, asc, desc, inArray } from 'drizzle-orm';
import type { Id, Orm } from '../db/database.ts';
import { type DataScope, equals } from './data-scope.ts';
import { postAtAgeView } from '../schema/analytics-views.ts';

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
