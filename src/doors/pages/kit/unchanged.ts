/** What a browser has already is not sent again. */
import type { FastifyReply, FastifyRequest } from 'fastify';

const READS = new Set(['GET', 'HEAD']);

/**
 * Names what is about to be sent, and says whether the browser has it already. The tag is weak: a page is compressed as the
 * browser asks, and its forms carry another token each time.
 * @param tag base64url
 * @returns whether to answer 304 without a body; never where the method is not GET or HEAD, whose reply gets no tag
 */
export function isUnchanged(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  if (!READS.has(request.method)) return false;
  reply.header('etag', `W/"${tag}"`);
  // Between quotes there is no quote: what holds the quoted tag lists it, however long it is.
  const known = request.headers['if-none-match'];
  return known !== undefined && (known.trim() === '*' || known.includes(`"${tag}"`));
}
