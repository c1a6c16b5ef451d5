/** Where words begin and end, in every script. */

/** A run of letters, marks and digits. */
const RUN = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts that put no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
const HAS_UNSPACED = new RegExp(UNSPACED.source, 'u');

/** Whether a text has parts that spaces do not cut into words. */
export function isUnspaced(text: string): boolean {
  return HAS_UNSPACED.test(text);
}

/**
 * The words of a text in lower case, cut for an index. Where a script has no spaces, every two characters
 * that stand side by side are a word: a dictionary would cut a question otherwise than the text, and
 * otherwise again in its next edition.
 */
export function indexWords(text: string): string[] {
  const words = text.normalize('NFC').toLowerCase().match(RUN) ?? [];
  if (!isUnspaced(text)) return words;
  return words.flatMap((word) => word.replace(UNSPACED, (run) => ` ${pairs(run)} `).match(/\S+/gu) ?? []);
}

function pairs(run: string): string {
  const characters = Array.from(run);
  if (characters.length < 3) return run;
  return characters
    .slice(1)
    .map((character, i) => `${characters[i]}${character}`)
    .join(' ');
}
