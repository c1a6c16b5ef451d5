import type { Command } from 'commander';
import { InvalidInput, Refused } from '../../errors.ts';
import { sqlState } from '../../store/database.ts';
import { type ReaderResult, readerQuery } from '../../store/reader-query.ts';
import type { Cli } from './cli.ts';
import { type Column, table } from './table.ts';
import { oneLine } from './text.ts';
import { counted } from './words.ts';

export function registerSql(program: Command, cli: Cli): void {
  program
    .command('sql')
    .description('ask the views of strandline_analytics one question in SQL; nothing can be changed')
    .argument('<query>', 'one statement; views need no schema in front')
    .option('--json', 'print an array of rows as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ strandline sql "select search, count(*) from new_today group by 1"\n',
    )
    .action((query: string, options: { json?: boolean }) => {
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
    return await readerQuery({ url, sql });
  } catch (error) {
    // What Postgres says of a statement is for who wrote it; anything else is not about the statement.
    if (!(error instanceof Error) || sqlState(error) === '' || /^(08|57P|53)/.test(sqlState(error)))
      throw error;
    throw new Refused('conflict', inWords(error, sql));
  }
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

const NUMBERS = new Set(['smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision']);

function columnsOf({ columns }: ReaderResult, unknown: string): Column<readonly unknown[]>[] {
  return columns.map(({ name, type }, i) => ({
    head: oneLine(name) === '' ? `column ${i + 1}` : oneLine(name),
    cell: (row) => shown(row[i], unknown),
    right: NUMBERS.has(type),
    ...(NUMBERS.has(type) ? {} : { elastic: 1 }),
  }));
}

function shown(value: unknown, unknown: string): string {
  if (value === null || value === undefined) return unknown;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
