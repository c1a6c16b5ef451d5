import type { ComponentChildren } from 'preact';

export type Column<Row> = {
  head: ComponentChildren;
  cell: (row: Row) => ComponentChildren;
  /** Numbers stand to the right, so that their digits can be compared. */
  number?: boolean;
  /** Left out where the window is narrow. */
  wide?: boolean;
};

/** Rows under named columns; scrolls by itself where the window is narrower than it. */
export function Table<Row>({
  caption,
  rows,
  columns,
}: {
  /** Says what the rows are, for those who cannot see where they stand. */
  caption: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={classOf(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <TableRow row={row} columns={columns} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A row by itself, for whoever renders them one by one. */
export function TableRow<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  return (
    <tr>
      {columns.map((column) => (
        <td class={classOf(column)}>{column.cell(row)}</td>
      ))}
    </tr>
  );
}

function classOf<Row>({ number, wide }: Column<Row>): string | undefined {
  return [number === true ? 'number' : '', wide === true ? 'wide' : ''].join(' ').trim() || undefined;
}
