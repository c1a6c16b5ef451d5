import type { FastifyReply, FastifyRequest } from 'fastify';
import { untilClosed } from '../gone.ts';

/**
 * Aborted when the client goes away before the reply is sent. With an `Idempotency-Key` the work goes on then, because the
 * client will ask for the reply again.
 */
export function untilGone({ execution }: FastifyRequest, reply: FastifyReply): AbortSignal {
  if (execution !== null) return execution.stopped;
  return untilClosed(reply);
}
