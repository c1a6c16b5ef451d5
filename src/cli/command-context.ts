/** The context of a command: shell, configuration, log, and the program it opens. */

import type { DatabaseKind } from '../model/database-kind.ts';
import type { Program } from '../app/program.ts';
import type { Config } from '../config/config.ts';
import { readServerPlace } from '../config/server-place.ts';
import { VERSION } from '../config/version.ts';
import type { ActingContext } from '../monitor/context.ts';
import type { Logger } from '../platform/logger.ts';
import type { Actor } from '../store/access/audit-entries.ts';
import { Refused } from '../model/errors.ts';
import { readSmallFile } from '../platform/small-file.ts';
import type * as Configuration from './configuration.ts';
import type { Api, ApiServer } from './api-client.ts';
import { listenForShutdown } from './process-exit.ts';
import type { RunningServer } from './running-server.ts';
import type { Io, Shell, Terminal } from './terminal-io.ts';
import { oneLine } from './terminal-text.ts';
import type { Command } from 'commander';
import { userInfo } from 'node:os';

/** Changes are recorded under the account that runs the command. */
export type CommandProgram = Program & { ctx: ActingContext };

export type Cli = Shell & {
  /** Known once it is loaded. @throws InvalidInput */
  config(): Config;
  /** Loads the code that reads the configuration. A command that only sends a request needs none of it. */
  loadConfiguration(): Promise<void>;
  /**
   * Calls operations: at the server that `STRANDLINE_URL` names; else at the one that owns the data directory; else here, with
   * the database and queue opened as a guest.
   * @param options.runsIn waits for a server that is starting
   * @param options.stops `work` ends by itself when it is interrupted; otherwise a command that waits for a server ends at once
   * @throws InvalidInput, Refused
   */
  withApi(work: ApiWork, options?: ApiOptions): Promise<void>;
  /** Whether commands are sent to the server that `STRANDLINE_URL` names. @throws InvalidInput */
  isRemote(): boolean;
  /** The command as it was typed, without options: `search list`. */
  typed: string;
  /** Commands that only call operations: the server has checked its configuration. */
  callers: WeakSet<Command>;
  /** Whether a configuration file sets anything. Every command then reports the mistakes in the file. @throws InvalidInput */
  hasConfigurationFile(): boolean;
  /** Reads and checks the whole configuration before a command acts; a server has checked its own. @throws InvalidInput */
  assertConfiguration(): Promise<void>;
  log(): Logger;
  /**
   * Opens database and queue as a guest, and closes them after `work`: for commands that are about this machine.
   * @throws Refused if `STRANDLINE_URL` names a server elsewhere
   */
  withProgram<T>(work: Work<T>): Promise<T>;
  /** A small file that an option names. @throws InvalidInput */
  readFile(file: string, option: string): string;
};

type ApiWork = (api: Api, stopping: AbortSignal) => Promise<void>;
type ApiOptions = {
  runsIn?: 'server' | undefined;
  stops?: true | undefined;
  /** Where no server runs, nothing happens. */
  onlyServer?: true;
};
type Work<T> = (program: CommandProgram, stopping: AbortSignal) => Promise<T>;

export type RunCliOptions = {
  /** How a command opens database and queue; set in tests. */
  open?: OpenProgram;
  /** Called once before the first command is loaded; help and version do not need it. */
  prepare?: () => Promise<void>;
};

/** Runs one command and returns its exit code. */
export type RunCli = (argv: readonly string[], io: Io, running?: RunCliOptions) => Promise<number>;

/**
 * Adds a command's description, arguments, options, subcommands and action.
 * @param command as the registry created it
 * @param loadAll loads the files of all commands @returns the program
 */
export type RegisterCommand = (
  command: Command,
  cli: Cli,
  loadAll: () => Promise<Command>,
) => void | Promise<void>;

type OpenProgram = (options: {
  config: Config;
  log: Logger;
  role: 'guest';
  kind: DatabaseKind;
}) => Promise<Program>;

type OpenCliOptions = Pick<RunCliOptions, 'open'> & {
  argv?: readonly string[];
  configuration?: typeof Configuration;
};

/**
 * @param options.argv the command, as it was typed
 * @param options.configuration what reads the configuration, if it is loaded already
 */
