/** The truth over HTTP, behind the key: it is about an invented world, but a long span is work. */
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import { PROMPT_MAX } from '../../contract/request.ts';
import { type Clock, DAY } from '../../engine/clock.ts';
import { validationBody } from '../../contract/error-bodies.ts';
import { truthOf } from './truth.ts';

/** The longest span, and the one that is meant where nobody names one; over HTTP posts are listed for a day at most. */
const SPAN_MOST_MS = 31 * DAY;
const SPAN_MS = 7 * DAY;

const asked = z.object({
  topic: z.string().trim().min(1).max(PROMPT_MAX),
  from: z.coerce.date().optional(),
  to: z.coerce.date().optional(),
});

/** `GET /sandbox/truth?topic=&from=&to=`: a prompt, and two times in ISO 8601; the last seven days where they are left out. */
export function answerTruth(
  app: FastifyInstance,
  gate: onRequestAsyncHookHandler,
  seed: string,
  clock: Clock,
): void {
  app.get('/sandbox/truth', { onRequest: gate }, (request, reply) => {
    const parsed = asked.safeParse(request.query);
    const query = parsed.success ? parsed.data : undefined;
    const to = query?.to ?? clock.now();
    const from = query?.from ?? new Date(to.getTime() - SPAN_MS);
    const span = to.getTime() - from.getTime();
    if (query === undefined || span < 0 || span > SPAN_MOST_MS) {
      const msg = 'topic: 1 to 2,000 characters; from, to: ISO 8601, in order, at most 31 days apart';
      return reply.code(422).send(validationBody([{ loc: ['query'], msg, type: 'value_error' }]));
    }
    return reply.header('x-sandbox', 'true').send(truthOf(seed, query.topic, from, to, DAY));
  });
}
