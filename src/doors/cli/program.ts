/** The command line: parse, call a verb, show, map the error. */
import { Command } from 'commander';
import { VERSION } from '../../version.ts';
import { type Cli, openCli, type OpenHome } from './cli.ts';
import { registerAll } from './registry.ts';
import { askedFor } from './hints.ts';
import type { Io } from './io.ts';
import { tellProblem } from './problems.ts';
import { guardQueries } from './sql-query.ts';
import { oneLine } from './text.ts';

const EXAMPLES = `
Examples:
  $ strandline watch "harbour ferry"               a topic with two searches, looked at at once
  $ strandline new --topic harbour-ferry --follow  what is found for the first time, as it is found
  $ strandline search run harbour-ferry-posts --wait
  $ strandline sql "select search, count(*) from discoveries group by 1"

Data goes to stdout, talk to stderr. Exit codes: 0 done, 1 failed, 2 usage.
`;

/**
 * Runs one command.
 * @param argv what stands behind the program's name
 * @param open how a command gets its database and queue; given in tests
 * @returns the exit code: 0 done (also when the reader of stdout went away), 1 failed, 2 usage
 */
export async function runCli(argv: readonly string[], io: Io, open?: OpenHome): Promise<number> {
  const cli = openCli(io, open);
  // Nobody listens to talk any more: no reason to end.
  io.stderr.on('error', () => {});
  try {
    const program = createProgram(cli);
    await program.parseAsync(guardQueries(askedFor(argv, program)), { from: 'user' });
  } catch (error) {
    if (!cli.out.gone()) cli.exitCode = tellProblem(cli, error, argv);
  }
  // Help and the version are written without waiting: whether they arrived is known behind them.
  await cli.out.write('');
  const failure = cli.out.failure();
  if (failure !== undefined) {
    cli.page.say(`error: stdout cannot be written to: ${oneLine(failure.message)}`);
    cli.exitCode = 1;
  }
  cli.out.release();
  return cli.out.gone() ? 0 : cli.exitCode;
}

/** The tree of commands. */
export function createProgram(cli: Cli): Command {
  const { page, out, io } = cli;
  const { colors } = page;
  const program = new Command('strandline')
    .description('Watches topics and keeps what is new since the last tide.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    .hook('preAction', (_program, command) => {
      cli.command = command;
    })
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/[^\n\P{Cc}]|[\u2028-\u202e\u2066-\u2069]/gu, '')),
      getOutHelpWidth: () => helpWidth(page.width),
      getErrHelpWidth: () => helpWidth(page.width),
      getOutHasColors: () => colors.isColorSupported,
      getErrHasColors: () => colors.isColorSupported,
    })
    .configureHelp({
      minWidthToWrap: 20,
      styleTitle: colors.bold,
      styleCommandText: colors.cyan,
      styleOptionTerm: colors.cyan,
      styleSubcommandTerm: colors.cyan,
      styleArgumentTerm: colors.cyan,
      // A group is named, not described by its options.
      subcommandTerm: (command) => `${command.name()}${argumentsOf(command)}`,
    });
  registerAll(program, cli);
  program.commandsGroup('Help:').helpCommand('help [command]', 'print the help of a command');
  for (const command of everyCommand(program)) command.helpOption('-h, --help', 'print this help');
  return program;
}

export function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((one) => [one, ...everyCommand(one)]);
}

function argumentsOf(command: Command): string {
  const names = command.registeredArguments.map((one) =>
    one.required ? ` ${one.name()}` : ` [${one.name()}]`,
  );
  return command.commands.length > 0 ? ' ...' : names.join('');
}

function helpWidth(width: number): number {
  return Math.max(40, Math.min(width, 100));
}
