/**
 * A sketch says how much of their wording two texts share, without the texts. It is a function of the text only. Pure.
 *
 * A text is folded as by `model/folded-text.ts` and cut into shingles: pairs of consecutive words, or three consecutive characters
 * where a script has no spaces. The sketch keeps the 64 smallest hashes of shingles, which is all of most texts, to measure how
 * many of the shingles of two texts both have; and 8 bands, to find which texts to measure at all. A band is three
 * MinHashes: two texts that share two thirds of their shingles share one of 8 bands in 94 of 100 cases, and such that share
 * four fifths in all but one of 300.
 */
import { UNSPACED_SCRIPTS } from '../lib/text.ts';
import { splitFoldedWords } from '../lib/folded-words.ts';
import { mixBits } from '../lib/mix-bits.ts';
import { foldText } from './folded-text.ts';

export type Sketch = {
  /** In order. Only texts that share a band are compared. */
  bands: readonly number[];
  /** The smallest hashes of the shingles, at most {@link MAX_SHINGLES}, ascending. */
  shingles: readonly number[];
};

const BANDS = 8;
const HASHES_OF_BAND = 3;
const HASHES = BANDS * HASHES_OF_BAND;
const MAX_SHINGLES = 64;

/** Texts of whose shingles both have at least this part are near-equal. */
export const MIN_SIMILARITY = 2 / 3;

/** Characters of a text that are read: a longer one is compared by its beginning. */
const MAX_LENGTH = 2_000;
/** Fewer shingles are as generic as a short text. */
const MIN_SHINGLES = 4;
const WORDS_OF_SHINGLE = 2;
const CHARACTERS_OF_SHINGLE = 3;
const UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS}]`, 'u');

/** Odd multipliers and offsets of the hash functions. A change makes stored sketches useless. */
const MULTIPLIERS = Int32Array.from({ length: HASHES }, (_, i) => mixBits(2 * i + 1) | 1);
const OFFSETS = Int32Array.from({ length: HASHES }, (_, i) => mixBits(0x5bd1e995 + i));

/** @returns null if the text is too short or generic, as in `foldText` */
export function sketchText(text: string): Sketch | null {
  const folded = foldText(text.slice(0, MAX_LENGTH));
  if (folded === null) return null;
  const shingles = hashShingles(splitFoldedWords(folded));
  if (shingles.length < MIN_SHINGLES) return null;
  const bands: number[] = [];
  for (let band = 0; band < BANDS; band += 1) {
    let value = 0;
    for (let i = band * HASHES_OF_BAND; i < (band + 1) * HASHES_OF_BAND; i += 1)
      value = mixBits(Math.imul(value, 31) + findLeast(shingles, i));
    bands.push(value);
  }
  return { bands, shingles: [...shingles.subarray(0, MAX_SHINGLES)] };
}

/** The smallest hash of the shingles by the `i`-th function. */
function findLeast(shingles: Int32Array, i: number): number {
  const multiplier = MULTIPLIERS[i] ?? 1;
  const offset = OFFSETS[i] ?? 0;
  let least = 0xffffffff;
  // Indexed: `for (const …)` of a typed array takes several times as long.
  for (let k = 0; k < shingles.length; k += 1) {
    const hash = (Math.imul(shingles[k] ?? 0, multiplier) + offset) >>> 0;
    if (hash < least) least = hash;
  }
  return least;
}

/** Distinct ones, ascending. */
function hashShingles(words: readonly string[]): Int32Array {
  const unspaced = words.filter((word) => UNSPACED.test(word)).length;
  const length = unspaced * 2 > words.length ? CHARACTERS_OF_SHINGLE : WORDS_OF_SHINGLE;
  const hashes = words.map(hashWord);
  const shingles = new Set<number>();
  for (let i = 0; i + length <= hashes.length; i += 1) {
    let hash = 0;
    for (let k = 0; k < length; k += 1) hash = mixBits(Math.imul(hash, 31) + (hashes[i + k] ?? 0));
    shingles.add(hash);
  }
  return Int32Array.from(shingles).sort();
}

/** FNV-1a of the code units. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i += 1) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash;
}

/**
 * The part of the shingles of both texts that both have, from 0 to 1: exact for texts of fewer than 64 shingles; otherwise of
 * the 64 smallest, which are as good as drawn.
 */
export function measureSimilarity({ shingles: left }: Sketch, { shingles: right }: Sketch): number {
  const isPart = left.length === MAX_SHINGLES || right.length === MAX_SHINGLES;
  const most = isPart ? MAX_SHINGLES : left.length + right.length;
  let [all, shared, l, r] = [0, 0, 0, 0];
  for (; all < most && (l < left.length || r < right.length); all += 1) {
    const a = left[l] ?? Infinity;
    const b = right[r] ?? Infinity;
    if (a === b) shared += 1;
    if (a <= b) l += 1;
    if (b <= a) r += 1;
  }
  return all === 0 ? 0 : shared / all;
}

/** Whether two texts share a band, and {@link MIN_SIMILARITY} of their shingles. */
export function areNearEqual(left: Sketch, right: Sketch): boolean {
  return (
    left.bands.some((band, i) => band === right.bands[i]) && measureSimilarity(left, right) >= MIN_SIMILARITY
  );
}
