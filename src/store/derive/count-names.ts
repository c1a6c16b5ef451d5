/**
 * Frequent names in posts and links of searches, per day: authors, languages, hashtags and domains of posts on the day of
 * publication, sites of links on the day they were found. Each day is counted whole from the sightings. That takes some
 * 14 microseconds a post, so names of posts are not counted after each run of a busy search: see {@link takeDaysToName}.
 */
import type { Id, Transaction } from '../db/database.ts';
import { execute, isOver, rowsOf, type Statement, statement, timeOf, verbatim } from '../db/statement.ts';
import { DOMAIN_SQL } from '../volume/domain.ts';
import { countedAtSql } from '../volume/post-time.ts';
import { type Day, rowsOfDays } from './count-volume.ts';
import type { WaitingFigures } from './pending-derivations.ts';
import { fromCountedSightings, isFirstInTopic, siblingsOf } from './first-in-topic.ts';

const DOMAIN = verbatim(DOMAIN_SQL);
const COUNTED_AT = verbatim(countedAtSql('g'));

/** Names in the posts of days, each once per post. One sort or hash of all of them: one for each post would take twice as long. */
const NAMED_IN_POSTS = statement`posts AS MATERIALIZED (
  SELECT d.search_id, d.day_at, g.post_id, p.author_id, p.lang, p.hashtags, p.urls, g.is_first
  FROM days d JOIN siblings s USING (search_id)
  CROSS JOIN LATERAL (
    SELECT g.post_id, ${isFirstInTopic('post')} AS is_first FROM strandline.post_sightings g
    WHERE g.search_id = d.search_id AND ${COUNTED_AT} >= d.day_at AND ${COUNTED_AT} < d.day_at + interval '1 day' OFFSET 0
  ) g
  CROSS JOIN LATERAL (SELECT * FROM strandline.posts WHERE id = g.post_id OFFSET 0) p
), named AS (
  SELECT search_id, 'author' AS kind, day_at, author_id::text AS name, is_first FROM posts WHERE author_id IS NOT NULL
  UNION ALL SELECT search_id, 'language', day_at, lang, is_first FROM posts WHERE lang <> ''
  UNION ALL SELECT search_id, 'hashtag', day_at, name, is_first FROM (
    SELECT DISTINCT search_id, day_at, post_id, is_first, strandline.lowered(unnest(hashtags)) AS name FROM posts
  ) h WHERE name <> ''
  UNION ALL SELECT search_id, 'domain', day_at, name, is_first FROM (
    SELECT DISTINCT search_id, day_at, post_id, is_first, ${DOMAIN} AS name FROM (SELECT posts.*, unnest(urls) AS a FROM posts) u
  ) d WHERE name <> ''
)`;

/** Sites of the links that were found on days. */
const NAMED_IN_LINKS = statement`named AS (
  SELECT d.search_id, 'site' AS kind, d.day_at, l.site AS name, g.is_first
  FROM days d JOIN siblings s USING (search_id)
  CROSS JOIN LATERAL (
    SELECT g.link_id, ${isFirstInTopic('link')} AS is_first FROM strandline.link_sightings g
    WHERE g.search_id = d.search_id AND g.first_seen_at >= d.day_at AND g.first_seen_at < d.day_at + interval '1 day' OFFSET 0
  ) g
  CROSS JOIN LATERAL (SELECT site FROM strandline.links WHERE id = g.link_id OFFSET 0) l
  WHERE l.site <> ''
)`;

/** Writes what changed, so a day that is counted again costs little. */
const countNames = (days: readonly Day[], named: Statement, kinds: readonly string[]): Statement => statement`
WITH days AS MATERIALIZED (
  SELECT DISTINCT * FROM ${rowsOfDays(days)}
), ${siblingsOf(statement`SELECT search_id FROM days`)}, ${named}, counted AS MATERIALIZED (
  SELECT search_id, kind, day_at, left(name, 255) AS name, count(*)::integer AS posts, (count(*) FILTER (WHERE is_first))::integer AS topic_posts
  FROM named GROUP BY 1, 2, 3, 4
), before AS MATERIALIZED (
  SELECT h.* FROM days d CROSS JOIN unnest(${kinds}::text[]) k(kind)
  CROSS JOIN LATERAL (
    SELECT * FROM strandline.search_tops WHERE search_id = d.search_id AND kind = k.kind AND day_at = d.day_at OFFSET 0
  ) h
), gone AS (
  DELETE FROM strandline.search_tops t USING (SELECT search_id, kind, day_at, name FROM before EXCEPT SELECT search_id, kind, day_at, name FROM counted) g
  WHERE t.search_id = g.search_id AND t.kind = g.kind AND t.day_at = g.day_at AND t.name = g.name
)
INSERT INTO strandline.search_tops AS h (search_id, kind, day_at, name, posts, topic_posts)
SELECT search_id, kind, day_at, name, posts, topic_posts FROM (
  SELECT search_id, kind, day_at, name, posts, topic_posts FROM counted EXCEPT SELECT search_id, kind, day_at, name, posts, topic_posts FROM before
) c ORDER BY 1, 2, 3, 4
ON CONFLICT (search_id, kind, day_at, name) DO UPDATE SET posts = excluded.posts, topic_posts = excluded.topic_posts`;

/** Names of a day are counted again when its posts are so many per cent more (or fewer), */
const CHANGED_PER_CENT = 2;
/** and at the latest after this time. */
const LONGEST_WAIT = statement`interval '5 minutes'`;

/** Takes the days whose names are to be counted now: the caller counts them in the same transaction. */
export function takeDaysToName(tx: Transaction, { which, now }: WaitingFigures): Promise<Day[]> {
  return rowsOf(
    tx,
    statement`UPDATE strandline.search_days SET names_wait_since = NULL, named_posts = posts
      WHERE names_wait_since IS NOT NULL AND ${which !== 'none'}::boolean AND (${which === 'all'}::boolean
        OR abs(posts - named_posts) * 100 > named_posts * ${CHANGED_PER_CENT}::integer
        OR ${isOver(statement`names_wait_since + ${LONGEST_WAIT}`, timeOf(now), LONGEST_WAIT)})
      RETURNING search_id, day_at`,
    'days_to_name',
  );
}

/** Counts the names in posts of days. */
export async function countPostNames(tx: Transaction, days: readonly Day[]): Promise<void> {
  if (days.length === 0) return;
  await execute(
    tx,
    countNames(days, NAMED_IN_POSTS, ['author', 'language', 'hashtag', 'domain']),
    'count_post_names',
  );
}

/** Counts the sites of links that were found on days. */
export async function countSites(tx: Transaction, days: readonly Day[]): Promise<void> {
  if (days.length === 0) return;
  await execute(tx, countNames(days, NAMED_IN_LINKS, ['site']), 'count_sites');
}

/**
 * The days of the links that are counted because of these readings.
 */
export function listLinkDays(tx: Transaction, readings: readonly Id[]): Promise<Day[]> {
  return rowsOf(
    tx,
    statement`SELECT DISTINCT g.search_id, date_trunc('day', g.first_seen_at, 'UTC') AS day_at
      ${fromCountedSightings('link', readings)}`,
    'link_days',
  );
}
