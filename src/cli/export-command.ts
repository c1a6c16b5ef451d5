import path from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../platform/clock.ts';
import { InvalidInput } from '../model/errors.ts';
import { EVERYTHING, parseQuery } from '../model/search-query.ts';
import type { Context } from '../monitor/context.ts';
import { exportFiles, readEarlierExport } from '../monitor/export/export-files.ts';
import { openTarget } from '../monitor/export/export-target.ts';
import { type Format, FORMATS } from '../monitor/export/row-encoders.ts';
import { type Encoding, exportRows } from '../monitor/export/export-rows.ts';
import { type Resource, RESOURCES } from '../store/export/export-resources.ts';
import { type ExportFilter, isQueryable } from '../store/export/export-select.ts';
import { parseChoice, parseSince, TIME_EXAMPLES } from './option-values.ts';
import { type Cli, Interrupted } from './command-context.ts';
import type { TerminalPage } from './terminal-io.ts';
import { formatBytes, formatQuantity } from './value-formatting.ts';

type ExportOptions = {
  format?: string;
  search?: string[];
  query?: string;
  topic?: string;
  since?: string;
  until?: string;
  out?: string;
  raw?: boolean;
  bom?: boolean;
};

const ALL_RESOURCES = 'all';

export function registerExport(command: Command, cli: Cli): void {
  command
    .argument('<what>', [...RESOURCES, ALL_RESOURCES].join(', '))
    .option('--format <format>', `${FORMATS.join(', ')} (default: by the extension of --out, else csv)`)
    .option('--search <search>', 'only results of this search (repeatable)', collectOption)
    .option('--topic <topic>', 'only results of this topic')
    .option('--query <query>', 'only posts and links that match, and rows about them')
    .option(
      '--since <time>',
      `from this time on: ${TIME_EXAMPLES}; or what was first seen since an export, by its folder or manifest`,
    )
    .option('--until <time>', 'before this time')
    .option('--out <path>', 'file or folder; a manifest is written next to the data (default and -: stdout)')
    .option('--raw', 'csv: do not escape text that a spreadsheet would run as a formula')
    .option('--bom', 'csv: start with a byte order mark')
    .addHelpText(
      'after',
      '\nExamples:\n  $ strandline export posts --topic harbour-ferry --query lang:en --since 1w > posts.csv\n' +
        '  $ strandline export all --format parquet --out ferry-2026-11/\n' +
        '  $ strandline export all --since ferry-2026-11/ --out ferry-2026-12/\n',
    )
    .action(async (text: string, options: ExportOptions) => {
      const what = parseChoice('what', text, [...RESOURCES, ALL_RESOURCES]);
      const resources = what === ALL_RESOURCES ? RESOURCES : [what];
      const filter = parseFilter(options, systemClock.now(), cli.page);
      assertQueryable(resources, filter);
      const encoding = parseEncoding(options);
      const { out, since } = options;
      if (cli.isRemote()) {
        const kind = isStdout(out) ? requireStreamable(cli, what, encoding, out) : requireOneFile(what);
        requireTime(since);
        const { exportFromServer } = await import('./export-from-server.ts');
        return exportFromServer(cli, { kind, filter, encoding, out: isStdout(out) ? undefined : out });
      }
      const addEarlier = async (target?: Awaited<ReturnType<typeof openTarget>>): Promise<ExportFilter> =>
        since === undefined || !isPath(since)
          ? filter
          : { ...filter, firstSeenSince: await readEarlierExport(since, cli.page.kind, target) };
      if (isStdout(out)) {
        const resource = requireStreamable(cli, what, encoding, out);
        return exportToStdout(cli, resource, addEarlier, encoding);
      }
      return exportToFiles(cli, async () => {
        const target = await openTarget(out, resources.length > 1);
        return { resources, filter: await addEarlier(target), encoding, target };
      });
    });
}

/** Whether `--since` names an earlier export, and no time. */
function isPath(since: string): boolean {
  return /[/\\]|\.json$/.test(since);
}

function isStdout(out: string | undefined): out is undefined | '-' {
  return out === undefined || out === '-';
}

