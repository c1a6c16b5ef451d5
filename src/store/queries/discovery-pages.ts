/** Pages of discoveries of a topic or search, newest first, and how many there are over time. */

import { desc } from 'drizzle-orm';
import { buildMatchingSql, type Matching } from '../archive/matching-items.ts';
import { amongIds, type Database, type Id } from '../database.ts';
import { discoveriesView as discoveriesViews } from '../schema/analytics/result-views.ts';
import type { DiscoveryRow, DiscoveryView } from './discoveries.ts';
import type { ItemSelection } from './item-counts.ts';

const discoveriesView = discoveriesViews.real;

/** What a list of discoveries contains. */
export type DiscoverySelectionFilter = {
  search?: string | undefined;
  topic?: string | undefined;
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
  db: Pick<Database, 'orm' | 'pool'>,
  filter: DiscoverySelectionFilter & { before?: Id | undefined; limit: number },
): Promise<DiscoveryRow[]> {
  const { sql, values } = await select(db, filter, filter.limit, filter.before);
  const { rows } = await db.pool.query<{ id: Id }>(
    `SELECT id FROM (${sql}) items ORDER BY id DESC LIMIT $8`,
    [...values],
  );
  return db.orm
    .select()
    .from(discoveriesView)
    .where(amongIds(discoveriesView.id))
    .orderBy(desc(discoveriesView.id))
    .prepare('discoveries_of')
    .execute({ ids: rows.map(({ id }) => id) });
}

/** The discoveries of a list with their times, to be counted. @param most maximum of each search; undefined for all */
export async function selectDiscoveries(
  db: Pick<Database, 'pool'>,
  filter: DiscoverySelectionFilter,
  most?: number,
): Promise<ItemSelection> {
  return select(db, filter, most);
}

async function select(
  db: Pick<Database, 'pool'>,
  filter: DiscoverySelectionFilter,
  most: number | undefined,
  before?: Id,
): Promise<ItemSelection> {
  const { search, topic, matching, since, until, kind, baseline, view, after } = filter;
  const values: unknown[] = [
    search ?? null,
    topic ?? null,
    since ?? null,
    until ?? null,
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
/** $1 search, $2 topic. */
const OWN_SEARCHES_SQL = `SELECT s.id FROM ${S}.searches s JOIN ${S}.topics t ON t.id = s.topic_id
  WHERE ($1::text IS NULL OR s.slug = $1) AND ($2::text IS NULL OR t.slug = $2)`;
/** On a discovery `e`. $3 since, $4 until, $5 kind, $6 baseline, $7 after, $9 before, $10 first in its topic. */
const WANTED_SQL = `($3::timestamptz IS NULL OR e.at >= $3) AND ($4::timestamptz IS NULL OR e.at < $4)
  AND ($5::text IS NULL OR e.kind = $5) AND ($6::boolean IS NULL OR e.baseline = $6)
  AND ($7::bigint IS NULL OR e.id > $7) AND ($9::bigint IS NULL OR e.id < $9)
  AND (NOT $10::boolean OR e.first_in_topic)`;

/** $8 limit of each search. */
const SELECT_DISCOVERIES = `
SELECT f.id, f.at FROM (${OWN_SEARCHES_SQL}) mine CROSS JOIN LATERAL (
  SELECT e.id, e.at FROM ${S}.discoveries e WHERE e.search_id = mine.id AND ${WANTED_SQL} ORDER BY e.id DESC LIMIT $8
) f`;

/** $8 limit. */
const matchingDiscoveriesSql = (wanted: string) => `
SELECT e.id, e.at FROM (${wanted}) w JOIN ${S}.discoveries e ON e.kind = w.kind AND e.thing = w.thing
  AND e.search_id = ANY (ARRAY(${OWN_SEARCHES_SQL}))
WHERE ${WANTED_SQL} ORDER BY e.id DESC LIMIT $8`;
