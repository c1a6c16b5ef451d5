/** The context of a command: shell, configuration, log, and the program it opens. */

import type { Program } from '../app/program.ts';
import { type Config, readConfig } from '../config/config.ts';
import type { ActingContext } from '../monitor/context.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import type { Actor } from '../store/audit-entries.ts';
import { findRenamed } from '../store/former-slugs.ts';
import { listNamedSlugs, NamedByFormerSlug } from './former-slugs.ts';
import { listenForShutdown, useConfig } from './process-exit.ts';
import { renderLogLine } from './log-lines.ts';
import { isTerminal, type Shell, type Terminal } from './terminal-io.ts';
import { oneLine } from './terminal-text.ts';
import type { Command } from 'commander';
import { userInfo } from 'node:os';

/** Changes are recorded under the account that runs the command. */
export type CommandProgram = Program & { ctx: ActingContext };

export type Cli = Shell & {
  /** @throws InvalidInput */
  config(): Config;
  log(): Logger;
  /** Opens database and queue as a guest, and closes them after `work`. */
  withProgram<T>(work: (program: CommandProgram, stopping: AbortSignal) => Promise<T>): Promise<T>;
};

/**
 * Adds a command's description, arguments, options, subcommands and action.
 * @param command as the registry created it
 * @param loadAll loads the files of all commands @returns the program
 */
export type RegisterCommand = (command: Command, cli: Cli, loadAll: () => Promise<Command>) => void;

export type OpenProgram = (options: { config: Config; log: Logger; role: 'guest' }) => Promise<Program>;

export function openCli(shell: Shell, open: OpenProgram = openAsGuest): Cli {
  const { io, page, out } = shell;
  let config: Config | undefined;
  const readOnce = () => (config ??= useConfig(readConfig(io.env)));
  const log = () => {
    // Commands print data, so they log only warnings unless LOG_LEVEL asks for more.
    const { logLevel = 'warn', secrets } = readOnce();
    // Whoever asks for more than `info` looks for details, which are in the JSON.
    const human = isTerminal(io.stderr) && !['debug', 'trace'].includes(logLevel);
    return createLogger(logLevel, secrets, {
      write: (line) => (human ? page.say(renderLogLine(line)) : void io.stderr.write(line)),
    });
  };
  return Object.assign(shell, {
    config: readOnce,
    log,
    withProgram: async <T>(work: (program: CommandProgram, stopping: AbortSignal) => Promise<T>) => {
      // Until the program is open, Ctrl-C ends the process immediately.
      const program = await announceBoot(page, open({ config: readOnce(), log: log(), role: 'guest' }));
      const renamed = await findRenamed(program.ctx.db.pool, listNamedSlugs(shell.command)).catch(
        async (error: unknown) => {
          await program.close();
          throw error;
        },
      );
      if (renamed.length > 0) {
        await program.close();
        throw new NamedByFormerSlug(renamed);
      }
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

const BOOT_NOTICE_MS = 1_000;

/** Tells a person what takes time: an embedded database may have to start, or is busy. */
async function announceBoot<T>(page: Terminal, opening: Promise<T>): Promise<T> {
  const notice = setTimeout(() => page.live && page.say(page.dim('Opening the database…')), BOOT_NOTICE_MS);
  return opening.finally(() => clearTimeout(notice));
}

/** Loaded lazily, because some commands need no database. */
const openAsGuest: OpenProgram = async (options) => {
  const { openProgram } = await import('../app/program.ts');
  return openProgram(options);
};

/** How long interrupted work may take to finish. */
const INTERRUPT_GRACE_MS = 5_000;

/** The work did not finish after Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** The operating system account that runs this command: its name, or its number if it has none. */
function identifyActor(): Actor {
  return { kind: 'command_line', name: readAccountName() };
}

function readAccountName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a uid without an account.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
