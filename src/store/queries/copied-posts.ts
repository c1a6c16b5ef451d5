/** How many of the posts of authors say what was said before. */
import type { Id, Pooled } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';
import { countedAtSql } from '../volume/post-time.ts';

/** Posts of an author that searches found, and how many of them are copies: posts of a story that another thing began. */
export type CopiedPosts = { author_id: Id; posts: number; copies: number };

/** @param range by the time of posts; `until` is excluded @returns authors with posts in the range, in no order */
export async function countCopiedPosts(
  { pool }: Pooled,
  authorIds: readonly Id[],
  { topicId, searchIds }: { topicId: Id; searchIds: readonly Id[] },
  { from, until }: { from: Date; until: Date },
): Promise<CopiedPosts[]> {
  if (authorIds.length === 0) return [];
  const at = verbatim(countedAtSql('g'));
  return rowsOf<CopiedPosts>(
    pool,
    statement`SELECT p.author_id, count(*)::int AS posts, count(*) FILTER (WHERE EXISTS (
        SELECT FROM strandline.discoveries d
        JOIN strandline.searches s ON s.id = d.search_id AND s.topic_id = ${topicId}
        JOIN strandline.story_items i ON i.discovery_id = d.id
        JOIN strandline.stories k ON k.id = i.story_id AND k.things > 1 AND k.origin_id <> d.id
        WHERE d.kind = 'post' AND d.thing = p.id AND NOT EXISTS (
          -- The link to the post itself, which was found with an earlier time.
          SELECT FROM strandline.discoveries o JOIN strandline.links l ON l.id = o.thing
          WHERE o.id = k.origin_id AND o.kind = 'link' AND l.canonical = p.key)
      ))::int AS copies
      FROM (
        SELECT DISTINCT p.id, p.author_id, p.key FROM strandline.posts p
        JOIN strandline.post_sightings g ON g.post_id = p.id AND g.search_id = ANY (${searchIds}::bigint[])
        WHERE p.author_id = ANY (${authorIds}::bigint[]) AND ${at} >= ${from} AND ${at} < ${until}
      ) p GROUP BY 1`,
    'copied_posts',
  );
}
