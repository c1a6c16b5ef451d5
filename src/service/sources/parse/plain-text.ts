/** Converts titles and excerpts to text without markup that is safe to store, display and send. */
import { decodeHTML } from 'entities';
import { cleanLine, cleanText } from '../../../lib/text.ts';
import { removeBoilerplate } from './boilerplate.ts';

/** Maximum UTF-16 code units to convert; an excerpt never needs more. */
const MAX_MARKUP_LENGTH = 4_000;
export const MAX_SNIPPET_LENGTH = 500;
export const MAX_TITLE_LENGTH = 300;
const MAX_TITLE_FROM_TEXT = 100;

/** Up to its end or the end of the text. Removed first, since it may contain elements. */
export const HTML_COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
/** Only HTML elements, so that `Vec<T>` and `a < b` remain text. */
const INLINE_ELEMENT =
  /<\/?(?:[abisuq]|em|strong|mark|small|su[bp]|span|font|code|abbr|time|wbr|img)(?:[\s/][^<>]*)?>/g;
const BLOCK_ELEMENT =
  /<\/?(?:p|br|hr|h[1-6]|div|[uo]l|li|d[ltd]|pre|blockquote|table|tr|t[dh]|section|article|script|style)(?:[\s/][^<>]*)?>/g;

/** Text of HTML, or of text with HTML entities: one line, decoded once. */
export function toPlainText(markup: string): string {
  return cleanLine(toPlainLines(markup));
}

/** As {@link toPlainText}, with a line for each block, so that a heading does not run into the next sentence. */
export function toPlainLines(markup: string): string {
  const bare = cleanText(markup, MAX_MARKUP_LENGTH)
    .replace(HTML_COMMENT, ' ')
    .replace(INLINE_ELEMENT, '')
    .replace(BLOCK_ELEMENT, '\n');
  const lines = cleanText(decodeHTML(bare)).split('\n').map(cleanLine);
  return lines.filter((line) => line !== '').join('\n');
}

const CODE_FENCE = /^ {0,3}(?:```|~~~)/;
/** Lines without prose: indented code, rules, definitions of links. */
const NO_PROSE = /^(?: {4,}[^\s*+-]|\t|\s*(?:[-*_=]\s*){3,}$|\s*\[[^\]]{1,99}\]:\s)/;
/** Some search services join the lines of a page: headings, tables and quotes then stand between sentences. */
const HEADING = /(?:^|(?<=[.!?] ))\s{0,3}#{1,6} (?:[^.!?]|[.!?](?!\s|$))*(?:[.!?]+|$)/g;
/** Marks alone, of a heading that follows no sentence. */
const INLINE_HEADING = /(?<=[ \t])#{2,6}(?=[ \t])/g;
const TABLE_ROW = /(?:^|(?<=[.!?] ))\s{0,3}\|(?:[^|]*\|)+\.?/g;
const LINE_MARK = /(?:^|(?<=[.!?] ))\s{0,8}(?:>+|[-*+•](?=\s))\s{0,8}/g;
const LABELLED_LINK = /!?\[([^[\]]*)\]\([^()\s]*\)/g;
const EMPHASIS =
  /\*\*|__|~~|`|(?<![\p{L}\p{N}*\\])\*(?=\S)|(?<=[^\s\\])\*(?![\p{L}\p{N}*])|(?<![\p{L}\p{N}_\\])_(?=\S)|(?<=[^\s\\])_(?![\p{L}\p{N}_])/gu;
/** A full stop that joined a line to the next although the line had its own end. */
const JOINT = /(?<=[!?:]|[.!?]["”’')]|[.!?:]["”’')]?[*_]{1,2})\.(?=\s|$)/g;
const ESCAPE = /\\([!-/:-@[-`{-~])/g;

/** The prose of Markdown, a line for each block: without headings, code, tables, addresses and marks. */
export function markdownToPlainText(markdown: string): string {
  let inCode = false;
  const prose = cleanText(markdown, MAX_MARKUP_LENGTH)
    .split('\n')
    .filter((line) => {
      const isFence = CODE_FENCE.test(line);
      if (isFence) inCode = !inCode;
      return !isFence && !inCode && !NO_PROSE.test(line);
    });
  const lines = prose.map((line) =>
    line
      .replace(LABELLED_LINK, '$1')
      .replace(HEADING, '')
      .replace(INLINE_HEADING, '')
      .replace(TABLE_ROW, '')
      .replace(LINE_MARK, '')
      .replace(JOINT, '')
      .replace(EMPHASIS, '')
      .replace(ESCAPE, '$1'),
  );
  return toPlainLines(lines.join('\n'));
}

/** An excerpt of a web page as search services return it: Markdown, HTML or plain text. */
export function toWebExcerpt(text: string): string {
  return toExcerpt(removeBoilerplate(markdownToPlainText(text)));
}

/** The heading with which a Markdown text begins; empty if it begins otherwise. */
export function readHeading(markdown: string): string {
  const [, heading = ''] = /^\s{0,9}#{1,6}[ \t]([^\n]*)/.exec(markdown) ?? [];
  return cleanLine(markdownToPlainText(heading));
}

export function toTitle(markup: string): string {
  return toExcerpt(toPlainText(markup), MAX_TITLE_LENGTH);
}

/** What stands for the title of a text that has none: its beginning. */
export function toTitleFromText(text: string): string {
  return toExcerpt(text, MAX_TITLE_FROM_TEXT);
}

/** Truncates at a word boundary and adds an ellipsis. @param max in UTF-16 code units */
export function toExcerpt(text: string, max = MAX_SNIPPET_LENGTH): string {
  if (text.length <= max) return text;
  const near = cleanText(text, max - 1);
  const wordEnd = /\s/.test(text[near.length] ?? '') ? near.length : near.search(/\s\S*$/);
  // Without a word boundary in the second half (scripts without spaces, a long address), cut anywhere.
  return `${(wordEnd > max / 2 ? near.slice(0, wordEnd) : near).trimEnd()}…`;
}
