/**
 * Runs commands of other shells in the server that owns the data directory, with its configuration, network and keys. It listens
 * on loopback only, and runs nothing for whoever does not prove to have the key in `server.json`.
 */

import type { CommandApi } from '../app/command-api.ts';
import type { Program } from '../app/program.ts';
import { VERSION } from '../config/version.ts';
import { Refused } from '../model/errors.ts';
import { SECOND } from '../lib/time.ts';
import { readFrames, writeFrame } from '../platform/child-frames.ts';
import { hashKey, isKeyOf, keyOfHeader } from '../platform/keys.ts';
import type { Caller, Cli, RunCli } from './command-context.ts';
import {
  COMMAND_PATH,
  type ForwardedCommand,
  forwardedCommand,
  isProof,
  MAX_COMMAND_BYTES,
  NONCE_HEADER,
  PROOF_HEADER,
  proveKey,
  type ServerFrame,
  shellFrame,
} from './forwarded-command.ts';
import { createShutdownRequest, type ShutdownRequest } from './process-exit.ts';
import { recordServer } from './running-server.ts';
import { describeSettings } from './shell-settings.ts';
import type { Io } from './terminal-io.ts';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable, Writable } from 'node:stream';

export type CommandServer = {
  /** Takes no more commands, interrupts current ones, and resolves when they have ended. */
  close(): Promise<void>;
};

/** At once; a script may start several. They share the connections of the program. */
const MAX_COMMANDS = 32;
/** Connections that have not proved that they have the key. One more ends the oldest, so no other program can keep shells out. */
const MAX_UNPROVEN = 32;
/** From the response head until the command came. */
const COMMAND_WAIT_MS = 10 * SECOND;
/** Arguments of a command may be long. */
const MAX_HEADER_BYTES = 256 * 1_024;
/** How long requests and interrupted commands may take to end. */
const CLOSE_MS = 6 * SECOND;
/** Messages beyond are dropped. */
const MAX_UNREAD_BYTES = 1_000_000;

type RunningCommand = { interrupt: () => void; ended: Promise<void> };

/** The programs of a server. */
type ServedPrograms = { real: Program; sandbox: Program | null };

/**
 * @param dashboard its address; null if there is none
 * @param cli the server's own, which runs commands as a shell does; `openApi`: for operations
 * @returns null with an external database: no program owns the data directory
 */
export async function serveCommands(
  { real: program, sandbox }: ServedPrograms,
  dashboard: string | null,
  {
    run,
    onReport,
    openApi = openCommandApi,
  }: Pick<Cli, 'run'> & Partial<Pick<Caller, 'onReport'>> & { openApi?: OpenApi },
): Promise<CommandServer | null> {
  if (program.embedded === null || run === undefined) return null;
  const { config, log } = program.ctx;
  const key = randomBytes(32).toString('base64url');
  config.secrets.push(key);
  const commands = new Set<RunningCommand>();
  const unproven = new Set<ConnectedShell>();

  const runOnceProven = async (shell: ConnectedShell): Promise<void> => {
    const command = await shell.received.finally(() => unproven.delete(shell));
    if (commands.size >= MAX_COMMANDS)
      return shell.end(1, `error: The running server already runs ${MAX_COMMANDS} commands.\n`);
    const ended = runForShell({ programs: { real: program, sandbox }, run, onReport, key }, command, shell);
    const running = { interrupt: shell.interrupt, ended };
    commands.add(running);
    await ended.finally(() => commands.delete(running));
  };

  let api: Promise<CommandApi> | undefined;
  const keyHash = hashKey(key);
  /** Opened by the first command that is an operation. */
  const openApiOnce = () =>
    (api ??= openApi({ real: program, sandbox }, key, dashboard).catch((error: unknown) => {
      api = undefined;
      throw error;
    }));

  const options = { requestTimeout: 0, keepAliveTimeout: 1, maxHeaderSize: MAX_HEADER_BYTES };
  const server = createServer(options, (request, response) => {
    if (isKeyOf(keyOfHeader(request.headers.authorization) ?? '', keyHash))
      return void openApiOnce().then(
        ({ handle }) => handle(request, response),
        (error: unknown) => {
          log.error({ err: error }, 'the API for commands was not opened');
          response.destroy();
        },
      );
    const refuse = (status: number, words: string) =>
      response.writeHead(status, { connection: 'close' }).end(`${words}\n`);
    const nonces = [String(request.headers[NONCE_HEADER]), randomBytes(16).toString('hex')];
    response.setHeader(NONCE_HEADER, nonces[1] ?? '');
    response.setHeader(PROOF_HEADER, proveKey(key, 'server', nonces));
    if (request.method !== 'POST' || request.url !== COMMAND_PATH) return void refuse(404, 'not found');
    const shell = connect(proveKey(key, 'shell', nonces), request, response);
    unproven.add(shell);
    if (unproven.size > MAX_UNPROVEN) [...unproven][0]?.drop();
    void runOnceProven(shell).catch((error: unknown) =>
      log.debug({ err: error }, 'command of a shell failed'),
    );
  });

  const port = await listen(server);
  const settings = await describeSettings(config, key);
  const own = { pid: process.pid, version: VERSION, dashboard, port, key, settings };
  const forget = await recordServer(config.dataDir, own).catch((error: unknown) => {
    server.close();
    throw error;
  });
  return {
    close: async () => {
      await forget();
      server.close();
      for (const { drop } of unproven) drop();
      for (const { interrupt } of commands) interrupt();
      const closeApi = async () => (await api?.catch(() => undefined))?.close();
      // A request that waits for a service does not hold up the end of the server.
      const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
      await Promise.allSettled([closeApi(), ...[...commands].map(({ ended }) => ended)]);
      clearTimeout(cut);
      server.closeAllConnections();
    },
  };
}

