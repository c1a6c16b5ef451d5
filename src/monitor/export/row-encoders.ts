/** Formats of exports, and the encoders of CSV and NDJSON. */

import { escapeUnsafe } from '../../domain/text.ts';
import type { ExportColumn } from '../../store/export/export-columns.ts';
import type { CopiedRow } from '../../store/export/snapshot.ts';

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

/**
 * What a spreadsheet may take for a formula: one of = + - @, also in full width, or a control character
 * before one, behind any blanks. Apostrophes in front are counted in, so that one more can always be taken
 * away again: see docs/exports.md.
 */
// oxlint-disable-next-line no-control-regex
const FORMULA = /^'*[ \u00a0\u3000\ufeff]*[=+\-@\t\r\n\u0000＝＋－＠]/;
const NEEDS_QUOTES = /[",;\t\r\n]|^$|^[ \u00a0\u3000\ufeff]|[ \u00a0]$/;
const BOM = '\ufeff';
/** RFC 4180. */
const LINE_END = '\r\n';

/**
 * CSV as in RFC 4180: a header, commas, CRLF, UTF-8. Null is an empty cell, an empty text is `""`. A text that
 * a spreadsheet could take for a formula gets one apostrophe in front.
 */
export function createCsvEncoder(columns: readonly ExportColumn[], { raw, bom }: CsvOptions): Encoder {
  const cells = columns.map(({ kind }) => {
    switch (kind) {
      case 'text':
      case 'list':
      case 'json':
        return raw === true ? quoteCell : (value: string) => quoteCell(guardFormula(value));
      case 'id':
      case 'counter':
      case 'integer':
      case 'number':
      case 'boolean':
      case 'datetime':
        return keepCell;
    }
  });
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

function keepCell(value: string): string {
  return value;
}

/** One JSON object per line: ids as strings, counters as numbers, lists and JSON as they are, null for unknown. */
export function createNdjsonEncoder(columns: readonly ExportColumn[]): Encoder {
  const members = columns.map(({ name, kind }, i) => ({
    before: `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    write: chooseWriter(kind),
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

function chooseWriter(kind: ExportColumn['kind']): (value: string) => string {
  switch (kind) {
    case 'id':
    case 'text':
    case 'datetime':
      return (value) => JSON.stringify(value);
    case 'number':
      // What JSON has no number for (NaN, infinity) is unknown.
      return (value) => JSON.stringify(Number(value));
    case 'counter':
    case 'integer':
    case 'boolean':
    case 'list':
    case 'json':
      return (value) => value;
  }
}
