/**
 * What a text says to somebody who reads over its disguise: letters of other alphabets that look like ours, signs
 * in place of letters (`1gnore`), letters set apart (`i g n o r e`). Only for patterns; nothing of it is quoted.
 */

const ASCII = /^[\x20-\x7e]*$/;
/** Accents, and strokes through letters. */
const MARKS = /\p{M}+/gu;
/** A word of two alphabets, one of them ours. */
const MIXED = /[a-z][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][a-z]/;
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from(
    'аaеeоoрpсcуyхxіiјjѕsԁdһhӏlмmтtкkвbнhαaεeοoρpιiκkνvυuτt'.matchAll(/(.)(.)/gu),
    ([, theirs, ours]) => [theirs, ours],
  ),
);
const FOREIGN = /[\u0370-\u03ff\u0400-\u052f]/gu;
/** Four letters or more, each alone. */
const APART = /(?<![a-z0-9])(?:[a-z0-9][ .*_|/-]{1,2}){3,}[a-z0-9](?![a-z0-9])/g;
/** A word with a sign in place of a letter; `30th` and `mp3` are none. */
const SIGNED = /(?<![a-z0-9])[a-z0-9@$!|]{0,24}(?:[a-z][013457@$!|][a-z]|[013457@$!|][a-z]{3})[a-z0-9@$]*/g;
const LETTERS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'i',
};

/** @param lower a text in lower case; @returns other readings of it, none where nothing is disguised */
export function undisguised(lower: string): string[] {
  const plain = ASCII.test(lower) ? lower : withoutLookalikes(lower);
  const joined = plain.replace(APART, (run) => run.replace(/[^a-z0-9]/g, ''));
  const spelled = joined.replace(SIGNED, spell);
  const readings = new Set([plain, joined, spelled]);
  // A one may stand for either letter.
  if (spelled !== joined) readings.add(joined.replace(SIGNED, (word) => spell(word.replaceAll('1', 'l'))));
  // Letters set apart do not show where a word ends.
  if (joined !== plain) readings.add(spelled.replace(/[^a-z]/g, ''));
  readings.delete(lower);
  return [...readings];
}

function spell(word: string): string {
  return word.replace(/[^a-z]/g, (sign) => LETTERS[sign] ?? sign);
}

function withoutLookalikes(lower: string): string {
  const plain = lower.normalize('NFKD').replace(MARKS, '').toLowerCase();
  return MIXED.test(plain) ? plain.replace(FOREIGN, (letter) => LOOKALIKES[letter] ?? letter) : plain;
}
