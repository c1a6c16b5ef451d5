/** Runs one statement as the reader: fetches rows, parses values, and renders the result within a size limit. */

import { ANALYTICS } from '../../model/database-kind.ts';
import { Refused } from '../../model/errors.ts';
import { SECOND } from '../../lib/time.ts';
import { monotonicMs } from '../../platform/clock.ts';
import { prepareSession } from '../../platform/postgres/session.ts';
import { Client, type Connection, Query, type QueryArrayConfig, type QueryArrayResult, types } from 'pg';

/** How long a statement may take. */
export const MAX_STATEMENT_MS = 30 * SECOND;

type ReaderColumn = Readonly<{ name: string; type: string }>;
export type ReaderResult = Readonly<{
  columns: readonly ReaderColumn[];
  /** Values in the order of the columns, as JSON values; see {@link readColumn}. */
  rows: readonly (readonly unknown[])[];
  durationMs: number;
}>;

/** A row in Postgres' text format, one value per column; null for NULL. */
type TextRow = readonly (string | null)[];

/** Rows whose cells are parsed one by one when rendered. */
export type FetchedRows = Readonly<{
  columns: readonly ReaderColumn[];
  texts: readonly TextRow[];
  /** Parses a cell of a column; see {@link readColumn}. */
  readCell(text: string | null, column: number): unknown;
  /** Whether the statement has more rows than `bounds.rows`. */
  more: boolean;
  durationMs: number;
}>;

type ReaderQuery = {
  url: string;
  sql: string;
  params?: readonly unknown[];
  /** Default: 30,000. */
  timeoutMs?: number;
  /**
   * Maximum rows to fetch, and maximum bytes of Postgres' response, including notices and errors. With bounds, values
   * that can be much larger than their text are returned as text: json, jsonb and long arrays.
   */
  bounds?: { rows: number; bytes: number };
  /** Ends the statement by closing its connection. */
  signal?: AbortSignal;
};

/** Postgres' response exceeds `bounds.bytes`; none of it is kept. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
}

/**
 * Runs one statement as the reader, without limits, in the user's own process.
 * @throws pg's error if the statement is invalid, not allowed, or exceeds the time limit
 */
export async function readerQuery(options: Omit<ReaderQuery, 'bounds'>): Promise<ReaderResult> {
  const { columns, texts, readCell, durationMs } = await fetchRows(options);
  return { columns, rows: texts.map((row) => row.map(readCell)), durationMs };
}

/**
 * Runs one statement as the reader. Uses the extended protocol, which accepts only one statement (the simple one
 * would accept `commit; drop table`), in a read-only transaction that is never committed, on a separate connection,
 * so that no setting of a statement outlives it.
 * @throws pg's error if the statement is invalid, not allowed, or exceeds the time limit; ResponseTooLarge
 */
export async function fetchRows(options: ReaderQuery): Promise<FetchedRows> {
  const { url, sql, params = [], timeoutMs = MAX_STATEMENT_MS, bounds, signal } = options;
  signal?.throwIfAborted();
  const client = new Client({
    connectionString: url,
    application_name: 'strandline sql',
    connectionTimeoutMillis: 10_000,
    // A client-side limit too, because a statement can change the server's default, and a connection can break.
    query_timeout: timeoutMs + 1_000,
    types: { getTypeParser: () => (text: string) => text },
  });
  client.on('error', () => {});
  const leave = () => client.connection.stream.destroy();
  signal?.addEventListener('abort', leave);
  try {
    await client.connect();
    if (bounds !== undefined) boundBytes(client, bounds.bytes);
    await prepareSession(client, {
      IntervalStyle: 'iso_8601',
      statement_timeout: `${Math.trunc(timeoutMs)}ms`,
      idle_in_transaction_session_timeout: '1min',
      search_path: `${ANALYTICS}, pg_temp`,
    });
    await client.query('BEGIN TRANSACTION READ ONLY');
    const before = monotonicMs();
    // Fetches one more row to know whether there are more.
    const { fields, rows } = await query(client, {
      text: sql,
      values: [...params],
      ...(bounds === undefined ? {} : { rows: bounds.rows + 1 }),
    });
    const durationMs = monotonicMs() - before;
    const columnTypes = await readTypes(client, [...new Set(fields.map((field) => field.dataTypeID))]);
    const readers = fields.map(({ name, dataTypeID }) =>
      readColumn(name, columnTypes.get(dataTypeID), { largeAsText: bounds !== undefined }),
    );
    return {
      columns: fields.map(({ name, dataTypeID }) => ({
        name,
        type: columnTypes.get(dataTypeID)?.name ?? 'unknown',
      })),
      texts: bounds === undefined ? rows : rows.slice(0, bounds.rows),
      readCell: (text, column) => (text === null ? null : readers[column]?.(text)),
      more: bounds !== undefined && rows.length > bounds.rows,
      durationMs,
    };
  } finally {
    signal?.removeEventListener('abort', leave);
    await client.end();
  }
}

/** Counts decrypted bytes from the server before they are parsed; closes after the chunk that exceeds the limit. */
function boundBytes({ connection: { stream } }: Client, most: number): void {
  let left = most;
  stream.prependListener('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0 && !stream.destroyed) stream.destroy(new ResponseTooLarge());
  });
}

type ReaderStatement = { text: string; values: unknown[]; rows?: number };

