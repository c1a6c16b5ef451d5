/**
 * Extracts citation marks from a text: `[8](address)`, `[8, 17]`, `[source: name](address)`, a link alone in
 * parentheses. Links with words of the sentence as label, bare addresses and code remain in the text as placeholders,
 * so that they are not split into sentences.
 */

import type { Cooperative } from '../../lib/cooperative.ts';
import type { LinkRef } from '../../model/parsed-results.ts';
import { MAX_LINK_LENGTH } from '../../model/links/link.ts';
import { MARK } from '../../lib/sentences.ts';
import { hasLetterOrDigit } from '../../lib/text.ts';
import { distinctLinks, parseLink } from './parse-links.ts';

/** Placeholder for what must not be split: a link label, an address, code. */
export const KEPT_WHOLE = '\ue001';

/** The content of a placeholder. `words` are restored; a citation mark has none. */
export type MarkToken = { words: string; links: readonly LinkRef[]; numbers: readonly number[] };

export type MarkedText = {
  /** The text with one placeholder for each token, in order. */
  text: string;
  tokens: MarkToken[];
  /** Numbers that the text itself resolves, by `[8](address)` or a list of sources. */
  numbered: ReadonlyMap<number, LinkRef | null>;
};

const NUMBERS = String.raw`\^?(\d{1,3}(?:\s?[,;–-]\s?\^?\d{1,3}){0,20})`;
const ONLY_NUMBERS = new RegExp(`^${NUMBERS}$`);
const TOKEN = new RegExp(
  [
    '`[^`\\n]{1,500}`',
    String.raw`(?<image>!?)\[(?<label>[^[\]]{0,500}|\[[^[\]]{0,50}\])\]\(\s*(?=https?:\/\/)`,
    String.raw`\[${NUMBERS}\](?!\()`,
    String.raw`【(\d{1,3})[^】\n]{0,80}】`,
    String.raw`https?:\/\/[^\s<>"\`\u3000-\u303f\uff00-\uffef]+`,
  ].join('|'),
  'gi',
);
/** A label that names a source and is not part of the sentence. */
const NAMES_SOURCE = new RegExp(
  String.raw`^\W{0,3}(?:${NUMBERS}|(?:source|src|ref|via|quelle|fuente|fonte)s?\b.*|https?:\/\/.*|(?:[\w-]+\.)+[a-z]{2,})\W{0,3}$`,
  'i',
);
const ADDRESS_TITLE = /\s+["'(][^"'()\n]{0,200}["')]\s*\)/y;
/** Addresses in a sentence never end in these. */
const TRAILING_PUNCTUATION = `.,;:!?)]}>'"»”’*`;
/** An entry of a list of sources: `[8]: address`, `[8] Title, address`, `8. address`. */
const SOURCE_LINE =
  /^[^\S\n]*(?:[-*+•][^\S\n]+)?(?:\[\^?(\d{1,3})\]:?[^\S\n]+([^\n]+)$|(\d{1,3})[.)][^\S\n]+(<?https?:\/\/[^\s]+)[^\S\n]*$)/gmu;

const CODE_BLOCK = /```[\s\S]*?(?:```|$)/g;

/** Tokens that are read without a pause: an address takes some microseconds. */
const TOKENS_AT_ONCE = 1_000;

/** @param raw at most `MAX_TEXT_LENGTH`; linear in its length. Code blocks are left out. */
export function* extractMarks(raw: string): Cooperative<MarkedText> {
  const numbered = new Map<number, LinkRef | null>();
  const define = (n: number, link: LinkRef) => {
    const known = numbered.get(n);
    // Two different links with one number are ambiguous.
    numbered.set(n, known === undefined || known?.canonical === link.canonical ? link : null);
  };
  const prose = raw.replaceAll(/[\ue000\ue001]/g, '').replace(CODE_BLOCK, '\n');
  const text = extractSourceList(prose, define);
  yield;
  const tokens: MarkToken[] = [];
  let marked = '';
  let from = 0;
  const token = new RegExp(TOKEN);
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const read = readToken(text, match, define);
    if (read === undefined) continue;
    marked += text.slice(from, match.index) + read.stands;
    if (read.stands !== '') tokens.push(read.token);
    if (tokens.length % TOKENS_AT_ONCE === 0) yield;
    from = read.end;
    token.lastIndex = read.end;
  }
  return { text: marked + text.slice(from), tokens, numbered };
}

type TokenMatch = { stands: string; token: MarkToken; end: number };

