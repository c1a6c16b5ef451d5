/**
 * What may not stand in a completion, whoever said it: markup and addresses. Whoever wrote an item decides its
 * text; our links are those of what was found, and nobody writes another into it.
 */

/** Markdown that links, embeds or marks, HTML and entities, and `[7]`, which would look like a citation. */
const MARKUP = /\]\s*[([:]|!\[|[<`\\]|>>|\*\*|__|~~|\[\^?\s*\d+(?:\s*,\s*\d+)*\s*\]|&#?\w{2,31};/;

const SCHEME = /\w:\/\/|\b(?:javascript|vbscript|data|mailto|file|tel|sms):\S|\bwww\.\w/i;
const EMAIL = /[\p{L}\p{N}._%+-]@[\p{L}\p{N}-]+\.\p{L}{2}/u;
/** A bare host: many pages make a link of it. */
const HOST =
  /[\p{L}\p{N}]\.(?:com|net|org|info|biz|io|co|me|ai|app|dev|xyz|top|site|online|shop|club|live|link|click|tv|gg|ly|to|eu|uk|us|ca|au|de|fr|es|it|nl|ch|at|ru|cn|jp|kr|in|br|pl|se|test|example|onion|рф)(?![\p{L}\p{N}-])|[\p{L}\p{N}]\.[a-z]{2,24}\/\S/iu;

/** Forty letters, digits and signs of base64 without a space between: something encoded. */
const ENCODED = /[A-Za-z0-9+/=_-]{40}/;

export function holdsMarkup(text: string): boolean {
  return MARKUP.test(text);
}

/** A web address or a mail address. Bare hosts are told apart: many a company is called one. */
export function holdsAddress(text: string): boolean {
  return SCHEME.test(text) || EMAIL.test(text);
}

export function holdsHost(text: string): boolean {
  return HOST.test(text);
}

/** Whether a line from outside may stand in a completion as it is. */
export function isQuotable(text: string): boolean {
  return !holdsMarkup(text) && !holdsAddress(text) && !holdsHost(text) && !ENCODED.test(text);
}
