/** The words that a query sought, in bold. */

import { type ExcerptPiece, markText } from '../model/excerpt.ts';
import { EVERYTHING, type Query } from '../model/search-query.ts';
import { readMatchesOfItems, type ShownItem } from '../store/archive/matched-words.ts';
import type { Pooled } from '../store/db/database.ts';
import type { TerminalPage } from './terminal-io.ts';
import type { Column } from './terminal-table.ts';
import { oneLine } from './terminal-text.ts';

/** The columns of a list of what a query selected, with its words highlighted in all that are not painted otherwise. */
export async function highlightColumns<Row>(
  db: Pooled,
  {
    query,
    rows,
    describe,
    columns,
    json,
  }: {
    query: Query;
    rows: readonly Row[];
    describe: (row: Row) => ShownItem;
    columns: readonly Column<Row>[];
    /** Not shown in columns. */
    json: boolean | undefined;
  },
  page: TerminalPage,
): Promise<readonly Column<Row>[]> {
  if (query === EVERYTHING || json === true || !page.colors.isColorSupported) return columns;
  const matches = await readMatchesOfItems(db, query, rows.map(describe));
  const paint = (shown: string, row: Row) => {
    const item = describe(row);
    const isMatch = matches(item);
    if (isMatch === undefined) return shown;
    const pieces = item.texts.flatMap((text) => (text === null ? [] : markText(text, isMatch)));
    return createHighlighter(pieces, page.colors.bold)(shown);
  };
  return columns.map((column) =>
    column.elastic === undefined || column.paint !== undefined ? column : { ...column, paint },
  );
}

/** Highlights matched words in wrapped lines; a word that is split across lines stays plain. */
export function createHighlighter(
  pieces: readonly ExcerptPiece[],
  paint: (text: string) => string,
): (line: string) => string {
  const words = [...new Set(pieces.flatMap(({ text, match }) => (match ? [oneLine(text)] : [])))];
  if (words.length === 0) return (line) => line;
  // Words contain only letters, marks and digits, so they need no escaping.
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  const marked = new RegExp(
    `(?<![\\p{L}\\p{M}\\p{N}])(?:${longestFirst.join('|')})(?![\\p{L}\\p{M}\\p{N}])`,
    'gu',
  );
  return (line) => line.replace(marked, (word) => paint(word));
}
