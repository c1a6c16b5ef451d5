/** `sql` queries the views; `reader rotate` replaces the password of the role it uses. */

import { InvalidInput, Refused } from '../model/errors.ts';
import type { ReaderResult } from '../store/reader/reader-query.ts';
import type { Cli } from './command-context.ts';
import type { Io } from './terminal-io.ts';
import { type Column, renderTable } from './terminal-table.ts';
import { oneLine } from './terminal-text.ts';
import { formatQuantity } from './value-formatting.ts';
import type { Command } from 'commander';

export function registerSql(command: Command, cli: Cli): void {
  command
    .argument('[query]', 'one SQL statement; views need no schema prefix (- or omitted: read from stdin)')
    .option('--json', 'print rows as a JSON array')
    .addHelpText(
      'after',
      '\nExamples:\n  $ strandline sql "select search, count(*) from new_today group by 1"\n' +
        '  $ strandline sql --json < question.sql\n',
    )
    .action(async (text: string | undefined, options: { json?: boolean }) => {
      const query = text === undefined || text === '-' ? await readSqlQuery(cli.io) : text;
      if (query.trim() === '')
        throw new InvalidInput([{ path: 'query', given: query, expected: 'one SQL statement' }]);
      const show = async (result: ReaderResult) => {
        await cli.show(options.json, nameRows(result), () =>
          renderTable(result.rows, resultColumns(result, cli.page.unknown), cli.page),
        );
        cli.page.say(`${formatQuantity(result.rows.length, 'row')} in ${Math.round(result.durationMs)} ms`);
      };
      if (cli.isRemote()) return askServer(cli, query, show);
      return cli.withProgram(async ({ readerUrl }) => {
        const url = readerUrl();
        if (url === null)
          throw new Refused(
            'unavailable',
            'sql needs DATABASE_READER_URL: the login of a role that can read only strandline_analytics',
          );
        const { askReader } = await import('../store/reader/ask-reader.ts');
        await show(await askReader({ url, sql: query }));
      });
    });
}

/** As `renderJson` in store/reader writes it. */
type SqlReply = Pick<ReaderResult, 'columns' | 'rows'> & { truncated: boolean; duration_ms: number };

/** A server limits the rows of a statement, because others use it, too. */
async function askServer(
  cli: Cli,
  sql: string,
  show: (result: ReaderResult) => Promise<void>,
): Promise<void> {
  const [{ askBytes, atOptions }, { QUERY_SQL, readText }] = await Promise.all([
    import('./api-requests.ts'),
    import('./byte-replies.ts'),
  ]);
  await cli.withApi(async (api) => {
    const bytes = await atOptions({ sql: 'query' }, () => askBytes(api, QUERY_SQL, { sql }));
    const reply = JSON.parse(await readText(bytes)) as SqlReply; // as the server renders it
    const { columns, rows, truncated, duration_ms: durationMs } = reply;
    await show({ columns, rows, durationMs });
    if (truncated)
      cli.page.say(
        'There are more rows: aggregate, select less, or run the statement on the machine of the server.',
      );
  });
}

const MAX_QUERY_BYTES = 1_000_000;

/** @throws InvalidInput if stdin is a terminal or has more than a megabyte */
async function readSqlQuery({ stdin = process.stdin }: Pick<Io, 'stdin'>): Promise<string> {
  if ('isTTY' in stdin && stdin.isTTY === true)
    throw createInvalidQuery(undefined, 'one SQL statement, as text or piped in');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const piece = Buffer.from(chunk as string | Buffer); // never an object stream
    bytes += piece.length;
    if (bytes > MAX_QUERY_BYTES)
      throw createInvalidQuery('more than a megabyte', 'a statement of at most 1,000,000 bytes');
    chunks.push(piece);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}

function createInvalidQuery(query: string | undefined, expected: string): InvalidInput {
  return new InvalidInput([{ path: 'query', given: query, expected }]);
}

/** Rows as objects; repeated column names get a number. */
function nameRows({ columns, rows }: ReaderResult): Record<string, unknown>[] {
  const seen = new Map<string, number>();
  const names = columns.map(({ name }) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name}_${times}`;
  });
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null])));
}

/** Columns that are never truncated: times, slugs and URLs. */
const UNCUT_TYPES = /^(?:timestamp|date$|time )/;
const UNCUT_NAMES = /^(?:search|topic|slug|prefix)$|(?:^|_)url$/;
const NUMERIC_TYPES = new Set(['smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision']);

function resultColumns({ columns }: ReaderResult, unknown: string): Column<readonly unknown[]>[] {
  return columns.map(({ name, type }, i) => ({
    head: oneLine(name) === '' ? `column ${i + 1}` : oneLine(name),
    always: true,
    cell: (row) => formatCell(row[i], unknown),
    right: NUMERIC_TYPES.has(type),
    ...(NUMERIC_TYPES.has(type) || UNCUT_TYPES.test(type) || UNCUT_NAMES.test(name) ? {} : { elastic: 1 }),
  }));
}

function formatCell(value: unknown, unknown: string): string {
  if (value === null || value === undefined) return unknown;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function registerReader(command: Command, cli: Cli): void {
  command
    .description(
      'The read-only login of `strandline sql`, dashboards and notebooks; it can read only the views.',
    )
    .command('rotate')
    .description('replace the password of the reader role; prints the new connection URL once')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx, databaseUrl: url, readerUrl, embedded }) => {
        const { rotateReader } = await import('../store/reader/prepare-reader.ts');
        const address = await rotateReader(ctx, { url, readerUrl: readerUrl(), embedded });
        await cli.show(json, { reader_url: address }, () => [address]);
        cli.page.say(
          embedded === null
            ? 'The old password no longer works. Set DATABASE_READER_URL to this URL wherever strandline runs, and restart it.'
            : 'The old password no longer works. Servers on this machine use the new one.',
        );
        cli.page.say('Update Grafana, notebooks and other programs that read the views.');
      }),
    );
}
