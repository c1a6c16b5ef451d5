/**
 * What a save adds to the growth of posts and searches. Both statements come after the sightings, whose
 * statement waited for other saves of the topic; see `schema/growth.ts` and `schema/tallies.ts` for what is kept.
 */
import type { Id, Transaction } from '../database.ts';
import { POST_COUNTERS } from './columns.ts';

const S = 'strandline';
const COUNTERS = Object.keys(POST_COUNTERS);

/** `f(counter)` for each counter, as a list. */
const each = (f: (counter: string) => string) => COUNTERS.map(f).join(', ');

/** Likes, reposts, replies and quotes together, as far as they are known. */
function engagement(prefix: string): string {
  const counters = ['like', 'repost', 'reply', 'quote'].map((name) => `${prefix}${name}_count`);
  return `CASE WHEN coalesce(${counters.join(', ')}) IS NOT NULL THEN ${counters.map((c) => `coalesce(${c}, 0)`).join(' + ')} END`;
}

/** The last value at a time that was known; nothing is looked up where nothing changed since. */
const lastKnown = (counter: string) =>
  `CASE WHEN p.observed_at <= c.before_at THEN p.${counter} ELSE (
    SELECT ${counter} FROM ${S}.post_snapshots WHERE post_id = p.id AND observed_at <= c.before_at AND ${counter} IS NOT NULL
    ORDER BY observed_at DESC LIMIT 1) END AS ${counter}`;

/** Adds what is known to what was known: unknown is not zero. */
const added = (column: string) =>
  `${column} = CASE WHEN h.${column} IS NULL THEN excluded.${column} ELSE h.${column} + coalesce(excluded.${column}, 0) END`;

/**
 * Which posts came in and out of sight, what posts reached an age between two looks, and what counters gained
 * and lost. A step is measured against what was already counted, so that none is counted twice, whoever saves at
 * the same time: the rows of the posts that changed are locked since they were saved. An answer that is older
 * than the newest one says nothing of what is in sight, only that what it alone holds is not.
 * $1 search, $2 time, $3 run, $4 posts known before whose counters changed, $5 posts that are new to
 * the search.
 */
