/** What a rule was not asked about, of things that it reports now: members in baselines, and from before the rule. */
import type { Id, Queryable } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';
import { DISCOVERIES_OF_THING, itemsOfDiscoveries, KEY_OF_ITEM } from '../stories/one-thing.ts';
import type { Rule } from './rule-rows.ts';

/** Members of a thing that are compared with a filter, the oldest first. */
const MAX_EARLIER_MEMBERS = 20;

/**
 * Earlier members of the things of discoveries that the rule covers, but was not evaluated for.
 * @returns by discovery; those of which there are none are left out
 */
export async function readUnasked(
  db: Queryable,
  { search_id, kinds, after }: Pick<Rule, 'search_id' | 'kinds' | 'after'>,
  discoveryIds: readonly Id[],
): Promise<Map<Id, Id[]>> {
  if (discoveryIds.length === 0) return new Map();
  const rows = await rowsOf<{ id: Id; members: Id[] }>(
    db,
    statement`SELECT u.id, m.members FROM ${itemsOfDiscoveries(discoveryIds)} u
      CROSS JOIN LATERAL (
        SELECT array_agg(e.id) AS members FROM (
          SELECT DISTINCT o.id FROM ${DISCOVERIES_OF_THING}
          WHERE o.id < u.id AND o.kind = ANY (${kinds}::text[]) AND (o.baseline OR o.id <= ${after})
            AND CASE WHEN ${search_id}::bigint IS NULL THEN NOT o.baseline OR EXISTS (
              SELECT FROM strandline.topic_items t WHERE t.topic_id = u.topic_id AND t.key = ${KEY_OF_ITEM} AND t.reported
            ) ELSE o.search_id = ${search_id} END
          ORDER BY o.id LIMIT ${MAX_EARLIER_MEMBERS}
        ) e
      ) m WHERE m.members IS NOT NULL`,
  );
  return new Map(rows.map(({ id, members }) => [id, members]));
}
