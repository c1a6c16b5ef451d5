/** What to do about a command that was refused, and how its members are named in options. */
import type { Command, CommanderError } from 'commander';
import type { Shell } from './shell.ts';

/** The exit code of a command that was given wrongly. */
export const USAGE = 2;

/**
 * Says what to do about a mistake of the command line's grammar; what is wrong was said by the parser.
 * @returns the exit code: 0 where help or the version was asked for
 */
export function tellMisuse(
  { say }: Pick<Shell, 'say'>,
  error: CommanderError,
  argv: readonly string[],
): number {
  const hint = hintFor(error, argv);
  if (hint !== undefined) say(`hint: ${hint}`);
  return error.exitCode === 0 ? 0 : USAGE;
}

function hintFor({ code, message }: CommanderError, argv: readonly string[]): string | undefined {
  const [first = ''] = argv;
  if (code === 'commander.unknownCommand') {
    const group = first === 'help' || message.includes(`'${first}'`) ? '' : `${first} `;
    return `strandline ${group}--help lists the commands`;
  }
  if (code !== 'commander.excessArguments') return undefined;
  if (first === 'watch') return 'put the text in quotes: strandline watch "tide pools"';
  if (first === 'sql') return 'put the query in quotes: strandline sql "select count(*) from posts"';
  if (argv.includes('--cron')) return 'quote the expression: --cron "0 8 * * MON"';
  return argv.includes('--prompt') ? 'put the text in quotes: --prompt "tide pools"' : undefined;
}

/** What a thing that is not there is found in. */
export function listOf(words: string): string {
  if (words.includes('see: ')) return '';
  const [, what] = /\b(search|topic|run)\b/.exec(words) ?? [];
  return what === undefined ? '' : `; see: strandline ${what === 'run' ? 'runs' : what} list`;
}

/** Members of a search that are written by options of other names. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  schedule: ['--cron', '--every'],
  labels: ['--label'],
  posts_every: ['--every'],
};

/** ` (--date-filter)` for `date_filter`, where the command has such an option. */
export function optionOf(path: string, command: Command | undefined): string {
  const member = path.replace(/[.[ ].*$/s, '');
  const names = OTHERWISE[member] ?? [`--${member.replaceAll('_', '-')}`];
  const found = names.filter((name) => command?.options.some(({ long }) => long === name));
  return found.length === 0 ? '' : ` (${found.join(' or ')})`;
}

/** `help` of a command is asked of that command itself, which knows more than its line, or is refused as it would be. */
export function askedFor(argv: readonly string[], program: Command): readonly string[] {
  const [first, second = '', ...rest] = argv[0] === '--' ? argv.slice(1) : argv;
  if (first !== 'help' || second === '' || second === 'help') return argv;
  return program.commands.some((one) => one.name() === second) ? [second, '--help'] : [second, ...rest];
}
