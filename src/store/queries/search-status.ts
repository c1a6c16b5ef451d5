/** How searches are doing, as the view `search_status` decides it, with what decides whether they are silent. */
import { ANALYTICS } from '../../model/database-kind.ts';
import type { Id, Pooled } from '../db/database.ts';
import type { searchStatusView } from '../schema/analytics-views.ts';
import type { ScheduleColumns } from '../runs/slots.ts';

/** A row of `search_status`, its schedule, and whether its simulation still runs, which has a clock of its own. */
export type SearchStatusRow = typeof searchStatusView.$inferSelect &
  ScheduleColumns & { simulating: boolean };

/** `$1` searches, which may be removed, or null: all that are not removed. */
const selectStatuses = (where: string) => `
SELECT v.*, sv.cron, sv.every_seconds, sv.auto, sv.tz, s.simulation IS NOT NULL AS simulating
FROM ${ANALYTICS}.search_status v
JOIN strandline.searches s ON s.id = v.search_id
JOIN strandline.search_versions sv ON sv.search_id = s.id AND sv.version = s.version
WHERE ${where}`;

/**
 * In any order.
 * @param searchIds may be of removed searches; undefined: all that are not removed
 */
export async function readStatusRows(
  { pool }: Pooled,
  searchIds?: readonly Id[],
): Promise<SearchStatusRow[]> {
  const { rows } =
    searchIds === undefined
      ? await pool.query<SearchStatusRow>({
          name: 'search_statuses',
          text: selectStatuses('s.archived_at IS NULL'),
        })
      : await pool.query<SearchStatusRow>({
          name: 'search_statuses_of',
          text: selectStatuses('s.id = ANY ($1::bigint[])'),
          values: [searchIds],
        });
  return rows;
}
