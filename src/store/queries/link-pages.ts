/** Pages of links found by searches, and how many there are over time. */
import { and, eq, inArray } from 'drizzle-orm';
import { findMatching, type Matching } from '../archive/matching-items.ts';
import type { Id, Pooled, Reads } from '../db/database.ts';
import { selectIds, type Statement, statement } from '../db/statement.ts';
import { linkSourcesView } from '../schema/analytics-views.ts';
import { type DataScope, searchesInScope, hiddenThings } from './data-scope.ts';
import type { ItemSelection } from './item-counts.ts';
import { type LinkRow, readLinksByIds } from './links.ts';

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
  const { domain, matching, limit } = filter;
  const matches = await findMatching(db.pool, 'link', matching);
  const links =
    domain === undefined && matches === undefined
      ? statement`${newestOfEachSearch(filter)} ORDER BY 1 DESC LIMIT ${limit}`
      : newestMatching(filter, matches);
  return readLinksByIds(db, await selectIds(db.pool, links));
}

/** The newest links of each search, at most the limit for each. */
const newestOfEachSearch = (filter: Parameters<typeof readLinkPage>[1]): Statement =>
  linksOfEachSearch(filter, statement`${isSighted(filter)} ORDER BY g.link_id DESC LIMIT ${filter.limit}`);

/** Links of a domain, or that match a query. */
function newestMatching(
  filter: Parameters<typeof readLinkPage>[1],
  matches: Statement | undefined,
): Statement {
  const { domain, limit } = filter;
  const isMatching = matches === undefined ? statement`true` : statement`l.id IN (${matches})`;
  const isOfDomain = domain === undefined ? statement`true` : statement`l.site = ${domain}`;
  return statement`SELECT l.id FROM strandline.links l
    WHERE ${isOfDomain} AND ${isInRange(filter)} AND ${isMatching} AND ${isFoundInScope(filter, isSighted(filter))}
    ORDER BY l.id DESC LIMIT ${limit}`;
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
  const matches = await findMatching(db.pool, 'link', filter.matching);
  const limited = most === undefined ? statement`` : statement`LIMIT ${most}`;
  if (matches === undefined) return linksOfEachSearch(filter, statement`true ${limited}`);
  return statement`SELECT l.id, l.first_seen_at AS at FROM strandline.links l
    WHERE l.id IN (${matches}) AND ${isInRange(filter)} AND ${isFoundInScope(filter, statement`true`)} ${limited}`;
}

/** On a link `l`. */
function isInRange({ since, until }: Pick<LinkSelectionFilter, 'since' | 'until'>): Statement {
  const isSince = since === undefined ? statement`true` : statement`l.first_seen_at >= ${since}`;
  return until === undefined ? isSince : statement`${isSince} AND l.first_seen_at < ${until}`;
}

/** On a sighting `g` of a link: its source, and whether it is on this page or a later one. */
function isSighted({ before, source }: { before?: Id | undefined; source?: string | undefined }): Statement {
  const isBefore = before === undefined ? statement`true` : statement`g.link_id < ${before}`;
  return source === undefined ? isBefore : statement`${isBefore} AND g.source = ${source}`;
}

/** The searches of a scope, as an array. */
const mineOf = (scope: DataScope): Statement =>
  statement`ARRAY(SELECT id FROM (${searchesInScope(scope)}) mine)`;

/** On a link `l`. */
const isShownLink = (scope: DataScope): Statement =>
  statement`l.id NOT IN (SELECT thing FROM (${hiddenThings(mineOf(scope))}) h WHERE kind = 'link')`;

/** Whether a search of the scope has a sighting `g` of a link `l` that meets a condition. */
const isFoundInScope = (scope: DataScope, which: Statement): Statement =>
  statement`EXISTS (
    SELECT FROM strandline.link_sightings g
    WHERE g.link_id = l.id AND g.search_id = ANY (${mineOf(scope)}) AND ${which}) AND ${isShownLink(scope)}`;

/** Links in the range, by search. @param which a condition on a sighting `g`, and what follows it: the order, and a limit */
const linksOfEachSearch = (filter: LinkSelectionFilter, which: Statement): Statement =>
  statement`SELECT DISTINCT f.link_id AS id, f.at FROM (${searchesInScope(filter)}) mine CROSS JOIN LATERAL (
    SELECT g.link_id, l.first_seen_at AS at FROM strandline.link_sightings g JOIN strandline.links l ON l.id = g.link_id
    WHERE g.search_id = mine.id AND ${isInRange(filter)} AND ${isShownLink(filter)} AND ${which}
  ) f`;
