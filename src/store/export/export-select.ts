import { type Client, escapeIdentifier, escapeLiteral } from 'pg';
import { createNotFound, InvalidInput } from '../../model/errors.ts';
import { parseQuery } from '../../model/search-query.ts';
import { findMatching, matchesAll } from '../archive/matching-items.ts';
import type { DiscoveryView } from '../queries/discoveries.ts';
import { ANALYTICS } from '../../model/database-kind.ts';
import { findCurrentSlugs } from '../topics/former-slugs.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';
import { copyExpression, type ExportColumn } from './export-columns.ts';
import {
  type Resource,
  RESOURCE_SOURCES,
  type ResourceSource,
  selectFound,
  viewName,
} from './export-resources.ts';

export type ExportFilter = Readonly<{
  /** Slugs: results of any of these searches. */
  searches?: readonly string[] | undefined;
  /** Slug: results of this topic's searches; with `searches`, only of the named searches that are in this topic. */
  topic?: string | undefined;
  since?: Date | undefined;
  /** Only what a response first contained from this time on, where rows say so ({@link ResourceSource.firstSeen}). */
  firstSeenSince?: Date | undefined;
  /** Excluded. */
  until?: Date | undefined;
  /** Only posts and links that match this query, and rows about them. */
  query?: string | undefined;
  /** Of discoveries. Default: `search`. */
  view?: DiscoveryView | undefined;
}>;

/** Keys of the requested searches, in digits; undefined: all. */
export type SearchIds = readonly string[] | undefined;

/** @throws Refused `not_found` for a slug that never existed; removed searches and topics count */
export async function findSearchIds(client: Client, filter: ExportFilter): Promise<SearchIds> {
  const searches = filter.searches && (await findCurrentSlugs(client, 'search', filter.searches));
  const [topic] = await findCurrentSlugs(client, 'topic', filter.topic === undefined ? [] : [filter.topic]);
  const named = searches !== undefined && searches.length > 0;
  if (!named && topic === undefined) return undefined;
  type Found = { id: string; slug: string; topic: string };
  const isNamed = named ? statement`s.slug = ANY (${searches}::text[])` : statement`true`;
  const rows = await rowsOf<Found>(
    client,
    statement`SELECT s.id::text, s.slug, t.slug AS topic
      FROM strandline.searches s JOIN strandline.topics t ON t.id = s.topic_id WHERE ${isNamed} ORDER BY s.id`,
  );
  for (const slug of named ? searches : [])
    if (!rows.some((row) => row.slug === slug)) throw createNotFound('search', slug);
  if (topic === undefined) return rows.map(({ id }) => id);
  const { rowCount } = await execute(client, statement`SELECT FROM strandline.topics WHERE slug = ${topic}`);
  if (rowCount === 0) throw createNotFound('topic', topic);
  return rows.filter((row) => row.topic === topic).map(({ id }) => id);
}

/** Whether rows of a resource are about posts or links, so that a query can select among them. */
export function isQueryable(resource: Resource): boolean {
  return getItemKind(resource) !== undefined;
}

/** The kind of item that rows are about; undefined if they are about others. */
function getItemKind(resource: Resource): 'post' | 'link' | 'both' | undefined {
  if (resource === 'discoveries') return 'both';
  const scope = RESOURCE_SOURCES[resource].of?.scope;
  return scope === 'post' || scope === 'link' ? scope : undefined;
}

/**
 * The condition that a row `v` of a resource is about an item that matches, with literals.
 * @param now for relative times
 * @returns undefined if every row is
 * @throws InvalidInput for a query that is invalid, or beside a resource that is not about items
 */
export async function buildQueryCondition(
  client: Client,
  resource: Resource,
  { query }: ExportFilter,
  now: Date,
): Promise<string | undefined> {
  if (query === undefined) return undefined;
  const matching = { query: parseQuery(query), now };
  if (matchesAll(matching)) return undefined;
  const kind = getItemKind(resource);
  if (kind === undefined)
    throw new InvalidInput([
      {
        path: 'query',
        given: query,
        expected: `no query with ${resource}: its rows are not about posts or links`,
      },
    ]);
  const matches = (await findMatching(client, kind, matching))?.write(writeLiteral);
  return kind === 'both'
    ? `(v.kind, coalesce(v.post_id, v.link_id)) IN (${matches})`
    : `v.${RESOURCE_SOURCES[resource].of?.column} IN (${matches})`;
}

/** A value of a condition as a literal: text, a number, a time, or a list of texts. */
function writeLiteral(value: unknown): string {
  if (value instanceof Date) return timeLiteral(value);
  if (Array.isArray(value)) return `ARRAY[${value.map(writeLiteral).join(', ')}]`;
  return escapeLiteral(String(value));
}

/**
 * Text with literals, because COPY takes no parameters.
 * @param matches see {@link buildQueryCondition}
 */
export function buildSelect(
  resource: Resource,
  columns: readonly ExportColumn[],
  filter: Pick<ExportFilter, 'since' | 'until' | 'view' | 'firstSeenSince'>,
  searchIds: SearchIds,
  matches?: string,
): string {
  const source = RESOURCE_SOURCES[resource];
  const { key, time, of } = source;
  const ids = searchIds === undefined ? undefined : `'{${searchIds.join(',')}}'::bigint[]`;
  const where = [
    ...(ids === undefined || of === undefined ? [] : [`v.${of.column} IN (${selectFound(of.scope, ids)})`]),
    ...(filter.since === undefined || time === undefined ? [] : [`${time} >= ${timeLiteral(filter.since)}`]),
    ...(filter.until === undefined || time === undefined ? [] : [`${time} < ${timeLiteral(filter.until)}`]),
    ...(matches === undefined ? [] : [matches]),
    ...(resource === 'discoveries' && filter.view === 'topic' ? ['v.first_in_topic'] : []),
    ...(filter.firstSeenSince === undefined ? [] : firstSeenSql(source, ids, filter.firstSeenSince)),
  ];
  const copied = columns.map((column) => `${copyExpression(column)} AS ${escapeIdentifier(column.name)}`);
  return [
    `SELECT ${copied.join(', ')}`,
    `FROM ${ANALYTICS}.${viewName(resource)} v`,
    ...(where.length === 0 ? [] : [`WHERE ${where.join(' AND ')}`]),
    `ORDER BY ${key.map((name) => `v.${name}`).join(', ')}`,
  ].join(' ');
}

/** A search may first see an item that another search has seen before. */
function firstSeenSql({ firstSeen, of }: ResourceSource, ids: string | undefined, since: Date): string[] {
  if (firstSeen === undefined) return [];
  const isNew = [`${firstSeen} >= ${timeLiteral(since)}`];
  if (ids !== undefined && of !== undefined && of.scope !== 'search')
    isNew.push(
      `v.${of.column} IN (${selectFound(of.scope, ids, `g.first_seen_at >= ${timeLiteral(since)}`)})`,
    );
  return [`(${isNew.join(' OR ')})`];
}

function timeLiteral(at: Date): string {
  return `'${at.toISOString()}'::timestamptz`;
}
