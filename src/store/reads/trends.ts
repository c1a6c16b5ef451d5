import { and, asc, gte, inArray, sql } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { spikesView, volumeHourlyView } from '../schema/analytics/volume.ts';
import { amongIds } from './among-ids.ts';

export type HourRow = typeof volumeHourlyView.$inferSelect;
export type SpikeRow = typeof spikesView.$inferSelect;

/** Volume per hour of some searches from a whole hour on, oldest first; hours without a row were not observed. */
export async function readHours(
  { orm }: Pick<Database, 'orm'>,
  searchIds: readonly Id[],
  from: Date,
): Promise<HourRow[]> {
  return orm
    .select()
    .from(volumeHourlyView)
    .where(and(inArray(volumeHourlyView.search_id, [...searchIds]), gte(volumeHourlyView.bucket_at, from)))
    .orderBy(asc(volumeHourlyView.search_id), asc(volumeHourlyView.bucket_at));
}

/** Spikes of some searches whose windows ended since then, in the order of their windows. */
export async function readSpikes(
  { orm }: Pick<Database, 'orm'>,
  searchIds: readonly Id[],
  since: Date,
): Promise<SpikeRow[]> {
  return orm
    .select()
    .from(spikesView)
    .where(and(amongIds(spikesView.search_id), gte(spikesView.window_end, sql.placeholder('since'))))
    .orderBy(asc(spikesView.window_start), asc(spikesView.id))
    .prepare('spikes_of')
    .execute({ ids: searchIds, since });
}

/** $1 searches, $2 since when. A changed request is learned anew: quarters that began before it do not count. */
const LEARNED = `
SELECT s.id AS search_id, coalesce(sum(bit_count(o.minutes)), 0)::float8 / 60 AS observed_hours
FROM strandline.searches s
JOIN strandline.search_versions v ON v.search_id = s.id AND v.version = s.version
JOIN strandline.search_versions q ON q.search_id = s.id AND q.version = v.request_version
LEFT JOIN strandline.volume o ON o.search_id = s.id AND o.bucket_at >= $2 AND (q.version = 1 OR o.bucket_at >= q.created_at)
WHERE s.id = ANY ($1) GROUP BY s.id`;

/** How many hours of its present request each search has observed since then. */
export async function readObservedHours(
  { pool }: Pick<Database, 'pool'>,
  searchIds: readonly Id[],
  since: Date,
): Promise<Map<Id, number>> {
  const { rows } = await pool.query<{ search_id: Id; observed_hours: number }>(LEARNED, [searchIds, since]);
  return new Map(rows.map((row) => [row.search_id, row.observed_hours]));
}
