/** Every command of the program with arguments and options that its parser accepts. */
import { listUsages } from '../house/commands.ts';

const ARGUMENTS: Readonly<Record<string, string>> = {
  id: '1',
  kind: 'post',
  what: 'posts',
  query: 'select 1',
  shell: 'bash',
};
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'search add': ['--operation', 'ai'],
  'authors forget': ['--yes', '--service', 'own'],
  demo: ['--remove'],
  plan: ['--topics', 'LICENSE'],
  apply: ['--topics', 'LICENSE'],
};
/** Commands that have commands below them, and do something themselves. */
const GROUPS = ['service', 'trends', 'digest', 'stories <topic>'];

export type Call = { name: string; argv: string[] };

export async function listCalls(): Promise<Call[]> {
  return [...(await listUsages()), ...GROUPS].map((usage) => {
    const name = usage.replace(/ [<[].*/, '');
    const values = [...usage.matchAll(/[<[]([a-z]+)/g)].map(
      ([, argument = '']) => ARGUMENTS[argument] ?? 'x',
    );
    return { name, argv: [...name.split(' '), ...values, ...(OPTIONS[name] ?? [])] };
  });
}
