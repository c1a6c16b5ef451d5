/** One statement as the reader, and the rows that it gives. */
import { Client, type Connection, Query, type QueryArrayConfig, type QueryArrayResult } from 'pg';
import { monotonicMs } from '../../engine/clock.ts';
import { readColumn, type ColumnType } from './values.ts';

export type ReaderColumn = Readonly<{ name: string; type: string }>;
export type ReaderResult = Readonly<{
  columns: readonly ReaderColumn[];
  /** Values in the order of the columns: what JSON can hold, see values.ts. */
  rows: readonly (readonly unknown[])[];
  durationMs: number;
}>;

/** A row in Postgres' text format, one value per column; null for NULL. */
export type TextRow = readonly (string | null)[];

/** Rows whose cells are read into values one by one, by whoever shows them. */
export type FetchedRows = Readonly<{
  columns: readonly ReaderColumn[];
  texts: readonly TextRow[];
  /** What stands in a column, by its place, as a value; see values.ts. */
  readCell(text: string | null, column: number): unknown;
  /** Whether the statement has more rows than `bounds.rows`. */
  more: boolean;
  durationMs: number;
}>;

export type Asked = {
  url: string;
  sql: string;
  params?: readonly unknown[];
  /** 30,000 where left out. */
  timeoutMs?: number;
  /**
   * Rows that are fetched at most, and bytes of Postgres' response, notices and errors included. With bounds, cells whose
   * value may be many times as large as their text stay text: json, jsonb and long arrays.
   */
  bounds?: { rows: number; bytes: number };
  /** Ends the statement by closing its connection. */
  signal?: AbortSignal;
};

/** Postgres' response is larger than `bounds.bytes`; nothing of it is kept. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
}

/**
 * Runs one statement as the reader, without bounds: for a process of whoever asks.
 * @throws pg's error where the statement is wrong, not allowed, or takes longer than the time limit
 */
export async function readerQuery(options: Omit<Asked, 'bounds'>): Promise<ReaderResult> {
  const { columns, texts, readCell, durationMs } = await fetchRows(options);
  return { columns, rows: texts.map((row) => row.map(readCell)), durationMs };
}

/**
 * Runs one statement as the reader. It goes by the extended protocol, which takes one statement only (the
 * simple one would accept `commit; drop table`), inside a read-only transaction that is never committed,
 * on a connection of its own, so that nothing a statement sets outlives it.
 * @throws pg's error where the statement is wrong, not allowed, or takes longer than the time limit; ResponseTooLarge
 */
export async function fetchRows(options: Asked): Promise<FetchedRows> {
  const { url, sql, params = [], timeoutMs = 30_000, bounds, signal } = options;
  signal?.throwIfAborted();
  const client = new Client({
    connectionString: url,
    application_name: 'strandline sql',
    connectionTimeoutMillis: 10_000,
    // Ours too, since the server's limit is a default that a statement can change, and a line can break.
    query_timeout: timeoutMs + 1_000,
    types: { getTypeParser: () => (text: string) => text },
  });
  client.on('error', () => {});
  const leave = () => client.connection.stream.destroy();
  signal?.addEventListener('abort', leave);
  try {
    await client.connect();
    if (bounds !== undefined) boundBytes(client, bounds.bytes);
    await client.query(
      `BEGIN TRANSACTION READ ONLY; SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, YMD';
       SET LOCAL intervalstyle = 'iso_8601'; SET LOCAL bytea_output = 'hex';
       SET LOCAL statement_timeout = ${Math.trunc(timeoutMs)}`,
    );
    const before = monotonicMs();
    // One row more than is wanted says whether there are more.
    const { fields, rows } = await query(client, {
      text: sql,
      values: [...params],
      ...(bounds === undefined ? {} : { rows: bounds.rows + 1 }),
    });
    const durationMs = monotonicMs() - before;
    const types = await readTypes(client, [...new Set(fields.map((field) => field.dataTypeID))]);
    const readers = fields.map(({ name, dataTypeID }) =>
      readColumn(name, types.get(dataTypeID), { small: bounds !== undefined }),
    );
    return {
      columns: fields.map(({ name, dataTypeID }) => ({
        name,
        type: types.get(dataTypeID)?.name ?? 'unknown',
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

/** Counts what the server sends from here on, decrypted, ahead of the parser; the chunk that is too much is the last one it gets. */
function boundBytes({ connection: { stream } }: Client, most: number): void {
  let left = most;
  stream.prependListener('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0 && !stream.destroyed) stream.destroy(new ResponseTooLarge());
  });
}

type Statement = { text: string; values: unknown[]; rows?: number };

/** At most `rows` rows: pg itself fetches the next ones until there are none. */
class FirstRows extends Query {
  handlePortalSuspended(connection: Connection): void {
    connection.sync();
  }
}

function query(client: Client, statement: Statement): Promise<QueryArrayResult<(string | null)[]>> {
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
