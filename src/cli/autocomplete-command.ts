/**
 * `autocomplete`: completion scripts, generated from the tree of commands. Slugs are asked for when they are completed: of a running
 * server, or of that of `STRANDLINE_URL`. Without a server there are none, because a key press does not start a database.
 */

import type { Cli } from './command-context.ts';
import { parseChoice } from './option-values.ts';
import { type Command, Option } from 'commander';

export function registerAutocomplete(command: Command, cli: Cli, loadAll: () => Promise<Command>): void {
  command
    .argument('<shell>', SHELLS.join(', '))
    .addHelpText(
      'after',
      '\nExamples:\n  $ source <(strandline autocomplete bash)\n  $ strandline autocomplete fish | source\n',
    )
    .addOption(new Option('--slugs <kind>', 'print the slugs of a kind, as the scripts ask for').hideHelp())
    .action(async (shell: string, { slugs }: { slugs?: string }) => {
      const name = parseChoice('shell', shell, SHELLS);
      if (slugs !== undefined) return printSlugs(cli, parseChoice('slugs', slugs, SLUG_KINDS));
      await cli.out.write(renderScript(name, listBranches(await loadAll())));
    });
}

/** Arguments and options that are slugs, with the operation that lists them. */
const SLUG_LISTS = {
  topic: 'listTopics',
  search: 'listSearches',
  channel: 'listChannels',
  rule: 'listRules',
} as const;
type SlugKind = keyof typeof SLUG_LISTS;
const SLUG_KINDS = Object.keys(SLUG_LISTS) as SlugKind[]; // the keys of a constant

/** A failure is silent: it would be printed into the line that is being typed. */
async function printSlugs(cli: Cli, kind: SlugKind): Promise<void> {
  const { askItems } = await import('./api-requests.ts');
  const work = cli.withApi(
    async (api) => {
      const items = await askItems<{ slug: string }>(api, SLUG_LISTS[kind]);
      await cli.out.write(items.map(({ slug }) => `${slug}\n`).join(''));
    },
    { onlyServer: true },
  );
  await work.catch(() => {});
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type ShellName = (typeof SHELLS)[number];

/** The path of a command, with its subcommands and options, and the kind of slug that its first argument takes. */
type CommandBranch = { path: string[]; next: { word: string; about: string }[]; slugs: SlugKind | undefined };

function listBranches(command: Command, path: string[] = []): CommandBranch[] {
  const commands = command.commands.map((child) => ({
    word: child.name(),
    about: child.summary() || child.description(),
  }));
  const options = command.options
    .filter((option) => option.long !== undefined && !option.hidden)
    .map((option) => ({ word: option.long ?? '', about: option.description }));
  const help = { word: '--help', about: 'print this help' };
  const [argument] = command.registeredArguments;
  const slugs = SLUG_KINDS.find((kind) => kind === argument?.name());
  const here = { path, next: [...commands, ...options, help], slugs };
  return [here, ...command.commands.flatMap((child) => listBranches(child, [...path, child.name()]))];
}

function renderScript(shell: ShellName, branches: readonly CommandBranch[]): string {
  if (shell === 'fish') return renderFish(branches);
  return shell === 'bash' ? renderBash(branches) : renderZsh(branches);
}

/** As a pattern of a shell: options whose values are slugs. */
const SLUG_OPTIONS = SLUG_KINDS.map((kind) => `--${kind}`).join(' | ');

/** The words so far, without options, select the branch. */
function renderBash(branches: readonly CommandBranch[]): string {
  const cases = branches.map(
    ({ path, next, slugs = '' }) =>
      `    '${path.join(' ')}') words='${next.map(({ word }) => word).join(' ')}' slugs='${slugs}' ;;`,
  );
  return `# strandline completion for bash: source <(strandline autocomplete bash)
_strandline() {
  local path='' words='' slugs='' word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case " ${joinCommandWords(branches)} " in *" $word "*) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "\${COMP_WORDS[COMP_CWORD - 1]}" in
    ${SLUG_OPTIONS}) slugs="\${COMP_WORDS[COMP_CWORD - 1]#--}" words='' ;;
  esac
  [[ -n "$slugs" ]] && words="$words $(strandline autocomplete bash --slugs "$slugs" 2>/dev/null)"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _strandline strandline
`;
}

function renderZsh(branches: readonly CommandBranch[]): string {
  const cases = branches.map(
    ({ path, next, slugs = '' }) =>
      `    '${path.join(' ')}') slugs='${slugs}' choices=(${next.map(({ word, about }) => quoteForShell(`${word}:${about.replaceAll(':', ' -')}`)).join(' ')}) ;;`,
  );
  return `#compdef strandline
# strandline completion for zsh: source <(strandline autocomplete zsh)
_strandline() {
  local here='' slugs='' word
  local -a choices
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    case " ${joinCommandWords(branches)} " in *" $word "*) here="\${here:+$here }$word" ;; esac
  done
  case "$here" in
${cases.join('\n')}
  esac
  case "\${words[CURRENT - 1]}" in
    ${SLUG_OPTIONS}) slugs="\${words[CURRENT - 1]#--}" choices=() ;;
  esac
  [[ -n "$slugs" ]] && choices+=(\${(f)"$(strandline autocomplete zsh --slugs "$slugs" 2>/dev/null)"})
  _describe 'strandline' choices
}
compdef _strandline strandline
`;
}

function renderFish(branches: readonly CommandBranch[]): string {
  const ask = (kind: string) => `'(strandline autocomplete fish --slugs ${kind} 2>/dev/null)'`;
  const lines = branches.flatMap(({ path, next, slugs }) => {
    const here = `complete -c strandline -n "test (__strandline_path) = '${path.join(' ')}'"`;
    const words = next.map(({ word, about }) => {
      const kind = SLUG_KINDS.find((each) => word === `--${each}`);
      const values = kind === undefined ? '' : ` -x -a ${ask(kind)}`;
      const what = word.startsWith('--') ? `-l ${word.slice(2)}${values}` : `-f -a ${word}`;
      return `${here} ${what} -d ${quoteForShell(about, '\\')}`;
    });
    return slugs === undefined ? words : [...words, `${here} -f -a ${ask(slugs)}`];
  });
  return `# strandline completion for fish: strandline autocomplete fish | source
function __strandline_path
  set -l path
  for word in (commandline -opc)[2..]
    contains -- $word ${joinCommandWords(branches)}; and set -a path $word
  end
  echo "$path"
end
${lines.join('\n')}
`;
}

function joinCommandWords(branches: readonly CommandBranch[]): string {
  return [...new Set(branches.flatMap(({ path }) => path))].join(' ');
}

/** Single quotes for a shell; fish escapes a quote inside them, the others close and open again. */
function quoteForShell(text: string, style: '\\' | 'close' = 'close'): string {
  return style === '\\' ? `'${text.replace(/['\\]/g, '\\$&')}'` : `'${text.replaceAll("'", `'\\''`)}'`;
}
