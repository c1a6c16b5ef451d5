/** The SQL of the save for links, their addresses and links of posts. The rules of `save-sql.ts` hold here, too. */
import { columnNames, differsSql, LINK_CONTENT, typedColumns } from './columns.ts';

const S = 'strandline';

const LINK_ROW = 'observed_at timestamptz, canonical text, former text, addresses text[]';

/**
 * The link of a row `r`, as `k.id`: that of its first known address, then by its identity, then by its identity by the
 * rules of the stored links. So no known link is new while `links rekey` has not applied newer rules.
 */
const FIND_LINK = `
  LEFT JOIN LATERAL (
    SELECT coalesce(
      (SELECT a.link_id FROM unnest(r.addresses) WITH ORDINALITY u(address, n)
        CROSS JOIN LATERAL (SELECT link_id FROM ${S}.link_addresses WHERE address = u.address OFFSET 0) a ORDER BY u.n LIMIT 1),
      (SELECT id FROM ${S}.links WHERE canonical = r.canonical),
      (SELECT id FROM ${S}.links WHERE canonical = r.former)
    ) AS id OFFSET 0
  ) k ON true`;

const KEPT_LINK_CONTENT = Object.keys(LINK_CONTENT)
  .map(
    (
      name,
    ) => `${name} = CASE WHEN excluded.observed_at < l.first_seen_at THEN coalesce(l.${name}, excluded.${name})
    ELSE coalesce(excluded.${name}, l.${name}) END`,
  )
  .join(', ');

/**
 * New or changed links. Their first sighting and address are those of the earliest response, even if it comes later. $1
 * rows.
 */
export const SAVE_LINKS = `
WITH rows AS MATERIALIZED (
  SELECT DISTINCT ON (identity) coalesce(l.canonical, r.canonical) AS identity, r.observed_at, r.addresses[1] AS url, r.site, ${columnNames(LINK_CONTENT, 'r.')}
  FROM json_to_recordset($1::json) AS r(ord integer, site text, ${LINK_ROW}, ${typedColumns(LINK_CONTENT)})
  ${FIND_LINK}
  LEFT JOIN LATERAL (SELECT * FROM ${S}.links WHERE id = k.id OFFSET 0) l ON true
  WHERE l.id IS NULL OR r.observed_at < l.first_seen_at OR (l.observed_at <= r.observed_at AND (${differsSql(LINK_CONTENT, 'r', 'l')}))
  ORDER BY identity, r.observed_at DESC, r.ord
)
INSERT INTO ${S}.links AS l (first_seen_at, observed_at, canonical, url, site, ${columnNames(LINK_CONTENT)})
SELECT observed_at, observed_at, identity, url, site, ${columnNames(LINK_CONTENT)} FROM rows ORDER BY identity
ON CONFLICT (canonical) DO UPDATE
  SET first_seen_at = least(l.first_seen_at, excluded.first_seen_at), observed_at = greatest(l.observed_at, excluded.observed_at),
    url = CASE WHEN excluded.first_seen_at < l.first_seen_at THEN excluded.url ELSE l.url END, ${KEPT_LINK_CONTENT}
  WHERE excluded.first_seen_at < l.first_seen_at
    OR (l.observed_at <= excluded.observed_at AND (${differsSql(LINK_CONTENT, 'excluded', 'l')}))`;

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
