import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { ColumnKind, ExportColumn } from '../../store/export/columns.ts';
import type { Encoder } from './format.ts';
import { textColumn } from './text-column.ts';

/** A row group is closed by whichever comes first: what is kept back is bounded also where texts are long. */
const GROUP_ROWS = 50_000;
/** Writing a group takes many times its size: with this, a million posts stay below 300 MB, runtime and all. */
const GROUP_BYTES = 2 * 2 ** 20;

/**
 * Parquet, compressed with Snappy: ids, texts, lists and JSON as UTF-8 text, counters as 64-bit integers,
 * times in milliseconds UTC; every column may be null.
 */
export function parquetEncoder(columns: readonly ExportColumn[]): Encoder {
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema: schemaOf(columns), createdBy: 'strandline' });
  const kept = columns.map(({ kind }) => (ELEMENTS[kind] === TEXT ? textColumn() : valueColumn(READ[kind])));
  let rowsKept = 0;

  const taken = () => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  const bytesKept = () => kept.reduce((sum, column) => sum + column.bytes(), 0);
  const closeGroup = () => {
    if (rowsKept === 0) return;
    const columnData = kept.map((column, i) => ({
      name: columns[i]?.name ?? '',
      // Read when its column is written, so that the views of one column at a time are there.
      get data() {
        return column.values();
      },
      // Bounds of texts say little, and would hold on to buffers that are used again.
      statistics: !column.isText,
    }));
    // This writer has no flush, so there is nothing to wait for.
    void file.write({ columnData, rowGroupSize: rowsKept });
    for (const column of kept) column.clear();
    rowsKept = 0;
  };
  return {
    begin: taken,
    rows: (rows) => {
      for (const row of rows) {
        for (const [i, column] of kept.entries()) column.push(row[i] ?? null);
        rowsKept += 1;
        if (rowsKept >= GROUP_ROWS || bytesKept() >= GROUP_BYTES) closeGroup();
      }
      return taken();
    },
    end: () => {
      closeGroup();
      void file.finish();
      return taken();
    },
  };
}

/** Values of eight bytes at most each, as the writer takes them. */
function valueColumn(read: (text: string) => Value) {
  let values: (Value | null)[] = [];
  return {
    isText: false,
    push: (text: string | null) => void values.push(text === null ? null : read(text)),
    values: () => values,
    clear: () => {
      values = [];
    },
    bytes: () => 8 * values.length,
  };
}

type Value = string | number | bigint | boolean;

const asText = (text: string): Value => text;

const READ: Readonly<Record<ColumnKind, (text: string) => Value>> = {
  id: asText,
  text: asText,
  list: asText,
  json: asText,
  counter: BigInt,
  integer: Number,
  number: Number,
  boolean: (text) => text === 'true',
  datetime: (text) => BigInt(Date.parse(text)),
};

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;

const ELEMENTS: Readonly<Record<ColumnKind, Omit<SchemaElement, 'name'>>> = {
  id: TEXT,
  text: TEXT,
  list: TEXT,
  json: TEXT,
  counter: { type: 'INT64' },
  integer: { type: 'INT32' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  datetime: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

function schemaOf(columns: readonly ExportColumn[]): SchemaElement[] {
  return [
    { name: 'strandline', num_children: columns.length },
    ...columns.map(({ name, kind }) => ({ ...ELEMENTS[kind], name, repetition_type: 'OPTIONAL' as const })),
  ];
}
