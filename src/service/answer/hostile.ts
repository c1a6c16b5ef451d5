/**
 * What may not stand in a completion, whoever said it: markup and addresses. Whoever wrote an item decides its
 * text; our links are those of what was found, and nobody writes another into it.
 */
import { holdsHost } from './hosts.ts';

/** Markdown that links, embeds or marks, HTML and entities, and `[7]`, which would look like a citation. */
const MARKUP = /\]\s*[([:]|!\[|[<`\\]|>>|\*\*|__|~~|\[\^?\s*\d+(?:\s*,\s*\d+)*\s*\]|&#?\w{2,31};/;

const SCHEME = /\w:\/\/|\b(?:javascript|vbscript|data|mailto|file|tel|sms):\S|\bwww\.\w/i;
const EMAIL = /[\p{L}\p{N}._%+-]@[\p{L}\p{N}-]+\.\p{L}{2}/u;
/** Forty letters, digits and signs of base64 without a space between: something encoded. */
const ENCODED = /[A-Za-z0-9+/=_-]{40}/;
const ASCII = /^[\x20-\x7e]*$/;

export function holdsMarkup(text: string): boolean {
  return MARKUP.test(text);
}

/** A web address or a mail address. Bare hosts are told apart: many a company is called one. */
export function holdsAddress(text: string): boolean {
  const plain = ASCII.test(text) ? text : text.normalize('NFKC');
  return SCHEME.test(plain) || EMAIL.test(plain);
}

/** Whether a line from outside may stand in a completion as it is. */
export function isQuotable(text: string): boolean {
  return !holdsMarkup(text) && !holdsAddress(text) && !holdsHost(text) && !isEncoded(text);
}

export function isEncoded(text: string): boolean {
  return ENCODED.test(text);
}
