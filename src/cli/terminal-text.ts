/** Texts from outside, made safe for a terminal, and measured as a terminal shows them. */
import stringWidth from 'string-width';

/** Escape sequences as a whole, so that their remains do not stand in the text. */
const ESCAPE_SEQUENCES =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;
/** Marks that reorder what stands around them, hide, or are not characters at all. */
const INVISIBLE_MARKS =
  /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
/** More marks on one letter than any script needs. */
const STACKED_MARKS = /(\p{M}{6})\p{M}+/gu;

/** White space, and the line end of C1, which the runtime does not count among it. */
const WHITESPACE = /[\s\u0085]+/gu;

/** One line that does nothing to a terminal but show itself. */
export function oneLine(text: string): string {
  return stripUnsafe(text).replace(WHITESPACE, ' ').trim();
}

/** The same with its paragraphs. */
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
    .replace(/[^\P{Cc}\t\n\v\f\r\u0085]/gu, '')
    .replace(INVISIBLE_MARKS, '')
    .replace(/\u200d{2,}/gu, '\u200d')
    .replace(STACKED_MARKS, '$1');
}

/** How many columns a text takes on a terminal. */
export function measureWidth(text: string): number {
  return isPlain(text) ? text.length : stringWidth(text);
}

/** The text in at most `width` columns, whole characters only; `more` stands where something is missing. */
export function truncate(text: string, width: number, more = '…'): string {
  if (width === Number.POSITIVE_INFINITY) return text;
  if (text.length <= width * 16 && measureWidth(text) <= width) return text;
  const sign = measureWidth(more) <= width ? more : more.slice(0, Math.max(0, width));
  const room = width - measureWidth(sign);
  let kept = '';
  let used = 0;
  // What lies far beyond the room is never looked at.
  for (const { segment } of graphemes.segment(text.slice(0, width * 16 + 64))) {
    const wide = measureWidth(segment);
    if (used + wide > room) break;
    kept += segment;
    used += wide;
  }
  return kept.trimEnd() + sign;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Fills with spaces up to `width` columns. */
export function padText(text: string, width: number, right = false): string {
  const fill = ' '.repeat(Math.max(0, width - measureWidth(text)));
  return right ? fill + text : text + fill;
}

/** Lines of prose are not longer than this, however wide the terminal is. */
export const MAX_PROSE_WIDTH = 100;

/** Breaks a line between words; a word that is longer than a line is broken too, so that nothing is lost. */
export function wrapText(text: string, width: number): string[] {
  if (width === Number.POSITIVE_INFINITY) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (measureWidth(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = breakWord(word, width);
    line = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** A word in pieces of at most `width` columns; a character wider than that has no room at all. */
function breakWord(word: string, width: number): string[] {
  if (measureWidth(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const { segment } of graphemes.segment(word)) {
    const wide = measureWidth(segment);
    if (wide > width) continue;
    if (used + wide > width) {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += segment;
    used += wide;
  }
  return [...pieces, piece];
}

function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
