import type { Page } from './page.ts';
import { type Column, table } from './table.ts';
import { oneLine, widthOf } from './text.ts';

/** A page as wide as this has room for addresses beside the rest. */
const WIDE = 120;

/** A table of things that are somewhere: the address beside each where the page is wide, below it elsewhere. */
export function withAddresses<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  addressOf: (row: Row) => string | null,
  page: Page,
): string[] {
  const address = (row: Row) => addressOf(row) ?? '';
  const longest = rows.reduce((most, row) => Math.max(most, widthOf(oneLine(address(row)))), 0);
  if (longest === 0 || page.width < WIDE || longest > page.width / 2)
    return table(rows, columns, page, address);
  return table(rows, [...columns, { head: 'address', cell: address, paint: page.colors.cyan }], page);
}
