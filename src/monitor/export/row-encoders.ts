/** Formats of exports, and the encoders of CSV and NDJSON. */

import { escapeUnsafe } from '../../lib/text.ts';
import type { ColumnKind, ExportColumn } from '../../store/export/export-columns.ts';
import type { CopiedRow } from '../../store/export/snapshot.ts';

export const FORMATS = ['csv', 'ndjson', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

/** Encodes rows to bytes: `begin` once, `rows` any number of times, `end` once. */
export type Encoder = {
  begin(): Uint8Array;
  /** May buffer rows, up to a limit. */
  rows(rows: readonly CopiedRow[]): Uint8Array;
  end(): Uint8Array;
};

/** Options for CSV only. */
export type CsvOptions = {
  /** Do not escape text that a spreadsheet would run as a formula. */
  raw?: boolean | undefined;
  /** Start with a byte order mark. */
  bom?: boolean | undefined;
};

/**
 * Text that a spreadsheet may run as a formula: one of = + - @, also full-width, or a control character, after any blanks.
 * Leading apostrophes are included, so that the escape can always be undone: see docs/reference/exports.md.
 */
// oxlint-disable-next-line no-control-regex
const FORMULA = /^'*[ \u00a0\u3000\ufeff]*[=+\-@\t\r\n\u0000＝＋－＠]/;
const NEEDS_QUOTES = /[",;\t\r\n]|^$|^[ \u00a0\u3000\ufeff]|[ \u00a0]$/;
const BOM = '\ufeff';
/** RFC 4180. */
const LINE_END = '\r\n';

const keep = (value: string) => value;
const quote = (value: string) => JSON.stringify(value);

/**
 * How values are written, by the kind of their column. `isText`: in CSV they may need quotes or begin like a formula; others never
 * hold a delimiter or a quote, and begin with a minus only as a number.
 */
const WRITING: Readonly<Record<ColumnKind, { isText: boolean; toJson: (value: string) => string }>> = {
  id: { isText: false, toJson: quote },
  text: { isText: true, toJson: quote },
  datetime: { isText: false, toJson: quote },
  // NaN and infinity have no JSON number and become null.
  number: { isText: false, toJson: (value) => JSON.stringify(Number(value)) },
  counter: { isText: false, toJson: keep },
  integer: { isText: false, toJson: keep },
  boolean: { isText: false, toJson: keep },
  texts: { isText: true, toJson: keep },
  ids: { isText: true, toJson: keep },
  integers: { isText: true, toJson: keep },
  json: { isText: true, toJson: keep },
};

/**
 * CSV as in RFC 4180: a header, commas, CRLF, UTF-8. Null is an empty cell, empty text is `""`. Text that a spreadsheet could run
 * as a formula is prefixed with an apostrophe.
 */
export function createCsvEncoder(columns: readonly ExportColumn[], { raw, bom }: CsvOptions): Encoder {
  const writeText = raw === true ? quoteCell : (value: string) => quoteCell(guardFormula(value));
  const cells = columns.map(({ kind }) => (WRITING[kind].isText ? writeText : keep));
  const line = (row: CopiedRow) => {
    let text = '';
    for (const [i, cell] of cells.entries()) {
      const value = row[i] ?? null;
      if (i > 0) text += ',';
      if (value !== null) text += cell(value);
    }
    return text + LINE_END;
  };
  return {
    begin: () => Buffer.from((bom === true ? BOM : '') + line(columns.map(({ name }) => name))),
    rows: (rows) => Buffer.from(rows.map(line).join('')),
    end: () => new Uint8Array(),
  };
}

export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

function quoteCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One JSON object per line: ids as strings, counters as numbers, lists and JSON unchanged, null for unknown. */
export function createNdjsonEncoder(columns: readonly ExportColumn[]): Encoder {
  const members = columns.map(({ name, kind }, i) => ({
    before: `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    write: WRITING[kind].toJson,
  }));
  const line = (row: CopiedRow) => {
    let text = '';
    for (const [i, { before, write }] of members.entries()) {
      const value = row[i] ?? null;
      text += before + (value === null ? 'null' : write(value));
    }
    return `${escapeUnsafe(text)}}\n`;
  };
  return {
    begin: () => new Uint8Array(),
    rows: (rows) => Buffer.from(rows.map(line).join('')),
    end: () => new Uint8Array(),
  };
}
