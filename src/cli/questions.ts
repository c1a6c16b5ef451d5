/** Questions to a person at a terminal. Elsewhere, options answer them. */

import type { Cli } from './command-context.ts';
import { isTerminal } from './terminal-io.ts';
import { createInterface } from 'node:readline/promises';

/** Whether somebody can answer. */
function canAsk({ io: { stdin = process.stdin, stderr } }: Cli): boolean {
  return isTerminal(stderr) && 'isTTY' in stdin && stdin.isTTY === true;
}

/** @returns the answer, trimmed; empty at the end of the input or when interrupted */
async function ask({ io: { stdin = process.stdin, stderr } }: Cli, question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr, terminal: false });
  try {
    stderr.write(question);
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    return (await Promise.race([lines.question(''), ended])).trim();
  } finally {
    lines.close();
  }
}

/** @param yes the option `--yes` @returns whether to go on; null if nobody can answer */
export async function confirm(cli: Cli, question: string, yes: boolean | undefined): Promise<boolean | null> {
  if (yes === true) return true;
  if (!canAsk(cli)) return null;
  return /^y(es)?$/i.test(await ask(cli, `${question} [y/N] `));
}
