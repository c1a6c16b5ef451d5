/** A row as COPY wrote it: the text of each column, null where it has no value. */
export type CopiedRow = readonly (string | null)[];

const NEWLINE = 0x0a;

/**
 * Reads the text format of COPY. Pieces may end anywhere, also inside a character; what is not a whole row
 * yet is kept for the next piece.
 */
export function copyTextReader(): (piece: Buffer) => CopiedRow[] {
  let begun: Buffer[] = [];
  return (piece) => {
    // A newline inside a value is written as two characters, so this byte ends a row and nothing else.
    const last = piece.lastIndexOf(NEWLINE);
    if (last === -1) {
      begun.push(piece);
      return [];
    }
    const whole = Buffer.concat([...begun, piece.subarray(0, last)]);
    begun = last + 1 < piece.length ? [piece.subarray(last + 1)] : [];
    return whole.toString('utf8').split('\n').map(readRow);
  };
}

function readRow(line: string): CopiedRow {
  const values: (string | null)[] = line.split('\t');
  if (line.includes('\\')) for (const [i, value] of values.entries()) values[i] = readValue(value ?? '');
  return values;
}

function readValue(value: string): string | null {
  if (value === '\\N') return null;
  return value.includes('\\') ? value.replace(/\\(.)/g, (_all, sign: string) => SIGNS[sign] ?? sign) : value;
}

const SIGNS: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
