/** Mail addresses: which are accepted, and how they are stored. */

import { cleanLine } from './text.ts';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** The part before the `@`, without quotes: servers that accept other characters are rare (SMTPUTF8). */
const LOCAL_PART = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/i;
const DOMAIN_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** RFC 5321, 4.5.3.1.3: a path of 256 characters with its angle brackets. */
const MAX_ADDRESS_LENGTH = 254;
const MAX_NAME_LENGTH = 100;

/** @returns the address, with its domain in lowercase ASCII; null if it is none */
export function parseMailAddress(text: string): string | null {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = text.slice(at + 1);
  if (!LOCAL_PART.test(local) || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain)) return null;
  const ascii = domainToASCII(domain);
  const address = `${local}@${ascii}`;
  const isValid = DOMAIN_NAME.test(ascii) && isIP(ascii) === 0 && address.length <= MAX_ADDRESS_LENGTH;
  return isValid ? address : null;
}

/** The name is empty if there is none. */
export type Mailbox = { name: string; address: string };

/** Parses `alerts@example.com` or `Alerts <alerts@example.com>`. @returns null if it is neither */
export function parseMailbox(text: string): Mailbox | null {
  const [, written = '', inside] = /^([^<>]*)<([^<>]*)>$/.exec(text.trim()) ?? [];
  const address = parseMailAddress((inside ?? text).trim());
  const name = cleanLine(written).replace(/^"(.*)"$/, '$1');
  return address === null || name.length > MAX_NAME_LENGTH ? null : { name, address };
}
