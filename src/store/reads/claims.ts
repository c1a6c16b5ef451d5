import { asc, sql } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { completionClaimsView } from '../schema/analytics/completions.ts';
import { amongIds } from './among-ids.ts';

export type SaidClaim = typeof completionClaimsView.$inferSelect;

/** What completions say, each in its order. One makes some 1,200 claims at most. */
export async function readClaimsOf(
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
