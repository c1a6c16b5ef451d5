/**
 * A text without what does not change what it says: posts with equal folded texts are one story (`stories.ts`). Pure.
 *
 * A folded text ignores what does not change what is said: case, invisible characters, compatibility forms, white space,
 * the typographic form of quotation marks and dashes, punctuation at the ends, addresses, mentions, `RT @name:`, and the
 * sign of a hashtag, whose word stays. It does not ignore accents, figures, emoji, or the order of words.
 */
import { hash } from 'node:crypto';
import { HIDING, UNSPACED_SCRIPTS } from '../lib/text.ts';

/** Shorter folded texts are never the same thing: "Good morning everyone!" is said by strangers. Letters of {@link DENSE} count twice. */
const MIN_LETTERS = 20;
const MIN_WORDS = 3;
/** Scripts that say as much in half as many letters. */
const DENSE = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`;
/** In scripts without spaces, this many characters count as a word. */
const UNSPACED_WORD_LENGTH = 2;

const ASCII = /^[\n\r\t\x20-\x7e]*$/;
const HIDDEN = new RegExp(String.raw`(?!\s)[${HIDING}\ufe0f]`, 'gu');
const ENTITIES: readonly [RegExp, string][] = [
  [/&lt;/g, '<'],
  [/&gt;/g, '>'],
  [/&quot;/g, '"'],
  [/&(?:#0?39|#x27|apos);/g, "'"],
  [/&amp;/g, '&'],
];
/** A name on a network, also with its server. */
const NAME = String.raw`@[\p{L}\p{N}_][\p{L}\p{N}_.\-]*(?:@[\p{L}\p{N}\-]+(?:\.[\p{L}\p{N}\-]+)+)?`;
/** `RT @name:`, `RT:`, and several of them. A text may begin with the word `RT` itself. */
const REPOST = new RegExp(String.raw`^[\s"'«»]*(?:rt\b\s*(?:${NAME}\s*:?|:)\s*)+`, 'u');
const VIA = new RegExp(String.raw`\(?(?<![\p{L}\p{N}])via\s+${NAME}\)?`, 'gu');
const MENTION = new RegExp(String.raw`(?<![\p{L}\p{N}_.@/])${NAME}`, 'gu');
/** Ends before a bracket or quotation mark that closes, and before text of a script that is written without spaces. */
const IN_ADDRESS = String.raw`[^\s()<>\[\]"\u3000-\u303f${UNSPACED_SCRIPTS}]`;
const ADDRESS = new RegExp(
  String.raw`(?:https?:\/\/|(?<![\p{L}\p{N}_.])www\.|(?<![\p{L}\p{N}_.@\-])[a-z0-9\-]{1,63}(?:\.[a-z0-9\-]{1,63}){0,4}\.[a-z]{2,20}\/)${IN_ADDRESS}*`,
  'gu',
);
const HASHTAG = /#(?=[\p{L}\p{N}_])/gu;
/** An ellipsis was three full stops before. */
const VARIANTS: readonly [RegExp, string][] = [
  [/[“”„‟«»‹›]/g, '"'],
  [/[‘’‚‛`´]/g, "'"],
  [/[‐‑‒–—―−]/g, '-'],
];
const EMPTY_BRACKETS = /\(\s*\)|\[\s*\]/g;
const BLANK = /[\s\p{Cc}]+/gu;
const BEFORE_SIGN = / (?=[,.;:!?])/g;
/** A minus before a figure, and a percent sign behind it, are no punctuation. */
const LEADING = /^(?:\s|(?!-\p{N})\p{P})+/u;
const TRAILING = /^(?:\s|(?![%‰])\p{P})$/u;
const LETTER = /[\p{L}\p{N}]/gu;
const DENSE_LETTER = new RegExp(`[${DENSE}]`, 'gu');
const SPACED_WORD = new RegExp(String.raw`(?:(?![${UNSPACED_SCRIPTS}])[\p{L}\p{N}\p{M}])+`, 'gu');
const PLAIN_WORD = /[a-z0-9]+/g;
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'gu');

/**
 * A text without what does not change what it says; the folding of a folded text is itself. Linear in its length.
 * @returns null if it is too short to mean something: fewer than 20 letters and digits (ten of Han, Kana or Hangul), or
 *   fewer than three words
 */
export function foldText(text: string): string | null {
  // A text that shrinks may begin or end with what is ignored, as in `"RT @a: …`.
  let folded = text;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const next = foldOnce(folded);
    if (next === folded) break;
    folded = next;
    if (!MAY_SHRINK.test(folded)) break;
  }
  return isMeaningful(folded) ? folded : null;
}

const MAX_PASSES = 4;
/** What another pass may remove. */
const MAY_SHRINK = /^rt\b|[@&/#([]|www\.| [,.;:!?]/;

function foldOnce(text: string): string {
  const isAscii = ASCII.test(text);
  // Composed first: a hidden character may stand between a letter and its accent.
  let folded = isAscii
    ? text.toLowerCase()
    : text.replace(HIDDEN, '').normalize('NFKC').replace(HIDDEN, '').toLowerCase().normalize('NFC');
  if (folded.includes('&')) for (const [entity, sign] of ENTITIES) folded = folded.replace(entity, sign);
  if (!isAscii || folded.includes('`'))
    for (const [sign, plain] of VARIANTS) folded = folded.replace(sign, plain);
  if (folded.includes('@')) folded = folded.replace(REPOST, '').replace(VIA, '').replace(MENTION, '');
  else folded = folded.replace(REPOST, '');
  // Most texts lack most signs, and an expression that finds nothing costs as much as one that does.
  if (folded.includes('/') || folded.includes('www.')) folded = folded.replace(ADDRESS, '');
  if (folded.includes('#')) folded = folded.replace(HASHTAG, '');
  if (folded.includes('(') || folded.includes('[')) folded = folded.replace(EMPTY_BRACKETS, '');
  const bare = folded.replace(BLANK, ' ').replace(BEFORE_SIGN, '').replace(LEADING, '');
  let end = bare.length;
  while (TRAILING.test(bare.charAt(end - 1))) end -= 1;
  return bare.slice(0, end);
}

function isMeaningful(folded: string): boolean {
  if (ASCII.test(folded)) {
    const plain = folded.match(PLAIN_WORD) ?? [];
    return plain.length >= MIN_WORDS && plain.join('').length >= MIN_LETTERS;
  }
  const count = (pattern: RegExp) => folded.match(pattern)?.length ?? 0;
  const words = count(SPACED_WORD) + Math.floor(count(UNSPACED) / UNSPACED_WORD_LENGTH);
  return words >= MIN_WORDS && count(LETTER) + count(DENSE_LETTER) >= MIN_LETTERS;
}

/**
 * What posts with equal folded texts have in common: 64 bits.
 * @returns null if the text is too short, see {@link foldText}
 */
export function hashFoldedText(text: string): bigint | null {
  const folded = foldText(text);
  return folded === null ? null : hash('sha256', folded, 'buffer').readBigInt64BE();
}
