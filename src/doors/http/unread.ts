/** Requests that are none, or that never came whole: answered before there is a request to speak of. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { OF_CONNECTION } from '../failure.ts';
import { toJson } from '../json.ts';
import { problemOf } from './problem.ts';

const NO_HTTP: [status: number, code: string, detail: string] = [
  400,
  'bad_request',
  'this is no request of HTTP/1.1',
];

/** Says what was wrong in the words of every other failure, and closes the connection, whatever the other side does. */
export function refuseUnread(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, detail] = OF_CONNECTION[error.code ?? ''] ?? NO_HTTP;
  const title = STATUS_CODES[status] ?? 'Refused';
  const failure = { status, code, title, detail, errors: [], retryAfterSeconds: undefined };
  const body = toJson(problemOf(failure, `urn:strandline:request:${randomUUID()}`));
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}
