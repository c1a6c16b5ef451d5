import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** The answer is its route's own from here on, with all headers that it has so far: what is written goes out as it is. */
export function takeOver(reply: FastifyReply, headers: Readonly<Record<string, string>>): ServerResponse {
  void reply.headers({ ...headers });
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  return reply.raw;
}
