import type { ExportColumn } from '../../store/export/columns.ts';
import type { CopiedRow } from '../../store/export/copy-text.ts';
import type { Encoder } from './format.ts';

/** Signs that end a line for some readers, and those that could do more to a terminal than be seen. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** One JSON object per line: ids as strings, counters as numbers, lists and JSON as they are, null for unknown. */
export function ndjsonEncoder(columns: readonly ExportColumn[]): Encoder {
  const members = columns.map(({ name, kind }, i) => ({
    before: `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    write: writerOf(kind),
  }));
  const line = (row: CopiedRow) => {
    let text = '';
    for (const [i, { before, write }] of members.entries()) {
      const value = row[i] ?? null;
      text += before + (value === null ? 'null' : write(value));
    }
    // Outside texts JSON has none of them.
    return `${text.replace(UNSAFE, escaped)}}\n`;
  };
  return {
    begin: () => new Uint8Array(),
    rows: (rows) => Buffer.from(rows.map(line).join('')),
    end: () => new Uint8Array(),
  };
}

function writerOf(kind: ExportColumn['kind']): (value: string) => string {
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

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
