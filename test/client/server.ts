/** A service on loopback that responds as instructed, byte by byte if necessary. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { steppedClock } from '../../src/platform/clock.ts';
import { type CallInput, type CallResult, callService } from '../../src/monitor/client/service-call.ts';

export const NOW = new Date('2026-11-21T12:00:00Z');
/** A key that no response, log or error may show. */
export const KEY = 'k3y$canary&"7f"/+=';

export type Heard = { url: string; headers: IncomingMessage['headers']; body: string };

/** Runs `use` with an HTTP server; passes the address, and the requests received so far. */
export async function withService<T>(
  answer: (response: ServerResponse, request: Heard) => void,
  use: (baseUrl: string, heard: Heard[]) => Promise<T>,
): Promise<T> {
  const heard: Heard[] = [];
  const server = createServer({ maxHeaderSize: 200_000 }, (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      const one = { url: request.url ?? '', headers: request.headers, body };
      heard.push(one);
      answer(response, one);
    });
    response.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(addressOf(server.address()), heard);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Runs `use` with a server that gets the bare socket once the request arrived. */
export async function withSocket<T>(
  answer: (socket: Socket) => void,
  use: (baseUrl: string) => Promise<T>,
): Promise<T> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(addressOf(server.address()));
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

function addressOf(address: ReturnType<ReturnType<typeof createServer>['address']>): string {
  if (address === null || typeof address === 'string') throw new Error('the server does not listen');
  return `http://127.0.0.1:${address.port}`;
}

/** Calls with defaults for everything a test does not care about. */
export function call(baseUrl: string, other: Partial<CallInput> = {}): Promise<CallResult> {
  return callService({
    baseUrl,
    dialect: loadDialect('neutral'),
    key: KEY,
    request: { operation: 'microblog', prompt: 'tide', streaming: false },
    timeoutMs: 2_000,
    maxBytes: 1_000_000,
    signal: new AbortController().signal,
    clock: steppedClock(NOW),
    ...other,
  });
}

/** `answer`, `aborted`, or the code of the failure. */
export function outcome(result: CallResult): string {
  return result.kind === 'failed' ? result.code : result.kind;
}
