/** Commands of the program with a source and a kind of channel more, all run by one process. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Order, Word } from './extended-program.ts';
import { until } from './processes.ts';
import { programOf } from './programs.ts';

/** What a command printed so far; `code` once it ended. */
export type Printed = { out: string; err: string; code: number | undefined };

export function startExtended(base: Record<string, string>) {
  const child = fork(programOf('test/extended-program.ts'), [], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = once(child, 'exit');
  const commands: Printed[] = [];
  let logged = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (logged += chunk.toString()));
  child.on('message', (word: Word) => {
    const printed = commands[word.id];
    if (printed !== undefined && 'code' in word) printed.code = word.code;
    else if (printed !== undefined && 'text' in word) printed[word.stream] += word.text;
  });
  /** Fails where the process, or the command, ended before. */
  const start = async (
    argv: readonly string[],
    env: Record<string, string>,
    isDone: (printed: Printed) => boolean,
  ) => {
    const printed: Printed = { out: '', err: '', code: undefined };
    const order: Order = { id: commands.push(printed) - 1, argv, env: { ...base, ...env } };
    child.send(order);
    await until(argv.join(' '), async () => {
      if (child.exitCode !== null) throw new Error(logged);
      return isDone(printed) || printed.code !== undefined;
    });
    return printed;
  };
  return {
    /** Runs a command to its end. */
    run: (argv: readonly string[], env: Record<string, string> = {}) => start(argv, env, () => false),
    /** Starts a server. @returns the address that it says, which the expression captures */
    serve: async (argv: readonly string[], address: RegExp, env: Record<string, string> = {}) => {
      const find = ({ out, err }: Printed) => address.exec(out + err)?.[1];
      const printed = await start(argv, env, (so) => find(so) !== undefined);
      const url = find(printed);
      if (url === undefined) throw new Error(`it did not start: ${printed.err}${logged}`);
      return url;
    },
    /** Ends servers as Ctrl-C does. @returns everything that was printed and logged */
    end: async (): Promise<string> => {
      child.kill('SIGTERM');
      await until('the servers end', async () => commands.every(({ code }) => code !== undefined));
      child.disconnect();
      await ended;
      return commands.map(({ out, err }) => out + err).join('') + logged;
    },
  };
}
