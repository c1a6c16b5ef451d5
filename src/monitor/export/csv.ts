import type { ExportColumn } from '../../store/export/columns.ts';
import type { CopiedRow } from '../../store/export/copy-text.ts';
import type { CsvOptions, Encoder } from './format.ts';

/**
 * What a spreadsheet may take for a formula: one of = + - @, also in full width, or a control character
 * before one, behind any blanks. Apostrophes in front are counted in, so that one more can always be taken
 * away again: see docs/exports.md.
 */
// oxlint-disable-next-line no-control-regex
const FORMULA = /^'*[ \u00a0\u3000\ufeff]*[=+\-@\t\r\n\u0000＝＋－＠]/;
const QUOTED = /[",;\t\r\n]|^$|^[ \u00a0\u3000\ufeff]|[ \u00a0]$/;
const BOM = '\ufeff';
/** RFC 4180. */
const LINE_END = '\r\n';

/**
 * CSV as in RFC 4180: a header, commas, CRLF, UTF-8. Null is an empty cell, an empty text is `""`. A text that
 * a spreadsheet could take for a formula gets one apostrophe in front.
 */
export function csvEncoder(columns: readonly ExportColumn[], { raw, bom }: CsvOptions): Encoder {
  const cells = columns.map(({ kind }) => {
    switch (kind) {
      case 'text':
      case 'list':
      case 'json':
        return raw === true ? quote : (value: string) => quote(guard(value));
      case 'id':
      case 'counter':
      case 'integer':
      case 'number':
      case 'boolean':
      case 'datetime':
        return asIs;
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

export function guard(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function asIs(value: string): string {
  return value;
}
