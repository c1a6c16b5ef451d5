/** Posts of searches in a window, as the reason of a spike compares them. */
import { hashFoldedText } from '../../model/folded-text.ts';
import type { Id, Queryable, Transaction } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';
import { DOMAIN_SQL } from './domain.ts';
import { countedAtSql, measurableBetween } from './post-time.ts';

const COUNTED_AT = verbatim(countedAtSql('g'));

/** See `ComparedPost` for units. */
type WindowPost = {
  id: Id;
  at: number;
  author: Id | null;
  textKey: Id | null;
  text: string;
  hashtags: string[];
  domains: string[];
};

/** A text says what it is about in its first characters; some have hundreds of thousands. */
const MAX_TEXT = 500;
/** Texts are compared by their first characters. */
const MAX_FOLDED = 2_000;

/** A post of several searches comes once. @param window.most maximum number of posts of each search: the newest */
export async function readWindowPosts(
  tx: Queryable,
  searchIds: readonly Id[],
  { from, until, most }: { from: Date; until: Date; most: number },
): Promise<WindowPost[]> {
  const rows = await rowsOf<Omit<WindowPost, 'textKey'>>(
    tx,
    statement`SELECT p.id, extract(epoch FROM g.at)::float8 * 1000 AS at, p.author_id AS author, left(p.text, ${MAX_FOLDED}::int) AS text,
        ARRAY(SELECT DISTINCT strandline.lowered(unnest(p.hashtags))) AS hashtags,
        ARRAY(SELECT DISTINCT x.name FROM unnest(p.urls) a CROSS JOIN LATERAL (SELECT ${verbatim(DOMAIN_SQL)} AS name OFFSET 0) x WHERE x.name <> '') AS domains
      FROM (
        SELECT g.post_id, min(g.at) AS at FROM unnest(${searchIds}::bigint[]) s (id) CROSS JOIN LATERAL (
          SELECT g.post_id, ${COUNTED_AT} AS at FROM strandline.post_sightings g
          WHERE g.search_id = s.id AND ${measurableBetween('g', from, until)} ORDER BY 2 DESC LIMIT ${most}
        ) g
        GROUP BY 1
      ) g
      CROSS JOIN LATERAL (SELECT * FROM strandline.posts WHERE id = g.post_id OFFSET 0) p
      ORDER BY g.at, p.id`,
    'window_posts',
  );
  return rows.map(({ text, ...post }) => ({
    ...post,
    text: text.slice(0, MAX_TEXT),
    textKey: hashFoldedText(text),
  }));
}

/** When a post that a search has seen counts; null if it is gone. */
export async function readPostTime(tx: Transaction, searchId: Id, postId: Id): Promise<Date | null> {
  const [row] = await rowsOf<{ at: Date }>(
    tx,
    statement`SELECT ${COUNTED_AT} AS at FROM strandline.post_sightings g WHERE g.search_id = ${searchId} AND g.post_id = ${postId}`,
  );
  return row?.at ?? null;
}
