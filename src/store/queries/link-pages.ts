/** Pages of links found by searches. */
import type { Database, Id } from '../database.ts';
import { readLinksByIds } from './completions.ts';
import type { LinkRow } from './links.ts';

type LinkPageFilter = {
  search?: string | undefined;
  topic?: string | undefined;
  /** Host, as in the column `site`. */
  domain?: string | undefined;
  /** Source group in which a search first saw it. */
  source?: string | undefined;
  /** Range of the first sighting by any search; `until` is excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
};

/** A page of links, most recently found first: from the IDs of each search, or of a domain. */
export async function readLinkPage(
  db: Pick<Database, 'orm' | 'pool'>,
  filter: LinkPageFilter & { before?: Id | undefined; limit: number },
): Promise<LinkRow[]> {
  const { search, topic, domain, source, since, until, before, limit } = filter;
  const values = [
    search ?? null,
    topic ?? null,
    source ?? null,
    since ?? null,
    until ?? null,
    before ?? null,
  ];
  const { rows } = await db.pool.query<{ id: Id }>(
    domain === undefined ? SELECT_FOUND_LINKS : SELECT_DOMAIN_LINKS,
    domain === undefined ? [...values, limit] : [...values, limit, domain],
  );
  return readLinksByIds(
    db,
    rows.map(({ id }) => id),
  );
}

const S = 'strandline';
/** $1 search, $2 topic. */
const OWN_SEARCHES_SQL = `SELECT s.id FROM ${S}.searches s JOIN ${S}.topics t ON t.id = s.topic_id
  WHERE ($1::text IS NULL OR s.slug = $1) AND ($2::text IS NULL OR t.slug = $2)`;
/** Conditions on a link `l` sighted as `g`. $3 source, $4 since, $5 until, $6 before this ID. */
const WANTED_SQL = `($3::text IS NULL OR g.source = $3) AND ($4::timestamptz IS NULL OR l.first_seen_at >= $4)
  AND ($5::timestamptz IS NULL OR l.first_seen_at < $5) AND ($6::bigint IS NULL OR g.link_id < $6)`;

/** $7 limit. */
const SELECT_FOUND_LINKS = `
WITH mine AS MATERIALIZED (${OWN_SEARCHES_SQL})
SELECT DISTINCT f.link_id AS id FROM mine CROSS JOIN LATERAL (
  SELECT g.link_id FROM ${S}.link_sightings g JOIN ${S}.links l ON l.id = g.link_id
  WHERE g.search_id = mine.id AND ${WANTED_SQL} ORDER BY g.link_id DESC LIMIT $7
) f ORDER BY 1 DESC LIMIT $7`;

/** $8 domain. */
const SELECT_DOMAIN_LINKS = `
SELECT l.id FROM ${S}.links l
WHERE l.site = $8 AND EXISTS (SELECT FROM ${S}.link_sightings g WHERE g.link_id = l.id AND g.search_id IN (${OWN_SEARCHES_SQL}) AND ${WANTED_SQL})
ORDER BY l.id DESC LIMIT $7`;