const FOLLOW = `
WITH before AS MATERIALIZED (
  SELECT l.at, rr.post_ids FROM ${S}.looks l JOIN ${S}.run_results rr ON rr.run_id = l.run_id
  WHERE l.search_id = $1 AND l.at < $2
), seen_before AS MATERIALIZED (
  SELECT u.id, b.at FROM before b, unnest(b.post_ids) u(id)
), seen AS MATERIALIZED (
  SELECT u.id FROM ${S}.run_results rr, unnest(rr.post_ids) u(id) WHERE rr.run_id = $3
), newer AS MATERIALIZED (
  SELECT rr.post_ids FROM ${S}.looks l JOIN ${S}.run_results rr ON rr.run_id = l.run_id
  WHERE l.search_id = $1 AND l.at > $2
), look AS (
  INSERT INTO ${S}.looks AS l (search_id, run_id, at) VALUES ($1, $3, $2)
  ON CONFLICT (search_id) DO UPDATE SET run_id = excluded.run_id, at = excluded.at WHERE l.at <= excluded.at
), gone AS (
  INSERT INTO ${S}.unseen (search_id, post_id, last_seen_at, created_at, engagement)
  SELECT $1, w.id, w.at, p.created_at, ${engagement('p.')}
  FROM (
    SELECT id, at FROM seen_before WHERE id NOT IN (SELECT id FROM seen)
    UNION ALL SELECT u.id, $2 FROM newer n, unnest($5::bigint[]) u(id) WHERE u.id <> ALL (n.post_ids)
  ) w
  CROSS JOIN LATERAL (SELECT * FROM ${S}.posts WHERE id = w.id OFFSET 0) p
  ORDER BY w.id
  ON CONFLICT (search_id, post_id) DO UPDATE
    SET last_seen_at = excluded.last_seen_at, created_at = excluded.created_at, engagement = excluded.engagement
  RETURNING post_id
), back AS (
  DELETE FROM ${S}.unseen
  WHERE search_id = $1 AND EXISTS (SELECT FROM before)
    AND post_id = ANY (ARRAY(SELECT id FROM seen WHERE id NOT IN (SELECT id FROM seen_before)))
  RETURNING post_id AS id, last_seen_at AS at
), crossed AS MATERIALIZED (
  SELECT w.id, a.hours, w.at AS before_at, a.at
  FROM (SELECT id, at FROM seen_before WHERE id IN (SELECT id FROM seen) UNION ALL SELECT id, at FROM back) w
  CROSS JOIN LATERAL (
    SELECT post_created_at AS born FROM ${S}.post_sightings WHERE search_id = $1 AND post_id = w.id OFFSET 0
  ) s
  CROSS JOIN (VALUES (1), (3), (8), (24), (72)) h(hours)
  CROSS JOIN LATERAL (SELECT h.hours, s.born + h.hours * interval '1 hour' AS at, h.hours * interval '30 minutes' AS near) a
  WHERE w.at < a.at AND a.at <= $2 AND w.at >= a.at - a.near AND $2 <= a.at + a.near
), ages AS (
  INSERT INTO ${S}.post_ages (search_id, post_id, hours, at, before_at, after_at, ${each((c) => c)})
  SELECT $1, c.id, c.hours, c.at, c.before_at, $2, ${each((c) => `b.${c} + (p.${c} - b.${c}) * f.part`)}
  FROM crossed c
  CROSS JOIN LATERAL (SELECT * FROM ${S}.posts WHERE id = c.id OFFSET 0) p
  CROSS JOIN LATERAL (SELECT ${each(lastKnown)}) b
  CROSS JOIN LATERAL (SELECT extract(epoch FROM c.at - c.before_at)::float8 / extract(epoch FROM $2 - c.before_at)::float8 AS part) f
  ORDER BY c.id, c.hours
  ON CONFLICT DO NOTHING
), counted AS MATERIALIZED (
  SELECT p.id, coalesce(g.changed_at, f.observed_at) AS counted_at,
    ${each((c) => `p.${c}, coalesce(g.first_${c}, f.${c}) AS first_${c}, g.gained_${c}, g.lost_${c}`)}
  FROM unnest($4::bigint[]) u(id)
  CROSS JOIN LATERAL (SELECT * FROM ${S}.posts WHERE id = u.id OFFSET 0) p
  LEFT JOIN LATERAL (SELECT * FROM ${S}.post_gains WHERE post_id = u.id OFFSET 0) g ON true
  LEFT JOIN LATERAL (
    SELECT * FROM ${S}.post_snapshots WHERE post_id = u.id AND g.post_id IS NULL ORDER BY observed_at LIMIT 1
  ) f ON true
), steps AS MATERIALIZED (
  SELECT c.*, ${each((c) => `d.step_${c} * (d.step_${c} > 0)::integer AS up_${c}, -d.step_${c} * (d.step_${c} < 0)::integer AS down_${c}`)}
  FROM counted c
  CROSS JOIN LATERAL (
    SELECT ${each((c) => `c.${c} - (c.first_${c} + coalesce(c.gained_${c}, 0) - coalesce(c.lost_${c}, 0)) AS step_${c}`)}
  ) d
  WHERE $2 > c.counted_at
), gained AS (
  INSERT INTO ${S}.post_gains AS h (post_id, changed_at, changed_before_at, step_like_count, step_engagement,
    ${each((c) => `first_${c}, gained_${c}, lost_${c}`)})
  SELECT id, $2, counted_at, up_like_count, ${engagement('up_')},
    ${each((c) => `coalesce(first_${c}, ${c}), coalesce(gained_${c} + up_${c}, up_${c}), coalesce(lost_${c} + down_${c}, down_${c})`)}
  FROM steps ORDER BY id
  ON CONFLICT (post_id) DO UPDATE SET changed_at = excluded.changed_at, changed_before_at = excluded.changed_before_at,
    step_like_count = excluded.step_like_count, step_engagement = excluded.step_engagement,
    ${each((c) => `first_${c} = excluded.first_${c}, gained_${c} = excluded.gained_${c}, lost_${c} = excluded.lost_${c}`)}
), hours AS (
INSERT INTO ${S}.search_gains AS h (search_id, hour_at, looks, followed, changes, ${each((c) => `gained_${c}, lost_${c}`)})
SELECT search_id, date_trunc('hour', $2::timestamptz, 'UTC'), sum(looks), sum(followed), sum(changes),
  ${each((c) => `sum(gained_${c}), sum(lost_${c})`)}
FROM (
  SELECT g.search_id, 0 AS looks, 0 AS followed, 1 AS changes,
    ${each((c) => `t.up_${c} AS gained_${c}, t.down_${c} AS lost_${c}`)}
  FROM steps t
  CROSS JOIN LATERAL (SELECT search_id, first_seen_at FROM ${S}.post_sightings WHERE post_id = t.id OFFSET 0) g
  WHERE g.first_seen_at < $2
  UNION ALL
  SELECT $1, 1, f.n, 0, ${each((c) => `f.same_${c}, f.same_${c}`)}
  FROM (
    SELECT count(*) AS n, ${each((c) => `min(0) FILTER (WHERE k.same AND p.${c} IS NOT NULL) AS same_${c}`)}
    FROM seen CROSS JOIN LATERAL (SELECT * FROM ${S}.posts WHERE id = seen.id OFFSET 0) p
    CROSS JOIN LATERAL (SELECT p.id <> ALL ($4::bigint[]) AS same OFFSET 0) k
    WHERE p.id <> ALL ($5::bigint[])
  ) f
  WHERE NOT EXISTS (SELECT FROM ${S}.looks WHERE search_id = $1 AND at >= $2)
) all_steps
GROUP BY 1 ORDER BY 1
ON CONFLICT (search_id, hour_at) DO UPDATE SET looks = h.looks + excluded.looks, followed = h.followed + excluded.followed,
  changes = h.changes + excluded.changes, ${each((c) => `${added(`gained_${c}`)}, ${added(`lost_${c}`)}`)}
)
SELECT coalesce(array_agg(post_id), '{}') AS gone FROM gone`;

