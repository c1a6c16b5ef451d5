/** The content of each format in one form: rows of values as JSON could hold them. */
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { Format } from '../../src/monitor/export/row-encoders.ts';
import { parseCsv } from './csv-parse.ts';

export type Row = Record<string, unknown>;

export async function decode(format: Format, bytes: Uint8Array): Promise<Row[]> {
  const text = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  switch (format) {
    case 'csv': {
      const [head = [], ...rows] = parseCsv(text());
      return rows.map((row) => {
        if (row.length !== head.length) throw new Error(`a row of ${row.length} cells below ${head.length}`);
        return Object.fromEntries(head.map((name, i) => [name, row[i] ?? null]));
      });
    }
    case 'ndjson':
      return text()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Row); // a test's own comparison finds what is no row
    case 'parquet': {
      const file = Uint8Array.from(bytes).buffer;
      const rows = await parquetReadObjects({ file });
      // The reader has undefined for a list that is null.
      return rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? null])),
      );
    }
  }
}

export function groupsOf(bytes: Uint8Array): number[] {
  return parquetMetadata(Uint8Array.from(bytes).buffer).row_groups.map((group) => Number(group.num_rows));
}

/** A row as Postgres gave it, as a reader of the format should have it. */
export function asRead(format: Format, row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, valueAsRead(format, name, value)]),
  );
}

function valueAsRead(format: Format, name: string, value: unknown): unknown {
  if (value === null) return null;
  const isId = typeof value === 'bigint' && /(^|_)id$/.test(name);
  if (isId) return format === 'parquet' ? value : String(value);
  // Exact in Postgres, so a text to its driver.
  if (name === 'cost_usd') return format === 'csv' ? value : Number(value);
  if (typeof value === 'string') return value;
  if (value instanceof Date) return format === 'parquet' ? value : value.toISOString();
  if (typeof value === 'bigint') return { csv: String(value), ndjson: Number(value), parquet: value }[format];
  if (format === 'parquet' && typeof value === 'object') return value;
  if (typeof value === 'object') {
    const json = JSON.parse(
      JSON.stringify(value, (_member, one: unknown) => (typeof one === 'bigint' ? String(one) : one)),
    ) as unknown; // made of JSON in the line above
    return format === 'ndjson' ? json : { json };
  }
  return format === 'csv' ? JSON.stringify(value) : value;
}

/** JSON may have other blanks, and small numbers an exponent: compared as what they say. */
export function asSaid(read: Row, expected: Row): Row {
  return Object.fromEntries(
    Object.entries(read).map(([name, value]) => {
      const wanted = expected[name];
      const isJson = typeof wanted === 'object' && wanted !== null && 'json' in wanted;
      if (typeof value === 'string' && /^-?[\d.]+e-\d+$/.test(value)) return [name, String(Number(value))];
      return [name, isJson ? { json: JSON.parse(String(value)) as unknown } : value]; // compared, not used
    }),
  );
}
