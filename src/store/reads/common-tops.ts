/** Authors, hashtags and domains that several topics have in common. */
import type { Database } from '../database.ts';

export const COMMON_KINDS = ['hashtag', 'domain', 'author'] as const;
export type CommonKind = (typeof COMMON_KINDS)[number];

export type Common = {
  /** Key of an author, a hashtag without #, or a host without www. */
  name: string;
  /** Handle of an author; null when unknown, and for what is no author. */
  username: string | null;
  /** Posts (and, for a domain, links), each once per topic, by the topic's slug. */
  posts: Record<string, number>;
  all: number;
};

/**
 * Which topics have how many is put together for those alone that are told: of tens of thousands of names.
 * $1 topics, $2 kinds, $3 from, $4 until, $5 most.
 */
const COMMON = `
WITH each AS MATERIALIZED (
  SELECT s.topic_id, k.name, sum(k.topic_posts)::int AS posts
  FROM strandline.topics t JOIN strandline.searches s ON s.topic_id = t.id JOIN strandline.search_tops k ON k.search_id = s.id
  WHERE t.slug = ANY ($1::text[]) AND k.kind = ANY ($2::text[]) AND k.day_at >= $3 AND k.day_at < $4
  GROUP BY 1, 2 HAVING sum(k.topic_posts) > 0
), common AS (
  SELECT name, count(*) AS topics, sum(posts)::int AS all FROM each GROUP BY name HAVING count(*) > 1
  ORDER BY count(*) DESC, min(posts) DESC, sum(posts) DESC, name LIMIT $5
), told AS (
  SELECT c.name, c.topics, c.all, jsonb_object_agg(t.slug, e.posts) AS posts
  FROM common c JOIN each e USING (name) JOIN strandline.topics t ON t.id = e.topic_id GROUP BY 1, 2, 3
)
SELECT c.name, a.username, c.posts, c.all
FROM told c LEFT JOIN strandline.authors a ON a.id = CASE WHEN $2 = '{author}' THEN c.name::bigint END
ORDER BY c.topics DESC, c.all DESC, c.name`;

/** What most of the topics share first, and of that what each of them has much of. Whole days (UTC). */
export async function readCommon(
  { pool }: Pick<Database, 'pool'>,
  kind: CommonKind,
  { topics, from, until, limit }: { topics: readonly string[]; from: Date; until: Date; limit: number },
): Promise<Common[]> {
  const kinds = kind === 'domain' ? ['domain', 'site'] : [kind];
  const { rows } = await pool.query<Common>(COMMON, [topics, kinds, from, until, limit]);
  return rows;
}
