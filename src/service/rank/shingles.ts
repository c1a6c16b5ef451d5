/**
 * How alike two texts are: the Jaccard index of their runs of five characters, letters and digits only,
 * without addresses and mentions. A sketch (MinHash by one permutation) finds who could be alike, and the
 * runs themselves decide.
 */

const RUN = 5;
/** More of a text is not looked at. */
const CHARACTERS_MOST = 280;
/** Even, since two neighbouring bins make a band: texts that are alike by 0.7 share one of 16 with 99.99 %. */
const BIN_BITS = 5;
const BINS = 1 << BIN_BITS;
const EMPTY = 0x7fff_ffff;
/** 2^32 over the golden ratio, odd: multiplied by it, neighbours lie far apart. */
const GOLDEN = 0x9e3779b1;
const NOISE = /https?:\/\/\S+|^rt\s+@\w+:|@\w+/gu;
/** 31 to the power of `RUN`, as a 32-bit integer: what the oldest character weighs in a rolling hash. */
const OLDEST = (31 ** RUN) | 0;

/** Filled anew for each text: arrays of their own would take longer than the work. A letter may grow by lower case. */
const letters = new Uint16Array(3 * CHARACTERS_MOST);
const hashes = new Int32Array(3 * CHARACTERS_MOST);

export type Shingles = {
  /** Hashes of the runs, each as often as it stands there. */
  runs: Int32Array;
  /** Of the digits in their order: texts that differ in a number say different things. */
  digits: number;
  sketch: Int32Array;
};

export function shinglesOf(text: string): Shingles {
  const lower = text.slice(0, CHARACTERS_MOST).toLowerCase();
  const plain = lower.includes('@') || lower.includes('://') ? lower.replace(NOISE, ' ') : lower;
  const sketch = new Int32Array(BINS).fill(EMPTY);
  let length = 0;
  let count = 0;
  let rolling = 0;
  let digits = 0;
  for (let i = 0; i < plain.length; i++) {
    const code = plain.charCodeAt(i);
    const digit = code >= 48 && code <= 57;
    // Beyond ASCII everything counts as a letter: looking it up costs more than it tells.
    if (!digit && code < 128 && (code < 97 || code > 122)) continue;
    if (digit) digits = (Math.imul(digits, 31) + code) | 0;
    letters[length] = code;
    rolling =
      (Math.imul(rolling, 31) + code - (length < RUN ? 0 : Math.imul(OLDEST, letters[length - RUN] ?? 0))) |
      0;
    length += 1;
    if (length < RUN) continue;
    hashes[count] = rolling;
    count += 1;
    // The upper bits choose the bin, the others who is least in it.
    const spread = Math.imul(rolling, GOLDEN);
    const bin = spread >>> (32 - BIN_BITS);
    if (spread < (sketch[bin] ?? 0)) sketch[bin] = spread;
  }
  return { runs: hashes.slice(0, count), digits, sketch };
}

/** Keys of which two texts share at least one when they are alike. */
export function bandsOf({ runs, sketch }: Shingles): number[] {
  const bands: number[] = [];
  let whole = runs.length;
  for (let bin = 0; bin < BINS; bin += 2) {
    const a = sketch[bin] ?? EMPTY;
    const b = sketch[bin + 1] ?? EMPTY;
    const band = mix(Math.imul(a, 31) + b + bin);
    whole = (Math.imul(whole, 31) + band) | 0;
    if (a !== EMPTY && b !== EMPTY) bands.push(band);
  }
  // The same text, however short.
  return [...bands, mix(whole)];
}

/** Whether two texts share at least this part of their runs, and every number. */
export function areAlike(a: Shingles, b: Shingles, least: number): boolean {
  if (a.digits !== b.digits) return false;
  const shorter = Math.min(a.runs.length, b.runs.length);
  if (shorter === 0 || shorter < least * Math.max(a.runs.length, b.runs.length) * 0.8) return false;
  if (agreement(a.sketch, b.sketch) < least - 0.35) return false;
  const runs = new Set(a.runs);
  const others = new Set(b.runs);
  let common = 0;
  for (const run of others) if (runs.has(run)) common += 1;
  return common >= least * (runs.size + others.size - common);
}

/** Part of the bins in which two sketches agree: a guess at the Jaccard index, give or take 0.1. */
function agreement(a: Int32Array, b: Int32Array): number {
  let same = 0;
  let used = 0;
  for (let bin = 0; bin < BINS; bin++) {
    if (a[bin] === EMPTY && b[bin] === EMPTY) continue;
    used += 1;
    if (a[bin] === b[bin]) same += 1;
  }
  return used === 0 ? 0 : same / used;
}

/** Spreads a 32-bit integer (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
