import type { Command } from 'commander';
import { readOneOf } from './arguments.ts';
import type { Cli } from './cli.ts';
import { type Branch, branchesOf, SHELLS, scriptFor } from './completion-script.ts';

export function registerCompletion(command: Command, cli: Cli, loadAll: () => Promise<Command>): void {
  command
    .argument('<shell>', SHELLS.join(', '))
    .addHelpText(
      'after',
      '\nExamples:\n  $ source <(strandline completion bash)\n  $ strandline completion fish | source\n',
    )
    .action(async (given: string) => {
      const branches: Branch[] = branchesOf(await loadAll());
      await cli.out.write(scriptFor(readOneOf('shell', given, SHELLS), branches));
    });
}
