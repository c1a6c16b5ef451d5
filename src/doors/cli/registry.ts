/** Every command group, in the order of the help: a new one is one file and one line here. */
import type { Command } from 'commander';
import type { Cli, Register } from './cli.ts';
import { registerNew } from './new.ts';
import { registerRuns } from './runs.ts';
import { registerSearch } from './search.ts';
import { registerSql } from './sql.ts';
import { registerServers } from './servers.ts';
import { registerUp } from './up.ts';
import { registerWatch } from './watch.ts';

const GROUPS: readonly (readonly [heading: string, commands: readonly Register[]])[] = [
  ['To run:', [registerUp, registerServers]],
  ['What is watched:', [registerWatch, registerSearch]],
  ['What was found:', [registerNew]],
  ['What happened:', [registerRuns]],
  ['By hand:', [registerSql]],
];

export function registerAll(program: Command, cli: Cli): void {
  for (const [heading, commands] of GROUPS) {
    program.commandsGroup(heading);
    for (const register of commands) register(program, cli);
  }
}
