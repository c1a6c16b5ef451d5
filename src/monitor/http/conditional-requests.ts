/** Replies without a body to clients that have the same version: by ETag, and by Last-Modified. */

import { SECOND } from '../../lib/time.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

const READ_METHODS = new Set(['GET', 'HEAD']);

/**
 * Sets the ETag and compares it with `If-None-Match`. The tag is weak: compression varies, and forms carry a new token
 * each time.
 * @param tag base64url
 * @returns whether to reply 304 without a body; always false, and without a tag, unless the method is GET or HEAD
 */
export function isUnchanged(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  if (!READ_METHODS.has(request.method)) return false;
  reply.header('etag', `W/"${tag}"`);
  // A base64url tag contains no quote, so a substring match is exact.
  const known = request.headers['if-none-match'];
  return known !== undefined && (known.trim() === '*' || known.includes(`"${tag}"`));
}

/** Within it, something else may have the same time in seconds: such a time is sent later. */
const UNSETTLED_MS = 2 * SECOND;

/**
 * The same by ETag, or by time for clients that send no ETag: only if they send exactly this time, as a later version may be
 * dated earlier.
 * @param version.at null: not known
 */
export function isUnchangedSince(
  request: FastifyRequest,
  reply: FastifyReply,
  { tag, at, now }: { tag: string; at: Date | null; now: Date },
): boolean {
  const dated = at !== null && now.getTime() - at.getTime() >= UNSETTLED_MS ? at.toUTCString() : undefined;
  if (dated !== undefined) reply.header('last-modified', dated);
  const { 'if-none-match': known, 'if-modified-since': since } = request.headers;
  return isUnchanged(request, reply, tag) || (known === undefined && dated !== undefined && since === dated);
}
