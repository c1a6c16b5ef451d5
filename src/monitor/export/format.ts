import type { CopiedRow } from '../../store/export/copy-text.ts';

export const FORMATS = ['csv', 'ndjson', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

/** Rows to bytes, in order: once what stands before them, then rows as they come, then once the end. */
export type Encoder = {
  begin(): Uint8Array;
  /** May keep rows back; what it keeps is bounded. */
  rows(rows: readonly CopiedRow[]): Uint8Array;
  end(): Uint8Array;
};

/** Of CSV alone. */
export type CsvOptions = {
  /** Texts as they are, also those that a spreadsheet would take for a formula. */
  raw?: boolean | undefined;
  /** Begins with a byte order mark. */
  bom?: boolean | undefined;
};
