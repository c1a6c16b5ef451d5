/** What a post of Mastodon says: from the HTML that its server gives to text and the links in it. */
import { decodeHTML } from 'entities';
import { clean, TEXT_MAX } from '../../../../contract/text.ts';
import { shownLink } from '../../reading/web-address.ts';

// No `<` inside a tag: what never closes is text, and costs no second look.
/** What a browser would not show as text. */
const SILENT = /<(script|style|template)\b[^<>]*>[\s\S]*?(?:<\/\1\s*>|$)|<!--[\s\S]*?(?:-->|$)/gi;
const LINE = /<br\b[^<>]*>|<\/(?:li|tr|div|h[1-6])\s*>/gi;
const PARAGRAPH = /<\/(?:p|pre|blockquote|[uo]l|table)\s*>/gi;
const TAG = /<\/?[a-z][^<>]*>/gi;
const ANCHOR = /<a\b([^<>]*)>/gi;

export type Content = { text: string; links: string[] };

/**
 * Paragraphs end with an empty line and breaks with a new one. An address that is shown shortened is whole
 * in the text, since its server leaves the rest there, unseen. Links of hashtags and mentions are no links.
 */
export function contentOf(html: string): Content {
  const visible = clean(html).replace(SILENT, '').replace(/\s+/g, ' ');
  const text = visible.replace(LINE, '\n').replace(PARAGRAPH, '\n\n').replace(TAG, '');
  const lines = decodeHTML(text.replace(/ ?\n ?/g, '\n')).replace(/\n{3,}/g, '\n\n');
  return { text: clean(lines, TEXT_MAX).trim(), links: linksIn(visible) };
}

function linksIn(html: string): string[] {
  return Array.from(html.matchAll(ANCHOR), ([, attributes = '']) => attributes)
    .filter((attributes) => !/\b(?:mention|hashtag)\b/.test(attributeIn(attributes, 'class')))
    .map((attributes) => shownLink(decodeHTML(attributeIn(attributes, 'href'))))
    .filter((link) => link !== undefined);
}

/** Servers write attributes in double quotes; what is written otherwise is not looked for. */
function attributeIn(attributes: string, name: 'class' | 'href'): string {
  const found = name === 'class' ? /\sclass="([^"]*)"/i : /\shref="([^"]*)"/i;
  return found.exec(attributes)?.[1] ?? '';
}
