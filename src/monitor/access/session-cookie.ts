/**
 * What a browser holds of a session: its cookie, the token of its forms, the tags of its pages; and where it goes after
 * signing in.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The cookie of a session, which no script can read and no other site makes a browser change things with. */
type SessionCookie = {
  name: string;
  options: { path: '/'; httpOnly: true; sameSite: 'lax'; secure: boolean };
};

/** @param baseUrl where it says https, the cookie goes nowhere else and belongs to this host alone (`__Host-`) */
export function sessionCookie(baseUrl: string | undefined): SessionCookie {
  const secure = baseUrl !== undefined && new URL(baseUrl).protocol === 'https:';
  return {
    name: secure ? '__Host-strandline' : 'strandline',
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure },
  };
}

const NONCE_BYTES = 16;

/**
 * What proves that a form was ours: a hidden field that another site cannot know. It belongs to one visitor, and looks
 * different each time, so that the length of a compressed page says nothing about it.
 * @param visitor what the form belongs to: one session, or everybody on this machine
 */
export function createFormToken(secret: Buffer, visitor: string): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return `${nonce}.${computeProof(secret, visitor, nonce).toString('base64url')}`;
}

export function verifyFormToken(secret: Buffer, visitor: string, given: unknown): boolean {
  if (typeof given !== 'string' || given.length > 200) return false;
  const [nonce = '', proof = ''] = given.split('.');
  const own = computeProof(secret, visitor, nonce);
  const other = Buffer.from(proof, 'base64url');
  return own.length === other.length && timingSafeEqual(own, other);
}

const TAG_BYTES = 16;

/**
 * Names what a visitor sees, for `ETag`. With the secret of forms: nobody can guess from a tag what somebody else sees, and a
 * page whose forms belong to another database has another tag.
 */
export function createPageTag(secret: Buffer, visitor: string, text: string): string {
  // No visitor of a form is called `page`: this is never the proof of a form.
  const mac = createHmac('sha256', secret).update(`page\n${visitor}\n`).update(text).digest();
  return mac.subarray(0, TAG_BYTES).toString('base64url');
}

function computeProof(secret: Buffer, visitor: string, nonce: string): Buffer {
  return createHmac('sha256', secret).update(`${visitor}\n${nonce}`).digest();
}

const PLACEHOLDER_ORIGIN = 'http://nowhere.invalid';

/**
 * Where to go after signing in: a place of this server, and nowhere else.
 * @param given from the address, so from anybody
 * @returns a path of ours; `/` for whatever is not certainly one
 */
export function readReturnPath(given: string | undefined): string {
  if (given === undefined || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(given)) return '/';
  const url = new URL(given, PLACEHOLDER_ORIGIN);
  // `/.//host` is a path here, and would be another host where it is read a second time.
  const elsewhere = url.origin !== PLACEHOLDER_ORIGIN || url.pathname.startsWith('//');
  if (elsewhere || url.pathname === '/sign-in') return '/';
  return `${url.pathname}${url.search}${url.hash}`;
}
