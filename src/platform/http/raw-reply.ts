/** Replies below the framework: noticing that a client has left, and writing a reply by hand. */

import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';

/** Aborted when the client leaves before the reply is sent; at once where it has left already. */
export function abortOnClose({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController();
  const leave = () => {
    if (!raw.writableFinished) gone.abort();
  };
  if (raw.closed) leave();
  else raw.once('close', leave);
  return gone.signal;
}

/** Hands the reply over to its route, with the headers that it has so far: what is written is sent as it is. */
export function hijackReply(reply: FastifyReply, headers: Readonly<Record<string, string>>): ServerResponse {
  void reply.headers({ ...headers });
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  return reply.raw;
}
