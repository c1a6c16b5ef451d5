/** That a client goes away before its reply is sent, for the API and the pages alike. */
import type { FastifyReply } from 'fastify';

/** Aborted when the client leaves before the reply is sent; at once where it has left already. */
export function untilClosed({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController();
  const leave = () => {
    if (!raw.writableFinished) gone.abort();
  };
  if (raw.closed) leave();
  else raw.once('close', leave);
  return gone.signal;
}
