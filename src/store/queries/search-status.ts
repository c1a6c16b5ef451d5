/** How searches are doing, as the view `search_status` decides it, with what decides whether they are silent. */
import type { Id, Pooled } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';
import type { searchStatusView } from '../schema/analytics-views.ts';
import type { ScheduleColumns } from '../topics/search-states.ts';

/** A row of `search_status`, and its schedule. */
export type SearchStatusRow = typeof searchStatusView.$inferSelect & ScheduleColumns;

const SELECT_STATUSES = statement`
SELECT v.*, sv.cron, sv.every_seconds, sv.auto, sv.tz
FROM strandline_analytics.search_status v
JOIN strandline.searches s ON s.id = v.search_id
JOIN strandline.search_versions sv ON sv.search_id = s.id AND sv.version = s.version`;

/**
 * In any order.
 * @param searchIds may be of removed searches; undefined: all that are not removed
 */
export async function readStatusRows(
  { pool }: Pooled,
  searchIds?: readonly Id[],
): Promise<SearchStatusRow[]> {
  return searchIds === undefined
    ? rowsOf(pool, statement`${SELECT_STATUSES} WHERE s.archived_at IS NULL`, 'search_statuses')
    : rowsOf(
        pool,
        statement`${SELECT_STATUSES} WHERE s.id = ANY (${searchIds}::bigint[])`,
        'search_statuses_of',
      );
}
