import type { LinkRef } from './findings.ts';
import { LINK_MAX, readLink } from './link.ts';

/** No completion cites more than this. */
const CITATIONS_MAX = 1_000;

/** `[8](`, `[[8]](` or `[text](` before an address; an image (`![`) is no citation. */
const OPENING = /(!?)\[(?:[^[\]]{0,500}|\[[^[\]]{0,50}\])\]\(\s*(?=https?:\/\/)/gi;

/**
 * The addresses that a text cites inline, in the order of their first citation, each once. An address may
 * itself hold balanced parentheses. Bare numbers (`[8, 17]`) cite nothing that could be told.
 */
export function readCitations(text: string): LinkRef[] {
  const cited = new Map<string, LinkRef>();
  const opening = new RegExp(OPENING); // one of our own: it remembers where it stands
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const start = opening.lastIndex;
    const end = endOfAddress(text, start);
    opening.lastIndex = end;
    const { link } = match[1] === '!' ? {} : readLink(text.slice(start, end));
    if (link !== undefined && !cited.has(link.canonical)) cited.set(link.canonical, link);
    if (cited.size >= CITATIONS_MAX) break;
  }
  return [...cited.values()];
}

/** Where an address in parentheses ends: before white space or the parenthesis that closes it. */
export function endOfAddress(text: string, start: number): number {
  let open = 0;
  const limit = Math.min(text.length, start + LINK_MAX + 1);
  for (let i = start; i < limit; i++) {
    const char = text[i];
    if (char === '(') open++;
    else if (char === ')' && --open < 0) return i;
    else if (char === undefined || /\s/.test(char)) return i;
  }
  return limit;
}
