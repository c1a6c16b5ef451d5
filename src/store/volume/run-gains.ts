import type { Id, Transaction } from '../db/database.ts';
import { ENGAGEMENT_COUNTERS } from '../../model/counters.ts';
import { knownCounterSql, S } from '../derive/counter-sql.ts';

/** Last known counters of a post at a time. */
const countersAtSql = (time: string) =>
  `(SELECT ${ENGAGEMENT_COUNTERS.map((counter) => `${knownCounterSql('p', counter, time)} AS ${counter}`).join(', ')} OFFSET 0)`;

/**
 * Stores what posts gained between each run and the previous one of the same request. Counts posts that both
 * responses contain; decreases count as zero. If there are none, the row has zero posts. Runs more than two intervals
 * apart are not compared, because the time of the gain is unknown.
 * $1 readings with coverage.
 */
const INSERT_RUN_GAINS = `
WITH pairs AS MATERIALIZED (
  SELECT c.run_id, c.search_id, c.observed_until AS until_at, b.observed_until AS from_at, now_in.post_ids, was_in.post_ids AS posts_before
  FROM ${S}.pending_derivations p
  JOIN ${S}.coverage c ON c.run_id = p.run_id
  CROSS JOIN LATERAL (
    SELECT run_id, observed_until FROM ${S}.coverage
    WHERE search_id = c.search_id AND request_version = c.request_version AND observed_until < c.observed_until
    ORDER BY observed_until DESC, run_id DESC LIMIT 1
  ) b
  JOIN ${S}.run_results now_in ON now_in.run_id = c.run_id
  JOIN ${S}.run_results was_in ON was_in.run_id = b.run_id
  WHERE p.id = ANY ($1::bigint[]) AND p.posts IS NOT NULL
    AND b.observed_until >= c.observed_until - 2 * c.every_seconds * interval '1 second'
)
INSERT INTO ${S}.run_gains (run_id, search_id, from_at, until_at, posts, gained, top_post_id, top_gained)
SELECT t.run_id, t.search_id, t.from_at, t.until_at, g.*
FROM pairs t CROSS JOIN LATERAL (
  SELECT count(gained), coalesce(sum(gained), 0), (array_agg(id ORDER BY gained DESC, id) FILTER (WHERE gained > 0))[1],
    max(gained) FILTER (WHERE gained > 0)
  FROM (
    SELECT u.id, CASE
      WHEN coalesce(${ENGAGEMENT_COUNTERS.map((counter) => `b.${counter} - a.${counter}`).join(', ')}) IS NOT NULL
      THEN ${ENGAGEMENT_COUNTERS.map((counter) => `coalesce(greatest(b.${counter} - a.${counter}, 0), 0)`).join(' + ')} END AS gained
    FROM (SELECT unnest(t.post_ids) INTERSECT SELECT unnest(t.posts_before)) u(id)
    CROSS JOIN LATERAL (SELECT * FROM ${S}.post_counters WHERE post_id = u.id OFFSET 0) p
    CROSS JOIN LATERAL ${countersAtSql('t.from_at')} a
    CROSS JOIN LATERAL ${countersAtSql('t.until_at')} b
  ) s
) g
ORDER BY 1
ON CONFLICT (run_id) DO NOTHING`;

/** Runs after the coverage of the batch. */
export async function deriveRunGains(tx: Transaction, ids: readonly Id[]): Promise<void> {
  await tx.query({ name: 'keep_gains', text: INSERT_RUN_GAINS, values: [ids] });
}

/** Total gain of posts between two consecutive runs; times in ms since 1970. */
type RunGain = { from: number; until: number; gained: number; topPost: Id | null; topGained: number };

/** As text instead of rows: two weeks are up to 4,032 runs, read after each batch. $1 search, $2 from, $3 until. */
const SELECT_GAINS = `
SELECT string_agg(concat_ws(',', (date_part('epoch', from_at) * 1000)::bigint, (date_part('epoch', until_at) * 1000)::bigint,
  gained, coalesce(top_post_id::text, ''), coalesce(top_gained, 0)), ';') AS gains
FROM ${S}.run_gains WHERE search_id = $1 AND until_at > $2 AND from_at < $3 AND posts > 0`;

/** Gains of a search between runs that overlap the range. */
export async function readGains(tx: Transaction, searchId: Id, from: Date, until: Date): Promise<RunGain[]> {
  const { rows } = await tx.query<{ gains: string | null }>({
    name: 'gains_between',
    text: SELECT_GAINS,
    values: [searchId, from, until],
  });
  const text = rows[0]?.gains ?? '';
  if (text === '') return [];
  return text.split(';').map((row) => {
    const [start, end, gained, topPost, topGained] = row.split(',');
    return {
      from: Number(start),
      until: Number(end),
      gained: Number(gained),
      topPost: topPost ? BigInt(topPost) : null,
      topGained: Number(topGained),
    };
  });
}