export function openCli(
  shell: Shell,
  { open = openAsGuest, argv = [], configuration }: OpenCliOptions = {},
): Cli {
  const { io, page, out } = shell;
  let config: Config | undefined;
  let loaded = configuration;
  const load = async () => (loaded ??= await import('./configuration.ts'));
  const assertLoaded = () => {
    if (loaded === undefined) throw new Error('the configuration is not loaded');
    return loaded;
  };
  const readOnce = () => (config ??= assertLoaded().useConfig(io.env));
  const log = () => assertLoaded().openLog(shell, readOnce());
  const findOwnServer = async () => (await import('./running-server.ts')).findOwnServer(io.env);
  // Without a server, a command needs none of it.
  const loadClient = () => import('./api-client.ts');

  async function withProgram<T>(work: Work<T>): Promise<T> {
    assertNotRemote();
    await load();
    // Until the program is open, Ctrl-C ends the process immediately.
    const program = await announceBoot(
      page,
      open({ config: readOnce(), log: log(), role: 'guest', kind: shell.page.kind }),
    );
    for (const note of program.notes) page.say(`note: ${oneLine(note)}`);
    try {
      return await untilInterrupted((stopping) => {
        const actor: Actor = { kind: 'command_line', name: readAccountName() };
        return work({ ...program, ctx: { ...program.ctx, actor } }, stopping);
      });
    } finally {
      await program.close();
    }
  }

  /** Ctrl-C asks the work to end, which then has half a minute; a second one ends the command at once. */
  async function untilInterrupted<T>(work: (stopping: AbortSignal) => Promise<T>): Promise<T> {
    const stopping = new AbortController();
    const ending = listenForShutdown();
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
      return await Promise.race([work(stopping.signal), interrupted]);
    } finally {
      ending.release();
    }
  }

  function assertNotRemote(): void {
    const { remote } = readServerPlace(io.env);
    if (remote !== undefined)
      throw new Refused(
        'conflict',
        `this command uses the database and files of its own machine, not ${remote.url}: run it where that server runs, without STRANDLINE_URL`,
      );
  }

  /** @throws NothingListens if the server of the data directory has ended */
  async function requestFrom(server: ApiServer, work: ApiWork, { stops }: ApiOptions): Promise<void> {
    const { openApiClient } = await loadClient();
    if (stops === undefined) return work(openApiClient(server, page.kind), new AbortController().signal);
    return untilInterrupted((stopping) => work(openApiClient(server, page.kind, stopping), stopping));
  }

  /** @returns false if it has ended without removing `server.json` */
  async function askServer(server: RunningServer, work: ApiWork, options: ApiOptions): Promise<boolean> {
    const { NothingListens } = await loadClient();
    try {
      await requestFrom(describeServer(server), work, options);
      return true;
    } catch (error) {
      if (error instanceof NothingListens) return false;
      throw error;
    }
  }

  async function withApi(work: ApiWork, options: ApiOptions = {}): Promise<void> {
    const { remote } = readServerPlace(io.env);
    if (remote !== undefined) {
      const name = `The server at ${remote.url}`;
      return requestFrom({ name, variable: 'STRANDLINE_TOKEN', ...remote }, work, options);
    }
    const server = await findOwnServer();
    if (server !== undefined && (await askServer(server, work, options))) return;
    if (options.onlyServer === true) return;
    await load();
    await assertConfiguration();
    const { openDirectApi } = await import('./direct-api.ts');
    const owner = await withProgram(async (program, stopping) => {
      const running = options.runsIn === 'server' ? await program.embedded?.findOwner() : undefined;
      if (running === undefined) await work(openDirectApi(shellCli, program, stopping), stopping);
      return running;
    });
    if (owner === undefined) return;
    await waitForServer(owner.pid, async () => {
      const started = await findOwnServer();
      return started !== undefined && askServer(started, work, options);
    });
  }

  /** It starts, or its file is gone: it cannot be asked yet, and this process may not act in its place. */
  async function waitForServer(pid: number, ask: () => Promise<boolean>): Promise<void> {
    const { watchServer } = await import('./running-server.ts');
    page.say(`Waiting for the server (process ${pid}) to take commands…`);
    for await (const _ of watchServer(readOnce().dataDir, SERVER_WAIT_MS)) if (await ask()) return;
    throw new Refused(
      'unavailable',
      `The server of this data directory (process ${pid}) takes no commands yet. Try again; if it does not help, restart the server.`,
    );
  }

  async function assertConfiguration(): Promise<void> {
    await load();
    const { assertNamedSources } = await import('../app/source-variables.ts');
    await assertNamedSources(readOnce());
  }

  const shellCli = Object.assign(shell, {
    config: readOnce,
    loadConfiguration: async () => void (await load()),
    assertConfiguration,
    withApi,
    isRemote: () => readServerPlace(io.env).remote !== undefined,
    typed: argv
      .filter((word) => !word.startsWith('-'))
      .slice(0, 2)
      .join(' '),
    callers: new WeakSet<Command>(),
    hasConfigurationFile: () => readServerPlace(io.env).hasFile,
    log,
    withProgram,
    readFile: (file, option) => readSmallFile(file, option),
  } satisfies Omit<Cli, keyof Shell>);
  return shellCli;
}

/** That of the data directory, by the key in its file. @throws Refused if it has another version */
function describeServer({ pid, port, key, version }: RunningServer): ApiServer {
  const name = `The running server (process ${pid})`;
  if (version !== VERSION)
    throw new Refused(
      'conflict',
      `${name} is strandline ${version}, but this command is ${VERSION}. Restart the server, or use its version.`,
    );
  return { url: `http://127.0.0.1:${port}`, name, token: key, account: readAccountName() };
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

/** How long interrupted work may take to finish, on a busy machine, too; a second Ctrl-C does not wait for it. */
const INTERRUPT_GRACE_MS = 30_000;

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
