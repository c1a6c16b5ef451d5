/** What `--help` prints for each command, as a part of docs/reference/commands.md. */
import { Writable } from 'node:stream';
import { runCli } from '../../src/cli/command-line.ts';

/** @param command none: the help with all commands */
export async function printHelp(command: readonly string[]): Promise<string> {
  let text = '';
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString('utf8');
      done();
    },
  });
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asked = command.length === 0 ? ['help', '--all'] : [...command, '--help'];
  await runCli(asked, { stdout, stderr, env: { COLUMNS: '100' }, isTTY: false });
  return text.trim();
}

/** Names of the commands that a help lists: the terms of its groups, but for `help`. */
export function findCommands(help: string): string[] {
  const [, ...groups] = help.split(/^(?=\S.*:$)/m);
  return groups
    .filter((group) => !/^(?:Arguments|Options|Examples|Help):/.test(group))
    .flatMap((group) => [...group.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name = '']) => name))
    .filter((name) => name !== 'help');
}

/** Every command without commands below it, with its arguments: `search run <search>`. */
export async function listUsages(command: readonly string[] = []): Promise<string[]> {
  const help = await printHelp(command);
  const names = findCommands(help);
  if (names.length === 0)
    return [/^Usage: strandline (.*)$/m.exec(help)?.[1]?.replace(' [options]', '') ?? ''];
  return (await Promise.all(names.map((name) => listUsages([...command, name])))).flat();
}

async function renderCommand(command: readonly string[]): Promise<string> {
  const help = await printHelp(command);
  const parts = findCommands(help).map((name) => renderCommand([...command, name]));
  const text = help
    .split('\n')
    .filter((line) => !/^ {2}(?:-h, --help|help \[command\]) /.test(line))
    .join('\n')
    .replaceAll(/^Options:(?!\n {2})\n*/gm, '');
  const block = `\`\`\`text\n${text.trim()}\n\`\`\``;
  return [block, ...(await Promise.all(parts))].join('\n\n');
}

/** A section for each command, with the help of the commands below it. */
export async function renderCommands(): Promise<string> {
  const sections: string[] = [];
  for (const name of findCommands(await printHelp([])))
    sections.push(`### ${name}\n\n${await renderCommand([name])}`);
  return sections.join('\n\n');
}
