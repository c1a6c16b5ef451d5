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

/** `\\*`: a mark that is text. Held as a private character while the others are removed. */
const ESCAPED_MARK = /\\([!-/:-@[-`{-~])/g;
const HELD_MARK = /[\ue021-\ue07e]/g;
const HELD_FROM = 0xe000;
/** Emphasis, unlike `2*3` and `a * b`. */
const EMPHASIS = /(?<!\S)\*(?=\S)|(?<=\S)\*(?!\S)|(?<![\s\p{L}\p{N}])\*|\*(?![\s\p{L}\p{N}])/gu;

/** Text of Markdown: link labels and cells of tables, without headings, quotes, bullets, emphasis, code and escapes. */
export function markdownToPlainText(markdown: string): string {
  const held = cleanText(
    markdown.slice(0, MAX_MARKUP_LENGTH).replace(HELD_MARK, ''),
    MAX_MARKUP_LENGTH,
  ).replace(ESCAPED_MARK, (_, mark: string) => String.fromCharCode(HELD_FROM + mark.charCodeAt(0)));
  const bare = held
    .split('\n')
    .map(removeTableMarks)
    .join('\n')
    .replace(/!?\[([^[\]]*)\]\([^()\s]*\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}|>+|[-+*])[ \t]+/gm, '')
    // Providers join the pieces of a page in one line.
    .replace(/(?<=[ \t])#{2,6}(?=[ \t])/g, '')
    .replaceAll('**', '')
    .replace(EMPHASIS, '')
    .replaceAll('`', '');
  return toPlainText(bare).replace(HELD_MARK, (mark) => String.fromCharCode(mark.charCodeAt(0) - HELD_FROM));
}

function removeTableMarks(line: string): string {
  const row = line.trim();
  if (!row.startsWith('|') && !row.endsWith('|')) return line;
  return /^[|:\s-]+$/.test(row) ? '' : row.replaceAll('|', ' ');
}

/** The heading with which a Markdown text begins; empty if it begins otherwise. */
export function readHeading(markdown: string): string {
  const [first = ''] = markdown.slice(0, MAX_MARKUP_LENGTH).trimStart().split('\n', 1);
  return /^#{1,6}[ \t]/.test(first) ? markdownToPlainText(first) : '';
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
