/** What the sandbox finds is invented: a person who looks is told. */
import type { Context } from '../../monitor/context.ts';
import type { Search } from '../../store/searches.ts';
import { areInvented } from '../../store/reads/invented.ts';
import type { Cli } from './cli.ts';

/** Where nobody asked for the sandbox and it was taken because no public source answered. @param again how to look outside */
export async function tellChosen(
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

/** A note where all that is shown was found in the sandbox; for a person, never for a pipe. @param services their kinds */
export function tellInvented(cli: Cli, json: boolean | undefined, services: readonly string[]): void {
  if (json === true || !isWatched(cli) || services.length === 0) return;
  if (services.every((one) => one === 'sandbox')) cli.say(cli.page.dim('invented: found in the sandbox'));
}

/** The same for what only names its search. */
export async function tellInventedOf(
  cli: Cli,
  { db }: Pick<Context, 'db'>,
  json: boolean | undefined,
  searches: readonly string[],
): Promise<void> {
  if (json === true || !isWatched(cli)) return;
  if (await areInvented(db, searches)) tellInvented(cli, json, ['sandbox']);
}

function isWatched({ io: { stderr } }: Cli): boolean {
  return 'isTTY' in stderr && stderr.isTTY === true;
}
