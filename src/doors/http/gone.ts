import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Aborted when the client goes away before the reply is sent. With an `Idempotency-Key` the work goes on then, because the
 * client will ask for the reply again.
 */
export function untilGone({ execution }: FastifyRequest, { raw }: FastifyReply): AbortSignal {
  if (execution !== null) return execution.stopped;
  const gone = new AbortController();
  const leave = () => {
    if (!raw.writableFinished) gone.abort();
  };
  if (raw.closed) leave();
  else raw.once('close', leave);
  return gone.signal;
}
