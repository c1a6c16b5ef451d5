/**
 * The browser's side of a session: its cookie, form tokens, page tags, and the page to return to after sign-in.
 */

import { type Mount, placeCookie } from '../../model/mount.ts';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * The session cookie: not readable by scripts, not sent with cross-site changes.
 * @param baseUrl if it is https, the cookie is sent over https only. At the root it then belongs to this host alone (`__Host-`,
 *   which requires the path `/`), below a mount `__Secure-` is the strictest prefix
 */
export function sessionCookie(baseUrl: string | undefined, mount: Mount = '') {
  const secure = baseUrl !== undefined && new URL(baseUrl).protocol === 'https:';
  const { name, path } = placeCookie(mount, 'strandline');
  const prefix = mount === '' ? '__Host-' : '__Secure-';
  return {
    name: secure ? `${prefix}${name}` : name,
    options: { path, httpOnly: true, sameSite: 'lax', secure } as const,
  };
}

const NONCE_BYTES = 16;

/**
 * Proves that a form is ours, in a hidden field that other sites cannot know. It belongs to one visitor and is different each
 * time, so that the length of a compressed page reveals nothing about it.
 * @param visitor the owner of the form: one session, or anyone on this machine
 */
export function createFormToken(secret: Buffer, visitor: string): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return `${nonce}.${computeProof(secret, visitor, nonce).toString('base64url')}`;
}

export function verifyFormToken(secret: Buffer, visitor: string, formToken: unknown): boolean {
  if (typeof formToken !== 'string' || formToken.length > 200) return false;
  const [nonce = '', proof = ''] = formToken.split('.');
  const own = computeProof(secret, visitor, nonce);
  const other = Buffer.from(proof, 'base64url');
  return own.length === other.length && timingSafeEqual(own, other);
}

const TAG_BYTES = 16;

/**
 * The `ETag` of what a visitor sees. Keyed with the secret of forms, so that tags reveal nothing about what others see, and
 * pages with forms of another database have another tag.
 */
export function createPageTag(secret: Buffer, visitor: string, text: string): string {
  // No form's visitor is named `page`, so a tag can never pass as a form token.
  const mac = createHmac('sha256', secret).update(`page\n${visitor}\n`).update(text).digest();
  return mac.subarray(0, TAG_BYTES).toString('base64url');
}

function computeProof(secret: Buffer, visitor: string, nonce: string): Buffer {
  return createHmac('sha256', secret).update(`${visitor}\n${nonce}`).digest();
}

const PLACEHOLDER_ORIGIN = 'http://nowhere.invalid';

/**
 * Where to go after sign-in: always a path of this server.
 * @param path from the URL, so untrusted
 * @returns the path; `/` if it could lead elsewhere
 */
export function readReturnPath(path: string | undefined): string {
  if (path === undefined || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(path)) return '/';
  const url = new URL(path, PLACEHOLDER_ORIGIN);
  // `/.//host` is a path here, but would become another host if it is parsed again.
  const elsewhere = url.origin !== PLACEHOLDER_ORIGIN || url.pathname.startsWith('//');
  if (elsewhere || url.pathname === '/sign-in') return '/';
  return `${url.pathname}${url.search}${url.hash}`;
}
