/** Tables and lists for a terminal: layout of columns in the available width. */

import type { TerminalPage } from './terminal-io.ts';
import { measureWidth, oneLine, padText, truncate, wrapText } from './terminal-text.ts';

export type Column<Row> = {
  head: string;
  /** Any text; unsafe characters are removed here. */
  cell: (row: Row) => string;
  /** Aligns right, for numbers. */
  right?: boolean;
  /**
   * Shrinks on a narrow page; a larger share keeps more. What one types or follows next (a slug, an id, a time, a URL)
   * is never elastic.
   */
  elastic?: number;
  /** Minimum width. */
  least?: number;
  /** Wraps instead of truncating. */
  wraps?: boolean;
  /** Omitted if the page is too narrow, the highest first. */
  drop?: number;
  /** Shown even if it is empty in all rows. */
  always?: boolean;
  paint?: (shown: string, row: Row) => string;
};

const GAP = '  ';
/** Below this, other columns are omitted, or each row becomes a list. */
const MIN_ELASTIC_WIDTH = 8;
/** In a pipe, elastic columns are padded up to here, so that one long text does not pad all others. */
const MAX_FILL_WIDTH = 40;

/**
 * A table without borders: a dimmed header, columns as wide as their longest cell, without columns that are empty. In a
 * pipe, texts are complete. On a narrow page, elastic columns shrink, then columns are omitted, then each row becomes a
 * list.
 * @param below a dimmed line below each row
 */
export function renderTable<Row>(
  rows: readonly Row[],
  all: readonly Column<Row>[],
  page: TerminalPage,
  below: (row: Row) => string = () => '',
): string[] {
  const every = rows.map((row) => all.map((column) => oneLine(column.cell(row))));
  const filled = all.flatMap((column, i) =>
    column.always === true || every.some((row) => row[i] !== '') ? [i] : [],
  );
  if (filled.length === 0) return [];
  const natural = all.map(({ head }, i) =>
    every.reduce((most, row) => Math.max(most, measureWidth(row[i] ?? '')), measureWidth(head)),
  );
  const fitting = fitColumns(filled, natural, all, page.width);
  if (fitting === undefined) return renderRowsAsLists(rows, every, all, page, below);

  const filledTo = ({ i, width }: FittedColumn) =>
    page.width === Number.POSITIVE_INFINITY && all[i]?.elastic !== undefined
      ? Math.min(width, MAX_FILL_WIDTH)
      : width;
  const line = (texts: readonly string[], paint: (shown: string, i: number) => string) =>
    fitting
      .map((column, nth) => {
        const { i } = column;
        const shown = texts[i] ?? '';
        const spaces = ' '.repeat(Math.max(0, filledTo(column) - measureWidth(shown)));
        if (all[i]?.right === true) return spaces + paint(shown, i);
        return nth === fitting.length - 1 ? paint(shown, i) : paint(shown, i) + spaces;
      })
      .join(GAP)
      .trimEnd();
  const heads = all.map(({ head }) => head);
  for (const { i, width } of fitting) heads[i] = truncate(heads[i] ?? '', width, page.more);

  return [
    page.colors.dim(line(heads, (shown) => shown)),
    ...every.flatMap((texts, r) => [
      ...splitRow(texts, fitting, all, page).map((parts) =>
        line(parts, (shown, i) => paintCell(shown, rows[r], all[i])),
      ),
      ...renderLineBelow(rows[r], below, page),
    ]),
  ];
}

/** Names and values, one per line, without values that are null; long values wrap. */
export function renderList(
  members: readonly (readonly [name: string, value: string | null])[],
  page: TerminalPage,
): string[] {
  const shown = members.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  const names = shown.reduce((most, [name]) => Math.max(most, name.length), 0);
  return shown.flatMap(([name, value]) =>
    renderMember(name, (room) => wrapText(oneLine(value), room), names, page),
  );
}

type FittedColumn = { i: number; width: number };

/** The columns to show and their widths; undefined if they do not fit. */
function fitColumns<Row>(
  filled: readonly number[],
  natural: readonly number[],
  all: readonly Column<Row>[],
  width: number,
): FittedColumn[] | undefined {
  const dropped = filled
    .filter((i) => all[i]?.drop !== undefined)
    .toSorted((a, b) => (all[b]?.drop ?? 0) - (all[a]?.drop ?? 0));
  for (let n = 0; n <= dropped.length; n++) {
    const gone = new Set(dropped.slice(0, n));
    const left = filled.filter((i) => !gone.has(i));
    const widths = fitWidths(
      left.map((i) => natural[i] ?? 0),
      left.map((i) => all[i] ?? {}),
      width,
    );
    if (widths !== undefined && left.length > 0)
      return left.map((i, nth) => ({ i, width: widths[nth] ?? 0 }));
  }
  return undefined;
}

