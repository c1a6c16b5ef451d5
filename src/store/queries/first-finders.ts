/** Compares which topics, or source groups, find links first. */
import { type Id, type Pooled, onlyRow } from '../db/database.ts';
import { rowsOf, type Statement, statement, verbatim } from '../db/statement.ts';

/** Links found by searches of these topics in this range. */
type FirstFinderFilter = { topics: readonly string[]; from: Date; until: Date };

/** Maximum links to compare, newest first; each search gets an equal share. */
export const MAX_COMPARED_LINKS = 1_200;

/**
 * When each search of the topics first saw each of the links, as a result or in a post, at any time.
 */
const sightingsOf = ({ topics, from, until }: FirstFinderFilter): Statement => statement`
WITH mine AS MATERIALIZED (
  SELECT s.id, t.slug AS topic, s.operation, count(*) FILTER (WHERE s.operation = 'ai') OVER ()::int AS searches
  FROM strandline.topics t JOIN strandline.searches s ON s.topic_id = t.id WHERE t.slug = ANY (${topics}::text[])
), recent AS MATERIALIZED (
  SELECT DISTINCT d.thing AS link_id FROM mine m CROSS JOIN LATERAL (
    SELECT thing FROM strandline.discoveries
    WHERE search_id = m.id AND kind = 'link' AND at >= ${from} AND at < ${until} ORDER BY at DESC LIMIT ${verbatim(MAX_COMPARED_LINKS)} / m.searches
  ) d WHERE m.operation = 'ai'
), seen AS MATERIALIZED (
  SELECT recent.link_id, m.topic, g.source, g.first_seen_at AS at, coalesce(r.baseline, true) AS baseline
  FROM recent CROSS JOIN LATERAL (
    SELECT search_id, source, first_seen_at, first_run_id FROM strandline.link_sightings WHERE link_id = recent.link_id
    UNION ALL
    SELECT s.search_id, 'microblog', s.first_seen_at, s.first_run_id
    FROM strandline.post_links p JOIN strandline.post_sightings s ON s.post_id = p.post_id WHERE p.link_id = recent.link_id
    OFFSET 0
  ) g
  JOIN mine m ON m.id = g.search_id
  LEFT JOIN LATERAL (SELECT baseline FROM strandline.runs WHERE id = g.first_run_id OFFSET 0) r ON true
)`;

const firstsOf = (scope: 'topic' | 'source') =>
  verbatim(
    `SELECT DISTINCT ON (link_id, ${scope}) '${scope}' AS of, link_id, ${scope} AS side, at, baseline FROM seen ORDER BY link_id, ${scope}, at`,
  );

const LEADS = statement`
SELECT a.of, a.side AS ahead, b.side AS behind, count(*)::int AS links,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM b.at - a.at)::float8) AS median_seconds
FROM firsts a JOIN firsts b ON b.of = a.of AND b.link_id = a.link_id AND b.side <> a.side AND b.at > a.at
WHERE NOT b.baseline
GROUP BY 1, 2, 3 ORDER BY links DESC, 2, 3 LIMIT 200`;

export type Lead = {
  /** What to compare: topics, or source groups of their searches. */
  of: 'topic' | 'source';
  ahead: string;
  behind: string;
  /** Links of both that `ahead` saw earlier, without those in a baseline of `behind`. */
  links: number;
  /** Median lead over these links, in seconds. */
  median_seconds: number;
};

type SharedLink = {
  link_id: Id;
  url: string;
  title: string | null;
  /** The first finder first. */
  topics: string[];
  first_seen_at: Date;
  /** Lead of the first topic over the second, in seconds. */
  lead_seconds: number;
};

/** Most recently shared first. */
const SHARED_LINKS = statement`
SELECT s.link_id::text, l.url, l.title, s.topics, (extract(epoch FROM s.times[1]) * 1000)::bigint AS first_seen_ms,
  extract(epoch FROM s.times[2] - s.times[1])::float8 AS lead_seconds
FROM (
  SELECT link_id, array_agg(side ORDER BY at, side) AS topics, (array_agg(at ORDER BY at, side))[1:2] AS times
  FROM firsts WHERE of = 'topic' GROUP BY link_id HAVING count(*) > 1 ORDER BY max(at) DESC, link_id LIMIT 20
) s JOIN strandline.links l ON l.id = s.link_id ORDER BY s.times[2] DESC, s.link_id`;

type LeadRow = {
  leads: Lead[];
  shared: (Omit<SharedLink, 'link_id' | 'first_seen_at'> & { link_id: string; first_seen_ms: number })[];
};

/** Which of two finds links first, most links first; and links shared by several of the topics, at most 20. */
export async function readLeads(
  { pool }: Pooled,
  filter: FirstFinderFilter,
): Promise<{ leads: Lead[]; shared: SharedLink[] }> {
  // Both results from one read of the sightings: as JSON, with IDs as strings and times in ms since 1970.
  const rows = await rowsOf<LeadRow>(
    pool,
    statement`${sightingsOf(filter)}, firsts AS MATERIALIZED ((${firstsOf('topic')}) UNION ALL (${firstsOf('source')}))
      SELECT coalesce((SELECT json_agg(lead) FROM (${LEADS}) lead), '[]') AS leads,
        coalesce((SELECT json_agg(link) FROM (${SHARED_LINKS}) link), '[]') AS shared`,
  );
  const { leads, shared } = onlyRow(rows);
  return {
    leads,
    shared: shared.map(({ link_id, first_seen_ms, ...link }) => ({
      ...link,
      link_id: BigInt(link_id),
      first_seen_at: new Date(first_seen_ms),
    })),
  };
}
