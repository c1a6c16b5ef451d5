/**
 * Keys that this program issues: prefix (`sk_` search service, `st_` API, `fd_` one feed, `sh_` one page) + 8 characters of ID + 43
 * characters of secret (32 random bytes). Only the SHA-256 of the whole key is stored; a key this random needs no slow hash.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 8;
/** 62^43 is the first power of 62 above 2^256. */
const SECRET_LENGTH = 43;
const KEY = new RegExp(`^(s[kth]|fd)_([0-9A-Za-z]{${ID_LENGTH}})[0-9A-Za-z]{${SECRET_LENGTH}}$`);

/**
 * `sk`: a key of the search service; `st`: a token of this program's API; `fd`: the key in the address of a feed; `sh`: that in the link of a
 * shared page.
 */
type KeyKind = 'sk' | 'st' | 'fd' | 'sh';

type NewKey = {
  /** Shown once, never stored. */
  key: string;
  /** Identifies the key; not secret. */
  id: string;
  /** Stored; 32 bytes. */
  hash: Buffer;
};

/**
 * @param options.id ID to reuse when replacing a key
 * @param options.random source of cryptographically secure bytes; set only in tests
 */
export function makeKey(
  kind: KeyKind,
  { random = randomBytes, ...options }: { id?: string; random?: (bytes: number) => Buffer } = {},
): NewKey {
  const id = options.id ?? base62(random(8), ID_LENGTH);
  const key = `${kind}_${id}${base62(random(32), SECRET_LENGTH)}`;
  return { key, id, hash: hashKey(key) };
}

/** The ID in a key of this kind; undefined for any other text. */
export function keyIdOf(key: string, kind: KeyKind): string | undefined {
  const [, keyKind, id] = KEY.exec(key) ?? [];
  return keyKind === kind ? id : undefined;
}

/** SHA-256 of a key, 32 bytes. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}

/** Whether a key has this hash, in constant time. */
export function isKeyOf(key: string, hash: Uint8Array): boolean {
  const own = hashKey(key);
  return own.length === hash.length && timingSafeEqual(own, hash);
}

/** The key in an `Authorization` header, raw or after `Bearer`; undefined if there is none. */
export function keyOfHeader(header: string | undefined): string | undefined {
  const key = header?.replace(/^bearer\s+/i, '').trim();
  return key === '' ? undefined : key;
}

function base62(bytes: Buffer, length: number): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let i = 0; i < length; i++) {
    text = `${DIGITS[Number(rest % 62n)] ?? ''}${text}`;
    rest /= 62n;
  }
  return text;
}
