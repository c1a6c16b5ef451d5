/** What posts gained before it was kept: made from the snapshots of their counters, as the save would have. */
import type { Database, Id } from '../database.ts';
import { POST_COUNTERS } from '../save/columns.ts';

const S = 'strandline';
const COUNTERS = Object.keys(POST_COUNTERS);
const each = (f: (counter: string, n: number) => string) => COUNTERS.map(f).join(', ');
const ofCounter = (aggregate: string, counter: number) =>
  `max(${aggregate}) FILTER (WHERE counter = ${counter})`;

/**
 * A counter that is unknown has the value it had before; one that becomes known was not gained. Where nothing came after it
 * was first known, nothing is said. A post of which no counter was seen to differ has no row. Some posts at a time,
 * in the order of their keys. $1 search, $2 after which post.
 */
const FILL = `
WITH lacking AS MATERIALIZED (
  SELECT post_id FROM ${S}.post_sightings s
  WHERE search_id = $1 AND post_id > $2 AND NOT EXISTS (SELECT FROM ${S}.post_gains WHERE post_id = s.post_id)
  ORDER BY post_id LIMIT 5000
), looks AS MATERIALIZED (
  SELECT e.*, lag(e.observed_at) OVER w AS before_at, row_number() OVER w AS nth, count(*) OVER (PARTITION BY e.post_id) AS n
  FROM ${S}.post_snapshots e JOIN lacking USING (post_id) WINDOW w AS (PARTITION BY e.post_id ORDER BY e.observed_at)
), steps AS (
  SELECT l.post_id, l.nth, l.n, v.counter, v.x, v.x - lag(v.x) OVER w AS step,
    first_value(v.x) OVER w AS first, first_value(l.nth) OVER w AS known_from
  FROM looks l CROSS JOIN LATERAL (VALUES ${each((c, n) => `(${n}, l.${c})`)}) v(counter, x)
  WHERE v.x IS NOT NULL AND l.n > 1 WINDOW w AS (PARTITION BY l.post_id, v.counter ORDER BY l.nth)
), summed AS (
  SELECT post_id, counter, max(first) AS first,
    CASE WHEN max(known_from) < max(n) THEN coalesce(sum(greatest(step, 0)), 0) END AS gained,
    CASE WHEN max(known_from) < max(n) THEN coalesce(sum(greatest(-step, 0)), 0) END AS lost,
    CASE WHEN max(known_from) < max(n) THEN coalesce(max(greatest(step, 0)) FILTER (WHERE nth = n), 0) END AS last
  FROM steps GROUP BY 1, 2
), last AS (
  SELECT post_id, observed_at, before_at FROM looks WHERE nth = n AND n > 1
), filled AS (
INSERT INTO ${S}.post_gains (post_id, changed_at, changed_before_at, step_like_count, step_engagement,
  ${each((c) => `first_${c}, gained_${c}, lost_${c}`)})
SELECT t.post_id, t.observed_at, t.before_at, ${ofCounter('last', COUNTERS.indexOf('like_count'))},
  sum(last) FILTER (WHERE counter IN (${['like_count', 'repost_count', 'reply_count', 'quote_count'].map((c) => COUNTERS.indexOf(c)).join(', ')})),
  ${each((_, n) => `${ofCounter('first', n)}, ${ofCounter('gained', n)}, ${ofCounter('lost', n)}`)}
FROM last t LEFT JOIN summed s USING (post_id) GROUP BY 1, 2, 3 ORDER BY 1
ON CONFLICT (post_id) DO NOTHING RETURNING post_id
)
SELECT (SELECT max(post_id) FROM lacking) AS last, (SELECT count(*)::int FROM filled) AS filled`;

type Batch = { last: Id | null; filled: number };

/** For posts of a search that have none. @returns how many were filled in */
export async function fillGains({ pool }: Pick<Database, 'pool'>, searchId: Id): Promise<number> {
  let filled = 0;
  let after: Id | null = 0n;
  while (after !== null) {
    const batch: Batch | undefined = (await pool.query<Batch>(FILL, [searchId, after])).rows[0];
    filled += batch?.filled ?? 0;
    after = batch?.last ?? null;
  }
  return filled;
}
