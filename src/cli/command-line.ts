/** Parses the arguments, runs one command, reports its error, and returns the exit code. */

import { removeUnsafe } from '../lib/text.ts';
import { Command, CommanderError, Help } from 'commander';
import { VERSION } from '../config/version.ts';
import type { Cli, RunCliOptions } from './command-context.ts';
import { addCommands, COMMAND_NAMES, findHelpTerm, FIRST_COMMANDS } from './command-registry.ts';
import {
  asksForAll,
  EXIT_USAGE,
  guardQuery,
  reportMisuse,
  rewriteHelp,
  shortenQuotes,
} from './command-input.ts';
import { OF_BOTH_DATABASES } from './program-name.ts';
import { type Io, openShell, type Shell } from './terminal-io.ts';

const FIRST_HEADING = 'Commands for the first week:';

const PROGRAM_EXAMPLES = `
Examples:
  $ strandline watch "harbour ferry"               create a topic with two searches and run both
  $ strandline new --topic harbour-ferry --follow  print discoveries as they are found
  $ strandline search run harbour-ferry-posts --wait
  $ strandline sql "select search, count(*) from discoveries group by 1"

Help of a command: strandline help watch. All commands: strandline help --all
Data goes to stdout, messages to stderr. Exit codes: 0 success, 1 failure, 2 wrong usage.
`;

/**
 * Runs one command.
 * @param argv arguments after the program's name
 * @returns the exit code: 0 success (also if the reader of stdout closed it), 1 failure, 2 wrong usage
 */
export async function runCli(argv: readonly string[], io: Io, running: RunCliOptions = {}): Promise<number> {
  const shell = openShell(io, COMMAND_NAMES);
  const { out } = shell;
  let opened: Promise<Cli> | undefined;
  const openOnce = () => (opened ??= prepareCli(shell, argv, running));
  // If the reader closes stderr, the command still runs.
  io.stderr.on('error', () => {});
  try {
    const all = asksForAll(argv);
    const program = createParser(shell, openOnce, all);
    const words = all ? ['--help'] : guardQuery(rewriteHelp(argv, program));
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!out.gone()) {
      if (error instanceof CommanderError) shell.exitCode = reportMisuse(shell, error, argv);
      else {
        const { reportError } = await import('./error-messages.ts');
        shell.exitCode = reportError(await openOnce(), error);
      }
    }
  }
  // Help and version are written without waiting; an empty write reports whether they arrived.
  await out.write('');
  const failure = out.failure();
  if (failure !== undefined) {
    const { oneLine } = await import('./terminal-text.ts');
    shell.say(`error: cannot write to stdout: ${oneLine(failure.message)}`);
    shell.exitCode = 1;
  }
  out.release();
  return out.gone() ? 0 : shell.exitCode;
}

async function prepareCli(
  shell: Shell,
  argv: readonly string[],
  { prepare, ...running }: RunCliOptions,
): Promise<Cli> {
  await prepare?.();
  const { openCli } = await import('./command-context.ts');
  return openCli(shell, { ...running, argv });
}

/** `doctor` reports an invalid configuration among its checks. */
const WITHOUT_CONFIGURATION: ReadonlySet<string> = new Set(['autocomplete', 'doctor']);

function findTopName(command: Command): string {
  return command.parent?.parent == null ? command.name() : findTopName(command.parent);
}

/** @param all whether the help of the program lists all commands */
function createParser(shell: Shell, openCli: () => Promise<Cli>, all: boolean): Command {
  const { page, out, io } = shell;
  const { colors } = page;
  const program: Command = new Command('strandline')
    .description('Watches topics on a schedule and records what each run finds for the first time.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--utc', 'print times in UTC (default on a terminal: your time zone; pipes and JSON: UTC)')
    .on('option:utc', () => {
      page.zone = 'UTC';
    })
    .option('--sandbox', 'use the sandbox, whose data is simulated, instead of real data')
    .on('option:sandbox', () => {
      shell.page.kind = 'sandbox';
    })
    .addHelpText('after', PROGRAM_EXAMPLES)
    .exitOverride()
    .hook('preAction', async (_program, command) => {
      shell.command = command;
      if (shell.page.kind === 'sandbox' && OF_BOTH_DATABASES.has(findTopName(command)))
        command.error(`error: --sandbox does not apply to ${findTopName(command)}`, { exitCode: EXIT_USAGE });
      const cli = await openCli();
      if (cli.callers.has(command) && !cli.hasConfigurationFile()) return;
      await cli.loadConfiguration();
      if (!WITHOUT_CONFIGURATION.has(command.name())) await cli.assertConfiguration();
    })
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(shortenQuotes(removeUnsafe(text))),
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
      // Without former names.
      commandUsage: (command) => `${describePath(command)} ${command.usage()}`,
      groupItems: (items, visible, getGroup) => {
        const isOurs = (item: unknown) => item instanceof Command && item.parent === program;
        return all || !visible.some(isOurs)
          ? Help.prototype.groupItems(items, visible, getGroup)
          : new Map([[FIRST_HEADING, visible.filter((item) => FIRST_COMMANDS.has(item.name()))]]);
      },
      // Groups are listed without their options.
      subcommandTerm: (command) =>
        command.parent === program ? findHelpTerm(command) : `${command.name()}${describeArguments(command)}`,
    });
  addCommands(program, openCli);
  program.commandsGroup('Help:').helpCommand('help [command]', 'print help for a command');
  return program;
}

function describePath(command: Command): string {
  return command.parent === null ? command.name() : `${describePath(command.parent)} ${command.name()}`;
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
