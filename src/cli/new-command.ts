import { findScope } from '../monitor/topics/find-by-slug.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { InvalidInput } from '../model/errors.ts';
import { SECOND } from '../lib/time.ts';
import type { Program } from '../app/program.ts';
import {
  countBaseline,
  readDiscoveriesAfter,
  type DiscoveryFilter,
  type DiscoveryRow,
  type DiscoveryView,
  MAX_BASELINE_COUNT,
  readLastDiscoveryId,
  readNewestDiscoveries,
} from '../store/queries/discoveries.ts';
import { describeDiscoveries } from '../store/queries/described-discoveries.ts';
import { addListOptions, type ListOptions, showRows } from './list-command.ts';
import { MAX_LIMIT, parseWholeNumber, type PastTime, TIME_EXAMPLES, timeOption } from './option-values.ts';
import type { Cli } from './command-context.ts';
import { discoveryColumns, renderDiscovery } from './discovery-rendering.ts';
import { printUnresponsiveTools } from './result-notices.ts';
import { formatCount, formatRecentTime } from './value-formatting.ts';
import { toJson } from '../lib/json-values.ts';

const DEFAULT_LIMIT = 50;
const DEFAULT_JSON_LIMIT = 10_000;
const DEFAULT_FOLLOW_LIMIT = 10;
const FOLLOW_POLL_MS = SECOND;

type NewOptions = ListOptions & {
  since?: PastTime;
  until?: PastTime;
  baseline?: boolean;
  bySearch?: boolean;
  follow?: boolean;
  limit?: number;
};

export function registerNew(command: Command, cli: Cli): void {
  addListOptions(command, 'discoveries', [
    timeOption('since', `only discoveries since: ${TIME_EXAMPLES}`, cli.page),
    timeOption('until', 'only discoveries before', cli.page),
    new Option('--baseline', 'also what was there at the start: results of the first run of each request'),
    new Option(
      '--by-search',
      'also items that another search of the topic found before (always so with --search)',
    ),
    new Option('--follow', 'keep printing discoveries until Ctrl-C (with --json: one object per line)'),
    new Option(
      '--limit <n>',
      `maximum number; keeps the newest (default: ${DEFAULT_LIMIT}; with --json ${DEFAULT_JSON_LIMIT})`,
    ).argParser((text) => parseWholeNumber('limit', text, 1, MAX_LIMIT)),
  ])
    .addHelpText(
      'after',
      '\nExample:\n  $ strandline new --topic harbour-ferry --since yesterday --until today\n',
    )
    .action((options: NewOptions) =>
      cli.withProgram(async (program, stopping) => {
        const { search, bySearch, follow, json } = options;
        if (follow === true && options.until !== undefined)
          throw new InvalidInput([
            { path: 'until', given: undefined, expected: 'no end together with --follow, which has none' },
          ]);
        const shown = follow === true && options.since === undefined ? DEFAULT_FOLLOW_LIMIT : DEFAULT_LIMIT;
        const limit = options.limit ?? (json === true ? DEFAULT_JSON_LIMIT : shown);
        const scope = await findScope(program.ctx.db, options);
        const view: DiscoveryView = bySearch === true || search !== undefined ? 'search' : 'topic';
        const now = program.ctx.clock.now();
        const filter = {
          ...scope,
          since: options.since?.(now),
          until: options.until?.(now),
          baseline: options.baseline === true ? undefined : false,
          view,
          limit,
        };
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
  const newest = await readNewestDiscoveries(ctx.db, filter);
  const rows = await describeDiscoveries(ctx.db, newest.toReversed());
  await showRows(cli, json, rows, {
    columns: discoveryColumns(ctx.clock.now(), cli.page),
    none: rows.length > 0 ? '' : await describeNone(cli, ctx, filter),
    readUrl: ({ url }) => url,
  });
  await printUnresponsiveTools(cli, ctx, json, filter);
  if (rows.length === filter.limit)
    cli.page.say(`Showing the newest ${filter.limit}; for more, set --limit.`);
}

/** `Nothing new since 14:02:09Z; 40 were there at the start: --baseline`, or `No discoveries.` */
async function describeNone(
  { page }: Cli,
  { db, clock }: Program['ctx'],
  { baseline, ...filter }: DiscoveryFilter,
): Promise<string> {
  const start = baseline === false ? await countBaseline(db, filter) : null;
  if (start === null) return 'No discoveries.';
  const at = (time: Date) => formatRecentTime(time, clock.now(), page);
  const { since = start.since, until } = filter;
  const range = until === undefined ? `since ${at(since)}` : `from ${at(since)} to ${at(until)}`;
  const startCount = `${start.found === MAX_BASELINE_COUNT ? 'at least ' : ''}${formatCount(start.found, page)}`;
  return `Nothing new ${range}; ${startCount} ${start.found === 1 ? 'was' : 'were'} there at the start: --baseline`;
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
  let rows: DiscoveryRow[] = (await readNewestDiscoveries(ctx.db, filter)).toReversed();
  let waiting = false;
  while (!stopping.aborted) {
    cursor = rows.at(-1)?.id ?? cursor;
    if (rows.length > 0)
      await printDiscoveries(cli, await describeDiscoveries(ctx.db, rows), json, ctx.clock.now());
    if (!waiting) {
      await printUnresponsiveTools(cli, ctx, json, filter);
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
