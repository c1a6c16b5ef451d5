/** That a client goes away before its reply is sent, for the API and the pages alike. */

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

/** The answer is its route's own from here on, with all headers that it has so far: what is written goes out as it is. */
export function hijackReply(reply: FastifyReply, headers: Readonly<Record<string, string>>): ServerResponse {
  void reply.headers({ ...headers });
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  return reply.raw;
}
