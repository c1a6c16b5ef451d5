import type { FastifyReply } from 'fastify';

/** Announces the whole length, sends half of the bytes and breaks the connection. */
export function sendTruncated(reply: FastifyReply, body: unknown): FastifyReply {
  const bytes = Buffer.from(JSON.stringify(body));
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
  reply.raw.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => reply.raw.destroy());
  return reply;
}
