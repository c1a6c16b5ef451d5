/** Text from outside as a person sees it: nothing that cannot be seen, nothing that turns the direction. */
import { clean } from '../../contract/text.ts';

const ORDINARY = /^[\x20-\x7e]*$/;
/** White space that is not one space. */
const UNEVEN = /[^\S ]| {2}/u;
const LINE_ENDS = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g;
/** Also the selectors and fillers in which words can be hidden; U+FE0F stays, it colours emoji. */
const INVISIBLE =
  /(?:[\p{Cc}\p{Cf}\u{3164}\u{ffa0}]|[\u{34f}\u{fe00}-\u{fe0e}]|[\u{115f}\u{1160}]|[\u{17b4}\u{17b5}]|[\u{e0100}-\u{e01ef}])/gu;

/** Lines end in `\n`; at most `max` code units. */
export function plainLines(text: string, max: number): string {
  const cut = clean(text, max);
  if (ORDINARY.test(cut)) return cut;
  return cut
    .replace(LINE_ENDS, '\n')
    .split('\n')
    .map((line) => line.replaceAll('\t', ' ').replace(INVISIBLE, ''))
    .join('\n');
}

/** The same in one line, with single spaces. */
export function plainLine(text: string, max: number): string {
  return oneLine(plainLines(text, max));
}

export function oneLine(text: string): string {
  return (UNEVEN.test(text) ? text.replace(/\s+/gu, ' ') : text).trim();
}