/**
 * What is out of sight has the counters that were seen of it since: by another search, in an answer that came late, or in a
 * post that quotes it. Where one save puts a post out of sight while another one changes it, neither sees what the
 * other writes; but both add to the hour of the search in the statement before, where the later one waits until
 * the first has ended. This one sees it then. (At the turn of an hour, and in an answer that came late, they may miss each
 * other: the post's next change makes it good.)
 * $1 search, $2 posts whose counters changed, $3 posts that went out of sight.
 */
const TELL_UNSEEN = `
UPDATE ${S}.unseen u SET engagement = n.now
FROM (
  SELECT o.search_id, o.post_id, o.engagement AS was, ${engagement('p.')} AS now
  FROM unnest($2::bigint[]) c(id)
  CROSS JOIN LATERAL (SELECT search_id, post_id, engagement FROM ${S}.unseen WHERE post_id = c.id OFFSET 0) o
  CROSS JOIN LATERAL (SELECT * FROM ${S}.posts WHERE id = c.id OFFSET 0) p
  UNION ALL
  SELECT o.search_id, o.post_id, o.engagement, ${engagement('p.')}
  FROM unnest($3::bigint[]) w(id)
  CROSS JOIN LATERAL (
    SELECT search_id, post_id, engagement FROM ${S}.unseen WHERE search_id = $1 AND post_id = w.id OFFSET 0
  ) o
  CROSS JOIN LATERAL (SELECT * FROM ${S}.posts WHERE id = w.id OFFSET 0) p
) n
WHERE n.was IS DISTINCT FROM n.now AND u.search_id = n.search_id AND u.post_id = n.post_id`;

/**
 * One row where another search of the topic knows of it. Each is asked for: as a plain NOT EXISTS all that the other
 * searches ever saw was read, as long as the statistics were of a time when that was little.
 */
const elsewhere = (kind: 'post' | 'link') => `
    SELECT true AS is_known FROM (SELECT search_id FROM ${S}.${kind}_sightings WHERE ${kind}_id = u.id OFFSET 0) o
    WHERE o.search_id IN (SELECT id FROM others) LIMIT 1`;

/**
 * Counts what is new to the search, and writes down how much of the days that its answer reached was observed.
 * A post is new to the topic where no other search of it had it: a save of another one has ended, or waits.
 * $1 search, $2 time, $3 run, $4 new posts, $5 new links.
 */
