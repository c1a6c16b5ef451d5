/** Lists of discoveries, newest first or in the order of the feed, and their counts. */

import { findMatching, type Matching } from '../archive/matching-items.ts';
import {
  amongIds,
  type Id,
  onlyRow,
  type Orm,
  type Pooled,
  prepareOnce,
  type Queryable,
  type Reads,
} from '../db/database.ts';
import { join, rowsOf, selectIds, type Statement, statement, verbatim } from '../db/statement.ts';
import { discoveriesView } from '../schema/analytics-views.ts';
import { namedId } from '../topics/former-slugs.ts';
import { type DataScope, isShown } from './data-scope.ts';
import { inOrderOf } from './view-conditions.ts';
import type { ItemSelection } from './item-counts.ts';

export type DiscoveryRow = typeof discoveriesView.$inferSelect;

/**
 * `search`: everything that each search found for the first time. `topic`: each item once per topic.
 */
export const DISCOVERY_VIEWS = ['search', 'topic'] as const;
export type DiscoveryView = (typeof DISCOVERY_VIEWS)[number];

type DiscoveryKind = DiscoveryRow['kind'];

/** What a list of discoveries contains. */
export type DiscoveryFilter = DataScope & {
  /** Only posts and links match. */
  matching?: Matching | undefined;
  /** Time of discovery; `until` is excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
  runId?: Id | undefined;
  kind?: DiscoveryKind | readonly DiscoveryKind[] | undefined;
  /** Whether part of a baseline. */
  baseline?: boolean | undefined;
  /** `all`: each item once over all topics, apart from their baselines. Default: `search`. */
  view?: DiscoveryView | 'all' | undefined;
  /** Only discoveries after `after`, up to `upTo`, and before `before`. */
  after?: Id | undefined;
  upTo?: Id | undefined;
  before?: Id | undefined;
};

/** The newest discoveries, newest first. */
export async function readNewestDiscoveries(
  db: Reads,
  filter: DiscoveryFilter & { limit: number },
): Promise<DiscoveryRow[]> {
  return readSelected(db, await selectDiscoveries(db, filter, filter.limit));
}

/** Discoveries after a cursor, in commit order, so that none is missed. */
export async function readDiscoveriesAfter(
  db: Reads,
  filter: DiscoveryFilter & { after: Id; limit: number },
): Promise<DiscoveryRow[]> {
  return readSelected(db, await selectDiscoveries(db, filter, filter.limit, 'ASC'));
}

async function readSelected(db: Reads, items: ItemSelection): Promise<DiscoveryRow[]> {
  const ids = await selectIds(db.pool, items);
  return inOrderOf(ids, await readDiscoveriesByIds(db, ids), ({ id }) => id);
}

/** Discoveries by key, in no order. */
export async function readDiscoveriesByIds({ orm }: Orm, ids: readonly Id[]): Promise<DiscoveryRow[]> {
  if (ids.length === 0) return [];
  const view = discoveriesView;
  return prepareOnce(orm, 'discoveries_by_id', () =>
    orm.select().from(view).where(amongIds(view.id)),
  ).execute({ ids });
}

/** Maximum discoveries that {@link countBaseline} counts. */
export const MAX_BASELINE_COUNT = 10_000;

/** Counts the discoveries of baselines, up to 10,000, and returns the time of the oldest; null if there are none. */
export async function countBaseline(
  db: Pooled,
  filter: Omit<DiscoveryFilter, 'baseline'>,
): Promise<{ found: number; since: Date } | null> {
  const items = await selectDiscoveries(db, { ...filter, baseline: true }, MAX_BASELINE_COUNT, 'ASC');
  const rows = await rowsOf<{ found: number; since: Date | null }>(
    db.pool,
    statement`SELECT count(*)::int AS found, min(at) AS since FROM (${items}) items`,
  );
  const { found, since } = onlyRow(rows);
  return since === null ? null : { found, since };
}

/** No topic reported the thing of a discovery `e` before. */
const IS_FIRST_OF_ALL = statement`NOT EXISTS (
  SELECT FROM strandline.discoveries o
  WHERE o.kind = e.kind AND o.thing = e.thing AND o.id < e.id AND o.first_in_topic AND NOT o.baseline
)`;

/**
 * The discoveries of a list with their times: by the index of each search on its feed, or from what matches a query.
 * @param limit undefined for all
 */
export async function selectDiscoveries(
  db: Pooled,
  filter: DiscoveryFilter,
  limit?: number,
  order: 'ASC' | 'DESC' = 'DESC',
): Promise<ItemSelection> {
  const { topic, matching } = filter;
  const isListed = buildConditions(filter);
  const last = (e: string) => {
    const limited = limit === undefined ? statement`` : statement` LIMIT ${limit}::int`;
    return statement`ORDER BY ${verbatim(`${e}.id ${order}`)}${limited}`;
  };
  const isMine = topic === undefined ? undefined : statement`s.topic_id = ${namedId('topic', topic)}`;
  const matches = await findMatching(db.pool, 'both', matching);
  if (matches !== undefined) {
    const isOfTopic =
      isMine === undefined
        ? statement`true`
        : statement`e.search_id = ANY (ARRAY(SELECT s.id FROM strandline.searches s WHERE ${isMine}))`;
    return statement`SELECT e.id, e.at FROM (${matches}) w
      JOIN strandline.discoveries e ON e.kind = w.kind AND e.thing = w.thing AND ${isOfTopic}
      WHERE ${isListed} ${last('e')}`;
  }
  if (isMine === undefined)
    return statement`SELECT e.id, e.at FROM strandline.discoveries e WHERE ${isListed} ${last('e')}`;
  return statement`SELECT f.id, f.at FROM strandline.searches s CROSS JOIN LATERAL (
      SELECT e.id, e.at FROM strandline.discoveries e WHERE e.search_id = s.id AND ${isListed} ${last('e')}
    ) f WHERE ${isMine} ${last('f')}`;
}

/** On a discovery `e`. */
function buildConditions(filter: DiscoveryFilter): Statement {
  const { search, since, until, runId, kind, baseline, view, after, upTo, before } = filter;
  const conditions = [
    statement`true`,
    // As a value instead of a join, so that the index on a search's feed also provides the order.
    search === undefined ? undefined : statement`e.search_id = ${namedId('search', search)}`,
    since === undefined ? undefined : statement`e.at >= ${since}::timestamptz`,
    until === undefined ? undefined : statement`e.at < ${until}::timestamptz`,
    // The list of a run shows everything that the run found, including what was hidden later.
    runId === undefined ? isShown('e') : statement`e.run_id = ${runId}::bigint`,
    kind === undefined ? undefined : statement`e.kind = ANY (${[kind].flat()}::text[])`,
    baseline === undefined ? undefined : statement`e.baseline = ${baseline}::boolean`,
    view === 'topic' || view === 'all' ? statement`e.first_in_topic` : undefined,
    view === 'all' ? IS_FIRST_OF_ALL : undefined,
    after === undefined ? undefined : statement`e.id > ${after}::bigint`,
    upTo === undefined ? undefined : statement`e.id <= ${upTo}::bigint`,
    before === undefined ? undefined : statement`e.id < ${before}::bigint`,
  ];
  return join(
    conditions.filter((condition) => condition !== undefined),
    ' AND ',
  );
}

export const LAST_DISCOVERY = statement`SELECT coalesce(max(id), 0) AS id FROM strandline.discoveries`;

/** The ID of the newest committed discovery; zero if there is none. */
export async function readLastDiscoveryId(db: Queryable): Promise<Id> {
  return onlyRow(await selectIds(db, LAST_DISCOVERY));
}
