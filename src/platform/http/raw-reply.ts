/** Replies below the framework: detects disconnected clients, and writes raw replies. */

import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';

/** Aborts when the client disconnects before the reply is sent; immediately if it already has. */
export function abortOnClose({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController();
  const leave = () => {
    if (!raw.writableFinished) gone.abort();
  };
  if (raw.closed) leave();
  else raw.once('close', leave);
  return gone.signal;
}

/** Gives the route the raw response, with the headers set so far. */
export function hijackReply(reply: FastifyReply, headers: Readonly<Record<string, string>>): ServerResponse {
  void reply.headers({ ...headers });
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  return reply.raw;
}
