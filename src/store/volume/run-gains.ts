import type { Id, Transaction } from '../db/database.ts';
import { ENGAGEMENT_COUNTERS } from '../../model/counters.ts';
import { knownCounterSql, S } from '../derive/counter-sql.ts';

/** Last known counters of a post at a time. */
const countersAtSql = (time: string) =>
  `(SELECT ${ENGAGEMENT_COUNTERS.map((counter) => `${knownCounterSql('p', counter, time)} AS ${counter}`).join(', ')} OFFSET 0)`;

/**
 * What posts gained between a run and the previous one, as the columns of `coverage`. Counts posts that both responses contain;
 * decreases count as zero.
 * @param c a row with `run_id`, `observed_until`, `compared_run_id` and `compared_from`
 */
export const keptGainsSql = (c: string) => `(
  SELECT count(gained), coalesce(sum(gained), 0), (array_agg(id ORDER BY gained DESC, id) FILTER (WHERE gained > 0))[1],
    max(gained) FILTER (WHERE gained > 0)
  FROM (
    SELECT u.id, CASE
      WHEN coalesce(${ENGAGEMENT_COUNTERS.map((counter) => `b.${counter} - a.${counter}`).join(', ')}) IS NOT NULL
      THEN ${ENGAGEMENT_COUNTERS.map((counter) => `coalesce(greatest(b.${counter} - a.${counter}, 0), 0)`).join(' + ')} END AS gained
    FROM (
      SELECT unnest(post_ids) FROM ${S}.run_results WHERE run_id = ${c}.run_id
      INTERSECT SELECT unnest(post_ids) FROM ${S}.run_results WHERE run_id = ${c}.compared_run_id
    ) u(id)
    CROSS JOIN LATERAL (SELECT * FROM ${S}.post_counters WHERE post_id = u.id OFFSET 0) p
    CROSS JOIN LATERAL ${countersAtSql(`${c}.compared_from`)} a
    CROSS JOIN LATERAL ${countersAtSql(`${c}.observed_until`)} b
  ) s
)`;

/** Total gain of posts between two consecutive runs; times in ms since 1970. */
type RunGain = { from: number; until: number; gained: number; topPost: Id | null; topGained: number };

/** As text instead of rows: two weeks are up to 4,032 runs, read after each batch. $1 search, $2 from, $3 until. */
const SELECT_GAINS = `
SELECT string_agg(concat_ws(',', (date_part('epoch', compared_from) * 1000)::bigint, (date_part('epoch', observed_until) * 1000)::bigint,
  gained, coalesce(top_post_id::text, ''), coalesce(top_gained, 0)), ';') AS gains
FROM ${S}.coverage WHERE search_id = $1 AND observed_until > $2 AND compared_from < $3 AND compared_posts > 0`;

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
