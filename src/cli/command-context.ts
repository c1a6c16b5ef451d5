/** The context of a command: shell, configuration, log, and the program it opens. */

import type { DatabaseKind } from '../model/database-kind.ts';
import type { Program } from '../app/program.ts';
import { type Config, readConfig } from '../config/config.ts';
import type { ActingContext, Context } from '../monitor/context.ts';
import type { RunReport } from '../monitor/runs/run-end.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import type { Actor } from '../store/access/audit-entries.ts';
import { InvalidInput, Refused } from '../model/errors.ts';
import { readSmallFile } from '../platform/small-file.ts';
import type { ShellSetting } from './forwarded-command.ts';
import { listenForShutdown, type ShutdownRequest, useConfig } from './process-exit.ts';
import { renderLogLine } from './log-lines.ts';
import { type Io, isTerminal, type Shell, type Terminal } from './terminal-io.ts';
import { oneLine } from './terminal-text.ts';
import type { Command } from 'commander';
import { userInfo } from 'node:os';

/** Changes are recorded under the account that runs the command. */
export type CommandProgram = Program & { ctx: ActingContext };

export type Cli = Shell & {
  /** @throws InvalidInput */
  config(): Config;
  /** Reads and checks the whole configuration before a command acts; a server has checked its own. @throws InvalidInput */
  assertConfiguration(): Promise<void>;
  log(): Logger;
  /** Opens database and queue as a guest, and closes them after `work`. For commands that only use the database. */
  withProgram<T>(work: Work<T>): Promise<T>;
  /**
   * The same for commands that call services or channels, or depend on the configuration in another way: where a server owns the
   * data directory, it runs the whole command instead, and `work` is not called here. What they read of files they read
   * before, by `readFile`.
   * @throws Refused if there is a server, and it does not take the command
   */
  withServer(work: Work<void>): Promise<void>;
  /**
   * Runs the whole command in the server that owns the data directory.
   * @param settings variables of this shell, for commands that compare them with the server's
   * @returns whether it did; false without a server, and in it
   * @throws Refused as `withServer`
   */
  atServer(settings?: (key: string) => Promise<ShellSetting[]>): Promise<boolean>;
  /** A small file that an option names. @throws InvalidInput */
  readFile(file: string, option: string): string;
  /** What the shell makes of its files and variables before the command runs: a server that runs the command reads neither. */
  prepare(name: string, make: () => string): string;
  /** Set in a server that runs the command for another shell. */
  caller: Caller | undefined;
  run: RunCli | undefined;
};

type Work<T> = (program: CommandProgram, stopping: AbortSignal) => Promise<T>;

/** The shell for which a server runs a command. */
export type Caller = {
  /** The server's, with the log level of the shell. */
  config: Config;
  /** Changes are recorded under it. */
  account: string;
  /** Content of the files that its options name, by path. */
  files: Readonly<Record<string, string>>;
  /** Its variables, with the key of their digests. */
  settings: { key: string; set: readonly ShellSetting[] } | undefined;
  listenForShutdown: () => ShutdownRequest;
  /** Prints a run that the command executed in the server, as the server prints its worker's runs. `ctx`: of the run's database. */
  onReport: ((ctx: Context, report: RunReport) => Promise<void>) | undefined;
};

export type RunCliOptions = {
  /** How a command opens database and queue; set in tests and in servers. */
  open?: OpenProgram;
  /** Called once before the first command is loaded; help and version do not need it. */
  prepare?: () => Promise<void>;
  caller?: Caller;
};

/** Runs one command and returns its exit code. */
export type RunCli = (argv: readonly string[], io: Io, running?: RunCliOptions) => Promise<number>;

/**
 * Adds a command's description, arguments, options, subcommands and action.
 * @param command as the registry created it
 * @param loadAll loads the files of all commands @returns the program
 */
export type RegisterCommand = (command: Command, cli: Cli, loadAll: () => Promise<Command>) => void;

type OpenProgram = (options: {
  config: Config;
  log: Logger;
  role: 'guest';
  kind: DatabaseKind;
}) => Promise<Program>;

type OpenCliOptions = Pick<RunCliOptions, 'open' | 'caller'> & { argv?: readonly string[]; run?: RunCli };

/** @param options.argv the command, as it was typed @param options.run for servers, which run commands of other shells */
export function openCli(
  shell: Shell,
  { open = openAsGuest, caller, argv = [], run }: OpenCliOptions = {},
): Cli {
  const { io, page, out } = shell;
  let config = caller?.config;
  const files: Record<string, string> = { ...caller?.files };
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

  async function withProgram<T>(work: Work<T>): Promise<T> {
    // Until the program is open, Ctrl-C ends the process immediately.
    const program = await announceBoot(
      page,
      open({ config: readOnce(), log: log(), role: 'guest', kind: shell.page.kind }),
    );
    const stopping = new AbortController();
    const ending = (caller?.listenForShutdown ?? listenForShutdown)();
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
      const actor: Actor = { kind: 'command_line', name: caller?.account ?? readAccountName() };
      return await Promise.race([
        work({ ...program, ctx: { ...program.ctx, actor } }, stopping.signal),
        interrupted,
      ]);
    } finally {
      ending.release();
      await program.close();
    }
  }

  async function atServer(settings?: (key: string) => Promise<ShellSetting[]>): Promise<boolean> {
    const { databaseUrl, dataDir, logLevel } = readOnce();
    if (caller !== undefined || databaseUrl !== undefined) return false;
    const { findServer } = await import('./running-server.ts');
    const server = await findServer(dataDir);
    if (server === undefined) return false;
    const { describeShell, runAtServer } = await import('./command-client.ts');
    const code = await runAtServer(
      server,
      {
        ...describeShell(shell),
        argv: [...argv],
        account: readAccountName(),
        files,
        logLevel,
        settings: await settings?.(server.key),
      },
      shell,
    );
    shell.exitCode = code ?? shell.exitCode;
    return code !== null;
  }

  return Object.assign(shell, {
    caller,
    run,
    config: readOnce,
    assertConfiguration: async () => {
      if (caller !== undefined) return;
      const { assertNamedSources } = await import('../app/source-variables.ts');
      await assertNamedSources(readOnce());
    },
    log,
    withProgram,
    atServer,
    withServer: async (work) => {
      if (await atServer()) return;
      const owner = await withProgram(async (program, stopping) => {
        const running = caller === undefined ? await program.embedded?.findOwner() : undefined;
        if (running === undefined) await work(program, stopping);
        return running;
      });
      if (owner === undefined) return;
      // It starts, or its file is gone: it cannot be asked yet, and this process may not act in its place.
      const { watchServer } = await import('./running-server.ts');
      page.say(`Waiting for the server (process ${owner.pid}) to take commands…`);
      for await (const _ of watchServer(readOnce().dataDir, SERVER_WAIT_MS)) if (await atServer()) return;
      throw new Refused(
        'unavailable',
        `The server of this data directory (process ${owner.pid}) takes no commands yet. Try again; if it does not help, restart the server.`,
      );
    },
    readFile: (file, option) => {
      const known = files[file];
      if (caller === undefined) return (files[file] = readSmallFile(file, option));
      if (known !== undefined) return known;
      throw new InvalidInput([{ path: option, given: file, expected: 'a file that the shell has read' }]);
    },
    // No path of a file contains NUL.
    prepare: (name, make) => (files[`\0${name}`] ??= make()),
  } satisfies Omit<Cli, keyof Shell>);
}

/** A server takes commands soon after it owns the data directory. */
const SERVER_WAIT_MS = 5_000;

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
function readAccountName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a uid without an account.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
