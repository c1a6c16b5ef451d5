import { formatTenths } from '../../lib/display-format.ts';
import { Count } from './numbers.tsx';
import { EmptyState, type NextStep } from './section.tsx';
import type { ComponentChildren } from 'preact';

export type Column<Row> = {
  head: ComponentChildren;
  cell: (row: Row) => ComponentChildren;
  /** Right-aligned; a bare number is a count. */
  number?: boolean;
  /** Hidden in narrow windows. */
  wide?: boolean;
};

/** Scrolls horizontally if wider than the window. */
export function Table<Row>({
  caption,
  rows,
  columns,
  empty,
  todo,
}: {
  /** Accessible name. */
  caption: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  /** What is said instead of a table without rows, and what to do. */
  empty?: string;
  todo?: NextStep;
}) {
  if (rows.length === 0 && empty !== undefined)
    return <EmptyState words={empty} {...(todo === undefined ? {} : { todo })} />;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={getColumnClass(column)}>
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

/** A single row, for streamed tables. */
export function TableRow<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  return (
    <tr>
      {columns.map((column) => {
        const cell = column.cell(row);
        return (
          <td class={getColumnClass(column)}>{typeof cell === 'number' ? <Count of={cell} /> : cell}</td>
        );
      })}
    </tr>
  );
}

function getColumnClass<Row>({ number, wide }: Column<Row>): string | undefined {
  return [number === true ? 'number' : '', wide === true ? 'wide' : ''].join(' ').trim() || undefined;
}

export type BarRow = {
  name: ComponentChildren;
  value: number;
  /** Shown instead of the number. */
  shown?: ComponentChildren;
};

/** A ranking with bars scaled to the largest value. */
export function Bars({ caption, rows, unit }: { caption: string; rows: readonly BarRow[]; unit: string }) {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <table class="bars">
      <caption class="unseen">{caption}</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">{unit}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, value, shown }) => (
          <tr>
            <th scope="row">
              {name}
              <svg class="bar" aria-hidden="true" focusable="false">
                <rect class="bar-all" width="100%" height="100%" />
                <rect width={`${Math.max(0.5, (value / most) * 100).toFixed(1)}%`} height="100%" />
              </svg>
            </th>
            <td class="number">{shown ?? formatTenths(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
