/** Messages name the program as a person starts it, and are wrapped so that its commands can be pasted. */

import type { DatabaseKind } from '../model/database-kind.ts';

/** @param script the file that Node runs: `argv[1]` */
export function findProgramName(script: string, env: Readonly<Record<string, string | undefined>>): string {
  // In a checkout `strandline` is not on PATH.
  if (/[\\/]src[\\/]main\.ts$/.test(script)) return 'npm run -s strandline --';
  return env['npm_command'] === 'exec' ? 'npx strandline' : 'strandline';
}

/** Commands that serve both databases, or are about neither: `--sandbox` does not apply to them. */
export const OF_BOTH_DATABASES: ReadonlySet<string> = new Set([
  'up',
  'worker',
  'api',
  'service',
  'doctor',
  'config',
  'autocomplete',
]);

/** Puts a program's name in place of `strandline` in front of its commands, with the option of the database that is in use. */
export function nameProgram(
  text: string,
  { program, kind }: { program: string; kind: DatabaseKind },
  commands: readonly string[],
): string {
  if (program === 'strandline' && kind === 'real') return text;
  const call = new RegExp(
    String.raw`(?<![\w./-])strandline (--sandbox )?(${commands.join('|')})(?![\w-])`,
    'g',
  );
  return text.replace(call, (_, explicit: string | undefined, command: string) => {
    const isImplied = kind !== 'real' && command !== 'demo' && !OF_BOTH_DATABASES.has(command);
    const option = explicit !== undefined || isImplied ? ' --sandbox' : '';
    return `${program}${option} ${command}`;
  });
}

/** Breaks a message between words, except in a command at its end, which gets a line of its own. */
export function wrapMessage(text: string, width: number, program: string): string[] {
  if (text.length <= width) return [text];
  const end = text.indexOf(`: ${program} `);
  const indent = /^ */.exec(text)?.[0] ?? '';
  const lines: string[] = [];
  for (const word of (end === -1 ? text : text.slice(0, end + 1)).trimStart().split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(`${indent}${word}`);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return end === -1 ? lines : [...lines, `${indent}  ${text.slice(end + 2)}`];
}
