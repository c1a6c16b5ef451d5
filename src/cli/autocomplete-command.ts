/** `autocomplete`: static completion scripts, generated from the tree of commands. */

import type { Cli } from './command-context.ts';
import { parseChoice } from './option-values.ts';
import type { Command } from 'commander';

export function registerAutocomplete(command: Command, cli: Cli, loadAll: () => Promise<Command>): void {
  command
    .argument('<shell>', SHELLS.join(', '))
    .addHelpText(
      'after',
      '\nExamples:\n  $ source <(strandline autocomplete bash)\n  $ strandline autocomplete fish | source\n',
    )
    .action(async (shell: string) => {
      const branches: CommandBranch[] = listBranches(await loadAll());
      await cli.out.write(renderScript(parseChoice('shell', shell, SHELLS), branches));
    });
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type ShellName = (typeof SHELLS)[number];

/** The path of a command, with its subcommands and options. */
type CommandBranch = { path: string[]; next: { word: string; about: string }[] };

function listBranches(command: Command, path: string[] = []): CommandBranch[] {
  const commands = command.commands.map((child) => ({
    word: child.name(),
    about: child.summary() || child.description(),
  }));
  const options = command.options
    .filter((option) => option.long !== undefined && !option.hidden)
    .map((option) => ({ word: option.long ?? '', about: option.description }));
  const help = { word: '--help', about: 'print this help' };
  const here = { path, next: [...commands, ...options, help] };
  return [here, ...command.commands.flatMap((child) => listBranches(child, [...path, child.name()]))];
}

function renderScript(shell: ShellName, branches: readonly CommandBranch[]): string {
  if (shell === 'fish') return renderFish(branches);
  return shell === 'bash' ? renderBash(branches) : renderZsh(branches);
}

/** The words so far, without options, select the branch. */
function renderBash(branches: readonly CommandBranch[]): string {
  const cases = branches.map(
    ({ path, next }) => `    '${path.join(' ')}') words='${next.map(({ word }) => word).join(' ')}' ;;`,
  );
  return `# strandline completion for bash: source <(strandline autocomplete bash)
_strandline() {
  local path='' words='' word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case " ${joinCommandWords(branches)} " in *" $word "*) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _strandline strandline
`;
}

function renderZsh(branches: readonly CommandBranch[]): string {
  const cases = branches.map(
    ({ path, next }) =>
      `    '${path.join(' ')}') choices=(${next.map(({ word, about }) => quoteForShell(`${word}:${about.replaceAll(':', ' -')}`)).join(' ')}) ;;`,
  );
  return `#compdef strandline
# strandline completion for zsh: source <(strandline autocomplete zsh)
_strandline() {
  local here='' word
  local -a choices
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    case " ${joinCommandWords(branches)} " in *" $word "*) here="\${here:+$here }$word" ;; esac
  done
  case "$here" in
${cases.join('\n')}
  esac
  _describe 'strandline' choices
}
compdef _strandline strandline
`;
}

function renderFish(branches: readonly CommandBranch[]): string {
  const lines = branches.flatMap(({ path, next }) =>
    next.map(({ word, about }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c strandline -n "test (__strandline_path) = '${path.join(' ')}'" ${what} -d ${quoteForShell(about, '\\')}`;
    }),
  );
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
