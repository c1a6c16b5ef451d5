/** Notices about a result, on stderr: simulated data, silent tools, and figures that are behind. */

import { describeSilence, describeToolCoverage, isUnconfigured } from '../domain/tool-coverage.ts';
import { type AskedScope, findSearchRow, openScope } from '../monitor/topics/find-by-slug.ts';
import {
  describeToolSources,
  explainMissingTools,
  findMissingTools,
} from '../monitor/topics/tool-sources.ts';
import type { Context } from '../monitor/context.ts';
import type { Id } from '../store/database.ts';
import { printNone } from './list-command.ts';
import { readSides } from '../store/queries/topic-list.ts';
import { type ArchiveBacklog, describeBacklog } from '../store/archive/index-archive.ts';
import { type DerivedUntil, findOldest, isBehind } from '../store/derive/pending-derivations.ts';
import type { DataScope } from '../store/queries/data-scope.ts';
import { readRun } from '../store/queries/run-list.ts';
import { readRunTools, readSilentTools, type SilentTool } from '../store/queries/run-tools.ts';
import type { Search } from '../store/searches.ts';
import type { Cli } from './command-context.ts';
import type { TerminalPage } from './terminal-io.ts';
import { createDayFormat, formatTime } from './value-formatting.ts';

/** How to read the other side. */
const OTHER_SIDE: Readonly<Record<Data, string>> = {
  real: 'for simulated data, add --simulated',
  simulated: 'for real data, leave --simulated out',
};

/**
 * Printed if the side that was read has no topics, but the other one has.
 * @param rows that were returned, if they are known: where there are none, the other side is mentioned, too
 */
export async function printEmptySide(cli: Cli, { db }: Pick<Context, 'db'>, rows?: number): Promise<void> {
  noteSides(cli, await readSides(db));
  if (rows === 0) printNone(cli);
}

/** Says if only the other side has topics; otherwise a list without rows will mention it. */
function noteSides(cli: Cli, sides: Readonly<Record<Data, boolean>>): void {
  const empty = describeEmptySide(data, sides);
  if (empty !== null) cli.say(`${empty.slice(0, -1)}: ${OTHER_SIDE[data]}.`);
  else if (sides.real && sides.simulated) cli.emptyHint = `These are the ${data} data; ${OTHER_SIDE[data]}.`;
}

/**
 * The scope of a command: what it names, or the side that it chooses. Says if the side is simulated (rows of JSON say it
 * themselves), and if only the other one has topics.
 * @throws Refused `not_found`
 */
export async function openData(
  cli: Cli,
  { db }: Pick<Context, 'db'>,
  asked: AskedScope & { json?: boolean | undefined },
): Promise<DataScope> {
  const { scope, sides } = await openScope(db, asked);
  printSimulated(cli, asked.json);
  if (scope.topic === undefined && scope.search === undefined) noteSides(cli, sides);
  return scope;
}

export function printSimulated(cli: Cli, json: boolean | undefined): void {
  if (json !== true && data === 'simulated') cli.page.say(cli.page.dim('Simulated data (sandbox)'));
}

export function printAsOfNotice(cli: Cli, searches: readonly DerivedUntil[], now: Date): void {
  const until = findOldest(searches);
  if (until !== null && isBehind(until, now))
    cli.page.say(`Figures as of ${formatTime(until, now, cli.page)}; later runs are still being counted.`);
}

/** Printed with results of searches whose newest run had tools that did not respond: these results lack theirs. */
export async function printSilentTools(
  cli: Cli,
  { db }: Pick<Context, 'db'>,
  json: boolean | undefined,
  filter: DataScope,
): Promise<void> {
  if (json === true) return;
  // Sources that are left out on purpose are named once, when a search is saved, and by `status`.
  const silent = (await readSilentTools(db, filter)).filter(({ reason }) => !isUnconfigured(reason));
  const shown = describeSilences(silent, cli.page);
  if (shown.length > 0) cli.page.say(`Not observed: ${shown.join('; ')}.`);
}

/** Printed after a search is saved, or previewed: the tools whose results it will lack, and what to set. */
export async function printMissingTools(
  cli: Cli,
  ctx: Pick<Context, 'missingTools'>,
  search: Pick<Search, 'slug' | 'service_kind' | 'operation' | 'tools'>,
): Promise<void> {
  const missing = await findMissingTools(ctx, search.service_kind, search);
  for (const words of explainMissingTools(missing)) cli.page.say(`${search.slug}: ${words}`);
}

/** Printed before new searches run: their calls and cost, and which tools have a source and which do not. */
export async function printForecast(
  cli: Cli,
  ctx: Pick<Context, 'clock' | 'config' | 'db' | 'missingTools' | 'isFree'>,
  searches: readonly Search[],
): Promise<void> {
  const { describeForecast, forecastSaved } = await import('../monitor/topics/search-forecast.ts');
  const forecast = await forecastSaved(ctx, searches);
  cli.page.say(describeForecast(forecast));
  // A tool that several searches lack is named once.
  const tools = new Map(forecast.searches.flatMap(({ missing }) => missing.map((each) => [each.tool, each])));
  const missing = [...tools.values()];
  // All tools of the sandbox are simulated, and those of a hosted service are known by their responses.
  if (forecast.service === 'own') cli.page.say(describeToolSources(searches, missing));
  else for (const words of explainMissingTools(missing)) cli.page.say(words);
}

/** Whether calls of a search are known to cost nothing. @throws Refused `not_found` */
export async function isFreeSearch(
  { db, isFree }: Pick<Context, 'db' | 'isFree'>,
  slug: string,
): Promise<boolean> {
  return isFree((await findSearchRow(db, slug)).service_kind);
}

/** Which tools of a run did not respond; null if all did, or the run was not executed. */
export async function describeRunTools(
  { db }: Pick<Context, 'db'>,
  runId: Id,
  page: Pick<TerminalPage, 'zone'>,
): Promise<string | null> {
  const run = await readRun(db, runId);
  const tools = run === undefined ? [] : await readRunTools(db, [runId]);
  return describeToolCoverage(tools, createDayFormat(page));
}

/** One text per tool; the last says how many are left out. */
export function describeSilences(
  silences: readonly SilentTool[],
  page: Pick<TerminalPage, 'zone'>,
): string[] {
  const shown = silences.slice(0, MAX_SILENCES).map((tool) => describeSilence(tool, createDayFormat(page)));
  const left = silences.length - shown.length;
  return left === 0 ? shown : [...shown, `and ${left} more: strandline status --json`];
}

const MAX_SILENCES = 7;

/** What is not indexed cannot be found yet. */
export function sayBacklog({ page }: Pick<Cli, 'page'>, backlog: ArchiveBacklog): void {
  page.say(`${describeBacklog(backlog)}. Indexing continues; try again.`);
}
