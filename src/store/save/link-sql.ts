/** The SQL of the save for links, their addresses and links of posts. The rules of `save-sql.ts` hold here, too. */
import { TIME_PRECISIONS } from '../../lib/time.ts';
import { columnNames, typedColumns } from '../db/database.ts';
import { anyKnownSql, LINK_CONTENT } from './columns.ts';
import { laterResultsSql } from './facts-sql.ts';

const S = 'strandline';

const LINK_ROW = 'observed_at timestamptz, canonical text, addresses text[]';

/**
 * The link of a row `r`, as `k.id`: that of its first known address, or of its identity. A link keeps the identity that it was
 * stored with, and each of its addresses: after a change of the rules, no address that was returned before is a new link.
 */
const FIND_LINK = `
  LEFT JOIN LATERAL (
    SELECT coalesce(
      (SELECT a.link_id FROM unnest(r.addresses) WITH ORDINALITY u(address, n)
        CROSS JOIN LATERAL (
          SELECT link_id FROM ${S}.link_addresses WHERE address = u.address OFFSET 0
        ) a ORDER BY u.n LIMIT 1),
      (SELECT id FROM ${S}.links WHERE canonical = r.canonical)
    ) AS id OFFSET 0
  ) k ON true`;

/**
 * New or changed links. Their first sighting and address are those of the earliest response, even if it is saved later.
 * Members that a late response knows only fill what is unknown: one before the last change of the link, or before a result
 * that has the link. $1 rows.
 */
export const SAVE_LINKS = `
WITH rows AS MATERIALIZED (
  SELECT DISTINCT ON (identity) coalesce(l.canonical, r.canonical) AS identity, l.id, l.first_seen_at, r.observed_at,
    r.addresses[1] AS url, r.site, ${linkMembers((name) => `CASE WHEN ${isOtherSql(name)} THEN r.${name} END AS ${name}`)}
  FROM json_to_recordset($1::json) AS r(ord integer, site text, ${LINK_ROW}, ${typedColumns(LINK_CONTENT)})
  ${FIND_LINK}
  LEFT JOIN LATERAL (SELECT * FROM ${S}.links WHERE id = k.id OFFSET 0) l ON true
  ORDER BY identity, r.observed_at DESC, r.ord
), changed AS MATERIALIZED (
  SELECT * FROM rows WHERE id IS NULL OR first_seen_at > observed_at OR ${anyKnownSql(LINK_CONTENT, 'rows')}
), confirmed AS MATERIALIZED (
  SELECT DISTINCT c.id FROM changed r
  JOIN (${laterResultsSql('link', '(SELECT min(observed_at) FROM changed WHERE id IS NOT NULL)')}) c ON c.id = r.id AND c.observed_at > r.observed_at
)
INSERT INTO ${S}.links AS l (first_seen_at, observed_at, canonical, url, site, ${columnNames(LINK_CONTENT)})
SELECT observed_at, observed_at, identity, url, site, ${columnNames(LINK_CONTENT)} FROM changed ORDER BY identity
ON CONFLICT (canonical) DO UPDATE
  SET first_seen_at = least(l.first_seen_at, excluded.first_seen_at),
    observed_at = CASE WHEN ${anyKnownSql(LINK_CONTENT, 'l')} THEN greatest(l.observed_at, excluded.observed_at) ELSE excluded.observed_at END,
    url = CASE WHEN excluded.first_seen_at < l.first_seen_at THEN excluded.url ELSE l.url END,
    ${linkMembers((name) => `${name} = CASE WHEN ${replacesSql(name)} THEN excluded.${name} ELSE l.${name} END`)}
  WHERE excluded.first_seen_at < l.first_seen_at OR ${Object.keys(LINK_CONTENT)
    .map((name) => `(${replacesSql(name)} AND excluded.${name} IS DISTINCT FROM l.${name})`)
    .join(' OR ')}`;

function linkMembers(f: (name: string) => string): string {
  return Object.keys(LINK_CONTENT)
    .map((name) => f(name))
    .join(', ');
}

/** A time of publication and its precision are one value. */
function isTimeMember(name: string): boolean {
  return name === 'published_at' || name === 'published_precision';
}

/** The rank of the precision of a time of publication: 1 is exact. */
function precisionRankSql(row: string): string {
  return `array_position('{${TIME_PRECISIONS.join(',')}}'::text[], coalesce(${row}.published_precision, 'exact'))`;
}

function isOtherSql(name: string): string {
  return isTimeMember(name)
    ? '(r.published_at, r.published_precision) IS DISTINCT FROM (l.published_at, l.published_precision)'
    : `r.${name} IS DISTINCT FROM l.${name}`;
}

/**
 * Whether a new member of a link replaces the stored one: it is known, and fills an unknown one or is not late. Of times of
 * publication, a more precise one replaces the other, as within a response; of two relative times alike, the earlier is
 * closer.
 */
function replacesSql(name: string): string {
  const isLate = '(l.observed_at > excluded.observed_at OR l.id = ANY (ARRAY(SELECT id FROM confirmed)))';
  if (!isTimeMember(name)) return `(excluded.${name} IS NOT NULL AND (l.${name} IS NULL OR NOT ${isLate}))`;
  const [rank, storedRank] = ['excluded', 'l'].map(precisionRankSql);
  return `(excluded.published_at IS NOT NULL AND (l.published_at IS NULL OR ${rank} < ${storedRank} OR (${rank} = ${storedRank}
    AND CASE WHEN ${rank} = 1 THEN NOT ${isLate} ELSE excluded.published_at < l.published_at END)))`;
}

/** Addresses of links, after these have keys. $1 rows. */
export const SAVE_ADDRESSES = `
INSERT INTO ${S}.link_addresses (address, link_id)
SELECT DISTINCT ON (u.address) u.address, k.id
FROM json_to_recordset($1::json) AS r(${LINK_ROW})
${FIND_LINK}
CROSS JOIN unnest(r.addresses) u(address)
WHERE NOT EXISTS (SELECT FROM ${S}.link_addresses WHERE address = u.address OFFSET 0)
ORDER BY u.address
ON CONFLICT (address) DO NOTHING`;

/** Links in the text of posts, after both have keys. $1 services, $2 IDs of posts, $3 addresses. */
export const SAVE_POST_LINKS = `
INSERT INTO ${S}.post_links (post_id, link_id)
SELECT DISTINCT p.id, a.link_id
FROM unnest($1::bigint[], $2::text[], $3::text[]) AS r(service_id, external_id, address)
CROSS JOIN LATERAL (SELECT id FROM ${S}.posts WHERE service_id = r.service_id AND external_id = r.external_id OFFSET 0) p
CROSS JOIN LATERAL (SELECT link_id FROM ${S}.link_addresses WHERE address = r.address OFFSET 0) a
ORDER BY 1, 2
ON CONFLICT DO NOTHING`;
