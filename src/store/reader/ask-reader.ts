/** Runs a person's SQL statement and describes its errors. */
import { cleanLine } from '../../lib/text.ts';
import { SECOND } from '../../lib/time.ts';
import { FIND_OPEN_FUNCTION, READER_CONNECTIONS } from '../../platform/postgres/reader-role.ts';
import { Refused } from '../../model/errors.ts';
import { readSqlState, isClientTimeout } from '../db/database.ts';
import {
  MAX_STATEMENT_MS,
  type FetchedRows,
  fetchRows,
  type ReaderResult,
  readerQuery,
  ResponseTooLarge,
} from './reader-query.ts';

/**
 * Runs one statement as the reader in this process, and returns all rows in memory.
 * @throws Refused `conflict` if the statement is invalid, not allowed or takes too long
 */
export async function askReader(options: { url: string; sql: string }): Promise<ReaderResult> {
  return describeFailure(options.sql, () => readerQuery(options));
}

/** A statement of a visitor, in UTF-16 code units. */
export const MAX_SQL_LENGTH = 20_000;
/** Maximum rows kept in memory. */
export const MAX_ROWS = 1_000;
const MAX_RESPONSE_MB = 4;
/** Concurrent statements of all visitors: the reader's last connection is reserved for a dashboard or the command line. */
export const MAX_STATEMENTS = READER_CONNECTIONS - 1;

export const CLIENT_LEFT = 'canceled: the client disconnected';

/**
 * Runs one statement of a visitor with limits.
 * @throws Refused `conflict` about the statement, `unavailable` if the reader cannot connect
 */
export async function askWithinBounds(options: {
  url: string;
  sql: string;

  signal: AbortSignal;
}): Promise<FetchedRows> {
  const { sql } = options;
  if (!STATEMENTS_WITH_ROWS.has(readFirstWord(sql)))
    throw new Refused(
      'conflict',
      `expected a statement that begins with ${[...STATEMENTS_WITH_ROWS].join(', ')}`,
    );
  if (sql.includes('\0')) throw new Refused('conflict', 'a statement must not contain a NUL character');
  const bounds = { rows: MAX_ROWS, bytes: MAX_RESPONSE_MB * 1_000_000 };
  return describeFailure(sql, () => fetchRows({ ...options, bounds }));
}

const STATEMENTS_WITH_ROWS: ReadonlySet<string> = new Set([
  'select',
  'values',
  'with',
  'table',
  'explain',
  'show',
]);

/** The first word of a statement after comments and parentheses, in lower case; empty if there is none. */
function readFirstWord(sql: string): string {
  let at = 0;
  for (;;) {
    at += /^[\s(]*/.exec(sql.slice(at, at + 1_000))?.[0].length ?? 0;
    if (sql.startsWith('--', at)) at = findEndOfLine(sql, at);
    else if (sql.startsWith('/*', at)) at = findEndOfComment(sql, at);
    else if (!/[\s(]/.test(sql.charAt(at)))
      return /^[a-z]*/i.exec(sql.slice(at, at + 20))?.[0].toLowerCase() ?? '';
  }
}

function findEndOfLine(sql: string, from: number): number {
  const end = sql.slice(from).search(/[\r\n]/);
  return end === -1 ? sql.length : from + end;
}

/** Comments can be nested. */
function findEndOfComment(sql: string, from: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = from;
  for (let depth = 0, mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return sql.length;
}

/** @throws Refused for errors of the statement, and if no connection is free */
async function describeFailure<T>(sql: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (readSqlState(error) === TOO_MANY_CONNECTIONS)
      throw new Refused('unavailable', 'all reader connections are in use; try again in a moment');
    if (error instanceof Error && CANNOT_LOG_IN.test(readSqlState(error)))
      throw new Refused('unavailable', `the reader cannot log in. Postgres: ${error.message}`);
    const words = error instanceof Error ? describeStatementError(error, sql) : undefined;
    throw words === undefined ? error : new Refused('conflict', words);
  }
}

const TOO_MANY_CONNECTIONS = '53300';
const CANNOT_LOG_IN = /^28|^3D000$/;

/** Whether the reader can block the queue or fill the disk, see `closeFunctions` in `platform/postgres/reader-role.ts`. */
export async function canReaderHinder(url: string): Promise<boolean> {
  const { rows: self } = await readerQuery({ url, sql: 'SELECT current_user::text' });
  return (await readerQuery({ url, sql: FIND_OPEN_FUNCTION, params: self[0] ?? [] })).rows.length > 0;
}

/** Describes an error to the author of the statement; undefined if it is not about the statement. */
export function describeStatementError(error: Error, sql: string): string | undefined {
  const state = readSqlState(error);
  // Our own time limit is slightly above Postgres's.
  if (state === '57014' || isClientTimeout(error))
    return `the statement was canceled after ${MAX_STATEMENT_MS / SECOND} s; select less, such as one search or one day`;
  if (state === '08P01' && 'routine' in error && error.routine === 'exec_bind_message')
    return 'the statement has parameters such as $1; write the values instead';
  if (error instanceof ResponseTooLarge)
    return `the result is larger than ${MAX_RESPONSE_MB} MB; select fewer columns or rows`;
  if (NEEDS_TOO_MUCH.has(state))
    return `the statement exceeded its memory or disk limit: ${error.message}; select less, such as one search or one day`;
  return state === '' || /^(08|57P|53)/.test(state) ? undefined : describeError(error, sql);
}

/** Memory of the server, or temporary files of the role: see `restoreReader` in `platform/postgres/reader-role.ts`. */
const NEEDS_TOO_MUCH: ReadonlySet<string> = new Set(['53200', '53400']);

/** `column "nme" does not exist, at character 8 ("nme from posts"); hint: ...`. */
function describeError(error: Error, sql: string): string {
  if (readSqlState(error) === '42601' && /multiple commands/.test(error.message))
    return 'only one statement is allowed';
  // Omit the hint about making views writable.
  if (readSqlState(error) === '55000') return `Postgres: ${error.message}; the views are read-only`;
  const position = 'position' in error && typeof error.position === 'string' ? Number(error.position) : 0;
  // Postgres positions are characters, not UTF-16 units.
  const near = cleanLine(
    Array.from(sql)
      .slice(position - 1, position + 23)
      .join(''),
  );
  const at = position > 0 ? `, at character ${position} ("${near}")` : '';
  const hint = 'hint' in error && typeof error.hint === 'string' ? `; hint: ${error.hint}` : '';
  return `Postgres: ${error.message}${at}${hint}`;
}
