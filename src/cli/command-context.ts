/** What a command works with: the shell, the configuration, the log, and the program that it opens. */

import type { Program } from '../app/program.ts';
import { type Config, readConfig } from '../config/config.ts';
import type { ActingContext } from '../monitor/context.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import type { Actor } from '../store/audit-entries.ts';
import { listenForShutdown } from './process-exit.ts';
import type { Shell } from './terminal-io.ts';
import { oneLine } from './terminal-text.ts';
import type { Command } from 'commander';
import { userInfo } from 'node:os';

/** What a command changes is recorded under the account that runs it. */
export type CommandProgram = Program & { ctx: ActingContext };

export type Cli = Shell & {
  /** @throws InvalidInput */
  config(): Config;
  log(): Logger;
  /** Opens database and queue as a guest, and closes them after `work`. */
  withProgram<T>(work: (program: CommandProgram, stopping: AbortSignal) => Promise<T>): Promise<T>;
};

/**
 * What a command's file says of it: its description, its arguments and options, its own commands, what it does.
 * @param command as the registry made it
 * @param loadAll loads the files of all commands @returns the program
 */
export type RegisterCommand = (command: Command, cli: Cli, loadAll: () => Promise<Command>) => void;

export type OpenProgram = (options: { config: Config; log: Logger; role: 'guest' }) => Promise<Program>;

/** Adds to the shell what commands work with. */
export function openCli(shell: Shell, open: OpenProgram = openAsGuest): Cli {
  const { io, page, out } = shell;
  let config: Config | undefined;
  const readOnce = () => (config ??= readConfig(io.env));
  const log = () => {
    // A command that prints data is quiet about its way there, unless somebody asked to hear it.
    return createLogger(readOnce().logLevel ?? 'warn', readOnce().secrets, {
      write: (line) => void io.stderr.write(line),
    });
  };
  return Object.assign(shell, {
    config: readOnce,
    log,
    withProgram: async <T>(work: (program: CommandProgram, stopping: AbortSignal) => Promise<T>) => {
      // Until it is open Ctrl-C ends the process at once, as it does anywhere.
      const program = await open({ config: readOnce(), log: log(), role: 'guest' });
      const stopping = new AbortController();
      const ending = listenForShutdown();
      for (const note of program.notes) page.say(`note: ${oneLine(note)}`);
      const stop = () => stopping.abort();
      const interrupted = ending.requested.then(async () => {
        stop();
        await new Promise((resolve) => {
          setTimeout(resolve, INTERRUPT_GRACE_MS).unref();
          ending.onRepeated(() => resolve(null));
        });
        throw new Interrupted();
      });
      out.onGone(stop);
      try {
        return await Promise.race([
          work({ ...program, ctx: { ...program.ctx, actor: identifyActor() } }, stopping.signal),
          interrupted,
        ]);
      } finally {
        ending.release();
        await program.close();
      }
    },
  } satisfies Omit<Cli, keyof Shell>);
}

/** Loaded by commands that open it: others print what needs no database. */
const openAsGuest: OpenProgram = async (options) => {
  const { openProgram } = await import('../app/program.ts');
  return openProgram(options);
};

/** How long work that was interrupted may take to end by itself. */
const INTERRUPT_GRACE_MS = 5_000;

/** Work did not end by itself after Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Who runs this command: the account of the operating system, by its name, or by its number where it has none. */
function identifyActor(): Actor {
  return { kind: 'command_line', name: readAccountName() };
}

function readAccountName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that no account has.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
