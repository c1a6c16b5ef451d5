/** Command line arguments: rewriting before they are parsed, hints for mistakes, and what all commands name alike. */

import type { Shell } from './terminal-io.ts';
import type { Command, CommanderError } from 'commander';

/** The exit code for wrong usage. */
export const EXIT_USAGE = 2;

/** Prints a hint for a syntax error that the parser has reported. @returns the exit code: 0 for help and version */
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
    const isProgram = first === 'help' || message.includes(`'${first}'`);
    return `strandline ${isProgram ? 'help --all' : `${first} --help`} lists the commands`;
  }
  if (code !== 'commander.excessArguments') return undefined;
  if (first === 'watch') return 'put the text in quotes: strandline watch "tide pools"';
  if (first === 'sql') return 'put the query in quotes: strandline sql "select count(*) from posts"';
  if (argv.includes('--cron')) return 'quote the expression: --cron "0 8 * * MON"';
  return argv.includes('--prompt') ? 'put the text in quotes: --prompt "tide pools"' : undefined;
}

/** The longest text that a message repeats. */
const MAX_QUOTED = 120;

/** Shortens what a message repeats of what was typed: texts in quotation marks, and words that no message has. */
export function shortenQuotes(words: string): string {
  return words.replaceAll(
    /(["'])((?:(?!\1).){121,})\1|\S{1000,}/gs,
    (whole: string, quote: string | undefined, text: string | undefined) =>
      `${quote ?? ''}${(text ?? whole).slice(0, MAX_QUOTED - 3)}...${quote ?? ''}`,
  );
}

/** Groups of commands, where they differ from the kind of thing. */
const LISTED_BY: Readonly<Record<string, string>> = { run: 'runs', delivery: 'deliveries' };

/** The command that lists the names of what was not found. */
export function suggestList(words: string): string {
  if (words.includes('see: ')) return '';
  const [, kind = ''] = /\b(search|topic|run|delivery)\b/.exec(words) ?? [];
  const group = LISTED_BY[kind] ?? kind;
  return group === '' ? '' : `; see: strandline ${group} list`;
}

/** Members of a search whose options have other names. */
const OPTIONS_BY_MEMBER: Readonly<Record<string, readonly string[]>> = {
  schedule: ['--cron', '--every'],
  labels: ['--label'],
  posts_every: ['--every'],
};

/** ` (--date-filter)` for `date_filter`, if the command has that option. Before it is known, its options are parsed. */
export function describeOption(path: string, command: Command | undefined): string {
  if (command === undefined) return /^[a-z]+$/.test(path) ? ` (--${path})` : '';
  const member = path.replace(/[.[ ].*$/s, '');
  const names = OPTIONS_BY_MEMBER[member] ?? [`--${member.replaceAll('_', '-')}`];
  const known = names.filter((name) => command.options.some(({ long }) => long === name));
  return known.length === 0 ? '' : ` (${known.join(' or ')})`;
}

/** `help --all`, or `--help --all`: the help with all commands. */
export function asksForAll(argv: readonly string[]): boolean {
  const words = argv.filter((word) => word !== '--all');
  return words.length < argv.length && words.length === 1 && /^(?:help|--help|-h)$/.test(words[0] ?? '');
}

/**
 * `help x` becomes `x --help`, because only the command's own file has its full help; and where help is asked for, other options
 * are left out, because their values may be wrong.
 */
export function rewriteHelp(argv: readonly string[], program: Command): readonly string[] {
  const start = argv.findIndex((word) => !word.startsWith('-'));
  const options = argv.findIndex((word, i) => i > start && word.startsWith('-'));
  const end = argv.indexOf('--', options);
  const asks = argv
    .slice(options, end === -1 ? undefined : end)
    .some((word) => word === '--help' || word === '-h');
  if (start !== -1 && options !== -1 && asks) return [...argv.slice(0, options), '--help'];
  const [first, second = '', ...rest] = argv[0] === '--' ? argv.slice(1) : argv;
  if (first !== 'help' || second === '' || second === 'help') return argv;
  return program.commands.some((command) => command.name() === second)
    ? [second, '--help']
    : [second, ...rest];
}

/** Puts words that begin with a dash but can be no option (`-cancelled`, a comment of SQL) behind `--`. */
export function guardQuery(argv: readonly string[]): string[] {
  const takesQuery = /^(?:sql|find|posts list|links (?:list|first))\b/.test(argv.slice(0, 2).join(' '));
  const query = argv.find((word) => /^-(?:-[^=]*\s|(?![hV]$)[^-\d])/.test(word));
  if (!takesQuery || query === undefined || argv.includes('--')) return [...argv];
  return [...argv.filter((word) => word !== query), '--', query];
}