/** The lines of a row: as many as its longest wrapping column needs. */
function splitRow<Row>(
  texts: readonly string[],
  fitting: readonly FittedColumn[],
  all: readonly Column<Row>[],
  { more }: TerminalPage,
): string[][] {
  const parts = new Map(
    fitting.map(({ i, width }) => {
      const text = texts[i] ?? '';
      return [i, all[i]?.wraps === true ? wrapText(text, width) : [truncate(text, width, more)]];
    }),
  );
  const height = Math.max(...[...parts.values()].map((lines) => lines.length));
  return Array.from({ length: height }, (_, nth) => texts.map((_text, i) => parts.get(i)?.[nth] ?? ''));
}

function renderLineBelow<Row>(
  row: Row | undefined,
  below: (row: Row) => string,
  { colors, width }: TerminalPage,
): string[] {
  const text = row === undefined ? '' : oneLine(below(row));
  if (text === '') return [];
  const indent = width > 12 ? GAP : '';
  return wrapText(text, width - indent.length).map((line) => indent + colors.dim(line));
}

function renderRowsAsLists<Row>(
  rows: readonly Row[],
  every: readonly string[][],
  all: readonly Column<Row>[],
  page: TerminalPage,
  below: (row: Row) => string,
): string[] {
  const shown = all.filter((_, i) => every.some((row) => row[i] !== ''));
  const names = shown.reduce((most, { head }) => Math.max(most, head.length), 0);
  return every.flatMap((texts, r) => [
    ...(r === 0 ? [] : ['']),
    ...texts.flatMap((text, i) => {
      if (text === '') return [];
      const { head = '', elastic, wraps } = all[i] ?? {};
      const lines = (room: number) =>
        elastic !== undefined && wraps !== true ? [truncate(text, room, page.more)] : wrapText(text, room);
      return renderMember(head, lines, names, page, (line) => paintCell(line, rows[r], all[i]));
    }),
    ...renderLineBelow(rows[r], below, page),
  ]);
}

function renderMember(
  name: string,
  lines: (room: number) => readonly string[],
  names: number,
  { colors, width }: TerminalPage,
  paint: (shown: string) => string = (shown) => shown,
): string[] {
  const room = width - names - GAP.length;
  // Without room for names, only values are shown.
  if (room < 4) return lines(width).map(paint);
  return lines(room).map((line, i) =>
    `${colors.dim(padText(i === 0 ? name : '', names))}${GAP}${paint(line)}`.trimEnd(),
  );
}

function paintCell<Row>(shown: string, row: Row | undefined, column: Column<Row> | undefined): string {
  if (shown === '' || row === undefined || column?.paint === undefined) return shown;
  return column.paint(shown, row);
}

/** The widths of the columns; undefined if they do not fit. */
function fitWidths(
  natural: readonly number[],
  columns: readonly { elastic?: number; least?: number }[],
  width: number,
): number[] | undefined {
  const gaps = GAP.length * (columns.length - 1);
  const fits = (widths: readonly number[]) => widths.reduce((sum, each) => sum + each, gaps) <= width;
  if (fits(natural)) return [...natural];
  for (let cap = Math.min(Math.max(...natural), width); cap > 0; cap--) {
    const widths = natural.map((wide, i) => {
      const { elastic, least = MIN_ELASTIC_WIDTH } = columns[i] ?? {};
      return elastic === undefined ? wide : Math.min(wide, Math.max(cap * elastic, least));
    });
    if (fits(widths)) return widths;
  }
  return undefined;
}

const MIN_WIDTH_FOR_URL_COLUMN = 120;

/** A table of things with URLs: in a column on a wide page, below each row elsewhere. */
export function renderTableWithUrls<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  readUrl: (row: Row) => string | null,
  page: TerminalPage,
): string[] {
  const address = (row: Row) => readUrl(row) ?? '';
  const longest = rows.reduce((most, row) => Math.max(most, measureWidth(oneLine(address(row)))), 0);
  if (longest === 0 || page.width < MIN_WIDTH_FOR_URL_COLUMN || longest > page.width / 2)
    return renderTable(rows, columns, page, address);
  return renderTable(rows, [...columns, { head: 'address', cell: address, paint: page.colors.cyan }], page);
}
