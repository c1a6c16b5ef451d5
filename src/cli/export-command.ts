import path from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../platform/clock.ts';
import { InvalidInput } from '../domain/errors.ts';
import type { Context } from '../monitor/context.ts';
import { exportFiles, openTarget } from '../monitor/export/export-files.ts';
import { type Format, FORMATS } from '../monitor/export/row-encoders.ts';
import { type Encoding, exportRows } from '../monitor/export/export-rows.ts';
import { type Resource, RESOURCES } from '../store/export/export-columns.ts';
import type { ExportFilter } from '../store/export/export-select.ts';
import { parseChoice, parseSince, TIME_EXAMPLES } from './option-values.ts';
import { type Cli, Interrupted } from './command-context.ts';
import { formatBytes, formatQuantity } from './value-formatting.ts';

type ExportOptions = {
  format?: string;
  search?: string[];
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
    .option('--format <format>', `${FORMATS.join(', ')} (default: by the name of --out, else csv)`)
    .option('--search <search>', 'only what a search found (may be repeated)', collectOption)
    .option('--topic <topic>', 'only what the searches of a topic found')
    .option('--since <time>', `from this time on: ${TIME_EXAMPLES}`)
    .option('--until <time>', 'before this time')
    .option('--out <path>', 'a file, or a folder, with a manifest beside the data (default: stdout)')
    .option('--raw', 'csv: leave texts as they are, also those a spreadsheet takes for a formula')
    .option('--bom', 'csv: begin with a byte order mark')
    .addHelpText(
      'after',
      '\nExamples:\n  $ strandline export posts --topic harbour-ferry --since 1w > posts.csv\n' +
        '  $ strandline export all --format parquet --out ferry-2026-11/\n',
    )
    .action((given: string, options: ExportOptions) => {
      const what = parseChoice('what', given, [...RESOURCES, ALL_RESOURCES]);
      const filter = parseFilter(options, systemClock.now());
      const encoding = parseEncoding(options);
      const { out } = options;
      if (out === undefined)
        return exportToStdout(cli, requireStreamable(cli, what, encoding), filter, encoding);
      return exportToFiles(cli, what === ALL_RESOURCES ? RESOURCES : [what], filter, encoding, out);
    });
}

function collectOption(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function parseFilter({ search, topic, since, until }: ExportOptions, now: Date): ExportFilter {
  const from = since === undefined ? undefined : parseSince(since, now);
  const to = until === undefined ? undefined : parseSince(until, now, 'until');
  if (from !== undefined && to !== undefined && from >= to)
    throw new InvalidInput([{ path: 'until', given: until, expected: 'a time after --since' }]);
  return { searches: search, topic, since: from, until: to };
}

function parseEncoding({ format: given, out = '', raw, bom }: ExportOptions): Encoding {
  const byName = FORMATS.find((name) => path.extname(out) === `.${name}`);
  const format: Format = given === undefined ? (byName ?? 'csv') : parseChoice('format', given, FORMATS);
  for (const [name, set] of Object.entries({ raw, bom }))
    if (set === true && format !== 'csv')
      throw new InvalidInput([{ path: name, given: format, expected: 'only with --format csv' }]);
  return { format, raw, bom };
}

/** What can go to stdout. @throws InvalidInput */
function requireStreamable(cli: Cli, what: Resource | typeof ALL_RESOURCES, { format }: Encoding): Resource {
  const refuse = (expected: string) => new InvalidInput([{ path: 'out', given: undefined, expected }]);
  if (what === ALL_RESOURCES) throw refuse('a folder: everything at once is several files');
  if (format === 'parquet') throw refuse('a file or a folder: Parquet is not for stdout');
  if (format === 'csv' && cli.io.isTTY)
    throw refuse(
      'a file or a folder; a terminal would obey what texts from outside tell it (| less, or --format ndjson)',
    );
  return what;
}

function exportToStdout(
  cli: Cli,
  resource: Resource,
  filter: ExportFilter,
  encoding: Encoding,
): Promise<void> {
  return exportUntilStopped(cli, async (ctx, signal) => {
    const reportNoRows = (rows: number) => rows === 0 && cli.say('no rows');
    for await (const piece of exportRows(ctx, resource, filter, encoding, signal, reportNoRows))
      await cli.out.write(piece);
  });
}

function exportToFiles(
  cli: Cli,
  resources: readonly Resource[],
  filter: ExportFilter,
  encoding: Encoding,
  out: string,
): Promise<void> {
  return exportUntilStopped(cli, async (ctx, signal) => {
    const target = await openTarget(out, resources.length > 1);
    const { written, manifest } = await exportFiles(ctx, { resources, filter, encoding, target, signal });
    for (const file of written)
      cli.say(
        `${path.join(target.folder, file.path)}: ${formatQuantity(file.rows, 'row')}, ${formatBytes(file.bytes, cli.page)}`,
      );
    cli.say(`${manifest}: what they are, where they come from, and their hashes`);
  });
}

/** A reader of stdout that went away is no failure and is not reported; Ctrl-C leaves nothing behind. */
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
