/**
 * Columns that the save reads from its JSON parameters, and the clauses built from them. One list decides what is
 * stored, what counts as a change and what a snapshot contains.
 */

import { AUTHOR_COUNTERS, forCounters, POST_COUNTERS } from '../../domain/counters.ts';
import { TIME_PRECISIONS } from '../../domain/time.ts';

export type Columns = Readonly<Record<string, string>>;

export const POST_COUNTER_COLUMNS = forCounters(POST_COUNTERS, () => 'bigint');

export const POST_CONTENT: Columns = {
  created_at: 'timestamptz',
  text: 'text',
  url: 'text',
  lang: 'text',
  conversation_id: 'text',
  in_reply_to_screen_name: 'text',
  in_reply_to_status_id: 'text',
  in_reply_to_user_id: 'text',
  quoted_status_id: 'text',
  reposted_status_id: 'text',
  quote: 'text',
  summary_description: 'text',
  display_text_range: 'jsonb',
  is_quote_post: 'boolean',
  is_repost: 'boolean',
  hashtags: 'text[]',
  mentions: 'text[]',
  urls: 'text[]',
  media: 'jsonb',
  entities: 'jsonb',
};

export const AUTHOR_COUNTER_COLUMNS = forCounters(AUTHOR_COUNTERS, () => 'bigint');

export const AUTHOR_CONTENT: Columns = {
  created_at: 'timestamptz',
  username: 'text',
  name: 'text',
  url: 'text',
  description: 'text',
  location: 'text',
  profile_image_url: 'text',
  profile_banner_url: 'text',
  pinned_post_ids: 'text[]',
  professional: 'jsonb',
  entities: 'jsonb',
  verified: 'boolean',
  is_blue_verified: 'boolean',
  can_dm: 'boolean',
  can_media_tag: 'boolean',
};

export const LINK_CONTENT: Columns = {
  title: 'text',
  snippet: 'text',
  summary_description: 'text',
  with_metadata: 'boolean',
  published_at: 'timestamptz',
  published_precision: 'text',
  publisher: 'text',
  highlights: 'text[]',
};

/** `a, b, c`, each with a prefix such as `r.`. */
export function columnNames(columns: Columns, prefix = ''): string {
  return Object.keys(columns)
    .map((name) => prefix + name)
    .join(', ');
}

/** `a bigint, b text`: the row type of json_to_recordset. */
export function typedColumns(...groups: Columns[]): string {
  return groups
    .flatMap((columns) => Object.entries(columns))
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');
}

/**
 * Whether any known new value differs from the stored one. Unknown values never replace known ones. If nothing is
 * stored: whether any value is known.
 */
export function differsSql(columns: Columns, now: string, stored: string): string {
  return Object.keys(columns)
    .map(
      (name) =>
        `(${toldSql(name, now, stored)} IS NOT NULL AND ${toldSql(name, now, stored)} IS DISTINCT FROM ${stored}.${name})`,
    )
    .join(' OR ');
}

/**
 * The value of a column in a row; null if it does not replace the stored one. A post with an empty text is only a
 * reference by ID. A time of publication is replaced by a more precise one, as within a response.
 */
function toldSql(name: string, now: string, stored: string): string {
  if (name === 'text') return `nullif(${now}.text, '')`;
  if (name === 'published_at' || name === 'published_precision')
    return `CASE WHEN ${isCloserSql(now, stored)} THEN ${now}.${name} END`;
  return `${now}.${name}`;
}

/** Of two relative times alike, the earlier is closer. */
function isCloserSql(now: string, stored: string): string {
  const [rank, storedRank] = [now, stored].map(
    (row) =>
      `array_position('{${TIME_PRECISIONS.join(',')}}'::text[], coalesce(${row}.published_precision, 'exact'))`,
  );
  return `${stored}.published_at IS NULL OR ${rank} < ${storedRank} OR (${rank} = ${storedRank} AND (${rank} = 1 OR ${now}.published_at < ${stored}.published_at))`;
}

/** `a = coalesce(now.a, stored.a), ...` */
export function refreshedSql(columns: Columns, now: string, stored: string): string {
  return Object.keys(columns)
    .map((name) => `${name} = coalesce(${toldSql(name, now, stored)}, ${stored}.${name})`)
    .join(', ');
}

/** `a IS NOT NULL OR ...` */
export function anyKnownSql(columns: Columns, row: string): string {
  return `coalesce(${columnNames(columns, `${row}.`)}) IS NOT NULL`;
}

/**
 * Whether a row has a counter, and the stored value is not newer. A stored value is as old as its row, or has its own
 * time.
 */
const isNewerSql = (name: string, now: string, stored: string) =>
  `${now}.${name} IS NOT NULL AND (${stored}.${name} IS NULL OR coalesce(${stored}.${name}_at, ${stored}.observed_at) <= ${now}.observed_at)`;

/** Whether a row of counters has a newer value than the stored one. */
export function outdatesSql(columns: Columns, now: string, stored: string): string {
  return Object.keys(columns)
    .map((name) => `(${isNewerSql(name, now, stored)} AND ${now}.${name} IS DISTINCT FROM ${stored}.${name})`)
    .join(' OR ');
}

/**
 * The newest value of each counter, and the time of those older than their row: `a = ..., a_at = ...`. The result
 * does not depend on the order in which responses are saved.
 */
export function advancedSql(columns: Columns, now: string, stored: string): string {
  const rowAt = `greatest(${stored}.observed_at, ${now}.observed_at)`;
  return Object.keys(columns)
    .flatMap((name) => [
      `${name} = CASE WHEN ${isNewerSql(name, now, stored)} THEN ${now}.${name} ELSE ${stored}.${name} END`,
      `${name}_at = CASE WHEN ${isNewerSql(name, now, stored)} THEN nullif(${now}.observed_at, ${rowAt})
        WHEN ${stored}.${name} IS NOT NULL THEN nullif(coalesce(${stored}.${name}_at, ${stored}.observed_at), ${rowAt}) END`,
    ])
    .join(', ');
}