function readToken(
  text: string,
  match: RegExpExecArray,
  define: (n: number, link: LinkRef) => void,
): TokenMatch | undefined {
  const [all, , , plainNumbers, dagger] = match;
  const { image, label } = match.groups ?? {};
  const after = match.index + all.length;
  if (label !== undefined) {
    const end = findAddressEnd(text, after);
    const { link } = image === '!' ? {} : parseLink(text.slice(after, end));
    const closed = findLinkEnd(text, end);
    if (image === '!') return { stands: '', token: EMPTY_TOKEN, end: closed };
    const links = link === undefined ? [] : [link];
    const bare = label.replace(/^\[(.*)\]$/s, '$1').trim();
    const [only, ...others] = parseNumbers(bare);
    if (only !== undefined && others.length === 0 && link !== undefined) define(only, link);
    if (bare === '' || NAMES_SOURCE.test(bare))
      return { stands: MARK, token: { words: '', links, numbers: [] }, end: closed };
    return { stands: KEPT_WHOLE, token: { words: bare, links, numbers: [] }, end: closed };
  }
  const numbers = parseNumbers(plainNumbers ?? dagger ?? '');
  if (numbers.length > 0) return { stands: MARK, token: { words: '', links: [], numbers }, end: after };
  if (all.startsWith('`'))
    return { stands: KEPT_WHOLE, token: { words: all, links: [], numbers: [] }, end: after };
  if (!/^https?:/i.test(all)) return undefined;
  const address = trimTrailingPunctuation(all);
  const { link } = parseLink(address);
  const token = { words: address, links: link === undefined ? [] : [link], numbers: [] };
  return { stands: KEPT_WHOLE, token, end: match.index + address.length };
}

const EMPTY_TOKEN: MarkToken = { words: '', links: [], numbers: [] };

/** The end of a link, after its title and parenthesis. */
function findLinkEnd(text: string, end: number): number {
  if (text[end] === ')') return end + 1;
  const title = new RegExp(ADDRESS_TITLE);
  title.lastIndex = end;
  return title.test(text) ? title.lastIndex : end;
}

/** Keeps a closing parenthesis if the address contains the opening one. */
function trimTrailingPunctuation(address: string): string {
  const tail = address.includes('(') ? TRAILING_PUNCTUATION.replace(')', '') : TRAILING_PUNCTUATION;
  let end = address.length;
  while (end > 0 && tail.includes(address.charAt(end - 1))) end--;
  return address.slice(0, end);
}

/** `8, 17` and `3-5`; 0 and anything but numbers are not citations. */
function parseNumbers(list: string): number[] {
  if (!ONLY_NUMBERS.test(list)) return [];
  const numbers = list.split(/[,;]/).flatMap((part) => {
    const [first = 0, last = first] = part.split(/[–-]/).map((n) => Number(n.replace(/\D/g, '')));
    const span = last > first && last - first <= 20 ? last - first : 0;
    return Array.from({ length: span + 1 }, (_, i) => first + i);
  });
  return numbers.includes(0) ? [] : [...new Set(numbers)];
}

/** Removes the entries of a list of sources, and passes them to `define`. */
function extractSourceList(text: string, define: (n: number, link: LinkRef) => void): string {
  return text.replace(SOURCE_LINE, (line: string, n: string, rest: string, m: string, bare: string) => {
    const entry = rest ?? bare;
    const start = entry.search(/https?:\/\//i);
    if (start < 0) return line;
    const end = findAddressEnd(entry, start);
    // Text after the address: a sentence that begins with a citation, not an entry.
    if (hasLetterOrDigit(entry.slice(end))) return line;
    const { link } = parseLink(trimTrailingPunctuation(entry.slice(start, end)));
    if (link === undefined) return line;
    define(Number(n ?? m), link);
    return '';
  });
}

/** Maximum citations per text. */
const MAX_CITATIONS = 1_000;

/**
 * The links that a text cites, in order of first citation, distinct: those of its marks, bare addresses, and its list of
 * sources. Whatever a statement of the text cites is among them.
 */
export function* parseCitations(text: string): Cooperative<LinkRef[]> {
  const { tokens, numbered } = yield* extractMarks(text);
  yield;
  const cited = [
    ...tokens.flatMap(({ links, numbers }) => [...links, ...numbers.map((n) => numbered.get(n) ?? null)]),
    ...numbered.values(),
  ];
  return distinctLinks(cited.filter((link) => link !== null)).slice(0, MAX_CITATIONS);
}

/** The end of an address in parentheses: white space or the closing parenthesis. */
function findAddressEnd(text: string, start: number): number {
  let open = 0;
  const limit = Math.min(text.length, start + MAX_LINK_LENGTH + 1);
  for (let i = start; i < limit; i++) {
    const char = text[i];
    if (char === '(') open++;
    else if (char === ')' && --open < 0) return i;
    else if (char === undefined || /\s/.test(char)) return i;
  }
  return limit;
}
