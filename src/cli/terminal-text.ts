/** Sanitizes external text for a terminal and measures its width. */
import { CONTROLS, INVISIBLES } from '../lib/text.ts';
import stringWidth from 'string-width';

/** Whole escape sequences, so that no remains stay in the text. */
const ESCAPE_SEQUENCES =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;
/** Except white space, which separates words and is normalized later. */
const UNSAFE = new RegExp(String.raw`(?!\s|\u0085)[${CONTROLS}]|[${INVISIBLES}]`, 'gu');
/** More marks on one letter than any script needs. */
const STACKED_MARKS = /(\p{M}{6})\p{M}+/gu;

/** `\s` lacks the C1 line end. */
const WHITESPACE = /[\s\u0085]+/gu;

/** One line without anything that a terminal would interpret. */
export function oneLine(text: string): string {
  return stripUnsafe(text).replace(WHITESPACE, ' ').trim();
}

/** The same, split into paragraphs. */
export function splitParagraphs(text: string): string[] {
  return stripUnsafe(text.replaceAll('\r\n', '\n'))
    .split(/[\n\u0085\u2028\u2029]/u)
    .map((line) => line.replace(WHITESPACE, ' ').trim())
    .filter((line, i, lines) => line !== '' || (lines[i - 1] ?? '') !== '');
}

function stripUnsafe(text: string): string {
  return text
    .toWellFormed()
    .replace(ESCAPE_SEQUENCES, '')
    .replace(UNSAFE, '')
    .replace(/\u200d{2,}/gu, '\u200d')
    .replace(STACKED_MARKS, '$1');
}

/** How many columns a text takes on a terminal. */
export function measureWidth(text: string): number {
  return isPlain(text) ? text.length : stringWidth(text);
}

/** The text in at most `width` columns, whole characters only, with `more` at the end if truncated. */
export function truncate(text: string, width: number, more = '…'): string {
  if (fits(text, width)) return text;
  const sign = measureWidth(more) <= width ? more : more.slice(0, Math.max(0, width));
  return takeColumns(text, width - measureWidth(sign)).trimEnd() + sign;
}

/** Whether a text takes at most `width` columns; no character of ours has more than 16 code units for a column. */
function fits(text: string, width: number): boolean {
  return width === Number.POSITIVE_INFINITY || (text.length <= width * 16 && measureWidth(text) <= width);
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The whole characters at the start of a text that fit in `width` columns. The input is limited, because the time of a
 * segmenter grows with its square.
 */
function takeColumns(text: string, width: number): string {
  let end = 0;
  let used = 0;
  for (const { segment } of graphemes.segment(text.slice(0, width * 16 + 64))) {
    used += measureWidth(segment);
    if (used > width) break;
    end += segment.length;
  }
  return text.slice(0, end);
}

/** Fills with spaces up to `width` columns. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - measureWidth(text)));
}

/** Lines of prose are not longer than this, however wide the terminal is. */
export const MAX_PROSE_WIDTH = 100;

/** Breaks a line between words, and words that are longer than a line. */
export function wrapText(text: string, width: number): string[] {
  if (width === Number.POSITIVE_INFINITY) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer, width)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (line !== '' && !fits(line, width)) {
      const piece = takeColumns(line, width);
      if (piece !== '') lines.push(piece);
      // A character wider than the line is dropped; none is wider than two columns.
      line = line.slice((piece || takeColumns(line, 2)).length);
    }
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** A text whose first word is an abbreviation, such as URL, is unchanged. */
export function lowerFirst(text: string): string {
  return /^\p{Lu}{2}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
