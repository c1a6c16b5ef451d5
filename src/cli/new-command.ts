import { findScope } from '../monitor/topics/find-by-slug.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { SECOND } from '../domain/time.ts';
import type { Program } from '../app/program.ts';
import {
  readDiscoveriesAfter,
  type DiscoveryFilter,
  type DiscoveryRow,
  type DiscoveryView,
  readLastDiscoveryId,
  readNewestDiscoveries,
} from '../store/queries/discoveries.ts';
import { describeLinks } from '../store/queries/named-posts.ts';
import { addListOptions, type ListOptions, showRows } from './list-command.ts';
import { MAX_LIMIT, parseWholeNumber, type PastTime, TIME_EXAMPLES, timeOption } from './option-values.ts';
import type { Cli } from './command-context.ts';
import { discoveryColumns, renderDiscovery } from './discovery-rendering.ts';
import { printSilentTools } from './result-notices.ts';
import { toJson } from '../domain/json-values.ts';

const DEFAULT_LIMIT = 50;
const DEFAULT_JSON_LIMIT = 10_000;
const DEFAULT_FOLLOW_LIMIT = 10;
const FOLLOW_POLL_MS = SECOND;

type NewOptions = ListOptions & {
  since?: PastTime;
  bySearch?: boolean;
  follow?: boolean;
  limit?: number;
};

export function registerNew(command: Command, cli: Cli): void {
  addListOptions(command, 'discoveries', [
    timeOption('since', `only discoveries since: ${TIME_EXAMPLES}`, cli.page),
    new Option(
      '--by-search',
      'also items that another search of the topic found before (always so with --search)',
    ),
    new Option('--follow', 'keep printing discoveries until Ctrl-C (with --json: one object per line)'),
    new Option(
      '--limit <n>',
      `maximum number; keeps the newest (default: ${DEFAULT_LIMIT}; with --json ${DEFAULT_JSON_LIMIT})`,
    ).argParser((given) => parseWholeNumber('limit', given, 1, MAX_LIMIT)),
  ])
    .addHelpText('after', '\nExample:\n  $ strandline new --topic harbour-ferry --since 2d\n')
    .action((options: NewOptions) =>
      cli.withProgram(async (program, stopping) => {
        const { search, bySearch, follow, json } = options;
        const shown = follow === true && options.since === undefined ? DEFAULT_FOLLOW_LIMIT : DEFAULT_LIMIT;
        const limit = options.limit ?? (json === true ? DEFAULT_JSON_LIMIT : shown);
        const scope = await findScope(program.ctx.db, options);
        const view: DiscoveryView = bySearch === true || search !== undefined ? 'search' : 'topic';
        const filter = { ...scope, since: options.since?.(program.ctx.clock.now()), view, limit };
        return follow === true
          ? followNew(cli, program, filter, json === true, stopping)
          : printNew(cli, program, filter, json);
      }),
    );
}

async function printNew(
  cli: Cli,
  { ctx }: Program,
  filter: DiscoveryFilter & { limit: number },
  json: boolean | undefined,
): Promise<void> {
  const rows = await describeLinks(ctx.db, await readNewestDiscoveries(ctx.db, filter));
  await showRows(cli, json, rows, {
    columns: discoveryColumns(ctx.clock.now(), cli.page),
    none: 'No discoveries.',
    readUrl: ({ url }) => url,
  });
  await printSilentTools(cli, ctx, json, filter);
  if (rows.length === filter.limit)
    cli.page.say(`Showing the newest ${filter.limit}; for more, set --limit.`);
}

/** Reads by a cursor over ids, which are in commit order, so that nothing is missed or repeated. */
async function followNew(
  cli: Cli,
  { ctx }: Program,
  filter: DiscoveryFilter & { limit: number },
  json: boolean,
  stopping: AbortSignal,
): Promise<void> {
  let cursor = await readLastDiscoveryId(ctx.db.pool);
  let rows: DiscoveryRow[] = await readNewestDiscoveries(ctx.db, filter);
  let waiting = false;
  while (!stopping.aborted) {
    cursor = rows.at(-1)?.id ?? cursor;
    if (rows.length > 0)
      await printDiscoveries(cli, await describeLinks(ctx.db, rows), json, ctx.clock.now());
    if (!waiting) {
      await printSilentTools(cli, ctx, json, filter);
    }
    if (!waiting && cli.page.live) cli.page.say('Waiting for discoveries; press Ctrl-C to stop.');
    waiting = true;
    if (rows.length === 0)
      await sleep(FOLLOW_POLL_MS, undefined, { signal: stopping, ref: false }).catch(() => {});
    rows = stopping.aborted
      ? []
      : await readDiscoveriesAfter(ctx.db, { ...filter, after: cursor, limit: 500 });
  }
}

async function printDiscoveries(
  { page, out }: Cli,
  rows: readonly DiscoveryRow[],
  json: boolean,
  now: Date,
): Promise<void> {
  const lines = json
    ? rows.map((row) => toJson(row))
    : rows.flatMap((row) => renderDiscovery(row, page, now));
  await out.write(`${lines.join('\n')}\n`);
}
