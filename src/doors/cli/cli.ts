/** What every command has in its hands. */
import type { Command } from 'commander';
import { type Config, readConfig } from '../../config.ts';
import { createLogger, type Logger } from '../../engine/logger.ts';
import { type Home, openHome } from '../../home.ts';
import type { Acting } from '../../monitor/context.ts';
import { commandLine } from './actor.ts';
import type { Io } from './io.ts';
import { toJson } from '../json.ts';
import { type Output, openOutput } from './output.ts';
import { secretsOf } from './secrets.ts';
import { awaitEnding } from './signals.ts';
import { type Terminal, openTerminal } from './terminal.ts';
import { oneLine } from './text.ts';

/** What a command changes is recorded under the account that runs it. */
export type CommandHome = Home & { ctx: Acting };

export type Cli = {
  io: Io;
  page: Terminal;
  /** Data. */
  out: Output;
  /** Talk: one line for a person, on stderr. */
  say(line: string): void;
  /** Data as one JSON document, or as the lines of a page. */
  show(json: boolean | undefined, value: unknown, lines: () => readonly string[]): Promise<void>;
  /** @throws InvalidInput */
  config(): Config;
  log(): Logger;
  /** Opens database and queue as a guest, and closes them after `work`. */
  withHome<T>(work: (home: CommandHome, stopping: AbortSignal) => Promise<T>): Promise<T>;
  /** The command that runs, once it is known which. */
  command: Command | undefined;
  /** What the command ends with where nothing is thrown. */
  exitCode: number;
};

/** A command group: adds its commands to the program. */
export type Register = (program: Command, cli: Cli) => void;

export type OpenHome = (options: { config: Config; log: Logger; role: 'guest' }) => Promise<Home>;

export function openCli(io: Io, open: OpenHome = openHome): Cli {
  const page = openTerminal(io);
  const out = openOutput(io.stdout);
  let config: Config | undefined;
  const readOnce = () => (config ??= readConfig(io.env));
  const log = () => {
    // A command that prints data is quiet about its way there, unless somebody asked to hear it.
    return createLogger(readOnce().logLevel ?? 'warn', secretsOf(readOnce()), {
      write: (line) => void io.stderr.write(line),
    });
  };
  return {
    io,
    page,
    out,
    say: page.say,
    config: readOnce,
    log,
    command: undefined,
    exitCode: 0,
    show: async (json, value, lines) => {
      if (json === true) return out.write(`${toJson(value, page.live ? 2 : undefined)}\n`);
      const shown = lines();
      if (shown.length > 0) await out.write(`${shown.join('\n')}\n`);
    },
    withHome: async (work) => {
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
  };
}

/** How long work that was interrupted may take to end by itself. */
const GRACE_MS = 5_000;

/** Work did not end by itself after Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