type OpenApi = (programs: ServedPrograms, key: string, dashboard: string | null) => Promise<CommandApi>;

/** Loaded lazily: a worker has no other API. */
const openCommandApi: OpenApi = async (...args) =>
  (await import('../app/command-api.ts')).openCommandApi(...args);

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null)
    throw new Refused('unavailable', 'no loopback address');
  return address.port;
}

/** A shell's request and its response, which lasts as long as its command. */
type ConnectedShell = {
  /** Its command, once it has proved that it has the key; otherwise it rejects. */
  received: Promise<ForwardedCommand>;
  response: ServerResponse;
  stdin: Readable;
  shutdown: ShutdownRequest;
  send: (frame: ServerFrame, body?: Uint8Array, done?: (error: Error | null | undefined) => void) => void;
  interrupt: () => void;
  /** The exit code of its command, after a message if there is one. */
  end: (code: number, message?: string) => void;
  drop: () => void;
};

function connect(proof: string, request: IncomingMessage, response: ServerResponse): ConnectedShell {
  const shutdown = createShutdownRequest();
  const interrupt = () => shutdown.ask('SIGINT');
  const send: ConnectedShell['send'] = (frame, body, done) => response.write(writeFrame(frame, body), done);
  let isAsked = false;
  const stdin = new Readable({
    read: () => {
      if (!isAsked) send({ is: 'ask' });
      isAsked = true;
    },
  });
  // Its reader is the command, which may have ended: an error without a listener would end the server.
  stdin.on('error', () => {});

  response.writeHead(200, { 'content-type': 'application/octet-stream', connection: 'close' });
  response.flushHeaders();
  let drop = () => {};
  const received = new Promise<ForwardedCommand>((resolve, reject) => {
    const read = readFrames((head, body) => {
      const frame = shellFrame.parse(head);
      if (frame.is === 'run') {
        if (!isProof(frame.proof, proof)) throw new Refused('unavailable', 'the shell does not have the key');
        clearTimeout(waiting);
        resolve(forwardedCommand.parse(JSON.parse(body.toString('utf8'))));
      } else if (frame.is === 'interrupt') interrupt();
      else stdin.push(frame.is === 'input' ? body : null);
    }, MAX_COMMAND_BYTES);
    const refuse = (error: unknown) => {
      reject(error instanceof Error ? error : new Error(String(error)));
      response.destroy();
    };
    drop = () => refuse(new Refused('unavailable', 'no command came'));
    const waiting = setTimeout(drop, COMMAND_WAIT_MS);
    request.on('error', refuse).on('data', (chunk: Buffer) => {
      try {
        read(chunk);
      } catch (error) {
        refuse(error);
      }
    });
    // The shell has gone, so the command ends at once, like after two signals, and reads no more.
    response
      .on('error', () => {})
      .on('close', () => {
        clearTimeout(waiting);
        stdin.push(null);
        interrupt();
        interrupt();
        refuse(new Refused('unavailable', 'the shell has gone'));
      });
  });
  const end = (code: number, message?: string) => {
    if (message !== undefined) send({ is: 'err' }, Buffer.from(message));
    send({ is: 'exit', code });
    response.end();
  };
  return { received, response, stdin, shutdown, send, interrupt, end, drop };
}

/** Runs one command: what is typed comes in the request, and its output goes into the response. */
async function runForShell(
  {
    programs,
    run,
    onReport,
    key,
  }: Pick<Caller, 'onReport'> & { programs: ServedPrograms; run: RunCli; key: string },
  command: ForwardedCommand,
  { response, stdin, shutdown, send, end }: ConnectedShell,
): Promise<void> {
  const { argv, terminals, settings, account, files, logLevel, ...rest } = command;
  const print = (write: Writable['_write']) =>
    // What it prints after the shell has gone is lost, and does not end the server.
    new Writable({ write }).on('error', () => {});
  let dropped = 0;
  // Commands wait until stdout is read, but not stderr: a shell that is suspended must not fill the memory of the server.
  const printMessage: Writable['_write'] = (chunk: Uint8Array, _encoding, done) => {
    if (response.destroyed) return done(new Refused('unavailable', 'the shell has gone'));
    if (response.writableLength > MAX_UNREAD_BYTES) dropped += chunk.length;
    else {
      noteDropped();
      send({ is: 'err' }, chunk);
    }
    done();
  };
  const noteDropped = () => {
    if (dropped > 0)
      send({ is: 'err' }, Buffer.from(`(${dropped} bytes of messages dropped: they were not read)\n`));
    dropped = 0;
  };
  const io: Io = {
    ...rest,
    stdout: print((chunk: Uint8Array, _encoding, done) => send({ is: 'out' }, chunk, done)),
    stderr: Object.assign(print(printMessage), { isTTY: terminals.stderr }),
    stdin: Object.assign(stdin, { isTTY: terminals.stdin }),
    isTTY: terminals.stdout,
  };
  // The resources of the server stay open when the command ends.
  const close = () => Promise.resolve();
  const code = await run(argv, io, {
    open: ({ log, kind }) => {
      const program = programs[kind];
      if (program === null)
        return Promise.reject(new Refused('unavailable', 'this server has no sandbox; its start says why'));
      return Promise.resolve({ ...program, ctx: { ...program.ctx, log }, notes: [], close });
    },
    caller: {
      config: { ...programs.real.ctx.config, logLevel },
      account,
      files,
      settings: settings === undefined ? undefined : { key, set: settings },
      listenForShutdown: () => shutdown,
      onReport,
    },
  });
  noteDropped();
  end(code);
}
