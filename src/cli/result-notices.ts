/** Notices about a result, on stderr: tools that did not respond, and figures that are behind. */

import { describeToolCoverage, isUnconfigured } from '../model/tool-coverage.ts';
import {
  describeToolSources,
  explainMissingTools,
  findMissingTools,
} from '../monitor/topics/tool-sources.ts';
import type { Context } from '../monitor/context.ts';
import type { Id } from '../store/db/database.ts';
import type { DataScope } from '../store/queries/data-scope.ts';
import { readRun } from '../store/queries/run-list.ts';
import { readRunTools, readUnresponsiveTools } from '../store/queries/run-tools.ts';
import type { Search } from '../store/topics/searches.ts';
import type { Cli } from './command-context.ts';
import type { TerminalPage } from './terminal-io.ts';
import { describeUnresponsiveTools } from './reply-notices.ts';
import { createDayFormat } from './value-formatting.ts';

/** Printed with results of searches whose newest run had tools that did not respond: these results lack theirs. */
export async function printUnresponsiveTools(
  cli: Cli,
  { db }: Pick<Context, 'db'>,
  json: boolean | undefined,
  filter: DataScope,
): Promise<void> {
  if (json === true) return;
  // Sources that are left out on purpose are named once, when a search is saved, and by `status`.
  const tools = (await readUnresponsiveTools(db, filter)).filter(({ reason }) => !isUnconfigured(reason));
  const shown = describeUnresponsiveTools(tools, cli.page);
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
