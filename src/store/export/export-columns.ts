/** Typed columns of exportable resources. */

import { ANALYTICS } from '../../model/database-kind.ts';
import { rowsOf, statement } from '../db/statement.ts';
import { type Resource, viewName } from './export-resources.ts';
import type { Client } from 'pg';

/**
 * Type of a column, and its format in a copied row: `id` and `text` unchanged; `counter` (64 bits) and `integer` (32)
 * in digits; `number` in decimals; `boolean` as true or false; `datetime` in ISO 8601, UTC, with milliseconds; `texts`,
 * `ids` (as strings), `integers` (as numbers) and `json` as JSON.
 */
export type ColumnKind =
  | 'id'
  | 'text'
  | 'counter'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'datetime'
  | 'texts'
  | 'ids'
  | 'integers'
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
  'text[]': 'texts',
  'bigint[]': 'ids',
  'integer[]': 'integers',
};

export type ExportView = Readonly<{
  /** Comment of the view in the SQL contract. */
  description: string;
  /** In the order of the view. */
  columns: readonly ExportColumn[];
}>;

/** The view of a resource. @throws Error for an unsupported type */
export async function readView(client: Client, resource: Resource): Promise<ExportView> {
  const view = viewName(resource);
  type Row = { name: string; type: string; description: string | null; meaning: string | null };
  const rows = await rowsOf<Row>(
    client,
    statement`SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type,
        col_description(a.attrelid, a.attnum) AS description, obj_description(a.attrelid, 'pg_class') AS meaning
      FROM pg_attribute a
      WHERE a.attrelid = ${`${ANALYTICS}.${view}`}::regclass AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attnum`,
  );
  return {
    description: rows[0]?.meaning ?? '',
    columns: rows.map(({ name, type, description }) => {
      const kind = isKey(name, type) ? 'id' : COLUMN_KINDS[type];
      if (kind === undefined) throw new Error(`unsupported column type ${type}: ${view}.${name}`);
      return { name, kind, description: description ?? '' };
    }),
  };
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
    case 'texts':
    case 'ids':
      return `to_json(${column}::text[])`;
    case 'integers':
      return `to_json(${column})`;
    case 'id':
    case 'text':
    case 'counter':
    case 'integer':
    case 'number':
    case 'json':
      return column;
  }
}
