/** Notices about a reply, on stderr: tools that did not respond, figures that are behind, and what is not indexed. */
import { formatCount } from '../lib/display-format.ts';
import { isBehind } from '../model/figures-lag.ts';
import { describeUnresponsiveTool } from '../model/tool-coverage.ts';
import type { UnresponsiveTool } from '../store/queries/run-tools.ts';
import type { Cli } from './command-context.ts';
import type { TerminalPage } from './terminal-io.ts';
import { createDayFormat, formatTime } from './value-formatting.ts';

export function sayAsOf({ page }: Pick<Cli, 'page'>, until: Date | null, now: Date): void {
  if (until !== null && isBehind(until, now))
    page.say(`Figures as of ${formatTime(until, now, page)}; later runs are still being counted.`);
}

/** What is not indexed cannot be found yet. */
export function sayNotIndexed({ page }: Pick<Cli, 'page'>, items: number): void {
  if (items > 0)
    page.say(
      `${formatCount(items, 'item')} ${items === 1 ? 'is' : 'are'} not indexed yet. Indexing continues; try again.`,
    );
}

/** One text per tool; the last says how many are left out. */
export function describeUnresponsiveTools(
  tools: readonly UnresponsiveTool[],
  page: Pick<TerminalPage, 'zone'>,
): string[] {
  const shown = tools
    .slice(0, MAX_TOOLS_SHOWN)
    .map((tool) => describeUnresponsiveTool(tool, createDayFormat(page)));
  const left = tools.length - shown.length;
  return left === 0 ? shown : [...shown, `and ${left} more: strandline status --json`];
}

const MAX_TOOLS_SHOWN = 7;
