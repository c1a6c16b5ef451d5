import type { Command } from 'commander';
import { readOneOf } from './arguments.ts';
import type { Cli } from './cli.ts';
import { type Branch, branchesOf, SHELLS, scriptFor } from './completion-script.ts';

export function registerCompletion(program: Command, cli: Cli): void {
  program
    .command('completion')
    .description('print a script that completes commands in bash, zsh or fish')
    .argument('<shell>', SHELLS.join(', '))
    .addHelpText(
      'after',
      '\nExamples:\n  $ source <(strandline completion bash)\n  $ strandline completion fish | source\n',
    )
    .action(async (given: string) => {
      const branches: Branch[] = branchesOf(program);
      await cli.out.write(scriptFor(readOneOf('shell', given, SHELLS), branches));
    });
}
