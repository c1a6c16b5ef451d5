/** The figures as the program states them: the public views, read by the role that can read nothing else. */
import type { Client } from 'pg';
import { COUNTERS, type Figures } from './responses.ts';

/** Times as text in UTC, and numbers without the noise of the last digits. */
const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const all = (format: (counter: string) => string) => COUNTERS.map(format).join(', ');
const POST = `(SELECT service || '/' || external_id FROM posts WHERE id = v.post_id)`;

const GAINS = all((c) => `gained_${c}, lost_${c}`);
const growth = (
  view: string,
) => `SELECT search || ' at ' || ${time('bucket_at')} AS key, looks, followed, changes, gained_engagement, ${GAINS}
    FROM ${view}`;
const volume = (
  view: string,
) => `SELECT search || ' at ' || ${time('bucket_at')} AS key, posts, coverage, lower_bound, observed_posts,
    per_hour, topic_posts FROM ${view}`;
const top =
  (name: string, counts = 'posts, topic_posts') =>
  (view: string) =>
    `SELECT ${name} || ' of ' || search || ' on ' || ${time('bucket_at')} AS key, ${counts} FROM ${view} v`;

/** `key`, and the columns that are compared. */
const VIEWS: Readonly<Record<string, string>> = {
  posts: `SELECT service || '/' || external_id AS key, text, ${time('created_at')} AS created_at, lang, is_repost, hashtags, urls,
    ${time('first_seen_at')} AS first_seen_at, author_username, ${all((c) => c)} FROM posts`,
  post_engagement: `SELECT ${POST} || ' at ' || ${time('observed_at')} AS key, ${all((c) => c)} FROM post_engagement v`,
  post_versions: `SELECT ${POST} || ' from ' || ${time('valid_from')} AS key, text, run_id::text AS run,
    ${time('valid_until')} AS valid_until FROM post_versions v`,
  authors: `SELECT service || '/' || external_id AS key, username, followers_count FROM authors`,
  post_sightings: `SELECT ${POST} || ' by ' || search AS key, ${time('first_seen_at')} AS first_seen_at,
    first_run_id::text AS first_run, ${time('post_created_at')} AS post_created_at FROM post_sightings v`,
  discoveries: `SELECT ${POST} || ' by ' || search AS key, count(*) AS times FROM discoveries v WHERE kind = 'post' GROUP BY 1`,
  results: `SELECT 'run ' || id || ' of ' || search AS key, posts_seen FROM runs
    WHERE id IN (SELECT run_id FROM calls WHERE http_status = 200)`,
  link_ranks: `SELECT url || ' in run ' || run_id || ' of ' || search AS key, rank FROM link_ranks`,
  link_sightings: `SELECT l.url || ' by ' || v.search AS key, ${time('v.first_seen_at')} AS first_seen_at,
    v.first_run_id::text AS first_run FROM link_sightings v JOIN links l ON l.id = v.link_id`,
  coverage: `SELECT 'run ' || run_id || ' of ' || search AS key, ${time('observed_from')} AS observed_from,
    ${time('observed_until')} AS observed_until, ${time('reached_from')} AS reached_from, cut, every_seconds, posts FROM coverage`,
  volume_hourly: volume('volume_hourly'),
  volume_daily: volume('volume_daily'),
  share_of_voice: `SELECT topic || ' of ' || service_kind || ' on ' || ${time('bucket_at')} AS key, posts, reposts, searches, coverage,
    lower_bound, normalised_posts, share, topics FROM share_of_voice`,
  top_authors: top('(SELECT external_id FROM authors WHERE id = v.author_id)')('top_authors'),
  top_hashtags: top('hashtag')('top_hashtags'),
  top_languages: top('lang')('top_languages'),
  top_domains: top('domain', 'posts, topic_posts, links, topic_links')('top_domains'),
  post_growth: `SELECT ${POST} AS key, ${time('first_seen_at')} AS first_seen_at, ${time('last_seen_at')} AS last_seen_at, last_seen_by,
    ${time('not_seen_since')} AS not_seen_since, ${time('changed_at')} AS changed_at, engagement, gained_engagement, likes_per_hour, engagement_per_hour,
    ${all((c) => `first_${c}, ${c}`)}, ${GAINS} FROM post_growth v`,
  posts_in_sight: `SELECT ${POST} || ' of ' || search AS key, ${time('last_seen_at')} AS last_seen_at, engagement FROM posts_in_sight v`,
  unseen_posts: `SELECT ${POST} || ' of ' || search AS key, ${time('not_seen_since')} AS not_seen_since, seen_elsewhere, engagement
    FROM unseen_posts v`,
  search_growth_hourly: growth('search_growth_hourly'),
  search_growth_daily: growth('search_growth_daily'),
  post_at_age: `SELECT ${POST} || ' of ' || search || ' at ' || hours || ' h' AS key, ${time('reached_at')} AS reached_at,
    ${time('observed_before_at')} AS observed_before_at, ${time('observed_after_at')} AS observed_after_at, ${all((c) => c)}, engagement
    FROM post_at_age v`,
  typical_at_age: `SELECT search || ' at ' || hours || ' h' AS key, posts, ${all((c) => c)}, engagement FROM typical_at_age`,
  rising_posts: `SELECT ${POST} || ' of ' || search AS key, ${time('as_of')} AS as_of, gained_engagement, observed_hours,
    typical_per_hour, compared_with FROM rising_posts v`,
};

export async function readViews(reader: Client, names: readonly string[]): Promise<Figures> {
  const figures: Record<string, ReadonlyMap<string, unknown>> = {};
  await reader.query('SET search_path = strandline_analytics');
  for (const name of names) {
    const { rows } = await reader.query<{ rows: { key: string }[] }>(
      `SELECT coalesce(json_agg(v), '[]') AS rows FROM (${VIEWS[name]}) v`,
    );
    figures[name] = new Map((rows[0]?.rows ?? []).map(({ key, ...columns }) => [key, columns]));
  }
  return figures;
}

/** The same to nine digits: sums of fractions differ in the last ones, whatever order they are added in. */
function round(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toPrecision(9));
  if (Array.isArray(value)) return value.map(round);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, round(inner)]));
}

/** What differs, in words: which row of which view, and what both say of it. */
export function listDifferences(expected: Figures, actual: Figures): string[] {
  return Object.entries(expected).flatMap(([view, rows]) => {
    const stated = actual[view] ?? new Map<string, unknown>();
    return [...new Set([...rows.keys(), ...stated.keys()])].toSorted().flatMap((key) => {
      const [model, program] = [round(rows.get(key)), round(stated.get(key))];
      if (model === undefined) return [`${view}: ${key}: should not be there, and is ${show(program)}`];
      if (program === undefined) return [`${view}: ${key}: is missing, and should be ${show(model)}`];
      const members = Object.keys(model ?? {}).filter(
        (name) => show(member(model, name)) !== show(member(program, name)),
      );
      return members.map(
        (name) =>
          `${view}: ${key}: ${name} is ${show(member(program, name))}, and should be ${show(member(model, name))}`,
      );
    });
  });
}

const member = (of: unknown, name: string): unknown => (of as Record<string, unknown>)[name]; // rows are objects
const show = (value: unknown) => JSON.stringify(value ?? null);
