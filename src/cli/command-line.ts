/** The command line: parses the arguments, runs one command, reports its error, and returns the exit code. */

import { removeUnsafe } from '../domain/text.ts';
import { Command, CommanderError } from 'commander';
import { VERSION } from '../config/version.ts';
import type { Cli, OpenProgram } from './command-context.ts';
import { addCommands, findHelpTerm } from './command-registry.ts';
import { guardSqlQuery, reportMisuse, rewriteHelp } from './command-input.ts';
import { type Io, openShell, type Shell } from './terminal-io.ts';

const PROGRAM_EXAMPLES = `
Examples:
  $ strandline watch "harbour ferry"               a topic with two searches, looked at at once
  $ strandline new --topic harbour-ferry --follow  what is found for the first time, as it is found
  $ strandline search run harbour-ferry-posts --wait
  $ strandline sql "select search, count(*) from discoveries group by 1"

Data goes to stdout, talk to stderr. Exit codes: 0 done, 1 failed, 2 usage.
`;

type RunCliOptions = {
  /** How a command gets its database and queue; given in tests. */
  open?: OpenProgram;
  /** Called once before the first command is loaded: what help and the version do without. */
  prepare?: () => Promise<void>;
};

/**
 * Runs one command.
 * @param argv what stands behind the program's name
 * @returns the exit code: 0 done (also when the reader of stdout went away), 1 failed, 2 usage
 */
export async function runCli(argv: readonly string[], io: Io, running: RunCliOptions = {}): Promise<number> {
  const shell = openShell(io);
  const { out } = shell;
  let opened: Promise<Cli> | undefined;
  const openOnce = () => (opened ??= prepareCli(shell, running));
  // The reader of stderr went away: the command still does its work.
  io.stderr.on('error', () => {});
  try {
    const program = createParser(shell, openOnce);
    await program.parseAsync(guardSqlQuery(rewriteHelp(argv, program)), { from: 'user' });
  } catch (error) {
    if (!out.gone()) {
      if (error instanceof CommanderError) shell.exitCode = reportMisuse(shell, error, argv);
      else {
        const { reportError } = await import('./error-messages.ts');
        shell.exitCode = reportError(await openOnce(), error);
      }
    }
  }
  // Help and the version are written without waiting: whether they arrived is known behind them.
  await out.write('');
  const failure = out.failure();
  if (failure !== undefined) {
    const { oneLine } = await import('./terminal-text.ts');
    shell.say(`error: stdout cannot be written to: ${oneLine(failure.message)}`);
    shell.exitCode = 1;
  }
  out.release();
  return out.gone() ? 0 : shell.exitCode;
}

async function prepareCli(shell: Shell, { open, prepare }: RunCliOptions): Promise<Cli> {
  await prepare?.();
  const { openCli } = await import('./command-context.ts');
  return openCli(shell, open);
}

/** The tree of commands. */
function createParser(shell: Shell, openCli: () => Promise<Cli>): Command {
  const { page, out, io } = shell;
  const { colors } = page;
  const program: Command = new Command('strandline')
    .description('Watches topics and keeps what is new since the last tide.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', PROGRAM_EXAMPLES)
    .exitOverride()
    .hook('preAction', (_program, command) => {
      shell.command = command;
    })
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(removeUnsafe(text)),
      getOutHelpWidth: () => limitHelpWidth(page.width),
      getErrHelpWidth: () => limitHelpWidth(page.width),
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
      subcommandTerm: (command) =>
        command.parent === program ? findHelpTerm(command) : `${command.name()}${describeArguments(command)}`,
    });
  addCommands(program, openCli);
  program.commandsGroup('Help:').helpCommand('help [command]', 'print the help of a command');
  return program;
}

function describeArguments(command: Command): string {
  const names = command.registeredArguments.map((argument) =>
    argument.required ? ` ${argument.name()}` : ` [${argument.name()}]`,
  );
  return command.commands.length > 0 ? ' ...' : names.join('');
}

function limitHelpWidth(width: number): number {
  return Math.max(40, Math.min(width, 100));
}
