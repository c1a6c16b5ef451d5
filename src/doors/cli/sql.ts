import type { Command } from 'commander';
import { InvalidInput, Refused } from '../../errors.ts';
import { askReader } from '../../store/reader/ask.ts';
import type { ReaderResult } from '../../store/reader/query.ts';
import type { Cli } from './cli.ts';
import { readQuery, unguarded } from './sql-query.ts';
import { type Column, table } from './table.ts';
import { oneLine } from './text.ts';
import { counted } from './words.ts';

export function registerSql(command: Command, cli: Cli): void {
  command
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
        const url = readerUrl();
        if (url === null)
          throw new Refused(
            'unavailable',
            'sql needs DATABASE_READER_URL: the login of a role that may read strandline_analytics and nothing else',
          );
        const result = await askReader({ url, sql: query });
        await cli.show(options.json, rowsOf(result), () =>
          table(result.rows, columnsOf(result, cli.page.unknown), cli.page),
        );
        cli.page.say(`${counted(result.rows.length, 'row')} in ${Math.round(result.durationMs)} ms`);
      });
    });
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
