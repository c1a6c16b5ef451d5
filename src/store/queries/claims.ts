/** Claims of completions. */

import { amongIds, type Id, type Orm, prepareOnce } from '../db/database.ts';
import { completionClaimsView } from '../schema/analytics-views.ts';
import { asc, sql } from 'drizzle-orm';

export type SaidClaim = typeof completionClaimsView.$inferSelect;

/** Claims of completions, in order. A completion has about 1,200 claims at most. */
export async function readClaims({ orm }: Orm, completionIds: readonly Id[]): Promise<SaidClaim[]> {
  const view = completionClaimsView;
  return prepareOnce(orm, 'claims_of', () =>
    orm
      .select()
      .from(view)
      .where(amongIds(view.completion_id))
      .orderBy(asc(view.completion_id), asc(view.position))
      .limit(sql.placeholder('limit')),
  ).execute({ ids: completionIds, limit: completionIds.length * 2_000 });
}
