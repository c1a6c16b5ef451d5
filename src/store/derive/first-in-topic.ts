/** Which search of a topic saw an item first: counts over a topic count the item for that search only. */
import type { Id } from '../db/database.ts';
import { type Statement, statement, verbatim } from '../db/statement.ts';

/**
 * The query `siblings`: for each search, the other searches of its topic.
 * @param searches statement with the column `search_id`
 */
export const siblingsOf = (searches: Statement): Statement => statement`siblings AS MATERIALIZED (
  SELECT s.id AS search_id, ARRAY(SELECT id FROM strandline.searches WHERE topic_id = s.topic_id AND id <> s.id) AS ids
  FROM (SELECT DISTINCT search_id FROM (${searches}) z) z
  CROSS JOIN LATERAL (SELECT id, topic_id FROM strandline.searches WHERE id = z.search_id OFFSET 0) s
)`;

/**
 * Whether no other search of the topic saw the item of a sighting `g` earlier; `s` is its row of `siblings`. Looked up per item, and
 * only where the topic has other searches.
 */
export const isFirstInTopic = (kind: 'post' | 'link'): Statement => {
  const item = verbatim(`${kind}_id`);
  return statement`(s.ids = '{}' OR NOT EXISTS (
    SELECT FROM (SELECT search_id, first_seen_at FROM ${verbatim(`strandline.${kind}_sightings`)} WHERE ${item} = g.${item} OFFSET 0) o
    WHERE o.search_id = ANY (s.ids) AND (o.first_seen_at, o.search_id) < (g.first_seen_at, g.search_id)))`;
};

/**
 * The sightings `g` that are counted because of readings, after SELECT: those of their new items, and those of the same items by
 * other searches of the topic that saw them later, because these are then no longer the first.
 */
export const fromCountedSightings = (kind: 'post' | 'link', readings: readonly Id[]): Statement => {
  const named = (name: string) => verbatim(`${name}_${kind}s`);
  return statement`FROM strandline.pending_derivations p CROSS JOIN LATERAL unnest(p.${named('new')} || p.${named('touched')}) u(id)
  CROSS JOIN LATERAL (SELECT * FROM ${verbatim(`strandline.${kind}_sightings`)} WHERE ${verbatim(`${kind}_id`)} = u.id OFFSET 0) g
  WHERE p.id = ANY (${readings}::bigint[]) AND (g.search_id = p.search_id OR (g.first_seen_at >= p.at AND EXISTS (
    SELECT FROM strandline.searches a, strandline.searches b WHERE a.id = g.search_id AND b.id = p.search_id AND a.topic_id = b.topic_id)))`;
};
