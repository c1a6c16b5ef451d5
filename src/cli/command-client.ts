/** Runs a command of this shell in the server that owns the data directory. */

import { VERSION } from '../config/version.ts';
import { readErrorCode, Refused } from '../model/errors.ts';
import { SECOND } from '../lib/time.ts';
import { readFrames, writeFrame } from '../platform/child-frames.ts';
import {
  COMMAND_PATH,
  type ForwardedCommand,
  isProof,
  MAX_OUTPUT_BYTES,
  NONCE_HEADER,
  PROOF_HEADER,
  proveKey,
  type ServerFrame,
  serverFrame,
  type ShellFrame,
} from './forwarded-command.ts';
import { EXIT_INTERRUPTED, listenForShutdown } from './process-exit.ts';
import type { RunningServer } from './running-server.ts';
import { isTerminal, type Shell } from './terminal-io.ts';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as openRequest } from 'node:http';

/** Until the server has taken the command; how long it runs is the command's own business. */
const TAKE_TIMEOUT_MS = 10 * SECOND;

/** Variables that decide how text is shown. */
const PRESENTATION = ['COLUMNS', 'LANG', 'LC_ALL', 'LC_CTYPE', 'NO_COLOR', 'TERM'];

/** The part of the command that its streams and terminal are. */
export function describeShell({ io }: Pick<Shell, 'io'>) {
  const { env, isTTY, stderr, columns, program, zone } = io;
  return {
    env: Object.fromEntries(
      PRESENTATION.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
    ),
    terminals: { stdin: isTerminal(readStdin(io)), stdout: isTTY, stderr: isTerminal(stderr) },
    columns,
    program,
    zone,
  } satisfies Partial<ForwardedCommand>;
}

function readStdin({ stdin = process.stdin }: Shell['io']) {
  return stdin;
}

/**
 * Sends the command, and what is typed where it asks for input, and prints what it prints. Ctrl-C interrupts it there; a second
 * one leaves it.
 * @returns its exit code; null if nothing listens: the server has ended
 * @throws Refused `unavailable` if the server does not take or finish it; `conflict` if it has another version
 */
export async function runAtServer(
  server: RunningServer,
  command: ForwardedCommand,
  { io, out }: Pick<Shell, 'io' | 'out'>,
): Promise<number | null> {
  const name = `The running server (process ${server.pid})`;
  if (server.version !== VERSION)
    throw new Refused(
      'conflict',
      `${name} is strandline ${server.version}, but this command is ${VERSION}. Restart the server, or use its version.`,
    );
  const stdin = readStdin(io);
  const nonce = randomBytes(16).toString('hex');
  const request = openRequest({
    host: '127.0.0.1',
    port: server.port,
    path: COMMAND_PATH,
    method: 'POST',
    headers: { [NONCE_HEADER]: nonce },
    agent: false,
  });
  request.on('error', () => {}); // reported where it is awaited
  const send = (frame: ShellFrame, body?: Uint8Array) => void request.write(writeFrame(frame, body));
  const sendInput = (chunk: Buffer | string) => send({ is: 'input' }, Buffer.from(chunk));
  const endInput = () => send({ is: 'input_end' });
  const ending = listenForShutdown();
  let isLeft = false;
  const leave = () => {
    isLeft = true;
    request.destroy();
  };
  void ending.requested.then(() => send({ is: 'interrupt' }));
  ending.onRepeated(leave);
  out.onGone(leave);
  const waiting = setTimeout(
    () => request.destroy(new Refused('unavailable', `${name} does not respond.`)),
    TAKE_TIMEOUT_MS,
  );
  let code: number | undefined;

  async function take(frame: ServerFrame, body: Buffer): Promise<void> {
    switch (frame.is) {
      case 'out':
        return out.write(body);
      case 'err':
        return void io.stderr.write(body);
      case 'ask':
        return void stdin.on('data', sendInput).on('end', endInput);
      case 'exit':
        code = frame.code;
    }
  }

  try {
    request.flushHeaders();
    const [response] = (await once(request, 'response')) as [IncomingMessage]; // as node:http says
    clearTimeout(waiting);
    const nonces = [nonce, String(response.headers[NONCE_HEADER])];
    if (!isProof(response.headers[PROOF_HEADER], proveKey(server.key, 'server', nonces)))
      throw new Refused(
        'unavailable',
        `${name} no longer takes commands: another program listens on its port. Nothing was sent to it. Restart the server.`,
      );
    if (response.statusCode !== 200)
      throw new Refused('unavailable', `${name} refused the command: ${await readReason(response)}`);
    // Only now: a server that did not respond in time must not run it later.
    send({ is: 'run', proof: proveKey(server.key, 'shell', nonces) }, Buffer.from(JSON.stringify(command)));
    const frames: [ServerFrame, Buffer][] = [];
    const read = readFrames((head, body) => frames.push([serverFrame.parse(head), body]), MAX_OUTPUT_BYTES);
    for await (const chunk of response as AsyncIterable<Buffer>) {
      read(chunk);
      for (const [frame, body] of frames.splice(0)) await take(frame, body);
    }
  } catch (error) {
    if (error instanceof Refused) throw error;
    if (!isLeft && readErrorCode(error) === 'ECONNREFUSED') return null;
    // What it printed so far stays; whether it finished is unknown.
  } finally {
    clearTimeout(waiting);
    ending.release();
    stdin.off('data', sendInput).off('end', endInput);
    if (stdin.listenerCount('data') === 0) stdin.pause();
    request.destroy();
  }
  if (code === undefined && !isLeft)
    throw new Refused(
      'unavailable',
      `${name} ended before the command did. See what it did: strandline status`,
    );
  return code ?? EXIT_INTERRUPTED;
}

async function readReason(response: IncomingMessage): Promise<string> {
  const chunks = await response.setEncoding('utf8').toArray();
  return chunks.join('').trim();
}
