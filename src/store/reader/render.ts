/** Results of statements as finished text, within a bound. */
import { Refused } from '../../errors.ts';
import type { FetchedRows, TextRow } from './query.ts';

/** Of a result as it is sent: a megabyte of text, with marks around its cells. */
export const MAX_RESULT_MB = 2;
export const MAX_RESULT_BYTES = MAX_RESULT_MB * 1_000_000;

export type Rendered = { body: string; rows: number; more: boolean };

/**
 * Renders rows one by one, as many as there is room for.
 * @param around what stands before and behind the rows
 * @throws Refused `conflict` where there is no room for the first one
 */
export function renderRows(
  { texts, more }: FetchedRows,
  around: { before: string; between: string; behind: (more: boolean) => string },
  render: (row: TextRow) => string,
): Rendered {
  const { before, between, behind } = around;
  const pieces: string[] = [];
  let room = MAX_RESULT_BYTES - Buffer.byteLength(before) - Buffer.byteLength(behind(false)) - between.length;
  for (const row of texts) {
    const piece = render(row);
    room -= Buffer.byteLength(piece) + between.length;
    if (room < 0) break;
    pieces.push(piece);
  }
  if (pieces.length === 0 && texts.length > 0)
    throw new Refused(
      'conflict',
      `the first row is larger than ${MAX_RESULT_MB} MB as it is shown; select fewer columns`,
    );
  const cut = more || pieces.length < texts.length;
  return { body: `${before}${pieces.join(between)}${behind(cut)}`, rows: pieces.length, more: cut };
}

/** The reply of the API: `SqlResult` in doors/http/sql.ts. */
export function renderJson(found: FetchedRows): Rendered {
  const { columns, durationMs, readCell } = found;
  return renderRows(
    found,
    {
      before: `{"columns":${JSON.stringify(columns)},"rows":[`,
      between: ',',
      behind: (more) => `],"truncated":${more},"duration_ms":${Math.round(durationMs)}}`,
    },
    // Cell by cell: a value may be many times as large as its text.
    (row) => `[${row.map((text, i) => JSON.stringify(readCell(text, i) ?? null)).join(',')}]`,
  );
}
