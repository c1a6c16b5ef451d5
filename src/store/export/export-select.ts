import { type Client, escapeIdentifier } from 'pg';
import { Refused } from '../../domain/errors.ts';
import { ANALYTICS } from '../schema-state.ts';
import { copyExpression, type ExportColumn, type Resource, RESOURCE_SOURCES } from './export-columns.ts';

export type ExportFilter = Readonly<{
  /** Slugs: results of any of these searches. */
  searches?: readonly string[] | undefined;
  /** Slug: results of this topic's searches; with `searches`, only those of them in this topic. */
  topic?: string | undefined;
  since?: Date | undefined;
  /** Excluded. */
  until?: Date | undefined;
}>;

/** Keys of the requested searches, in digits; undefined: all. */
export type SearchIds = readonly string[] | undefined;

/** @throws Refused `not_found` for a slug that never existed; removed searches and topics count */
export async function findSearchIds(client: Client, filter: ExportFilter): Promise<SearchIds> {
  const { searches, topic } = filter;
  const named = searches !== undefined && searches.length > 0;
  if (!named && topic === undefined) return undefined;
  const { rows } = await client.query<{ id: string; slug: string; topic: string }>(
    `SELECT id::text, slug, topic FROM ${ANALYTICS}.searches
      WHERE ($1::text[] IS NULL OR slug = ANY ($1)) ORDER BY searches.id`,
    [named ? searches : null],
  );
  const lost = (named ? searches : []).find((slug) => !rows.some((row) => row.slug === slug));
  if (lost !== undefined) throw new Refused('not_found', `there is no search "${lost}"`);
  if (topic === undefined) return rows.map(({ id }) => id);
  const { rowCount } = await client.query(`SELECT 1 FROM ${ANALYTICS}.topics WHERE slug = $1`, [topic]);
  if (rowCount !== 1) throw new Refused('not_found', `there is no topic "${topic}"`);
  return rows.filter((row) => row.topic === topic).map(({ id }) => id);
}

/** Text with literals, because COPY takes no parameters: only our own names, digits and ISO times. */
export function buildSelect(
  resource: Resource,
  columns: readonly ExportColumn[],
  filter: Pick<ExportFilter, 'since' | 'until'>,
  searchIds: SearchIds,
): string {
  const { view, key, time, of } = RESOURCE_SOURCES[resource];
  const at = time.length === 1 ? `v.${time[0]}` : `coalesce(${time.map((name) => `v.${name}`).join(', ')})`;
  const where = [
    ...(searchIds === undefined ? [] : [foundBySql(of, searchIds)]),
    ...(filter.since === undefined ? [] : [`${at} >= ${timeLiteral(filter.since)}`]),
    ...(filter.until === undefined ? [] : [`${at} < ${timeLiteral(filter.until)}`]),
  ];
  const copied = columns.map((column) => `${copyExpression(column)} AS ${escapeIdentifier(column.name)}`);
  return [
    `SELECT ${copied.join(', ')}`,
    `FROM ${ANALYTICS}.${view} v`,
    ...(where.length === 0 ? [] : [`WHERE ${where.join(' AND ')}`]),
    `ORDER BY ${key.map((name) => `v.${name}`).join(', ')}`,
  ].join(' ');
}

function foundBySql(of: (typeof RESOURCE_SOURCES)[Resource]['of'], searchIds: readonly string[]): string {
  const ids = `'{${searchIds.join(',')}}'::bigint[]`;
  if (of.sightings === undefined) return `v.${of.column} = ANY (${ids})`;
  const { view, column } = of.sightings;
  return `v.${of.column} IN (SELECT g.${column} FROM ${ANALYTICS}.${view} g WHERE g.search_id = ANY (${ids}))`;
}

function timeLiteral(at: Date): string {
  return `'${at.toISOString()}'::timestamptz`;
}
