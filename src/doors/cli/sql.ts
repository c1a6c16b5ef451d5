import type { Command } from 'commander';
import { InvalidInput, Refused } from '../../errors.ts';
import { SECOND } from '../../engine/clock.ts';
import { sqlState } from '../../store/database.ts';
import { type ReaderResult, readerQuery } from '../../store/reader-query.ts';
import type { Cli } from './cli.ts';
import { readQuery, unguarded } from './sql-query.ts';
import { type Column, table } from './table.ts';
import { oneLine } from './text.ts';
import { counted } from './words.ts';

/** How long a statement may take. */
const LONGEST_MS = 30 * SECOND;

export function registerSql(program: Command, cli: Cli): void {
  program
    .command('sql')
    .description('ask the views of strandline_analytics one question in SQL; nothing can be changed')
    .argument('[query]', 'one statement; views need no schema in front (- or nothing: read from stdin)')
    .option('--json', 'print an array of rows as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ strandline sql "select search, count(*) from new_today group by 1"\n' +
        '  $ strandline sql --json < question.sql\n',
    )
    .action(async (given: string | undefined, options: { json?: boolean }) => {
      const query = given === undefined || given === '-' ? await readQuery(cli.io) : unguarded(given);
      if (query.trim() === '')
        throw new InvalidInput([{ path: 'query', given: query, expected: 'one SQL statement' }]);
      return cli.withHome(async ({ readerUrl }) => {
        if (readerUrl === null)
          throw new Refused(
            'unavailable',
            'sql needs DATABASE_READER_URL: the login of a role that may read strandline_analytics and nothing else',
          );
        const result = await ask(readerUrl, query);
        await cli.show(options.json, rowsOf(result), () =>
          table(result.rows, columnsOf(result, cli.page.unknown), cli.page),
        );
        cli.page.say(`${counted(result.rows.length, 'row')} in ${Math.round(result.durationMs)} ms`);
      });
    });
}

async function ask(url: string, sql: string): Promise<ReaderResult> {
  try {
    return await readerQuery({ url, sql, timeoutMs: LONGEST_MS });
  } catch (error) {
    const words = error instanceof Error ? ofStatement(error, sql) : undefined;
    throw words === undefined ? error : new Refused('conflict', words);
  }
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
    .join('');
  const at = position > 0 ? `, at character ${position} ("${oneLine(near)}")` : '';
  const hint = 'hint' in error && typeof error.hint === 'string' ? `; hint: ${error.hint}` : '';
  return `Postgres: ${error.message}${at}${hint}`;
}

/** Rows as objects; a second column of the same name gets a number, so that none is lost. */
function rowsOf({ columns, rows }: ReaderResult): Record<string, unknown>[] {
  const seen = new Map<string, number>();
  const names = columns.map(({ name }) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name}_${times}`;
  });
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null])));
}

/** What is never cut: times, and what one types or follows next. */
const WHOLE = /^(?:timestamp|date$|time )/;
const TYPED = /^(?:search|topic|slug|prefix)$|(?:^|_)url$/;
const NUMBERS = new Set(['smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision']);

function columnsOf({ columns }: ReaderResult, unknown: string): Column<readonly unknown[]>[] {
  return columns.map(({ name, type }, i) => ({
    head: oneLine(name) === '' ? `column ${i + 1}` : oneLine(name),
    always: true,
    cell: (row) => shown(row[i], unknown),
    right: NUMBERS.has(type),
    ...(NUMBERS.has(type) || WHOLE.test(type) || TYPED.test(name) ? {} : { elastic: 1 }),
  }));
}

function shown(value: unknown, unknown: string): string {
  if (value === null || value === undefined) return unknown;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
