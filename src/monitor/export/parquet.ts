/** The Parquet encoder, loaded only when needed. */

import type { ColumnKind, ExportColumn } from '../../store/export/export-columns.ts';
import type { Encoder } from './row-encoders.ts';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';

/** A row group ends at whichever limit comes first, so that memory is bounded even if texts are long. */
const MAX_GROUP_ROWS = 50_000;
/** Writing a group takes many times its size: with this, a million posts stay below 300 MB, runtime and all. */
const MAX_GROUP_BYTES = 2 * 2 ** 20;

/**
 * Parquet, compressed with Snappy: ids and counters as 64-bit integers, texts as UTF-8, lists as LIST, JSON as UTF-8 with the logical
 * type JSON, times in milliseconds UTC; every column may be null.
 */
export function createParquetEncoder(columns: readonly ExportColumn[]): Encoder {
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema: buildSchema(columns), createdBy: 'strandline' });
  const kept = columns.map(({ kind }) => {
    const read = VALUE_READERS[kind];
    return read === undefined ? createTextColumn(LIST_READERS[kind]) : createValueColumn(read);
  });
  let rowsKept = 0;

  const takeBytes = () => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  const bytesKept = () => kept.reduce((sum, column) => sum + column.bytes(), 0);
  const closeGroup = () => {
    if (rowsKept === 0) return;
    const columnData = kept.map((column, i) => ({
      name: columns[i]?.name ?? '',
      // Computed when the column is written, so that views of only one column exist at a time.
      get data() {
        return column.values();
      },
      // Statistics of text are of little use, and would retain buffers that are reused.
      statistics: !column.isText,
    }));
    // This writer has no flush, so there is nothing to wait for.
    void file.write({ columnData, rowGroupSize: rowsKept });
    for (const column of kept) column.clear();
    rowsKept = 0;
  };
  return {
    begin: takeBytes,
    rows: (rows) => {
      for (const row of rows) {
        for (const [i, column] of kept.entries()) column.push(row[i] ?? null);
        rowsKept += 1;
        if (rowsKept >= MAX_GROUP_ROWS || bytesKept() >= MAX_GROUP_BYTES) closeGroup();
      }
      return takeBytes();
    },
    end: () => {
      closeGroup();
      // Only now, because the writer would serialize the JSON texts again.
      for (const element of file.schema)
        if (element.logical_type?.type === 'JSON') element.converted_type = 'JSON';
      void file.finish();
      return takeBytes();
    },
  };
}

/** A column of values of at most eight bytes. */
function createValueColumn(read: (text: string) => Value) {
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

/** None for columns that are kept as text. */
const VALUE_READERS: Readonly<Partial<Record<ColumnKind, (text: string) => Value>>> = {
  id: BigInt,
  counter: BigInt,
  integer: Number,
  number: Number,
  boolean: (text) => text === 'true',
  datetime: (text) => BigInt(Date.parse(text)),
};

/** Reads lists from JSON, where ids are strings. */
const LIST_READERS: Readonly<Partial<Record<ColumnKind, (json: string) => Value[]>>> = {
  // Postgres wrote these lists.
  texts: (json) => JSON.parse(json) as string[],
  ids: (json) => (JSON.parse(json) as string[]).map(BigInt),
  integers: (json) => JSON.parse(json) as number[],
};

type Element = Omit<SchemaElement, 'name'>;
const TEXT: Element = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
const INT32: Element = { type: 'INT32' };
const INT64: Element = { type: 'INT64' };

const VALUE_ELEMENTS: Readonly<Record<ColumnKind, Element>> = {
  id: INT64,
  text: TEXT,
  texts: TEXT,
  ids: INT64,
  integers: INT32,
  json: { type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } },
  counter: INT64,
  integer: INT32,
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  datetime: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

function buildSchema(columns: readonly ExportColumn[]): SchemaElement[] {
  return [
    { name: 'strandline', num_children: columns.length },
    ...columns.flatMap(({ name, kind }): SchemaElement[] => {
      const value = { ...VALUE_ELEMENTS[kind], repetition_type: 'OPTIONAL' } as const;
      if (LIST_READERS[kind] === undefined) return [{ ...value, name }];
      const list = { converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1 } as const;
      return [
        { ...list, name, repetition_type: 'OPTIONAL' },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { ...value, name: 'element' },
      ];
    }),
  ];
}

/** Enough for any text: a UTF-16 unit takes three bytes of UTF-8 at most. */
const BYTES_PER_UNIT = 3;

/**
 * Texts of one column, consecutive in one reused buffer. Strings would outlive the young generation, and separate arrays take
 * several times the memory.
 */
function createTextColumn(read?: (text: string) => Value[]) {
  let buffer = Buffer.allocUnsafeSlow(2 ** 12);
  let used = 0;
  /** End of each text; negative for null. */
  let ends: number[] = [];
  return {
    isText: true,
    push: (text: string | null) => {
      if (text === null) {
        ends.push(-1);
        return;
      }
      const needed = used + text.length * BYTES_PER_UNIT;
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * buffer.length));
        buffer.copy(larger, 0, 0, used);
        buffer = larger;
      }
      used += buffer.write(text, used);
      ends.push(used);
    },
    /** Views into the buffer, valid until `clear`, or what the reader makes of them. */
    values: () => {
      let start = 0;
      return ends.map((end): Uint8Array | Value[] | null => {
        if (end < 0) return null;
        const view = buffer.subarray(start, end);
        start = end;
        return read === undefined ? view : read(view.toString());
      });
    },
    clear: () => {
      used = 0;
      ends = [];
    },
    bytes: () => used,
  };
}
