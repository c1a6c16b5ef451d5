/**
 * The key of a person who asks with a browser: typed once into a form, then in a cookie that only this process can open, so that
 * the key is in no address, page or history. After a restart it is asked for again.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { HOUR } from '../../lib/time.ts';
import type { Clock } from '../../platform/clock.ts';

const COOKIE = 'strandline_service_key';
const LIFETIME_MS = 12 * HOUR;
/** Scripts cannot read it, and other sites cannot send it. */
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict';
/** The longest key that is kept, in characters. */
const MAX_KEY_LENGTH = 500;

type KeyCookie = {
  /** The header that keeps a key; it ends with the browser's session. */
  write(key: string): string;
  /** The header that forgets it. */
  clear(): string;
  /** The key of a request; undefined if there is none, or it is too old or of another process. */
  read(cookies: string | undefined): string | undefined;
};

export function createKeyCookie(clock: Clock): KeyCookie {
  const secret = randomBytes(32);

  function seal(text: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', secret, nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  function open(value: string): string | undefined {
    const bytes = Buffer.from(value, 'base64url');
    if (bytes.length < 28) return undefined;
    try {
      const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    } catch {
      return undefined; // of another process, or changed
    }
  }

  return {
    write(key) {
      const until = clock.now().getTime() + LIFETIME_MS;
      return `${COOKIE}=${seal(`${until} ${key.slice(0, MAX_KEY_LENGTH)}`)}; ${ATTRIBUTES}`;
    },
    clear: () => `${COOKIE}=; Max-Age=0; ${ATTRIBUTES}`,
    read(cookies = '') {
      const value = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{1,1000})(?:;|$)`).exec(cookies)?.[1];
      const [, until, key] = /^(\d+) ([\s\S]+)$/.exec(value === undefined ? '' : (open(value) ?? '')) ?? [];
      return key !== undefined && Number(until) > clock.now().getTime() ? key : undefined;
    },
  };
}
