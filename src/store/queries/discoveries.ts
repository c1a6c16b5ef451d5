import { asc, desc, type SQL, sql } from 'drizzle-orm';
import { amongIds, type Id, onlyRow, type Orm, prepareOnce, type Queryable } from '../db/database.ts';
import type { NamedKind } from '../topics/former-slugs.ts';
import { discoveriesView } from '../schema/analytics-views.ts';
import type { DataScope } from './data-scope.ts';

export type DiscoveryRow = typeof discoveriesView.$inferSelect;

/**
 * `search`: everything that each search found for the first time. `topic`: each item once per topic.
 */
export const DISCOVERY_VIEWS = ['search', 'topic'] as const;
export type DiscoveryView = (typeof DISCOVERY_VIEWS)[number];

type DiscoveryKind = DiscoveryRow['kind'];

export type DiscoveryFilter = DataScope & {
  since?: Date | undefined;
  until?: Date | undefined;
  runId?: Id | undefined;
  kind?: DiscoveryKind | undefined;
  /** Whether part of a baseline. */
  baseline?: boolean | undefined;
  /** Default: `search`. */
  view?: DiscoveryView | undefined;
};

/** The newest discoveries, in feed order: the newest is last. @param filter.before only those before this ID */
export async function readNewestDiscoveries(
  db: Orm,
  filter: DiscoveryFilter & { before?: Id | undefined; limit: number },
): Promise<DiscoveryRow[]> {
  const { before, limit } = filter;
  const range = before === undefined ? [] : [sql`d.id < ${before}`];
  return (await readSelected(db, filter, { range, order: 'DESC', limit })).toReversed();
}

/** As many as {@link countBaseline} counts. */
export const MAX_BASELINE_COUNT = 10_000;

/** What was there at the start: how many discoveries of baselines, at most 10,000, and since when; null if there are none. */
export async function countBaseline(
  { orm }: Orm,
  filter: Omit<DiscoveryFilter, 'baseline'>,
): Promise<{ found: number; since: Date } | null> {
  const { topic } = filter;
  const conditions = buildConditions({ ...filter, baseline: true });
  if (topic !== undefined)
    conditions.push(
      sql`d.search_id IN (SELECT s.id FROM strandline.searches s WHERE s.topic_id = ${namedId('topic', topic)})`,
    );
  const { rows } = await orm.execute<{ found: number; since: Date | null }>(
    sql`SELECT count(*)::int AS found, min(d.at) AS since FROM (
      SELECT d.at FROM strandline.discoveries d WHERE ${sql.join(conditions, sql` AND `)} ORDER BY d.id LIMIT ${MAX_BASELINE_COUNT}
    ) d`,
  );
  const { found, since } = onlyRow(rows);
  return since === null ? null : { found, since: new Date(since) };
}

/** Discoveries after a cursor, in commit order, so that none is missed. @param filter.upTo the last ID to return */
export async function readDiscoveriesAfter(
  db: Orm,
  filter: DiscoveryFilter & { after: Id; upTo?: Id | undefined; limit: number },
): Promise<DiscoveryRow[]> {
  const { after, upTo, limit } = filter;
  const range = [sql`d.id > ${after}`, ...(upTo === undefined ? [] : [sql`d.id <= ${upTo}`])];
  return readSelected(db, filter, { range, order: 'ASC', limit });
}

/** Selects IDs first: of a topic, those of each search by an index on its feed. */
async function readSelected(
  db: Orm,
  filter: DiscoveryFilter,
  { range, order, limit }: { range: readonly SQL[]; order: 'ASC' | 'DESC'; limit: number },
): Promise<DiscoveryRow[]> {
  const { topic } = filter;
  const isAscending = order === 'ASC';
  const last = isAscending ? sql`ORDER BY d.id LIMIT ${limit}` : sql`ORDER BY d.id DESC LIMIT ${limit}`;
  const conditions = [...range, ...buildConditions(filter)];
  const where = sql.join(conditions, sql` AND `);
  const ids =
    topic === undefined
      ? sql`SELECT d.id FROM strandline.discoveries d WHERE ${where} ${last}`
      : sql`SELECT d.id FROM strandline.searches s CROSS JOIN LATERAL (
          SELECT d.id FROM strandline.discoveries d WHERE d.search_id = s.id AND ${where} ${last}
        ) d WHERE s.topic_id = ${namedId('topic', topic)} ${last}`;
  const view = discoveriesView;
  return db.orm
    .select()
    .from(view)
    .where(sql`${view.id} = ANY (ARRAY(${ids}))`)
    .orderBy(isAscending ? asc(view.id) : desc(view.id));
}

/** Discoveries by key, in no order. */
export async function readDiscoveriesByIds({ orm }: Orm, ids: readonly Id[]): Promise<DiscoveryRow[]> {
  if (ids.length === 0) return [];
  const view = discoveriesView;
  return prepareOnce(orm, 'discoveries_by_id', () =>
    orm.select().from(view).where(amongIds(view.id)),
  ).execute({ ids });
}

export const SELECT_LAST_DISCOVERY = 'SELECT coalesce(max(id), 0) AS id FROM strandline.discoveries';

/** The ID of the newest committed discovery; zero if there is none. */
export async function readLastDiscoveryId(db: Queryable): Promise<Id> {
  const { rows } = await db.query<{ id: Id }>(SELECT_LAST_DISCOVERY);
  return onlyRow(rows).id;
}

/** By its slug, or by a former one: somebody who polls continues when it is renamed. */
function namedId(kind: NamedKind, slug: string): SQL {
  return kind === 'topic'
    ? sql`coalesce((SELECT t.id FROM strandline.topics t WHERE t.slug = ${slug}),
        (SELECT f.topic_id FROM strandline.former_slugs f WHERE f.kind = 'topic' AND f.slug = ${slug}))`
    : sql`coalesce((SELECT s.id FROM strandline.searches s WHERE s.slug = ${slug}),
        (SELECT f.search_id FROM strandline.former_slugs f WHERE f.kind = 'search' AND f.slug = ${slug}))`;
}

/** On a discovery `d`; at least one. */
function buildConditions(filter: DiscoveryFilter): SQL[] {
  const { search, since, until, runId, kind, baseline, view } = filter;
  const optional = [
    // As a value instead of a join, so that the index on a search's feed also provides the order.
    search === undefined ? undefined : sql`d.search_id = ${namedId('search', search)}`,
    since === undefined ? undefined : sql`d.at >= ${since.toISOString()}::timestamptz`,
    until === undefined ? undefined : sql`d.at < ${until.toISOString()}::timestamptz`,
    runId === undefined ? undefined : sql`d.run_id = ${runId}`,
    kind === undefined ? undefined : sql`d.kind = ${kind}`,
    baseline === undefined ? undefined : sql`d.baseline = ${baseline}`,
    view === 'topic' ? sql`d.first_in_topic` : undefined,
  ];
  return [sql`true`, ...optional.flatMap((condition) => condition ?? [])];
}
