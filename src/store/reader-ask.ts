/** A person's statement over the SQL contract, and what Postgres says of it in words. */
import { SECOND } from '../engine/clock.ts';
import { OPEN_FUNCTIONS } from '../engine/postgres/closed.ts';
import { Refused } from '../errors.ts';
import { sqlState } from './database.ts';
import { type ReaderResult, readerQuery } from './reader-query.ts';

/** How long a statement may take. */
const LONGEST_MS = 30 * SECOND;

/**
 * Runs one statement as the reader.
 * @param options.most rows that are fetched at most; then only what gives rows is understood: select, values, with, table
 * @throws Refused `conflict` with words where the statement is wrong, not allowed or takes too long
 */
export async function askReader(options: { url: string; sql: string; most?: number }): Promise<ReaderResult> {
  try {
    return await readerQuery({ ...options, timeoutMs: LONGEST_MS });
  } catch (error) {
    const words = error instanceof Error ? ofStatement(error, options.sql) : undefined;
    throw words === undefined ? error : new Refused('conflict', words);
  }
}

/** Whether the reader may call what would hold up the queue or fill the disk: see engine/postgres/closed.ts. */
export async function mayReaderHinder(url: string): Promise<boolean> {
  const { rows: self } = await readerQuery({ url, sql: 'SELECT current_user::text' });
  return (await readerQuery({ url, sql: OPEN_FUNCTIONS, params: self[0] ?? [] })).rows.length > 0;
}

/** What Postgres says of a statement is for who wrote it; undefined where it is not about the statement. */
export function ofStatement(error: Error, sql: string): string | undefined {
  const state = sqlState(error);
  // Its own limit is told by a code, ours by the words of the driver alone.
  if (state === '57014' || error.message === 'Query read timeout')
    return `the statement ran longer than ${LONGEST_MS / SECOND} s and was ended; ask for less, such as one search or one day`;
  if (state === '08P01' && 'routine' in error && error.routine === 'exec_bind_message')
    return 'the statement has parameters such as $1, and there is nothing to put in their place';
  return state === '' || /^(08|57P|53)/.test(state) ? undefined : inWords(error, sql);
}

/** `column "nme" does not exist, at character 8 ("nme from posts"); hint: ...`. */
function inWords(error: Error, sql: string): string {
  if (sqlState(error) === '42601' && /multiple commands/.test(error.message))
    return 'one statement at a time';
  // Its hint is how to make views writable, which these are not meant to be.
  if (sqlState(error) === '55000') return `Postgres: ${error.message}; nothing can be changed here`;
  const position = 'position' in error && typeof error.position === 'string' ? Number(error.position) : 0;
  // Postgres counts characters, not UTF-16 units.
  const near = Array.from(sql)
    .slice(position - 1, position + 23)
    .join('')
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  const at = position > 0 ? `, at character ${position} ("${near}")` : '';
  const hint = 'hint' in error && typeof error.hint === 'string' ? `; hint: ${error.hint}` : '';
  return `Postgres: ${error.message}${at}${hint}`;
}
