import { Client, type QueryArrayConfig } from 'pg';
import { monotonicMs } from '../engine/clock.ts';
import { readColumn, type ColumnType } from './reader-values.ts';

export type ReaderColumn = Readonly<{ name: string; type: string }>;
export type ReaderResult = Readonly<{
  columns: readonly ReaderColumn[];
  /** Values in the order of the columns: what JSON can hold, see reader-values.ts. */
  rows: readonly (readonly unknown[])[];
  durationMs: number;
}>;

/**
 * Runs one statement as the reader. It goes by the extended protocol, which takes one statement only (the
 * simple one would accept `commit; drop table`), inside a read-only transaction that is never committed,
 * on a connection of its own, so that nothing a statement sets outlives it.
 * @throws pg's error where the statement is wrong, not allowed, or takes longer than the time limit
 */
export async function readerQuery(options: {
  url: string;
  sql: string;
  params?: readonly unknown[];
  timeoutMs?: number;
  /** Rows that are fetched at most, by a cursor: what gives no rows is then no statement. */
  most?: number;
}): Promise<ReaderResult> {
  const { url, sql, params = [], timeoutMs = 30_000, most } = options;
  const client = new Client({
    connectionString: url,
    application_name: 'strandline sql',
    connectionTimeoutMillis: 10_000,
    // Ours too, since the server's limit is a default that a statement can change, and a line can break.
    query_timeout: timeoutMs + 1_000,
    types: { getTypeParser: () => (text: string) => text },
  });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(
      `BEGIN TRANSACTION READ ONLY; SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, YMD';
       SET LOCAL intervalstyle = 'iso_8601'; SET LOCAL bytea_output = 'hex';
       SET LOCAL statement_timeout = ${Math.trunc(timeoutMs)}`,
    );
    const before = monotonicMs();
    if (most !== undefined) await declare(client, sql, params);
    const result =
      most === undefined
        ? await client.query<(string | null)[]>(statement(sql, params))
        : await client.query<(string | null)[]>(statement(`FETCH ${Math.trunc(most)} FROM asked`, []));
    const durationMs = monotonicMs() - before;
    const types = await readTypes(client, [...new Set(result.fields.map((field) => field.dataTypeID))]);
    const readers = result.fields.map(({ name, dataTypeID }) => readColumn(name, types.get(dataTypeID)));
    return {
      columns: result.fields.map(({ name, dataTypeID }) => ({
        name,
        type: types.get(dataTypeID)?.name ?? 'unknown',
      })),
      rows: result.rows.map((row) => row.map((text, i) => (text === null ? null : readers[i]?.(text)))),
      durationMs,
    };
  } finally {
    await client.end();
  }
}

type Statement = QueryArrayConfig & { queryMode: 'extended' };

function statement(text: string, params: readonly unknown[]): Statement {
  return { text, values: [...params], rowMode: 'array', queryMode: 'extended' };
}

const DECLARE = 'DECLARE asked NO SCROLL CURSOR FOR ';

/** Errors say where in the statement they are, as it was written. */
async function declare(client: Client, sql: string, params: readonly unknown[]): Promise<void> {
  try {
    await client.query(statement(`${DECLARE}${sql}`, params));
  } catch (error) {
    if (error instanceof Error && 'position' in error && typeof error.position === 'string')
      error.position = String(Math.max(1, Number(error.position) - DECLARE.length));
    throw error;
  }
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