/** Fetches at most `rows` rows: pg itself would continue to the last one. */
class FirstRows extends Query {
  handlePortalSuspended(connection: Connection): void {
    connection.sync();
  }
}

function query(client: Client, statement: ReaderStatement): Promise<QueryArrayResult<(string | null)[]>> {
  const config: QueryArrayConfig & { queryMode: 'extended' } = {
    ...statement,
    rowMode: 'array',
    queryMode: 'extended',
  };
  return new Promise((resolve, reject) => {
    client.query(
      new FirstRows(config, (error, result) => {
        if (error instanceof Error) reject(error);
        else resolve(result);
      }),
    );
  });
}

async function readTypes(client: Client, oids: readonly number[]): Promise<Map<number, ColumnType>> {
  const { rows } = await client.query<{ oid: string; name: string; element: string; array: string }>(
    `SELECT oid, format_type(oid, NULL) AS name, format_type(nullif(typelem, 0), NULL) AS element,
            typcategory = 'A' AS array
       FROM pg_type WHERE oid = ANY ($1)`,
    [oids],
  );
  return new Map(
    rows.map(({ oid, name, element, array }) => [
      Number(oid),
      { name, element: array === 't' ? element : undefined },
    ]),
  );
}

/** A column's type name in Postgres; for an array, also the type name of its elements. */
type ColumnType = Readonly<{ name: string; element: string | undefined }>;

// The library supports array types, but its declarations do not; 1009 is text[].
const splitArray: (text: string) => unknown = types.getTypeParser(1_009 as number);

/**
 * Returns how to parse the text of a column into a JSON value without loss: numbers if exact and not a key, times as
 * ISO 8601 in UTC, JSON unchanged, and everything else as text.
 * @param options.largeAsText returns JSON, and arrays of more than {@link MAX_ARRAY_TEXT} characters, as text
 */
function readColumn(
  name: string,
  type: ColumnType | undefined,
  { largeAsText }: { largeAsText: boolean },
): (text: string) => unknown {
  const how = { key: /(^|_)ids?$/.test(name), largeAsText };
  if (type?.element === undefined) return (text) => readValue(text, type?.name ?? 'text', how);
  const { element } = type;
  return (text) =>
    largeAsText && text.length > MAX_ARRAY_TEXT ? text : readElements(splitArray(text), element, how);
}

/**
 * In characters. Longer arrays are returned as text: parsed, nested arrays take about seventy times the memory of
 * their text.
 */
export const MAX_ARRAY_TEXT = 200_000;

/** `key`: digits are returned as text. */
type ValueFormat = Readonly<{ key: boolean; largeAsText: boolean }>;

function readElements(value: unknown, element: string, how: ValueFormat): unknown {
  if (Array.isArray(value)) return value.map((item) => readElements(item, element, how));
  return typeof value === 'string' ? readValue(value, element, how) : value;
}

function readValue(text: string, type: string, { key, largeAsText }: ValueFormat): unknown {
  switch (type) {
    case 'boolean':
      return text === 't';
    case 'smallint':
    case 'integer':
    case 'bigint':
    case 'numeric':
    case 'real':
    case 'double precision':
      return key ? text : readNumber(text, type);
    case 'timestamp with time zone':
      return readTimeValue(text);
    case 'json':
    case 'jsonb':
      return largeAsText ? text : JSON.parse(text);
    default:
      return text;
  }
}

/** A number if it is exact; otherwise text, such as `NaN`, infinities and numbers with more digits. */
function readNumber(text: string, type: string): number | string {
  const number = Number(text);
  if (!Number.isFinite(number)) return text;
  if (type === 'real' || type === 'double precision') return number;
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(number) ? number : text;
  const plain = text.includes('.') ? text.replace(/\.?(?<!0)0+$/, '') : text;
  return String(number) === plain ? number : text;
}

/** `2026-11-21 09:04:00.5+00` as `2026-11-21T09:04:00.500Z`; `infinity` and years before 1 are unchanged. */
function readTimeValue(text: string): string {
  const time = new Date(text.replace(' ', 'T').replace(/\+00$/, 'Z'));
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

/** Maximum finished result: a megabyte of text, with markup around its cells. */
export const MAX_RESULT_MB = 2;
export const MAX_RESULT_BYTES = MAX_RESULT_MB * 1_000_000;

export type Rendered = { body: string; rows: number; more: boolean };

/**
 * Renders rows one by one, as many as fit.
 * @param around text before, between and after the rows
 * @throws Refused `conflict` if the first one does not fit
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
    throw new Refused('conflict', `the first row is larger than ${MAX_RESULT_MB} MB; select fewer columns`);
  const cut = more || pieces.length < texts.length;
  return { body: `${before}${pieces.join(between)}${behind(cut)}`, rows: pieces.length, more: cut };
}

/** The reply of the API: `SqlResult` in `api/sql-routes.ts`. */
export function renderJson(fetched: FetchedRows): Rendered {
  const { columns, durationMs, readCell } = fetched;
  return renderRows(
    fetched,
    {
      before: `{"columns":${JSON.stringify(columns)},"rows":[`,
      between: ',',
      behind: (more) => `],"truncated":${more},"duration_ms":${Math.round(durationMs)}}`,
    },
    // Cell by cell, because a value can be much larger than its text.
    (row) => `[${row.map((text, i) => JSON.stringify(readCell(text, i) ?? null)).join(',')}]`,
  );
}
