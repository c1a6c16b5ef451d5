import type { Client } from 'pg';
import { ANALYTICS } from '../schema-state.ts';
import { type Resource, SOURCES } from './resources.ts';

/**
 * What a column holds, and how it stands in a copied row: `id` and `text` as they are; `counter` (64 bits)
 * and `integer` (32) in digits; `number` in decimals; `boolean` as true or false; `datetime` in ISO 8601, UTC,
 * with milliseconds; `list` (texts or ids, as strings) and `json` as JSON.
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
  /** The comment of the SQL contract. */
  description: string;
}>;

const KINDS: Readonly<Record<string, ColumnKind>> = {
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

/** The columns of a resource, in the order of its view. @throws Error for a type that no format has a place for */
export async function readColumns(client: Client, resource: Resource): Promise<ExportColumn[]> {
  const { view } = SOURCES[resource];
  const { rows } = await client.query<{ name: string; type: string; description: string | null }>(
    `SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type,
            col_description(a.attrelid, a.attnum) AS description
       FROM pg_attribute a
      WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attnum`,
    [`${ANALYTICS}.${view}`],
  );
  return rows.map(({ name, type, description }) => {
    const kind = isKey(name, type) ? 'id' : KINDS[type];
    if (kind === undefined) throw new Error(`no format has a place for ${view}.${name}, which is ${type}`);
    return { name, kind, description: description ?? '' };
  });
}

/** Our keys exceed what a number holds exactly in many a reader. */
function isKey(name: string, type: string): boolean {
  return type === 'bigint' && /(?:^|_)id$/.test(name);
}

/** SQL whose text is what {@link ColumnKind} says. */
export function asCopied({ name, kind }: ExportColumn): string {
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
