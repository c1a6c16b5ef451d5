/**
 * Exportable resources. Each is a view of the SQL contract with its sort key, time column, relation to searches, and
 * typed columns.
 */

import { ANALYTICS } from '../schema-state.ts';
import type { Client } from 'pg';

export const RESOURCES = ['posts', 'engagement', 'links', 'completions', 'discoveries', 'volume'] as const;
export type Resource = (typeof RESOURCES)[number];

type ResourceSource = Readonly<{
  title: string;
  /** In `strandline_analytics`. */
  view: string;
  /** Columns that identify a row; also the sort key. */
  key: readonly [string, ...string[]];
  /** Column of the time range, or the first non-null one of two. */
  time: readonly [string, ...string[]];
  /** Column with the search, or with an item and the view of its sightings. */
  of: Readonly<{ column: string; sightings?: Readonly<{ view: string; column: string }> }>;
}>;

const BY_SEARCH = { column: 'search_id' } as const;
const POST_SIGHTINGS = { view: 'post_sightings', column: 'post_id' } as const;

export const RESOURCE_SOURCES: Readonly<Record<Resource, ResourceSource>> = {
  posts: {
    title: 'Posts as last seen',
    view: 'posts',
    key: ['id'],
    time: ['created_at', 'first_seen_at'],
    of: { column: 'id', sightings: POST_SIGHTINGS },
  },
  engagement: {
    title: 'Counters of posts over time',
    view: 'post_engagement',
    key: ['post_id', 'observed_at'],
    time: ['observed_at'],
    of: { column: 'post_id', sightings: POST_SIGHTINGS },
  },
  links: {
    title: 'Links',
    view: 'links',
    key: ['id'],
    time: ['first_seen_at'],
    of: { column: 'id', sightings: { view: 'link_sightings', column: 'link_id' } },
  },
  completions: {
    title: 'AI-written completions',
    view: 'completions',
    key: ['id'],
    time: ['observed_at'],
    of: BY_SEARCH,
  },
  discoveries: {
    title: 'What each run saw for the first time',
    view: 'discoveries',
    key: ['id'],
    time: ['at'],
    of: BY_SEARCH,
  },
  volume: {
    title: 'Posts of a search per hour, with coverage',
    view: 'volume_hourly',
    key: ['search_id', 'bucket_at'],
    time: ['bucket_at'],
    of: BY_SEARCH,
  },
};

/**
 * Type of a column, and its format in a copied row: `id` and `text` unchanged; `counter` (64 bits) and `integer` (32)
 * in digits; `number` in decimals; `boolean` as true or false; `datetime` in ISO 8601, UTC, with milliseconds; `list`
 * (texts or IDs, as strings) and `json` as JSON.
 */
export type ColumnKind =
  | 'id'
  | 'text'
  | 'counter'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'datetime'
  | 'list'
  | 'json';

export type ExportColumn = Readonly<{
  name: string;
  kind: ColumnKind;
  /** Column comment of the SQL contract. */
  description: string;
}>;

const COLUMN_KINDS: Readonly<Record<string, ColumnKind>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'counter',
  numeric: 'number',
  'double precision': 'number',
  boolean: 'boolean',
  'timestamp with time zone': 'datetime',
  jsonb: 'json',
  'text[]': 'list',
  'bigint[]': 'list',
};

/** The columns of a resource, in the order of its view. @throws Error for an unsupported type */
export async function readColumns(client: Client, resource: Resource): Promise<ExportColumn[]> {
  const { view } = RESOURCE_SOURCES[resource];
  const { rows } = await client.query<{ name: string; type: string; description: string | null }>(
    `SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type,
            col_description(a.attrelid, a.attnum) AS description
       FROM pg_attribute a
      WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attnum`,
    [`${ANALYTICS}.${view}`],
  );
  return rows.map(({ name, type, description }) => {
    const kind = isKey(name, type) ? 'id' : COLUMN_KINDS[type];
    if (kind === undefined) throw new Error(`unsupported column type ${type}: ${view}.${name}`);
    return { name, kind, description: description ?? '' };
  });
}

/** Keys exceed what many readers can represent exactly as a number. */
function isKey(name: string, type: string): boolean {
  return type === 'bigint' && /(?:^|_)id$/.test(name);
}

/** SQL that formats a column as described in {@link ColumnKind}. */
export function copyExpression({ name, kind }: ExportColumn): string {
  const column = `v.${name}`;
  switch (kind) {
    case 'boolean':
      return `${column}::text`;
    case 'datetime':
      return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    case 'list':
      return `to_json(${column}::text[])`;
    case 'id':
    case 'text':
    case 'counter':
    case 'integer':
    case 'number':
    case 'json':
      return column;
  }
}
