/**
 * What proves that a form was ours: a hidden field that another site cannot know. It belongs to one visitor, and
 * looks different each time, so that the length of a compressed page says nothing about it.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const NONCE_BYTES = 16;

/** @param visitor what the form belongs to: one session, or everybody on this machine */
export function makeFormToken(secret: Buffer, visitor: string): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return `${nonce}.${proofOf(secret, visitor, nonce).toString('base64url')}`;
}

export function isFormToken(secret: Buffer, visitor: string, given: unknown): boolean {
  if (typeof given !== 'string' || given.length > 200) return false;
  const [nonce = '', proof = ''] = given.split('.');
  const own = proofOf(secret, visitor, nonce);
  const other = Buffer.from(proof, 'base64url');
  return own.length === other.length && timingSafeEqual(own, other);
}

const TAG_BYTES = 16;

/**
 * Names what a visitor sees, for `ETag`. With the secret of forms: nobody can guess from a tag what somebody else sees, and a
 * page whose forms belong to another database has another tag.
 */
export function tagOf(secret: Buffer, visitor: string, text: string): string {
  // No visitor of a form is called `page`: this is never the proof of a form.
  const mac = createHmac('sha256', secret).update(`page\n${visitor}\n`).update(text).digest();
  return mac.subarray(0, TAG_BYTES).toString('base64url');
}

function proofOf(secret: Buffer, visitor: string, nonce: string): Buffer {
  return createHmac('sha256', secret).update(`${visitor}\n${nonce}`).digest();
}
