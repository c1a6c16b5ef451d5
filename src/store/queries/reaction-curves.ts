/** How the reactions to posts grew, for the lines in lists. */
import { engagementSql } from '../../model/counters.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { Id, Pooled } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';

/** Reactions to a post when its counters changed. */
export type ReactionPoint = { post_id: Id; at: Date; reactions: number };

/** Changes of a post that are read: the newest. */
const MAX_POINTS = 120;

/** The changes of posts, oldest first; posts without known reactions are left out. One statement for all of them. */
export async function readReactionCurves(
  { pool }: Pooled,
  postIds: readonly Id[],
): Promise<ReadonlyMap<Id, ReactionPoint[]>> {
  if (postIds.length === 0) return new Map();
  const rows = await rowsOf<ReactionPoint>(
    pool,
    statement`SELECT u.id AS post_id, n.observed_at AS at, n.reactions::float8 AS reactions
      FROM unnest(${postIds}::bigint[]) u(id) CROSS JOIN LATERAL (
        SELECT observed_at, ${verbatim(engagementSql(''))} AS reactions FROM strandline.post_snapshots
        WHERE post_id = u.id ORDER BY observed_at DESC LIMIT ${MAX_POINTS}
      ) n WHERE n.reactions IS NOT NULL ORDER BY u.id, n.observed_at`,
    'reaction_curves',
  );
  return groupBy(rows, ({ post_id }) => post_id);
}
