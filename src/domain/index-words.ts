/** Where words begin and end, in every script. */

/** A run of letters, marks and digits. */
const WORD_RUN = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts that put no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
const HAS_UNSPACED = new RegExp(UNSPACED.source, 'u');

/** Whether a text has parts that spaces do not cut into words. */
export function hasUnspacedScript(text: string): boolean {
  return HAS_UNSPACED.test(text);
}

/**
 * The words of a text in lower case, cut for an index. Where a script has no spaces, every two characters
 * that stand side by side are a word: a dictionary would cut a question otherwise than the text, and
 * otherwise again in its next edition.
 */
export function splitIndexWords(text: string): string[] {
  const words = text.normalize('NFC').toLowerCase().match(WORD_RUN) ?? [];
  if (!hasUnspacedScript(text)) return words;
  return words.flatMap(
    (word) => word.replace(UNSPACED, (run) => ` ${joinCharacterPairs(run)} `).match(/\S+/gu) ?? [],
  );
}

/** A word of a text as an index has it, and where it stands there: from `start` to before `end`, in UTF-16 units. */
export type WordPlace = { word: string; start: number; end: number };

/** The words of {@link splitIndexWords}, in the same order, with their places; the text is in NFC. */
export function locateWords(text: string): WordPlace[] {
  const unspaced = hasUnspacedScript(text);
  return [...text.matchAll(WORD_RUN)].flatMap(({ 0: run, index }) =>
    unspaced ? splitRun(run, index) : [toWordPlace(run, index)],
  );
}

function splitRun(run: string, at: number): WordPlace[] {
  const places: WordPlace[] = [];
  let from = 0;
  for (const { 0: piece, index } of run.matchAll(UNSPACED)) {
    if (index > from) places.push(toWordPlace(run.slice(from, index), at + from));
    const characters = Array.from(piece);
    const short = characters.length < 3;
    let start = at + index;
    for (const [i, character] of (short ? [piece] : characters.slice(0, -1)).entries()) {
      places.push(toWordPlace(short ? piece : `${character}${characters[i + 1] ?? ''}`, start));
      start += character.length;
    }
    from = index + piece.length;
  }
  if (from < run.length) places.push(toWordPlace(run.slice(from), at + from));
  return places;
}

function toWordPlace(run: string, start: number): WordPlace {
  return { word: run.toLowerCase(), start, end: start + run.length };
}

function joinCharacterPairs(run: string): string {
  const characters = Array.from(run);
  if (characters.length < 3) return run;
  return characters
    .slice(1)
    .map((character, i) => `${characters[i]}${character}`)
    .join(' ');
}