const TALLY = `
WITH others AS MATERIALIZED (
  SELECT o.id FROM ${S}.searches s JOIN ${S}.searches o ON o.topic_id = s.topic_id AND o.id <> s.id WHERE s.id = $1
), new_posts AS MATERIALIZED (
  SELECT p.author_id, p.lang, p.hashtags, p.urls, p.is_repost,
    date_trunc('day', least(coalesce(p.created_at, $2), $2), 'UTC') AS day_at,
    e.is_known IS NULL AS first
  FROM unnest($4::bigint[]) u(id)
  CROSS JOIN LATERAL (SELECT * FROM ${S}.posts WHERE id = u.id OFFSET 0) p
  LEFT JOIN LATERAL (${elsewhere('post')}) e ON true
), named AS (
  SELECT 'author' AS kind, day_at, author_id::text AS name, first FROM new_posts WHERE author_id IS NOT NULL
  UNION ALL SELECT 'language', day_at, lang, first FROM new_posts WHERE lang <> ''
  UNION ALL SELECT 'hashtag', day_at, h.name, first
    FROM new_posts p CROSS JOIN LATERAL (SELECT DISTINCT ${S}.lowered(unnest(p.hashtags)) AS name) h WHERE h.name <> ''
  UNION ALL SELECT 'domain', day_at, d.name, first
    FROM new_posts p CROSS JOIN LATERAL (
      SELECT DISTINCT lower(substring(a FROM '^https?://(?:[^/?#@]*@)?(?:www\\.)?([^/?#:]+)')) AS name FROM unnest(p.urls) a
    ) d WHERE d.name <> ''
  UNION ALL SELECT 'site', date_trunc('day', $2::timestamptz, 'UTC'), l.site, e.is_known IS NULL
    FROM unnest($5::bigint[]) u(id)
    CROSS JOIN LATERAL (SELECT site FROM ${S}.links WHERE id = u.id OFFSET 0) l
    LEFT JOIN LATERAL (${elsewhere('link')}) e ON true
    WHERE l.site <> ''
), tops AS (
  INSERT INTO ${S}.search_tops AS h (search_id, kind, day_at, name, posts, topic_posts)
  SELECT $1, kind, day_at, left(name, 255), count(*), count(*) FILTER (WHERE first) FROM named
  GROUP BY 2, 3, 4 ORDER BY 2, 3, 4
  ON CONFLICT (search_id, kind, day_at, name) DO UPDATE
    SET posts = h.posts + excluded.posts, topic_posts = h.topic_posts + excluded.topic_posts
), added AS MATERIALIZED (
  SELECT day_at, count(*) AS posts, count(*) FILTER (WHERE first) AS topic_posts,
    count(*) FILTER (WHERE first AND is_repost) AS topic_reposts
  FROM new_posts GROUP BY 1
), days AS (
  SELECT day_at FROM added
  UNION
  SELECT d FROM ${S}.coverage c, generate_series(
    date_trunc('day', greatest(c.reached_from, c.observed_until - interval '35 days'), 'UTC'), c.observed_until, interval '1 day') d
  WHERE c.run_id = $3
)
INSERT INTO ${S}.search_days AS h (search_id, day_at, posts, topic_posts, topic_reposts, minutes, cut)
SELECT $1, d.day_at, coalesce(a.posts, 0), coalesce(a.topic_posts, 0), coalesce(a.topic_reposts, 0),
  coalesce(v.minutes, 0), coalesce(v.cut, false)
FROM days d LEFT JOIN added a USING (day_at)
CROSS JOIN LATERAL (
  SELECT sum(bit_count(minutes))::integer AS minutes, bool_or(cut AND bit_count(minutes) < 15) AS cut
  FROM ${S}.volume WHERE search_id = $1 AND bucket_at >= d.day_at AND bucket_at < d.day_at + interval '1 day'
) v
LEFT JOIN LATERAL (
  SELECT * FROM ${S}.search_days WHERE search_id = $1 AND day_at = d.day_at OFFSET 0
) h ON true
WHERE a.posts > 0 OR (h.search_id IS NULL AND (v.minutes > 0 OR v.cut))
  OR h.minutes <> coalesce(v.minutes, 0) OR h.cut <> coalesce(v.cut, false)
ORDER BY d.day_at
ON CONFLICT (search_id, day_at) DO UPDATE SET posts = h.posts + excluded.posts,
  topic_posts = h.topic_posts + excluded.topic_posts, topic_reposts = h.topic_reposts + excluded.topic_reposts,
  minutes = excluded.minutes, cut = excluded.cut`;

/** After the sightings. @param found.changed posts that were known before and whose counters differ now */
export async function followGrowth(
  tx: Transaction,
  found: { searchId: Id; observedAt: Date; runId: Id; changed: readonly Id[]; newPosts: readonly Id[] },
): Promise<void> {
  const { searchId, observedAt, runId, changed, newPosts } = found;
  const { rows } = await tx.query<{ gone: Id[] }>({
    name: 'follow_growth',
    text: FOLLOW,
    values: [searchId, observedAt, runId, changed, newPosts],
  });
  const gone = rows[0]?.gone ?? [];
  if (changed.length === 0 && gone.length === 0) return;
  await tx.query({ name: 'tell_unseen', text: TELL_UNSEEN, values: [searchId, changed, gone] });
}

/** After the volume of the same answer. */
export async function tally(
  tx: Transaction,
  found: { searchId: Id; observedAt: Date; runId: Id; newPosts: readonly Id[]; newLinks: readonly Id[] },
): Promise<void> {
  const { searchId, observedAt, runId, newPosts, newLinks } = found;
  await tx.query({ name: 'tally', text: TALLY, values: [searchId, observedAt, runId, newPosts, newLinks] });
}
