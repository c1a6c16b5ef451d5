import type { Id, Transaction } from '../db/database.ts';
import { type Day, type RecountedPosts, seenElsewhereSql, SIGHTED } from './derive-coverage.ts';
import { countedAtSql } from '../volume/post-time.ts';
import { S } from './counter-sql.ts';

/** The day (UTC) of a sighting's post by its publication time, as in volume; without one, by the sighting. */
export const dayOfPostSql = (sighting: string) => `date_trunc('day', ${countedAtSql(sighting)}, 'UTC')`;

/** The domain of a URL, without `www.`; null if it is not a web address. */
export const DOMAIN_BY_PATTERN = String.raw`lower(substring(a FROM '^https?://(?:[^/?#@]*@)?(?:www\.)?([^/?#:]+)'))`;
/** The same for most addresses, whose third part is a bare host, at a tenth of the cost of the regular expression. */
export const DOMAIN_SQL = `CASE WHEN translate(split_part(a, '/', 3), '?#@:', '') = split_part(a, '/', 3) AND (starts_with(a, 'https://') OR starts_with(a, 'http://'))
  THEN lower(CASE WHEN starts_with(a, 'http://www.') OR starts_with(a, 'https://www.') THEN coalesce(nullif(substr(split_part(a, '/', 3), 5), ''), 'www.')
    ELSE nullif(split_part(a, '/', 3), '') END)
  ELSE ${DOMAIN_BY_PATTERN} END`;

/**
 * Counts items new to searches, and records how much of each day was observed. Items that another search of the topic
 * saw before are not new to the topic.
 * $1 to $3 see {@link SIGHTED}; $4 searches and $5 links to count in addition to new ones; $6 searches and $7 days.
 */
const UPDATE_TALLIES = `
WITH ${SIGHTED}, new_posts AS MATERIALIZED (
  SELECT s.search_id, p.author_id, p.lang, p.hashtags, p.urls, p.is_repost, ${dayOfPostSql('s')} AS day_at,
    e.is_known IS NULL AS first
  FROM sighted s
  CROSS JOIN LATERAL (SELECT * FROM ${S}.posts WHERE id = s.post_id OFFSET 0) p
  LEFT JOIN LATERAL (${seenElsewhereSql('post')}) e ON true
), new_links AS MATERIALIZED (
  SELECT g.* FROM (
    SELECT p.search_id, u.id FROM ${S}.pending_derivations p CROSS JOIN LATERAL unnest(p.new_links) u(id) WHERE p.id = ANY ($1::bigint[])
    UNION ALL SELECT * FROM unnest($4::bigint[], $5::bigint[])
  ) n(search_id, id)
  CROSS JOIN LATERAL (SELECT * FROM ${S}.link_sightings WHERE search_id = n.search_id AND link_id = n.id OFFSET 0) g
), named AS (
  SELECT search_id, 'author' AS kind, day_at, author_id::text AS name, first FROM new_posts WHERE author_id IS NOT NULL
  UNION ALL SELECT search_id, 'language', day_at, lang, first FROM new_posts WHERE lang <> ''
  UNION ALL SELECT search_id, 'hashtag', day_at, h.name, first
    FROM new_posts p CROSS JOIN LATERAL (SELECT DISTINCT ${S}.lowered(unnest(p.hashtags)) AS name) h WHERE h.name <> ''
  UNION ALL SELECT search_id, 'domain', day_at, d.name, first
    FROM new_posts p CROSS JOIN LATERAL (
      SELECT DISTINCT x.name FROM unnest(p.urls) a CROSS JOIN LATERAL (SELECT ${DOMAIN_SQL} AS name OFFSET 0) x
    ) d WHERE d.name <> ''
  UNION ALL SELECT s.search_id, 'site', date_trunc('day', s.first_seen_at, 'UTC'), l.site, e.is_known IS NULL
    FROM new_links s
    CROSS JOIN LATERAL (SELECT site FROM ${S}.links WHERE id = s.link_id OFFSET 0) l
    LEFT JOIN LATERAL (${seenElsewhereSql('link')}) e ON true
    WHERE l.site <> ''
), tops AS (
  INSERT INTO ${S}.search_tops AS h (search_id, kind, day_at, name, posts, topic_posts)
  SELECT search_id, kind, day_at, left(name, 255), count(*), count(*) FILTER (WHERE first) FROM named
  GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
  ON CONFLICT (search_id, kind, day_at, name) DO UPDATE
    SET posts = h.posts + excluded.posts, topic_posts = h.topic_posts + excluded.topic_posts
), added AS MATERIALIZED (
  SELECT search_id, day_at, count(*) AS posts, count(*) FILTER (WHERE first) AS topic_posts,
    count(*) FILTER (WHERE first AND is_repost) AS topic_reposts
  FROM new_posts GROUP BY 1, 2
), days AS MATERIALIZED (
  SELECT search_id, day_at FROM added UNION SELECT * FROM unnest($6::bigint[], $7::timestamptz[])
)
INSERT INTO ${S}.search_days AS h (search_id, day_at, posts, topic_posts, topic_reposts, exposure_ms, exposed_posts, hours, cut)
SELECT d.search_id, d.day_at, coalesce(a.posts, 0), coalesce(a.topic_posts, 0), coalesce(a.topic_reposts, 0),
  coalesce(v.exposure_ms, 0), coalesce(v.exposed_posts, 0), coalesce(v.hours, 0), coalesce(v.cut, false)
FROM days d LEFT JOIN added a USING (search_id, day_at)
CROSS JOIN LATERAL (
  SELECT sum(exposure_ms)::integer AS exposure_ms, sum(exposed_posts)::integer AS exposed_posts,
    (count(DISTINCT date_bin('1 hour', bucket_at, 'epoch')) FILTER (WHERE exposure_ms > 0))::integer AS hours,
    bool_or(cut AND exposure_ms < 900000) AS cut
  FROM ${S}.volume WHERE search_id = d.search_id AND bucket_at >= d.day_at AND bucket_at < d.day_at + interval '1 day'
) v
LEFT JOIN LATERAL (
  SELECT * FROM ${S}.search_days WHERE search_id = d.search_id AND day_at = d.day_at OFFSET 0
) h ON true
WHERE a.posts > 0 OR (h.search_id IS NULL AND (v.exposure_ms > 0 OR v.cut))
  OR h.exposure_ms <> coalesce(v.exposure_ms, 0) OR h.exposed_posts <> coalesce(v.exposed_posts, 0) OR h.cut <> coalesce(v.cut, false)
ORDER BY d.search_id, d.day_at
ON CONFLICT (search_id, day_at) DO UPDATE SET posts = h.posts + excluded.posts,
  topic_posts = h.topic_posts + excluded.topic_posts, topic_reposts = h.topic_reposts + excluded.topic_reposts,
  exposure_ms = excluded.exposure_ms, exposed_posts = excluded.exposed_posts, hours = excluded.hours,
  cut = excluded.cut`;

/** Runs after the volume of the same batch. @param days whose volume changed */
export async function deriveTallies(
  tx: Transaction,
  ids: readonly Id[],
  again: {
    posts: RecountedPosts;
    links: { searchIds: readonly Id[]; linkIds: readonly Id[] };
    days: readonly Day[];
  },
): Promise<void> {
  const { posts, links, days } = again;
  await tx.query({
    name: 'tally',
    text: UPDATE_TALLIES,
    values: [
      ids,
      posts.searchIds,
      posts.postIds,
      links.searchIds,
      links.linkIds,
      days.map((day) => day.search_id),
      days.map((day) => day.day_at),
    ],
  });
}
