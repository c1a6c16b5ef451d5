import type { Command } from 'commander';
import { readStatus } from '../../monitor/status/status.ts';
import type { Cli } from './cli.ts';
import { statusPage } from './status-page.ts';

export function registerStatus(command: Command, cli: Cli): void {
  command.option('--json', 'print JSON').action((options: { json?: boolean }) =>
    cli.withHome(async (home) => {
      const status = await readStatus(home.ctx, home.embedded);
      await cli.show(options.json, status, () => statusPage(status, home.ctx.clock.now(), cli.page));
    }),
  );
}
