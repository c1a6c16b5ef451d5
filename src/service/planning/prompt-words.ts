/** The words of a prompt: how they are written, and which are neighbors. */

import { hasUnspacedScript } from '../../model/relevance.ts';
import { hasLetterOrDigit } from '../../lib/text.ts';

const MAX_WORD_LENGTH = 64;
/** What tags, names and codes count more, in the logarithm of ranks of frequent words. */
const TAG_BONUS = 4;
export const NAME_BONUS = 3;
const CODE_BONUS = 2;
/** A hashtag, or a word with inner punctuation: `covid-19`, `node.js`, `at&t`, `c++`. */
export const WORD =
  /[#@]?[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*(?:[-'’.&][\p{L}\p{N}][\p{L}\p{M}\p{N}_]*)*(?:\+\+|#(?![\p{L}\p{N}]))?/gu;
const WORD_GAP = /^[^\S\r\n]+$/u;

/** Maximum characters to segment in scripts without spaces: the segmenter takes 1 ms per thousand. */
const MAX_SEGMENTED_CHARACTERS = 500;
const HAN = /^\p{Script=Han}$/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** A word of the prompt, of which the word that counts is `text`. */
export type Token = {
  text: string;
  /** Capitalized where no sentence begins. */
  isNamed: boolean;
  isCapitalized: boolean;
  /** In capitals only. */
  isShouted: boolean;
  /** Directly after the word before, on the same line and without a sign between them. */
  isNext: boolean;
  /** After another word and "à", as in "pompe à chaleur": one thing. */
  isJoined?: true;
  bonus: number;
};

/** "sera-t-elle": the pronoun is no part of the word. */
const INVERTED = /-(?:t-)?(?:ils?|elles?|on|ce|vous|nous|tu|je)$/iu;

/** The words in the order of the prompt; of scripts without spaces, as the segmenter divides them. */
export function readTokens(text: string): Token[] {
  let end = 0;
  const matches = Array.from(text.matchAll(WORD), ({ 0: token, index }) => {
    const isCapital = /^\p{Lu}/u.test(token);
    const begins = /(?:^|[.!?:]\s+)[¿¡(["'“«]*$/u.test(text.slice(Math.max(0, index - 4), index));
    const isNext = WORD_GAP.test(text.slice(end, index));
    end = index + token.length;
    return { token, isCapital, begins, isNext, isShouted: /^\p{Lu}{2,}$/u.test(token) };
  });
  // If most words are capitalized, capitals mean nothing.
  const capitals = matches.filter(
    ({ isCapital, begins, isShouted }) => (isCapital && !begins) || isShouted,
  ).length;
  const capitalsMatter = capitals <= matches.length * 0.6;
  let left = MAX_SEGMENTED_CHARACTERS;
  return matches.flatMap(({ token, isCapital, begins, isNext, isShouted }): Token[] => {
    const isNamed = capitalsMatter && ((isCapital && !begins) || isShouted);
    const isCapitalized = capitalsMatter && isCapital;
    const shouts = capitalsMatter && isShouted;
    const isTag = /^[#@]/u.test(token);
    const isCoded = /\p{N}/u.test(token) && /\p{L}/u.test(token);
    const bonus = (isTag ? TAG_BONUS : 0) + (isNamed ? NAME_BONUS : 0) + (isCoded ? CODE_BONUS : 0);
    const word = token.replace(/^[#@]/u, '').replace(INVERTED, '');
    if (!hasUnspacedScript(word)) {
      const longest = pickLongestPart(word);
      return [{ text: longest, isNamed, isCapitalized, isShouted: shouts, isNext: isNext && !isTag, bonus }];
    }
    const segments = segmentRun(word.slice(0, Math.max(2, left)));
    left -= word.length;
    return segments.map((part) => ({
      text: part,
      isNamed,
      isCapitalized,
      isShouted: shouts,
      isNext: false,
      bonus,
    }));
  });
}

/** The longest part of `l'énergie` or `Europe's` is the word. */
function pickLongestPart(word: string): string {
  return toBoundedLowerCase(word.split(/['’]/u).reduce((a, b) => (b.length > a.length ? b : a)));
}

/** Joins single characters, into which the segmenter splits unknown compounds. */
function segmentRun(run: string): string[] {
  const segments: string[] = [];
  let single = false;
  for (const { segment } of segmenter.segment(run)) {
    const alone = HAN.test(segment);
    const last = segments.length - 1;
    if (alone && single) segments[last] = `${segments[last]}${segment}`;
    // The segmenter also counts underscores as words.
    else if (hasLetterOrDigit(segment)) segments.push(toBoundedLowerCase(segment));
    single = alone;
  }
  return segments.length === 0 ? [toBoundedLowerCase(run)] : segments;
}

/** In lower case and truncated, never inside a surrogate pair. */
export function toBoundedLowerCase(word: string): string {
  const lower = word.toLowerCase();
  return lower.length <= MAX_WORD_LENGTH ? lower : Array.from(lower).slice(0, MAX_WORD_LENGTH).join('');
}
