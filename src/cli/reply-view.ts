/** How replies of operations look on a terminal. A view is a function of the JSON that the API sends. */
import type { Command } from 'commander';
import type { Terminal, TerminalPage } from './terminal-io.ts';
import { type Column, renderList, renderTable, renderTableWithUrls } from './terminal-table.ts';
import { truncate } from './terminal-text.ts';
import { formatCount, formatInstant } from './value-formatting.ts';

/** The JSON of what an operation returns: ids and times are text. @template Time what times are instead */
export type JsonOf<T, Time = string> = T extends bigint
  ? string
  : T extends Date
    ? Time
    : T extends readonly (infer Element)[]
      ? JsonOf<Element, Time>[]
      : T extends object
        ? { [K in keyof T]: JsonOf<T[K], Time> }
        : T;

/** A row whose times of these names are times again, for what compares or counts them. */
export function withDates<Row extends object, Name extends keyof Row>(
  row: Row,
  names: readonly Name[],
): Omit<Row, Name> & Record<Name, Date | null> {
  const dates = names.map((name) => {
    const text = row[name];
    return [name, typeof text === 'string' ? new Date(text) : null] as const;
  });
  return { ...row, ...Object.fromEntries(dates) };
}

export type Terms = {
  page: Terminal;
  now: Date;
  /** What was typed, by member. */
  typed: Readonly<Record<string, unknown>>;
  /** Of a list: the members of the reply beside the items. */
  beside: Readonly<Record<string, unknown>>;
  /** The reply of another operation of the same subject. */
  ask: (id: string, input?: Record<string, unknown>) => Promise<unknown>;
};

/** A member by its name, or with another head, layout or text. `as`: null omits it from a list of facts. */
export type ReplyColumn<Row> =
  | (keyof Row & string)
  | (Omit<Partial<Column<Row>>, 'cell' | 'paint'> & {
      of: keyof Row & string;
      as?: (row: Row, terms: Terms) => string | null;
      paint?: (shown: string, row: Row, terms: Terms) => string;
    });

/** @template Row of lists, and of replies that are one row */
export type OperationView<Row> = {
  /** Of lists. */
  columns: readonly ReplyColumn<Row>[] | ((terms: Terms) => readonly ReplyColumn<Row>[]);
  /** Of lists: an address, which gets a place of its own. */
  url?: (row: Row) => string | null;
  /** Said of an empty list. */
  none?: string;
  /** By operation. */
  replies?: Readonly<Record<string, ReplyView<Row>>>;
  /** By operation. */
  instead?: Readonly<Record<string, Alternative>>;
};

/** Options with which a command does something else than its operation. */
export type Alternative = {
  declare: (command: Command) => void;
  /** @returns whether it did; false: the operation is called */
  act: (command: Command) => Promise<boolean>;
};

type ReplyView<Row> = {
  /** What the command shows of the reply, also as JSON, if this is more. */
  complete?: (reply: Row, terms: Terms) => Promise<Row>;
  /** Default: the table of a list; the secret that is shown once; nothing. */
  lines?: (reply: Row, terms: Terms) => readonly string[] | Promise<readonly string[]>;
  /** Said after the data. */
  says?: (reply: Row, terms: Terms) => readonly string[] | Promise<readonly string[]>;
  /** Whether the command fails. */
  fails?: (reply: Row) => boolean;
};

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function formatValue(value: unknown, page: TerminalPage): string {
  if (value === null || value === undefined) return page.unknown;
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'number') return formatCount(value, page);
  if (typeof value !== 'string') return JSON.stringify(value);
  return TIME.test(value) ? formatTime(value, page) : value;
}

/** A time of a reply; null is unknown. */
export function formatTime(at: string | null, page: TerminalPage): string {
  return formatInstant(at === null ? null : new Date(at), page);
}

/** A table. @param url an address of a row, which gets a place of its own */
export function renderRows<Row>(
  rows: readonly Row[],
  columns: readonly ReplyColumn<Row>[],
  terms: Terms,
  url?: (row: Row) => string | null,
): string[] {
  const shown = columns.map((each) => toColumn(rows, each, terms));
  return url === undefined
    ? renderTable(rows, shown, terms.page)
    : renderTableWithUrls(rows, shown, url, terms.page);
}

/** A table below a heading; nothing without rows. */
export function renderSection<Row>(
  heading: string,
  rows: readonly Row[],
  columns: readonly ReplyColumn<Row>[],
  terms: Terms,
  url?: (row: Row) => string | null,
): string[] {
  const { bold, width, more } = terms.page;
  return rows.length === 0
    ? []
    : ['', bold(truncate(heading, width, more)), ...renderRows(rows, columns, terms, url)];
}

/** The facts of one row, a line each. */
export function renderFacts<Row>(row: Row, columns: readonly ReplyColumn<Row>[], terms: Terms): string[] {
  return renderList(
    columns.map((each) => {
      const { head, cell } = toColumn([row], each, terms);
      const isOmitted = typeof each !== 'string' && each.as?.(row, terms) === null;
      return [head, isOmitted ? null : cell(row)];
    }),
    terms.page,
  );
}

function toColumn<Row>(rows: readonly Row[], spec: ReplyColumn<Row>, terms: Terms): Column<Row> {
  const column: Exclude<ReplyColumn<Row>, string> = typeof spec === 'string' ? { of: spec } : spec;
  const { of, as, paint, ...layout } = column;
  return {
    head: of.replaceAll('_', ' '),
    right: rows.some((row) => typeof row[of] === 'number'),
    ...layout,
    cell: (row) => (as === undefined ? formatValue(row[of], terms.page) : (as(row, terms) ?? '')),
    ...(paint === undefined ? {} : { paint: (shown, row) => paint(shown, row, terms) }),
  };
}