function collectOption(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** @throws InvalidInput for a query beside rows that are not about items, before a connection is opened */
function assertQueryable(resources: readonly Resource[], { query }: ExportFilter): void {
  if (query === undefined || parseQuery(query) === EVERYTHING || resources.every(isQueryable)) return;
  const expected = `one of ${RESOURCES.filter(isQueryable).join(', ')} with --query`;
  throw new InvalidInput([
    { path: 'what', given: resources.length > 1 ? ALL_RESOURCES : resources[0], expected },
  ]);
}

function parseFilter(
  { search, topic, query, since, until }: ExportOptions,
  now: Date,
  page: Pick<TerminalPage, 'zone'>,
): ExportFilter {
  const from = since === undefined || isPath(since) ? undefined : parseSince(since, now, page);
  const to = until === undefined ? undefined : parseSince(until, now, page, 'until');
  if (from !== undefined && to !== undefined && from >= to)
    throw new InvalidInput([{ path: 'until', given: until, expected: 'a time after --since' }]);
  return { searches: search, topic, query, since: from, until: to };
}

function parseEncoding({ format: formatName, out = '', raw, bom }: ExportOptions): Encoding {
  const byName = FORMATS.find((name) => path.extname(out) === `.${name}`);
  const format: Format =
    formatName === undefined ? (byName ?? 'csv') : parseChoice('format', formatName, FORMATS);
  for (const [name, set] of Object.entries({ raw, bom }))
    if (set === true && format !== 'csv')
      throw new InvalidInput([{ path: name, given: format, expected: 'only with --format csv' }]);
  return { format, raw, bom };
}

/** @throws InvalidInput for what cannot go to stdout */
function requireStreamable(
  cli: Cli,
  what: Resource | typeof ALL_RESOURCES,
  { format }: Encoding,
  out: string | undefined,
): Resource {
  const refuse = (expected: string) => new InvalidInput([{ path: 'out', given: out, expected }]);
  if (what === ALL_RESOURCES) throw refuse('a folder: "all" writes several files');
  if (format === 'parquet') throw refuse('a file or folder: Parquet cannot go to stdout');
  if (format === 'csv' && cli.io.isTTY)
    throw refuse(
      'a file or folder: raw CSV could send control sequences to the terminal (or use | less, or --format ndjson)',
    );
  return what;
}

const WHERE_SERVER_RUNS = 'run the export where the server runs, without STRANDLINE_URL';

/** @throws InvalidInput for several resources, which must be of one snapshot */
function requireOneFile(what: Resource | typeof ALL_RESOURCES): Resource {
  if (what !== ALL_RESOURCES) return what;
  const expected = `one of ${RESOURCES.join(', ')}; for several, ${WHERE_SERVER_RUNS}`;
  throw new InvalidInput([{ path: 'what', given: what, expected }]);
}

/** @throws InvalidInput for an earlier export: only its own machine has its cursor in a manifest */
function requireTime(since: string | undefined): void {
  if (since === undefined || !isPath(since)) return;
  const expected = `a time; to continue an export, ${WHERE_SERVER_RUNS}`;
  throw new InvalidInput([{ path: 'since', given: since, expected }]);
}

function exportToStdout(
  cli: Cli,
  resource: Resource,
  readFilter: () => Promise<ExportFilter>,
  encoding: Encoding,
): Promise<void> {
  return exportUntilStopped(cli, async (ctx, signal) => {
    const filter = await readFilter();
    const reportNoRows = (rows: number) => rows === 0 && cli.say('No rows.');
    for await (const piece of exportRows(ctx, resource, filter, encoding, signal, reportNoRows))
      await cli.out.write(piece);
  });
}

function exportToFiles(
  cli: Cli,
  prepare: () => Promise<Omit<Parameters<typeof exportFiles>[1], 'signal'>>,
): Promise<void> {
  return exportUntilStopped(cli, async (ctx, signal) => {
    const what = await prepare();
    const { written, manifest } = await exportFiles(ctx, { ...what, signal });
    for (const file of written)
      cli.say(
        `${path.join(what.target.folder, file.path)}: ${formatQuantity(file.rows, 'row')}, ${formatBytes(file.bytes, cli.page)}`,
      );
    cli.say(
      `${manifest}: manifest with columns, provenance and checksums; continue with --since ${manifest}`,
    );
  });
}

/** A closed stdout is not an error; Ctrl-C removes partial files. */
function exportUntilStopped(
  cli: Cli,
  work: (ctx: Context, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  return cli.withProgram(async ({ ctx }, stopping) => {
    try {
      await work(ctx, stopping);
    } catch (error) {
      if (!stopping.aborted) throw error;
      if (!cli.out.gone() && cli.out.failure() === undefined) throw new Interrupted();
    }
  });
}
