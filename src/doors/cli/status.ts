import type { Command } from 'commander';
import { readStatus } from '../../monitor/status/status.ts';
import type { Cli } from './cli.ts';
import { statusPage } from './status-page.ts';

export function registerStatus(program: Command, cli: Cli): void {
  program
    .command('status')
    .description('say how it goes: database, queue, services, workers, runs, what comes next')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      cli.withHome(async (home) => {
        const status = await readStatus(home.ctx, home.embedded);
        await cli.show(options.json, status, () => statusPage(status, home.ctx.clock.now(), cli.page));
      }),
    );
}
