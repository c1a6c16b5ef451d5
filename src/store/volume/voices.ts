import type { Id, Transaction } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';
import { measurableBetween, offsetSql, quarterSql } from './post-time.ts';

/** Posts of a quarter-hour (ms since 1970) by one author with one text; null if the author or text is unknown. */
export type Voice = { at: number; author: Id | null; text: string | null; posts: number };

const QUARTER = verbatim(quarterSql('g'));
const OFFSET = verbatim(offsetSql('g'));

/**
 * Who wrote what in a search and range, of the posts that {@link readVolumeHistory} counts. Reposts are different people with the same
 * text: their text does not count. Read only when a spike is likely.
 */
export function readVoices(tx: Transaction, searchId: Id, from: Date, until: Date): Promise<Voice[]> {
  return rowsOf<Voice>(
    tx,
    statement`SELECT extract(epoch FROM v.bucket_at)::float8 * 1000 AS at, p.author_id AS author,
        CASE WHEN p.is_repost IS NOT TRUE AND p.text <> '' THEN md5(p.text) END AS text, count(*)::int AS posts
      FROM strandline.post_sightings g
      JOIN strandline.volume v ON v.search_id = g.search_id AND v.bucket_at = ${QUARTER} AND ${OFFSET} <@ v.observed
      CROSS JOIN LATERAL (SELECT author_id, is_repost, text FROM strandline.posts WHERE id = g.post_id OFFSET 0) p
      WHERE g.search_id = ${searchId} AND ${measurableBetween('g', from, until)}
      GROUP BY 1, 2, 3`,
    'voices',
  );
}
