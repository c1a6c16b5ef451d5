import type { Command } from 'commander';
import {
  checkEmbedded,
  checkOwnDatabase,
  checksOfHome,
  checkConfig,
  checkDataDir,
  checkHosted,
  checkNode,
  checkQueueServer,
} from './checks.ts';
import { checkModel } from './checks-of-sources.ts';
import type { Check } from './check.ts';
import type { Cli } from './cli.ts';
import { oneLine } from './text.ts';

export function registerDoctor(command: Command, cli: Cli): void {
  command
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nNo paid call is made: a hosted service and a model are only connected to, without a key; public sources are asked once.\n',
    )
    .action(async (options: { json?: boolean }) => {
      const checks = await examine(cli);
      await cli.show(options.json, checks, () => checks.flatMap((check) => linesOf(check, cli)));
      if (checks.some(({ ok }) => ok === false)) cli.exitCode = 1;
    });
}

/** Each check in turn; what cannot be looked at because of what failed before it is left out. */
export async function examine(cli: Cli): Promise<Check[]> {
  const node = checkNode(process.versions.node);
  const config = checkConfig(cli);
  const found = [node, config.check];
  if (config.value === undefined) return found;
  const { value } = config;

  found.push(...(await checkHosted(value)), ...(await checkModel(value)), ...(await checkQueueServer(value)));
  if (value.databaseUrl === undefined) {
    const dataDir = await checkDataDir(value.dataDir);
    found.push(dataDir);
    if (dataDir.ok === false) return found;
  } else {
    const database = await checkOwnDatabase(value.databaseUrl);
    found.push(database);
    if (database.ok === false) return found;
  }
  try {
    return [...found, ...(await cli.withHome((home) => checksOfHome(home)))];
  } catch (error) {
    return [...found, checkEmbedded(error)];
  }
}

function linesOf({ check, ok, found, advice }: Check, { page }: Cli): string[] {
  const { colors, good, bad, unknown, dim } = page;
  const mark = ok === null ? dim(unknown.padEnd(good.length)) : ok ? colors.green(good) : colors.red(bad);
  return [
    `${mark} ${check}: ${oneLine(found)}`,
    ...(advice === null ? [] : [`${' '.repeat(good.length)} ${dim(oneLine(advice))}`]),
  ];
}
