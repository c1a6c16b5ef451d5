/** Questions to a person at a terminal. Elsewhere, options answer them. */

import { Refused } from '../domain/errors.ts';
import type { Context } from '../monitor/context.ts';
import { createServiceRequired, findDefaultKind } from '../monitor/topics/service-choice.ts';
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

/**
 * The service of new searches. If none is given and no source is reachable, a person chooses: simulated data must be asked for.
 * @returns undefined: the default @throws Refused `service_required` elsewhere, with the commands to type
 */
export async function chooseServiceOption(
  cli: Cli,
  ctx: Pick<Context, 'config' | 'ownSources'>,
  given: string | undefined,
): Promise<string | undefined> {
  if (given !== undefined || (await findDefaultKind(ctx)) !== null) return given;
  if (!canAsk(cli)) throw createServiceRequired(describeCommands(cli));
  cli.say('No public source is reachable. Choose what to search:');
  for (const [key, words] of SERVICE_CHOICES) cli.say(`  ${key}  ${words}`);
  const answer = await ask(cli, 'Choice [1]: ');
  if (answer === '2') return 'sandbox';
  if (answer === '3') return 'own';
  throw new Refused('service_required', 'nothing was saved: no service was chosen');
}

const SERVICE_CHOICES = [
  ['1', 'nothing: save nothing'],
  ['2', 'simulated data (sandbox); topic rewatch starts the same searches on public sources later'],
  ['3', 'public sources (own): the searches find something as soon as one is reachable'],
] as const;

/** This command with each of the services that can be named. */
function describeCommands({ command }: Cli): string {
  let root = command;
  while (root?.parent) root = root.parent;
  // What was typed, after the name of the program.
  const typed = root === undefined || !('rawArgs' in root) ? [] : (root.rawArgs as string[]); // commander does not type it
  const line = ['strandline', ...typed.map(quote)].join(' ');
  return `:
  public sources, as soon as one is reachable: ${line} --service own
  simulated data, always: ${line} --service sandbox`;
}

/** For a shell: any text as one argument. */
function quote(text: string): string {
  if (/^[\w./:=,@%+-]+$/.test(text)) return text;
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
}
