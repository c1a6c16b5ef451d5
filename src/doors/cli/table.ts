import type { Page } from './page.ts';
import { cut, oneLine, pad, widthOf } from './text.ts';

export type Column<Row> = {
  head: string;
  /** What stands there; texts from outside are made safe here, so a cell may hold anything. */
  cell: (row: Row) => string;
  /** Numbers stand at the right of their column. */
  right?: boolean;
  /** Gives way where the page is narrow; of two that do, the one with the larger share keeps more. */
  elastic?: number;
  /** How narrow it may become; names that are typed again should stay whole. */
  least?: number;
  paint?: (shown: string, row: Row) => string;
};

const GAP = '  ';
/** An elastic column is not made narrower than this: the table stands on its side instead. */
const LEAST = 8;

/**
 * A table without borders: a quiet header, columns as wide as their longest cell, none that is empty
 * throughout. Where the page is too narrow, elastic columns are cut; where that is not enough, each row
 * becomes a list of its own.
 */
export function table<Row>(rows: readonly Row[], all: readonly Column<Row>[], page: Page): string[] {
  const every = rows.map((row) => all.map((column) => oneLine(column.cell(row))));
  const filled = all.map((_, i) => every.some((row) => row[i] !== ''));
  const columns = all.filter((_, i) => filled[i]);
  const cells = every.map((row) => row.filter((_, i) => filled[i]));
  const natural = columns.map(({ head }, i) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[i] ?? '')), widthOf(head)),
  );
  const widths = fit(natural, columns, page.width);
  if (widths === undefined) return standing(rows, cells, columns, page);

  const line = (texts: readonly string[], paint: (shown: string, i: number) => string) =>
    texts
      .map((text, i) => {
        const width = widths[i] ?? 0;
        const shown = cut(text, width, page.more);
        const last = i === columns.length - 1;
        const spaces = ' '.repeat(Math.max(0, width - widthOf(shown)));
        if (columns[i]?.right === true) return spaces + paint(shown, i);
        return last ? paint(shown, i) : paint(shown, i) + spaces;
      })
      .join(GAP)
      .trimEnd();

  return [
    page.colors.dim(
      line(
        columns.map((column) => column.head),
        (shown) => shown,
      ),
    ),
    ...cells.map((texts, r) => line(texts, (shown, i) => painted(shown, rows[r], columns[i]))),
  ];
}

/** Members of one thing, one per line, names in a quiet column of their own. */
export function list(members: readonly (readonly [name: string, value: string])[], page: Page): string[] {
  const names = members.reduce((most, [name]) => Math.max(most, name.length), 0);
  return members.map(([name, value]) => member(name, oneLine(value), names, page));
}

function standing<Row>(
  rows: readonly Row[],
  cells: readonly string[][],
  columns: readonly Column<Row>[],
  page: Page,
): string[] {
  const names = columns.reduce((most, { head }) => Math.max(most, head.length), 0);
  return cells.flatMap((texts, r) => [
    ...(r === 0 ? [] : ['']),
    ...texts.flatMap((text, i) => {
      if (text === '') return [];
      return [
        member(columns[i]?.head ?? '', text, names, page, (shown) => painted(shown, rows[r], columns[i])),
      ];
    }),
  ]);
}

function member(
  name: string,
  value: string,
  names: number,
  { colors, width, more }: Page,
  paint: (shown: string) => string = (shown) => shown,
): string {
  const room = width - names - GAP.length;
  // A page narrower than the names has room for values only.
  if (room < 4) return paint(cut(value, width, more));
  return `${colors.dim(pad(name, names))}${GAP}${paint(cut(value, room, more))}`.trimEnd();
}

function painted<Row>(shown: string, row: Row | undefined, column: Column<Row> | undefined): string {
  if (shown === '' || row === undefined || column?.paint === undefined) return shown;
  return column.paint(shown, row);
}

/** The widths of the columns on this page; undefined where they have no room. */
function fit(
  natural: readonly number[],
  columns: readonly { elastic?: number; least?: number }[],
  width: number,
): number[] | undefined {
  const gaps = GAP.length * (columns.length - 1);
  const fits = (widths: readonly number[]) => widths.reduce((sum, one) => sum + one, gaps) <= width;
  if (fits(natural)) return [...natural];
  for (let cap = Math.min(Math.max(...natural), width); cap > 0; cap--) {
    const widths = natural.map((wide, i) => {
      const { elastic, least = LEAST } = columns[i] ?? {};
      return elastic === undefined ? wide : Math.min(wide, Math.max(cap * elastic, least));
    });
    if (fits(widths)) return widths;
  }
  return undefined;
}
