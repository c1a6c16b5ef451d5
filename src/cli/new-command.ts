/** `new`: by hand, because it follows the feed, and says what is not observed. */
import { type Command, Option } from 'commander';
import { InvalidInput } from '../model/errors.ts';
import { isUnconfigured } from '../model/tool-coverage.ts';
import { SECOND } from '../lib/time.ts';
import { toJson } from '../lib/json-values.ts';
import type { DescribedDiscovery } from '../store/queries/described-discoveries.ts';
import type { UnresponsiveTool } from '../store/queries/run-tools.ts';
import type { Api } from './api-client.ts';
import { ask, askItems, type Reply } from './api-requests.ts';
import type { Cli } from './command-context.ts';
import { discoveryColumns, renderDiscovery } from './discovery-rendering.ts';
import { addListOptions, type ListOptions, showRows } from './list-command.ts';
import { MAX_LIMIT, parseWholeNumber, type PastTime, TIME_EXAMPLES, timeOption } from './option-values.ts';
import { describeUnresponsiveTools } from './reply-notices.ts';
import { formatCount, formatRecentTime } from './value-formatting.ts';
import { setTimeout as sleep } from 'node:timers/promises';

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
    .action(({ topic, search, follow = false, json = false, ...options }: NewOptions) => {
      if (follow && options.until !== undefined)
        throw new InvalidInput([
          { path: 'until', given: undefined, expected: 'no end together with --follow, which has none' },
        ]);
      const shown = follow && options.since === undefined ? DEFAULT_FOLLOW_LIMIT : DEFAULT_LIMIT;
      const limit = options.limit ?? (json ? DEFAULT_JSON_LIMIT : shown);
      return cli.withApi(
        async (api, stopping) => {
          const filter: Filter = {
            topic,
            search,
            since: options.since?.(api.now()),
            until: options.until?.(api.now()),
            view: options.bySearch === true || search !== undefined ? 'search' : 'topic',
            baseline: options.baseline === true ? undefined : false,
          };
          const wanted = { filter, limit, json };
          return follow ? followNew(cli, api, wanted, stopping) : printNew(cli, api, wanted);
        },
        { stops: follow ? true : undefined },
      );
    });
  cli.callers.add(command);
}

type Filter = {
  topic: string | undefined;
  search: string | undefined;
  since: Date | undefined;
  until: Date | undefined;
  view: 'search' | 'topic';
  baseline: boolean | undefined;
};
type Wanted = { filter: Filter; limit: number; json: boolean };
type Found = Reply<DescribedDiscovery>;

/** The newest ones, oldest first. */
async function readNewest(api: Api, { filter, limit }: Wanted): Promise<Found[]> {
  const newest = await askItems<DescribedDiscovery>(
    api,
    'listDiscoveries',
    { ...filter, described: true },
    limit,
  );
  return newest.toReversed();
}

async function printNew(cli: Cli, api: Api, wanted: Wanted): Promise<void> {
  const { limit, json } = wanted;
  const rows = await readNewest(api, wanted);
  const gaps = json && rows.length > 0 ? undefined : await readGaps(api, wanted);
  await showRows(cli, json, rows, {
    columns: discoveryColumns(api.now(), cli.page),
    none: gaps === undefined ? '' : describeNone(cli, api.now(), gaps, wanted),
    readUrl: ({ url }) => url,
  });
  if (gaps !== undefined && !json) sayNotObserved(cli, gaps);
  if (rows.length === limit) cli.page.say(`Showing the newest ${limit}; for more, set --limit.`);
}

type Gaps = Reply<{
  baseline: { found: number; at_least: boolean; since: Date } | null;
  silent_tools: UnresponsiveTool[];
}>;

function readGaps(api: Api, { filter }: Wanted): Promise<Gaps> {
  const { topic, search, since, until, view } = filter;
  return ask(api, 'getDiscoveryGaps', { topic, search, since, until, view });
}

/** `Nothing new since 14:02:09Z; 40 were there at the start: --baseline`, or `No discoveries.` */
function describeNone({ page }: Cli, now: Date, { baseline: start }: Gaps, { filter }: Wanted): string {
  if (start === null || filter.baseline !== false) return 'No discoveries.';
  const at = (time: Date) => formatRecentTime(time, now, page);
  const { since = start.since, until } = filter;
  const range = until === undefined ? `since ${at(since)}` : `from ${at(since)} to ${at(until)}`;
  const startCount = `${start.at_least ? 'at least ' : ''}${formatCount(start.found, page)}`;
  return `Nothing new ${range}; ${startCount} ${start.found === 1 ? 'was' : 'were'} there at the start: --baseline`;
}

/** Results of searches whose newest run had tools that did not respond lack theirs. */
function sayNotObserved({ page }: Cli, { silent_tools }: Gaps): void {
  // Sources that are left out on purpose are named once, when a search is saved, and by `status`.
  const tools = silent_tools.filter(({ reason }) => !isUnconfigured(reason));
  const shown = describeUnresponsiveTools(tools, page);
  if (shown.length > 0) page.say(`Not observed: ${shown.join('; ')}.`);
}

type Feed = Reply<{ items: DescribedDiscovery[]; next_after: string }>;

/** Reads by a cursor over ids, which are in commit order, so that nothing is missed or repeated. */
async function followNew(cli: Cli, api: Api, wanted: Wanted, stopping: AbortSignal): Promise<void> {
  const { filter, json } = wanted;
  const [newest] = await askItems<{ id: bigint }>(api, 'listDiscoveries', {}, 1);
  let after = newest?.id ?? '0';
  let rows = await readNewest(api, wanted);
  let waiting = false;
  while (!stopping.aborted) {
    after = rows.at(-1)?.id ?? after;
    if (rows.length > 0) await printDiscoveries(cli, rows, json, api.now());
    if (!waiting && !json) sayNotObserved(cli, await readGaps(api, wanted));
    if (!waiting && cli.page.live) cli.page.say('Waiting for discoveries; press Ctrl-C to stop.');
    waiting = true;
    if (rows.length === 0)
      await sleep(FOLLOW_POLL_MS, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (stopping.aborted) return;
    const members = { ...filter, described: true, after, limit: 200 };
    rows = (await ask<Feed>(api, 'followDiscoveries', members)).items;
  }
}

async function printDiscoveries(
  { page, out }: Cli,
  rows: readonly Found[],
  json: boolean,
  now: Date,
): Promise<void> {
  const lines = json
    ? rows.map((row) => toJson(row))
    : rows.flatMap((row) => renderDiscovery(row, page, now));
  await out.write(`${lines.join('\n')}\n`);
}
