/** Pages of links found by searches, and how many there are over time. */
import { and, eq, inArray } from 'drizzle-orm';
import { buildMatchingSql, type Matching } from '../archive/matching-items.ts';
import { type Id, type Pooled, type Reads, selectIds } from '../db/database.ts';
import { linkSourcesView } from '../schema/analytics-views.ts';
import { readLinksByIds } from './completions.ts';
import { type DataScope, rangeValues, SCOPED_SEARCHES_SQL } from './data-scope.ts';
import type { ItemSelection } from './item-counts.ts';
import type { LinkRow } from './links.ts';

/** What a list of links contains. */
type LinkSelectionFilter = DataScope & {
  matching?: Matching | undefined;
  /** Range of the first sighting by any search; `until` is excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
};

type LinkPageFilter = LinkSelectionFilter & {
  /** Host, as in the column `site`. */
  domain?: string | undefined;
  /** Source group in which a search first saw it. */
  source?: string | undefined;
};

/** A page of links, most recently found first: from the IDs of each search, of a domain, or of what matches. */
export async function readLinkPage(
  db: Reads,
  filter: LinkPageFilter & { before?: Id | undefined; limit: number },
): Promise<LinkRow[]> {
  const { domain, source, matching, before, limit } = filter;
  const values: unknown[] = [...rangeValues(filter), limit, before ?? null, source ?? null, domain ?? null];
  const wanted = await buildMatchingSql(db, 'link', matching, values);
  const statement = domain === undefined && wanted === '' ? SELECT_FOUND_LINKS : matchingLinksSql(wanted);
  return readLinksByIds(db, await selectIds(db.pool, statement, values));
}

/** A link with the search that found it first. */
export type FirstFinder = typeof linkSourcesView.$inferSelect & { title: string | null };

/** Links with the first finder of each, most recently found first. */
export async function readFirstFinders(
  db: Reads,
  filter: Parameters<typeof readLinkPage>[1],
): Promise<FirstFinder[]> {
  const links = await readLinkPage(db, filter);
  if (links.length === 0) return [];
  const ids = links.map(({ id }) => id);
  const view = linkSourcesView;
  const firsts = await db.orm
    .select()
    .from(view)
    .where(and(inArray(view.link_id, ids), eq(view.nth, 1)))
    .limit(ids.length);
  const byLink = new Map(firsts.map((row) => [row.link_id, row]));
  return links.flatMap(({ id, title }) => {
    const first = byLink.get(id);
    return first === undefined ? [] : [{ ...first, title }];
  });
}

/** The links of a list with their times, to be counted. @param most maximum of each search; undefined for all */
export async function selectLinks(
  db: Pooled,
  filter: LinkSelectionFilter,
  most?: number,
): Promise<ItemSelection> {
  const values: unknown[] = [...rangeValues(filter), most ?? null];
  const wanted = await buildMatchingSql(db, 'link', filter.matching, values);
  return { sql: wanted === '' ? foundSql('true', '') : matchingTimesSql(wanted), values };
}

const S = 'strandline';
/** On a link `l`. $3 since, $4 until. */
const IN_TIME_SQL = `($3::timestamptz IS NULL OR l.first_seen_at >= $3) AND ($4::timestamptz IS NULL OR l.first_seen_at < $4)`;
/** On its sighting `g`. $6 before this ID, $7 source. */
const SIGHTED_SQL = `($6::bigint IS NULL OR g.link_id < $6) AND ($7::text IS NULL OR g.source = $7)`;

/** $5 limit of each search. */
const foundSql = (condition: string, order: string) => `
SELECT DISTINCT f.link_id AS id, f.at FROM (${SCOPED_SEARCHES_SQL}) mine CROSS JOIN LATERAL (
  SELECT g.link_id, l.first_seen_at AS at FROM ${S}.link_sightings g JOIN ${S}.links l ON l.id = g.link_id
  WHERE g.search_id = mine.id AND ${IN_TIME_SQL} AND ${condition} ${order} LIMIT $5
) f`;

const SELECT_FOUND_LINKS = `${foundSql(`${SIGHTED_SQL} AND $8::text IS NULL`, 'ORDER BY g.link_id DESC')} ORDER BY 1 DESC LIMIT $5`;

/** $5 limit, $8 domain. */
const matchingLinksSql = (wanted: string) => `
SELECT l.id FROM ${S}.links l
WHERE ($8::text IS NULL OR l.site = $8) AND ${IN_TIME_SQL} ${wanted === '' ? '' : `AND l.id IN (${wanted})`}
  AND EXISTS (SELECT FROM ${S}.link_sightings g WHERE g.link_id = l.id AND g.search_id = ANY (ARRAY(SELECT id FROM (${SCOPED_SEARCHES_SQL}) mine)) AND ${SIGHTED_SQL})
ORDER BY l.id DESC LIMIT $5`;

const matchingTimesSql = (wanted: string) => `
SELECT l.id, l.first_seen_at AS at FROM ${S}.links l
WHERE l.id IN (${wanted}) AND ${IN_TIME_SQL} AND EXISTS (SELECT FROM ${S}.link_sightings g
  WHERE g.link_id = l.id AND g.search_id = ANY (ARRAY(SELECT id FROM (${SCOPED_SEARCHES_SQL}) mine))) LIMIT $5`;
