/**
 * Notices beside a result, on stderr: that it is simulated, that the sandbox was taken because no public source answered,
 * and up to when its figures are derived.
 */

import type { Context } from '../monitor/context.ts';
import { type DerivedUntil, findOldest, isBehind } from '../store/derive/pending-derivations.ts';
import { areSimulated } from '../store/queries/topic-list.ts';
import type { Search } from '../store/searches.ts';
import type { Cli } from './command-context.ts';
import { formatTime } from './value-formatting.ts';

/** Where nobody asked for the sandbox and it was taken because no public source answered. @param again how to look outside */
export async function printSandboxFallback(
  cli: Cli,
  ctx: Pick<Context, 'ownSources'>,
  search: Pick<Search, 'service_kind'> | undefined,
  again: string,
): Promise<void> {
  if (search?.service_kind !== 'sandbox' || (await ctx.ownSources()) !== 'silent') return;
  cli.say(
    `looked for in the sandbox, which is invented: no public source answered; with a network: ${again}`,
  );
}

/** Where all that is shown was found in the sandbox; for a person, never for a pipe. @param services their kinds */
export function printSimulatedNotice(cli: Cli, json: boolean | undefined, services: readonly string[]): void {
  if (json === true || !isInteractive(cli) || services.length === 0) return;
  if (services.every((kind) => kind === 'sandbox')) cli.say(cli.page.dim('invented: found in the sandbox'));
}

/** The same where a result only names its searches. */
export async function printSimulatedNoticeForSearches(
  cli: Cli,
  { db }: Pick<Context, 'db'>,
  json: boolean | undefined,
  searches: readonly string[],
): Promise<void> {
  if (json === true || !isInteractive(cli)) return;
  if (await areSimulated(db, searches)) printSimulatedNotice(cli, json, ['sandbox']);
}

function isInteractive({ io: { stderr } }: Cli): boolean {
  return 'isTTY' in stderr && stderr.isTTY === true;
}

/** Says up to when figures are derived, where that is not up to now. */
export function printAsOfNotice(cli: Cli, searches: readonly DerivedUntil[], now: Date): void {
  const until = findOldest(searches);
  if (until !== null && isBehind(until, now))
    cli.page.say(`figures as of ${formatTime(until, now, cli.page)}: later runs are still being counted`);
}
