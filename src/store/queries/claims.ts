/** Claims of completions. */

import { amongIds, type Database, type Id } from '../database.ts';
import { completionClaimsView as completionClaimsViews } from '../schema/analytics/result-views.ts';
import { asc, sql } from 'drizzle-orm';

const completionClaimsView = completionClaimsViews.real;

export type SaidClaim = typeof completionClaimsView.$inferSelect;

/** Claims of completions, in order. A completion has about 1,200 claims at most. */
export async function readClaims(
  { orm }: Pick<Database, 'orm'>,
  completionIds: readonly Id[],
): Promise<SaidClaim[]> {
  return orm
    .select()
    .from(completionClaimsView)
    .where(amongIds(completionClaimsView.completion_id))
    .orderBy(asc(completionClaimsView.completion_id), asc(completionClaimsView.position))
    .limit(sql.placeholder('limit'))
    .prepare('claims_of')
    .execute({ ids: completionIds, limit: completionIds.length * 2_000 });
}
