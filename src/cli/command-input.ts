/**
 * The arguments of a command line: what is rewritten before they are parsed, what to do about a mistake in them, and how
 * members of a search are named in options.
 */

import type { Shell } from './terminal-io.ts';
import type { Command, CommanderError } from 'commander';

/** The exit code of a command that was given wrongly. */
export const EXIT_USAGE = 2;

/**
 * Says what to do about a mistake of the command line's grammar; what is wrong was said by the parser.
 * @returns the exit code: 0 where help or the version was asked for
 */
export function reportMisuse(
  { say }: Pick<Shell, 'say'>,
  error: CommanderError,
  argv: readonly string[],
): number {
  const hint = findHint(error, argv);
  if (hint !== undefined) say(`hint: ${hint}`);
  return error.exitCode === 0 ? 0 : EXIT_USAGE;
}

function findHint({ code, message }: CommanderError, argv: readonly string[]): string | undefined {
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

/** Where to look up the name of a thing that is not there. */
export function suggestList(words: string): string {
  if (words.includes('see: ')) return '';
  const [, kind] = /\b(search|topic|run)\b/.exec(words) ?? [];
  return kind === undefined ? '' : `; see: strandline ${kind === 'run' ? 'runs' : kind} list`;
}

/** Members of a search that are written by options of other names. */
const OPTIONS_BY_MEMBER: Readonly<Record<string, readonly string[]>> = {
  schedule: ['--cron', '--every'],
  labels: ['--label'],
  posts_every: ['--every'],
};

/** ` (--date-filter)` for `date_filter`, where the command has such an option. */
export function describeOption(path: string, command: Command | undefined): string {
  const member = path.replace(/[.[ ].*$/s, '');
  const names = OPTIONS_BY_MEMBER[member] ?? [`--${member.replaceAll('_', '-')}`];
  const known = names.filter((name) => command?.options.some(({ long }) => long === name));
  return known.length === 0 ? '' : ` (${known.join(' or ')})`;
}

/** `help` of a command is asked of that command itself, which knows more than its line, or is refused as it would be. */
export function rewriteHelp(argv: readonly string[], program: Command): readonly string[] {
  const [first, second = '', ...rest] = argv[0] === '--' ? argv.slice(1) : argv;
  if (first !== 'help' || second === '' || second === 'help') return argv;
  return program.commands.some((command) => command.name() === second)
    ? [second, '--help']
    : [second, ...rest];
}

/**
 * A query may begin with a comment, which the parser of commands would take for an option: a word with
 * dashes in front and a space in it is no option of ours, and a space in front makes it an argument. `sql` takes that
 * space away again.
 */
export function guardSqlQuery(argv: readonly string[]): string[] {
  if (argv[0] !== 'sql') return [...argv];
  return argv.map((word) => (/^--[^=]*\s/.test(word) ? ` ${word}` : word));
}
