/** Lists of discoveries, newest first or in the order of the feed, and their counts. */

import { type Matching, matchesAll, writeMatchingSql } from '../archive/matching-items.ts';
import {
  amongIds,
  type Id,
  onlyRow,
  type Orm,
  type Pooled,
  prepareOnce,
  type Queryable,
  type Reads,
  selectIds,
} from '../db/database.ts';
import { discoveriesView } from '../schema/analytics-views.ts';
import type { NamedKind } from '../topics/former-slugs.ts';
import { type DataScope, inOrderOf } from './data-scope.ts';
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

async function readSelected(db: Reads, { sql, values }: ItemSelection): Promise<DiscoveryRow[]> {
  const ids = await selectIds(db.pool, sql, [...values]);
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

/** As many as {@link countBaseline} counts. */
export const MAX_BASELINE_COUNT = 10_000;

/** Counts the discoveries of baselines, up to 10,000, and returns the time of the oldest; null if there are none. */
export async function countBaseline(
  db: Pooled,
  filter: Omit<DiscoveryFilter, 'baseline'>,
): Promise<{ found: number; since: Date } | null> {
  const { sql, values } = await selectDiscoveries(
    db,
    { ...filter, baseline: true },
    MAX_BASELINE_COUNT,
    'ASC',
  );
  const { rows } = await db.pool.query<{ found: number; since: Date | null }>(
    `SELECT count(*)::int AS found, min(at) AS since FROM (${sql}) items`,
    [...values],
  );
  const { found, since } = onlyRow(rows);
  return since === null ? null : { found, since };
}

const S = 'strandline';

/** No topic reported the thing of a discovery `e` before. */
const IS_FIRST_OF_ALL_SQL = `NOT EXISTS (
  SELECT FROM ${S}.discoveries o
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
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const where = buildConditions(filter, bind).join(' AND ');
  const last = (e: string) =>
    `ORDER BY ${e}.id ${order}${limit === undefined ? '' : ` LIMIT ${bind(limit)}::int`}`;
  const mine = topic === undefined ? undefined : `s.topic_id = ${namedIdSql('topic', bind(topic))}`;
  const matchingSql =
    matching === undefined || matchesAll(matching)
      ? undefined
      : await writeMatchingSql(db.pool, 'both', matching, bind);
  if (matchingSql !== undefined) {
    const ofTopic =
      mine === undefined
        ? 'true'
        : `e.search_id = ANY (ARRAY(SELECT s.id FROM ${S}.searches s WHERE ${mine}))`;
    return {
      sql: `SELECT e.id, e.at FROM (${matchingSql}) w
        JOIN ${S}.discoveries e ON e.kind = w.kind AND e.thing = w.thing AND ${ofTopic}
        WHERE ${where} ${last('e')}`,
      values,
    };
  }
  const each = `SELECT e.id, e.at FROM ${S}.discoveries e WHERE`;
  const sql =
    mine === undefined
      ? `${each} ${where} ${last('e')}`
      : `SELECT f.id, f.at FROM ${S}.searches s CROSS JOIN LATERAL (
          ${each} e.search_id = s.id AND ${where} ${last('e')}
        ) f WHERE ${mine} ${last('f')}`;
  return { sql, values };
}

/** On a discovery `e`; at least one. */
function buildConditions(filter: DiscoveryFilter, bind: (value: unknown) => string): string[] {
  const { search, since, until, runId, kind, baseline, view, after, upTo, before } = filter;
  const optional = [
    // As a value instead of a join, so that the index on a search's feed also provides the order.
    search === undefined ? undefined : `e.search_id = ${namedIdSql('search', bind(search))}`,
    since === undefined ? undefined : `e.at >= ${bind(since)}::timestamptz`,
    until === undefined ? undefined : `e.at < ${bind(until)}::timestamptz`,
    runId === undefined ? undefined : `e.run_id = ${bind(runId)}::bigint`,
    kind === undefined ? undefined : `e.kind = ANY (${bind([kind].flat())}::text[])`,
    baseline === undefined ? undefined : `e.baseline = ${bind(baseline)}::boolean`,
    view === 'topic' || view === 'all' ? 'e.first_in_topic' : undefined,
    view === 'all' ? IS_FIRST_OF_ALL_SQL : undefined,
    after === undefined ? undefined : `e.id > ${bind(after)}::bigint`,
    upTo === undefined ? undefined : `e.id <= ${bind(upTo)}::bigint`,
    before === undefined ? undefined : `e.id < ${bind(before)}::bigint`,
  ];
  return ['true', ...optional.filter((condition) => condition !== undefined)];
}

/** By its slug, or by a former one: somebody who polls continues when it is renamed. @param slug a parameter */
function namedIdSql(kind: NamedKind, slug: string): string {
  return kind === 'topic'
    ? `coalesce((SELECT t.id FROM ${S}.topics t WHERE t.slug = ${slug}::text),
        (SELECT f.topic_id FROM ${S}.former_slugs f WHERE f.kind = 'topic' AND f.slug = ${slug}::text))`
    : `coalesce((SELECT s.id FROM ${S}.searches s WHERE s.slug = ${slug}::text),
        (SELECT f.search_id FROM ${S}.former_slugs f WHERE f.kind = 'search' AND f.slug = ${slug}::text))`;
}

export const SELECT_LAST_DISCOVERY = 'SELECT coalesce(max(id), 0) AS id FROM strandline.discoveries';

/** The ID of the newest committed discovery; zero if there is none. */
export async function readLastDiscoveryId(db: Queryable): Promise<Id> {
  const { rows } = await db.query<{ id: Id }>(SELECT_LAST_DISCOVERY);
  return onlyRow(rows).id;
}
