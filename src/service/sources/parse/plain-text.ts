/** Converts titles and excerpts to text without markup that is safe to store, display and send. */
import { decodeHTML } from 'entities';
import { cleanLine, cleanText } from '../../../domain/text.ts';

/** Maximum UTF-16 code units to convert; an excerpt never needs more. */
const MAX_MARKUP_LENGTH = 4_000;
export const MAX_SNIPPET_LENGTH = 500;
const MAX_TITLE_LENGTH = 300;

/** Up to its end or the end of the text. Removed first, since it may contain elements. */
const HTML_COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
/** Only HTML elements, so that `Vec<T>` and `a < b` remain text. */
const INLINE_ELEMENT =
  /<\/?(?:[abisuq]|em|strong|mark|small|su[bp]|span|font|code|abbr|time|wbr|img)(?:[\s/][^<>]*)?>/g;
const BLOCK_ELEMENT =
  /<\/?(?:p|br|hr|h[1-6]|div|[uo]l|li|d[ltd]|pre|blockquote|table|tr|t[dh]|section|article|script|style)(?:[\s/][^<>]*)?>/g;

/** Text of HTML, or of text with HTML entities: one line, decoded once. */
export function toPlainText(markup: string): string {
  const bare = cleanText(markup, MAX_MARKUP_LENGTH)
    .replace(HTML_COMMENT, ' ')
    .replace(INLINE_ELEMENT, '')
    .replace(BLOCK_ELEMENT, ' ');
  return cleanLine(cleanText(decodeHTML(bare)));
}

/** Text of Markdown: link labels, without headings, quotes and bold. */
export function markdownToPlainText(markdown: string): string {
  return toPlainText(
    cleanText(markdown, MAX_MARKUP_LENGTH)
      .replace(/!?\[([^[\]]*)\]\([^()\s]*\)/g, '$1')
      .replace(/^[ \t]*(?:#{1,6}|>+)[ \t]+/gm, '')
      .replaceAll('**', ''),
  );
}

export function toTitle(markup: string): string {
  return toExcerpt(toPlainText(markup), MAX_TITLE_LENGTH);
}

/** Truncates at a word boundary and adds an ellipsis. @param max in UTF-16 code units */
export function toExcerpt(text: string, max = MAX_SNIPPET_LENGTH): string {
  if (text.length <= max) return text;
  const near = cleanText(text, max - 1);
  const wordEnd = text[near.length] === ' ' ? near.length : near.lastIndexOf(' ');
  // Without a word boundary in the second half (scripts without spaces, a long address), cut anywhere.
  return `${(wordEnd > max / 2 ? near.slice(0, wordEnd) : near).trimEnd()}…`;
}
