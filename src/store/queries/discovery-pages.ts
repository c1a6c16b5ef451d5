/** Pages of discoveries of a topic or search, newest first, and how many there are over time. */

import { desc } from 'drizzle-orm';
import { buildMatchingSql, type Matching } from '../archive/matching-items.ts';
import { amongIds, type Id, type Pooled, prepareOnce, type Reads, selectIds } from '../db/database.ts';
import { discoveriesView } from '../schema/analytics-views.ts';
import { type DataScope, rangeValues, SCOPED_SEARCHES_SQL } from './data-scope.ts';
import type { DiscoveryRow, DiscoveryView } from './discoveries.ts';
import type { ItemSelection } from './item-counts.ts';

/** What a list of discoveries contains. */
type DiscoverySelectionFilter = DataScope & {
  /** Only posts and links match. */
  matching?: Matching | undefined;
  /** Time of discovery; `until` is excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
  kind?: DiscoveryRow['kind'] | undefined;
  /** Whether part of a baseline. */
  baseline?: boolean | undefined;
  /** Default: `search`. */
  view?: DiscoveryView | undefined;
  /** Only discoveries after this one. */
  after?: Id | undefined;
};

/** @param filter.before only discoveries before this ID */
export async function readDiscoveryPage(
  db: Reads,
  filter: DiscoverySelectionFilter & { before?: Id | undefined; limit: number },
): Promise<DiscoveryRow[]> {
  const { sql, values } = await selectDiscoveries(db, filter, filter.limit, filter.before);
  const ids = await selectIds(db.pool, `SELECT id FROM (${sql}) items ORDER BY id DESC LIMIT $8`, values);
  const view = discoveriesView;
  return prepareOnce(db.orm, 'discoveries_of', () =>
    db.orm.select().from(view).where(amongIds(view.id)).orderBy(desc(view.id)),
  ).execute({ ids });
}

/**
 * The discoveries of a list with their times, to be counted.
 * @param most maximum of each search; undefined for all
 * @param before only discoveries before this ID
 */
export async function selectDiscoveries(
  db: Pooled,
  filter: DiscoverySelectionFilter,
  most?: number,
  before?: Id,
): Promise<ItemSelection> {
  const { matching, kind, baseline, view, after } = filter;
  const values: unknown[] = [
    ...rangeValues(filter),
    kind ?? null,
    baseline ?? null,
    after ?? null,
    most ?? null,
    before ?? null,
    view === 'topic',
  ];
  const wanted = await buildMatchingSql(db, 'both', matching, values);
  return { sql: wanted === '' ? SELECT_DISCOVERIES : matchingDiscoveriesSql(wanted), values };
}

const S = 'strandline';
/** On a discovery `e`. $3 since, $4 until, $5 kind, $6 baseline, $7 after, $9 before, $10 first in its topic. */
const WANTED_SQL = `($3::timestamptz IS NULL OR e.at >= $3) AND ($4::timestamptz IS NULL OR e.at < $4)
  AND ($5::text IS NULL OR e.kind = $5) AND ($6::boolean IS NULL OR e.baseline = $6)
  AND ($7::bigint IS NULL OR e.id > $7) AND ($9::bigint IS NULL OR e.id < $9)
  AND (NOT $10::boolean OR e.first_in_topic)`;

/** $8 limit of each search. */
const SELECT_DISCOVERIES = `
SELECT f.id, f.at FROM (${SCOPED_SEARCHES_SQL}) mine CROSS JOIN LATERAL (
  SELECT e.id, e.at FROM ${S}.discoveries e WHERE e.search_id = mine.id AND ${WANTED_SQL} ORDER BY e.id DESC LIMIT $8
) f`;

/** $8 limit. */
const matchingDiscoveriesSql = (wanted: string) => `
SELECT e.id, e.at FROM (${wanted}) w JOIN ${S}.discoveries e ON e.kind = w.kind AND e.thing = w.thing
  AND e.search_id = ANY (ARRAY(SELECT id FROM (${SCOPED_SEARCHES_SQL}) mine))
WHERE ${WANTED_SQL} ORDER BY e.id DESC LIMIT $8`;
