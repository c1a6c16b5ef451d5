/** Kinds of values that a variable of the environment can hold. */
import { z } from 'zod';
import { urlOf } from '../contract/url.ts';

export function port(fallback: number) {
  return z
    .string()
    .regex(/^\d{1,5}$/, 'a port number from 0 to 65535')
    .transform(Number)
    .refine((n) => n <= 65_535, 'a port number from 0 to 65535')
    .optional()
    .transform((given) => ({ port: given ?? fallback, asked: given !== undefined }));
}

export function whole(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, `a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `a whole number from ${min} to ${max}`);
}

const ESCAPES = '; in a password, @ : / % # are written %40 %3A %2F %25 %23';

export function address(schemes: readonly string[], example: string) {
  return z.string().refine(
    (text) => {
      const url = urlOf(text);
      return url !== undefined && schemes.includes(url.protocol) && isEscaped(url);
    },
    `an address such as ${example}${example.includes('@') ? ESCAPES : ''}`,
  );
}

/** A password is read as it was meant: with signs that stand for themselves it ends early, or cannot be read at all. */
function isEscaped({ password, hash }: URL): boolean {
  try {
    decodeURIComponent(password);
    return hash === '';
  } catch {
    return false;
  }
}

/** An address of HTTP without what opens a door: it is stored and shown. */
export function bareAddress(example: string, keyStandsIn: string) {
  return address(['http:', 'https:'], example).refine(
    isBare,
    `an address without user, password, query and fragment; ${keyStandsIn}`,
  );
}

/** Texts separated by commas; none where nothing is set. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

function isBare(text: string): boolean {
  const url = urlOf(text);
  if (url === undefined) return true; // told already
  const { username, password, search, hash } = url;
  return username + password + search + hash === '';
}
