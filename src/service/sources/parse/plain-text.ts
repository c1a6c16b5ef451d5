/** Titles and excerpts as sources give them, to text without markup that is safe to store, show and send. */
import { decodeHTML } from 'entities';
import { cleanLine, cleanText } from '../../../domain/text.ts';

/** The most of a text that is looked at, in UTF-16 code units; an excerpt never needs more. */
const MAX_MARKUP_LENGTH = 4_000;
export const MAX_SNIPPET_LENGTH = 500;
const MAX_TITLE_LENGTH = 300;

/** To its end, or to the text's; first of all, since elements may stand in it. */
const HTML_COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
/** Only elements of HTML, as they are written: `Vec<T>` and `a < b` are text. */
const INLINE_ELEMENT =
  /<\/?(?:[abisuq]|em|strong|mark|small|su[bp]|span|font|code|abbr|time|wbr|img)(?:[\s/][^<>]*)?>/g;
const BLOCK_ELEMENT =
  /<\/?(?:p|br|hr|h[1-6]|div|[uo]l|li|d[ltd]|pre|blockquote|table|tr|t[dh]|section|article|script|style)(?:[\s/][^<>]*)?>/g;

/** Text of something that may hold HTML or only its entities: one line, decoded once. */
export function toPlainText(markup: string): string {
  const bare = cleanText(markup, MAX_MARKUP_LENGTH)
    .replace(HTML_COMMENT, ' ')
    .replace(INLINE_ELEMENT, '')
    .replace(BLOCK_ELEMENT, ' ');
  return cleanLine(cleanText(decodeHTML(bare)));
}

/** Text of Markdown: of a link its words, without the marks of headings, quotes and bold. */
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

/** @param max in UTF-16 code units; what is longer is cut behind a word and ends with an ellipsis */
export function toExcerpt(text: string, max = MAX_SNIPPET_LENGTH): string {
  if (text.length <= max) return text;
  const near = cleanText(text, max - 1);
  const wordEnd = text[near.length] === ' ' ? near.length : near.lastIndexOf(' ');
  // Where no word ends in the second half (scripts without spaces, one long address) it is cut anywhere.
  return `${(wordEnd > max / 2 ? near.slice(0, wordEnd) : near).trimEnd()}…`;
}
