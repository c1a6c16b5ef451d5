/** Text from outside as a person sees it: nothing that cannot be seen, nothing that turns the direction. */
import { cleanText } from '../../domain/text.ts';

const ASCII_TEXT = /^[\x20-\x7e]*$/;
/** White space that is not one space. */
const UNEVEN_SPACE = /[^\S ]| {2}/u;
const LINE_ENDS = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g;
/** Also the selectors and fillers in which words can be hidden; U+FE0F stays, it colours emoji. */
const INVISIBLE_CHARACTERS =
  /(?:[\p{Cc}\p{Cf}\u{3164}\u{ffa0}]|[\u{34f}\u{fe00}-\u{fe0e}]|[\u{115f}\u{1160}]|[\u{17b4}\u{17b5}]|[\u{e0100}-\u{e01ef}])/gu;

/** Lines end in `\n`; at most `max` code units. */
export function toVisibleLines(text: string, max: number): string {
  const cut = cleanText(text, max);
  if (ASCII_TEXT.test(cut)) return cut;
  return cut
    .replace(LINE_ENDS, '\n')
    .split('\n')
    .map((line) => line.replaceAll('\t', ' ').replace(INVISIBLE_CHARACTERS, ''))
    .join('\n');
}

/** The same in one line, with single spaces. */
export function toVisibleLine(text: string, max: number): string {
  return collapseSpaces(toVisibleLines(text, max));
}

export function collapseSpaces(text: string): string {
  return (UNEVEN_SPACE.test(text) ? text.replace(/\s+/gu, ' ') : text).trim();
}
