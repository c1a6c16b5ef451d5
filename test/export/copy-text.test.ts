import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CopiedRow, createCopyTextReader } from '../../src/store/export/snapshot.ts';

/** As Postgres documents the text format of COPY. */
function asCopied(value: string | null): string {
  if (value === null) return '\\N';
  return value.replace(/[\\\b\f\n\r\t\v]/g, (sign) => {
    const name = { '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v' }[sign];
    return `\\${name ?? sign}`;
  });
}

const signs = fc.constantFrom(
  '\\',
  '\t',
  '\n',
  '\r',
  '\b',
  '\v',
  '\f',
  'N',
  'n',
  't',
  'é',
  '🚢',
  '\u2028',
  'a',
  '"',
);
const value = fc.option(
  fc.array(signs, { maxLength: 6 }).map((all) => all.join('')),
  { nil: null },
);
const table = fc.array(fc.array(value, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 6 });

it('parses the rows wherever the chunks are split', () => {
  fc.assert(
    fc.property(table, fc.array(fc.nat(200), { maxLength: 12 }), (rows, cuts) => {
      const bytes = Buffer.from(rows.map((row) => `${row.map(asCopied).join('\t')}\n`).join(''));
      const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].sort((a, b) => a - b);
      const read = createCopyTextReader();
      const found: CopiedRow[] = ends.flatMap((end, i) => read(bytes.subarray(ends[i - 1] ?? 0, end)));
      expect(found).toEqual(rows);
    }),
    { numRuns: 500 },
  );
});
