import type { Database, Id } from '../database.ts';

const S = 'strandline';
const ENGAGEMENT = ['like_count', 'repost_count', 'reply_count', 'quote_count'];

/** Counters of a post at a time: as they are, or the last that were known then. */
const countersAt = (time: string) => `(
    SELECT ${ENGAGEMENT.map((counter) => `p.${counter}`).join(', ')} WHERE p.observed_at <= ${time}
    UNION ALL
    (SELECT ${ENGAGEMENT.join(', ')} FROM ${S}.post_snapshots
      WHERE post_id = p.id AND p.observed_at > ${time} AND observed_at <= ${time} ORDER BY observed_at DESC LIMIT 1)
  )`;

/**
 * Writes down what the posts of a run gained since the run before it of the same request, for runs that have no
 * row yet. A post says something where both answers held it; a counter that fell gained nothing. Where none was
 * seen again, the row says that of no post. Runs that lie
 * further apart than two intervals are not compared: nobody knows when in between it was gained.
 * What comes back is what was gained lately. $1 search, $2 since when, $3 what is lately.
 */
const KEEP = `
WITH pairs AS MATERIALIZED (
  SELECT c.run_id, c.observed_until AS until_at, b.observed_until AS from_at, now_in.post_ids, was_in.post_ids AS posts_before
  FROM ${S}.coverage c
  CROSS JOIN LATERAL (
    SELECT run_id, observed_until FROM ${S}.coverage
    WHERE search_id = c.search_id AND request_version = c.request_version AND observed_until < c.observed_until
    ORDER BY observed_until DESC LIMIT 1
  ) b
  JOIN ${S}.run_results now_in ON now_in.run_id = c.run_id
  JOIN ${S}.run_results was_in ON was_in.run_id = b.run_id
  WHERE c.search_id = $1 AND c.observed_until > $2
    AND b.observed_until >= c.observed_until - 2 * c.every_seconds * interval '1 second'
    AND NOT EXISTS (
      SELECT FROM ${S}.run_gains WHERE search_id = $1 AND until_at >= c.observed_until AND from_at < c.observed_until
    )
), steps AS MATERIALIZED (
  SELECT t.run_id, u.id, CASE
    WHEN coalesce(${ENGAGEMENT.map((counter) => `b.${counter} - a.${counter}`).join(', ')}) IS NOT NULL
    THEN ${ENGAGEMENT.map((counter) => `coalesce(greatest(b.${counter} - a.${counter}, 0), 0)`).join(' + ')} END AS gained
  FROM pairs t
  CROSS JOIN LATERAL (SELECT unnest(t.post_ids) INTERSECT SELECT unnest(t.posts_before)) u(id)
  CROSS JOIN LATERAL (SELECT * FROM ${S}.posts WHERE id = u.id OFFSET 0) p
  CROSS JOIN LATERAL ${countersAt('t.from_at')} a
  CROSS JOIN LATERAL ${countersAt('t.until_at')} b
), kept AS (
  INSERT INTO ${S}.run_gains (run_id, search_id, from_at, until_at, posts, gained, top_post_id, top_gained)
  SELECT t.run_id, $1, t.from_at, t.until_at, count(gained), coalesce(sum(gained), 0),
    (array_agg(id ORDER BY gained DESC, id) FILTER (WHERE gained > 0))[1], max(gained) FILTER (WHERE gained > 0)
  FROM pairs t LEFT JOIN steps USING (run_id) GROUP BY t.run_id, t.from_at, t.until_at
  ON CONFLICT (run_id) DO NOTHING
  RETURNING gained
)
SELECT sum(gained)::float8 AS gained FROM (
  SELECT gained FROM kept
  UNION ALL SELECT gained FROM ${S}.run_gains WHERE search_id = $1 AND until_at > $3
) recent`;

/**
 * For runs of a search since then that have none yet. Again, or at once by several, the same is written once.
 * @returns what was gained from `recentFrom` on
 */
export async function keepGains(
  db: Database,
  searchId: Id,
  { since, recentFrom }: { since: Date; recentFrom: Date },
): Promise<number> {
  const { rows } = await db.pool.query<{ gained: number | null }>({
    name: 'keep_gains',
    text: KEEP,
    values: [searchId, since, recentFrom],
  });
  return rows[0]?.gained ?? 0;
}

/** What the posts of two runs in a row gained between them, together; times in ms since 1970. */
export type RunGain = { from: number; until: number; gained: number; topPost: Id | null; topGained: number };

/** Texts in place of rows: a fortnight is up to 4,032 runs, read after every run. $1 search, $2 from, $3 until. */
const BETWEEN = `
SELECT string_agg(concat_ws(',', (date_part('epoch', from_at) * 1000)::bigint, (date_part('epoch', until_at) * 1000)::bigint,
  gained, coalesce(top_post_id::text, ''), coalesce(top_gained, 0)), ';') AS gains
FROM ${S}.run_gains WHERE search_id = $1 AND until_at > $2 AND from_at < $3 AND posts > 0`;

/** What a search's posts gained between runs, as far as these overlap with the time given. */
export async function gainsBetween(db: Database, searchId: Id, from: Date, until: Date): Promise<RunGain[]> {
  const { rows } = await db.pool.query<{ gains: string | null }>({
    name: 'gains_between',
    text: BETWEEN,
    values: [searchId, from, until],
  });
  const text = rows[0]?.gains ?? '';
  if (text === '') return [];
  return text.split(';').map((one) => {
    const [start, end, gained, topPost, topGained] = one.split(',');
    return {
      from: Number(start),
      until: Number(end),
      gained: Number(gained),
      topPost: topPost ? BigInt(topPost) : null,
      topGained: Number(topGained),
    };
  });
}
