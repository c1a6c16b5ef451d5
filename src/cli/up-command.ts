import type { Command } from 'commander';
import { beginDatabase } from '../app/database-access.ts';
import type { UpOptions } from './up-server.ts';
import { VERSION } from '../config/version.ts';
import type { Cli } from './command-context.ts';
import { listenForShutdown } from './process-exit.ts';

export function registerUp(command: Command, cli: Cli): void {
  command
    .description(
      'Runs everything: the dashboard and the API (at PORT), the database, the search service and a worker. ' +
        'Press Ctrl-C to stop.',
    )
    .option('--create-token', 'if no token exists, create one with all scopes, and print it once')
    .addHelpText('after', '\nNeeds no setup. For all settings, see: strandline config show\n')
    .action((options: UpOptions) => startUp(cli, options));
}

/** Most modules load while the database starts in other processes. */
async function startUp(cli: Cli, options: UpOptions): Promise<void> {
  const ending = listenForShutdown();
  const { bold, dim, live } = cli.page;
  void cli.out.write(`${bold('strandline')} ${VERSION}\n\n`);
  if (live) void cli.out.write(`${dim('  Starting the database…')}\n`);
  try {
    const { database } = await beginDatabase({ config: cli.config(), log: cli.log(), role: 'owner' });
    const { runUp } = await import('./up-server.ts');
    await runUp(cli, database, ending, options);
  } finally {
    ending.release();
  }
}
