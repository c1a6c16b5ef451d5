/** Texts from outside, made safe for a terminal, and measured as a terminal shows them. */
import stringWidth from 'string-width';

/** Escape sequences as a whole, so that their remains do not stand in the text. */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;
/** Marks that reorder what stands around them, hide, or are not characters at all. */
const HIDDEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
/** More marks on one letter than any script needs. */
const PILED = /(\p{M}{6})\p{M}+/gu;

/** White space, and the line end of C1, which the runtime does not count among it. */
const GAPS = /[\s\u0085]+/gu;

/** One line that does nothing to a terminal but show itself. */
export function oneLine(text: string): string {
  return tame(text).replace(GAPS, ' ').trim();
}

/** The same with its paragraphs. */
export function paragraphs(text: string): string[] {
  return tame(text.replaceAll('\r\n', '\n'))
    .split(/[\n\u0085\u2028\u2029]/u)
    .map((line) => line.replace(GAPS, ' ').trim())
    .filter((line, i, lines) => line !== '' || (lines[i - 1] ?? '') !== '');
}

function tame(text: string): string {
  return text
    .toWellFormed()
    .replace(SEQUENCES, '')
    .replace(/[^\P{Cc}\t\n\v\f\r\u0085]/gu, '')
    .replace(HIDDEN, '')
    .replace(/\u200d{2,}/gu, '\u200d')
    .replace(PILED, '$1');
}

/** How many columns a text takes on a terminal. */
export function widthOf(text: string): number {
  return isPlain(text) ? text.length : stringWidth(text);
}

/** The text in at most `width` columns, whole characters only; `more` stands where something is missing. */
export function cut(text: string, width: number, more = '…'): string {
  if (width === Number.POSITIVE_INFINITY) return text;
  if (text.length <= width * 16 && widthOf(text) <= width) return text;
  const sign = widthOf(more) <= width ? more : more.slice(0, Math.max(0, width));
  const room = width - widthOf(sign);
  let kept = '';
  let used = 0;
  // What lies far beyond the room is never looked at.
  for (const { segment } of characters.segment(text.slice(0, width * 16 + 64))) {
    const wide = widthOf(segment);
    if (used + wide > room) break;
    kept += segment;
    used += wide;
  }
  return kept.trimEnd() + sign;
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Fills with spaces up to `width` columns. */
export function pad(text: string, width: number, right = false): string {
  const fill = ' '.repeat(Math.max(0, width - widthOf(text)));
  return right ? fill + text : text + fill;
}

/** Breaks a line between words; a word that is longer than a line is broken too, so that nothing is lost. */
export function wrap(text: string, width: number): string[] {
  if (width === Number.POSITIVE_INFINITY) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = broken(word, width);
    line = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** A word in pieces of at most `width` columns; a character wider than that has no room at all. */
function broken(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const { segment } of characters.segment(word)) {
    const wide = widthOf(segment);
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
