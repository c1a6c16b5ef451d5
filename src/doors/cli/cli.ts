/** What every command has in its hands. */
import type { Command } from 'commander';
import { type Config, readConfig } from '../../config.ts';
import { createLogger, type Logger } from '../../engine/logger.ts';
import type { Home } from '../../home.ts';
import type { Acting } from '../../monitor/context.ts';
import { commandLine } from './actor.ts';
import { secretsOf } from './secrets.ts';
import type { Shell } from './shell.ts';
import { awaitEnding } from './signals.ts';
import { oneLine } from './text.ts';

/** What a command changes is recorded under the account that runs it. */
export type CommandHome = Home & { ctx: Acting };

export type Cli = Shell & {
  /** @throws InvalidInput */
  config(): Config;
  log(): Logger;
  /** Opens database and queue as a guest, and closes them after `work`. */
  withHome<T>(work: (home: CommandHome, stopping: AbortSignal) => Promise<T>): Promise<T>;
};

/**
 * What a command's file says of it: its description, its arguments and options, its own commands, what it does.
 * @param command as the registry made it
 * @param loadAll loads the files of all commands @returns the program
 */
export type Register = (command: Command, cli: Cli, loadAll: () => Promise<Command>) => void;

export type OpenHome = (options: { config: Config; log: Logger; role: 'guest' }) => Promise<Home>;

/** Makes of the shell what commands work with. */
export function openCli(shell: Shell, open: OpenHome = openGuest): Cli {
  const { io, page, out } = shell;
  let config: Config | undefined;
  const readOnce = () => (config ??= readConfig(io.env));
  const log = () => {
    // A command that prints data is quiet about its way there, unless somebody asked to hear it.
    return createLogger(readOnce().logLevel ?? 'warn', secretsOf(readOnce()), {
      write: (line) => void io.stderr.write(line),
    });
  };
  return Object.assign(shell, {
    config: readOnce,
    log,
    withHome: async <T>(work: (home: CommandHome, stopping: AbortSignal) => Promise<T>) => {
      // Until it is open Ctrl-C ends the process at once, as it does anywhere.
      const home = await open({ config: readOnce(), log: log(), role: 'guest' });
      const stopping = new AbortController();
      const ending = awaitEnding();
      for (const note of home.notes) page.say(`note: ${oneLine(note)}`);
      const stop = () => stopping.abort();
      const interrupted = ending.asked.then(async () => {
        stop();
        await new Promise((resolve) => {
          setTimeout(resolve, GRACE_MS).unref();
          ending.onHurry(() => resolve(null));
        });
        throw new Interrupted();
      });
      out.onGone(stop);
      try {
        return await Promise.race([
          work({ ...home, ctx: { ...home.ctx, actor: commandLine() } }, stopping.signal),
          interrupted,
        ]);
      } finally {
        ending.release();
        await home.close();
      }
    },
  } satisfies Omit<Cli, keyof Shell>);
}

/** Loaded by commands that open it: others print what needs no database. */
const openGuest: OpenHome = async (options) => {
  const { openHome } = await import('../../home.ts');
  return openHome(options);
};

/** How long work that was interrupted may take to end by itself. */
const GRACE_MS = 5_000;

/** Work did not end by itself after Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
