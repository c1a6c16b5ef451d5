import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { ColumnKind, ExportColumn } from '../../store/export/columns.ts';
import type { Encoder } from './format.ts';

/** A row group is closed by whichever comes first: what is kept back is bounded also where texts are long. */
const GROUP_ROWS = 50_000;
const GROUP_CHARACTERS = 4 * 2 ** 20;

/**
 * Parquet, compressed with Snappy: ids, texts, lists and JSON as UTF-8 text, counters as 64-bit integers,
 * times in milliseconds UTC; every column may be null.
 */
export function parquetEncoder(columns: readonly ExportColumn[]): Encoder {
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema: schemaOf(columns), createdBy: 'strandline' });
  let kept: Value[][] = columns.map(() => []);
  let rowsKept = 0;
  let charactersKept = 0;

  const taken = () => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  const closeGroup = () => {
    if (rowsKept === 0) return;
    const columnData = columns.map(({ name, kind }, i) => ({
      name,
      data: ELEMENTS[kind] === TEXT ? encoded(kept[i] ?? []) : (kept[i] ?? []),
      // Bounds of texts say little, and would keep alive up to the end what they were cut from.
      statistics: ELEMENTS[kind] !== TEXT,
    }));
    // This writer has no flush, so there is nothing to wait for.
    void file.write({ columnData, rowGroupSize: rowsKept });
    kept = columns.map(() => []);
    rowsKept = 0;
    charactersKept = 0;
  };
  return {
    begin: taken,
    rows: (rows) => {
      for (const row of rows) {
        for (const [i, { kind }] of columns.entries()) {
          const text = row[i] ?? null;
          charactersKept += text?.length ?? 0;
          kept[i]?.push(text === null ? null : READ[kind](text));
        }
        rowsKept += 1;
        if (rowsKept >= GROUP_ROWS || charactersKept >= GROUP_CHARACTERS) closeGroup();
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

/** Texts as views on one buffer: with one of its own each would take several times what it holds. */
function encoded(texts: readonly Value[]): (Uint8Array | null)[] {
  const whole = Buffer.from(texts.join(''));
  let end = 0;
  return texts.map((text) => {
    if (typeof text !== 'string') return null;
    const start = end;
    end += Buffer.byteLength(text);
    return whole.subarray(start, end);
  });
}

type Value = string | number | bigint | boolean | null;

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
