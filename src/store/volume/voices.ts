import type { Id, Transaction } from '../database.ts';

/** Posts of a quarter-hour (ms since 1970) by one author with one text; null if the author or text is unknown. */
export type Voice = { at: number; author: Id | null; text: string | null; posts: number };

/** Reposts are different people with the same text: their text does not count. $1 search, $2 from, $3 until. */
const SELECT_VOICES = `
SELECT (floor(extract(epoch FROM least(g.post_created_at, g.first_seen_at)) / 900) * 900000)::float8 AS at, p.author_id AS author,
  CASE WHEN p.is_repost IS NOT TRUE AND p.text <> '' THEN md5(p.text) END AS text, count(*)::int AS posts
FROM strandline.post_sightings g
CROSS JOIN LATERAL (SELECT author_id, is_repost, text FROM strandline.posts WHERE id = g.post_id OFFSET 0) p
WHERE g.search_id = $1 AND coalesce(g.post_created_at, g.first_seen_at) >= $2 AND coalesce(g.post_created_at, g.first_seen_at) < $3
GROUP BY 1, 2, 3`;

/** Who wrote what in a search and range. Read only when a spike is likely. */
export async function readVoices(tx: Transaction, searchId: Id, from: Date, until: Date): Promise<Voice[]> {
  const { rows } = await tx.query<Voice>({
    name: 'voices',
    text: SELECT_VOICES,
    values: [searchId, from, until],
  });
  return rows;
}
